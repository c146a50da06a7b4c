//! Format strings, as `println!` and `panic!` take them.

/// A part of a format string.
#[derive(Debug, PartialEq)]
pub(super) enum Part {
    /// As it stands.
    Text(String),
    /// `{}`, `{0:.3}`, `{x:?}`
    Argument {
        which: Which,
        /// What stands behind the colon.
        format: String,
    },
}

/// Which argument is meant.
#[derive(Debug, PartialEq)]
pub(super) enum Which {
    /// The next one of those without a name or position.
    Next,
    /// By position.
    Position(usize),
    /// By name: that of an argument, or of a variable.
    Name(String),
}

/// Why a text is no format string.
#[derive(Debug, PartialEq)]
pub(super) enum Mistake {
    /// `{` without `}`, or the other way round.
    Unbalanced,
    /// `{:width$}`, `{:.*}`: how to print an argument is in another one.
    Dynamic,
    /// `{a.b}`: neither a name nor a position.
    NoName(String),
}

/// Reads a format string.
pub(super) fn parse(text: &str) -> Result<Vec<Part>, Mistake> {
    let mut parts = Vec::new();
    let mut literal = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        literal.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        let after = &rest[at + 1..];
        if let Some(after) = after.strip_prefix(brace) {
            literal.push_str(brace);
            rest = after;
            continue;
        }
        let end = after.find('}').filter(|_| brace == "{").ok_or(Mistake::Unbalanced)?;
        if !literal.is_empty() {
            parts.push(Part::Text(std::mem::take(&mut literal)));
        }
        parts.push(argument(&after[..end])?);
        rest = &after[end + 1..];
    }
    literal.push_str(rest);
    if !literal.is_empty() {
        parts.push(Part::Text(literal));
    }
    Ok(parts)
}

/// What stands between the braces.
fn argument(text: &str) -> Result<Part, Mistake> {
    let (name, format) = text.split_once(':').unwrap_or((text, ""));
    let (name, format) = (name.trim(), format.trim_end());
    let which = if name.is_empty() {
        Which::Next
    } else if let Ok(position) = name.parse() {
        Which::Position(position)
    } else if syn::parse_str::<syn::Ident>(name).is_ok() {
        Which::Name(name.to_owned())
    } else {
        return Err(Mistake::NoName(name.to_owned()));
    };
    // The first character is what is filled with, if the second says where.
    let mut characters = format.chars();
    let (first, second) = (characters.next(), characters.next());
    let fill = if second.is_some_and(|second| "<^>".contains(second)) { first.map_or(0, char::len_utf8) } else { 0 };
    if format[fill..].contains(['$', '*']) {
        return Err(Mistake::Dynamic);
    }
    Ok(Part::Argument { which, format: format.to_owned() })
}

/// A text as a format string that prints it.
pub(super) fn escaped(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

#[cfg(test)]
mod tests {
    use super::{Mistake, Part, Which, parse};

    #[track_caller]
    fn check(text: &str, expected: &[(&str, Option<(Which, &str)>)]) {
        let expected: Vec<Part> = expected
            .iter()
            .map(|(text, argument)| match argument {
                None => Part::Text((*text).to_owned()),
                Some((which, format)) => {
                    let which = match which {
                        Which::Next => Which::Next,
                        Which::Position(position) => Which::Position(*position),
                        Which::Name(name) => Which::Name(name.clone()),
                    };
                    Part::Argument { which, format: (*format).to_owned() }
                }
            })
            .collect();
        assert_eq!(parse(text), Ok(expected));
    }

    #[test]
    fn texts_and_arguments() {
        check("", &[]);
        check("a {{b}} c", &[("a {b} c", None)]);
        check("{}: {:?}", &[("", Some((Which::Next, ""))), (": ", None), ("", Some((Which::Next, "?")))]);
        check(
            "{0:>8.3}{x:#x}",
            &[("", Some((Which::Position(0), ">8.3"))), ("", Some((Which::Name("x".to_owned()), "#x")))],
        );
        check("{:$>5}}}", &[("", Some((Which::Next, "$>5"))), ("}", None)]);
        check("{{{}}}", &[("{", None), ("", Some((Which::Next, ""))), ("}", None)]);
    }

    #[test]
    fn mistakes() {
        assert_eq!(parse("{"), Err(Mistake::Unbalanced));
        assert_eq!(parse("a } b"), Err(Mistake::Unbalanced));
        assert_eq!(parse("{:width$}"), Err(Mistake::Dynamic));
        assert_eq!(parse("{:.*}"), Err(Mistake::Dynamic));
        assert_eq!(parse("{a.b}"), Err(Mistake::NoName("a.b".to_owned())));
    }
}

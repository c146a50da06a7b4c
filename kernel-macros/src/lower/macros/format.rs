//! Parser for the format strings of `println!` and `panic!`.

/// A part of a format string.
#[derive(Debug, PartialEq)]
pub(in crate::lower) enum Part {
    /// Literal text.
    Text(String),
    /// `{}`, `{0:.3}`, `{x:?}`
    Argument {
        which: Which,
        /// The format specification, after the colon.
        format: String,
    },
}

/// How an argument is referenced.
#[derive(Debug, PartialEq)]
pub(in crate::lower) enum Which {
    /// Implicitly: the next positional argument.
    Next,
    /// By position.
    Position(usize),
    /// By the name of an argument or a variable.
    Name(String),
}

/// An error in a format string.
#[derive(Debug, PartialEq)]
pub(in crate::lower) enum Mistake {
    /// An unmatched `{` or `}`.
    Unbalanced,
    /// `{:width$}`, `{:.*}`: a width or a precision from an argument.
    Dynamic,
    /// `{a.b}`: neither an identifier nor a position.
    NoName(String),
}

/// Parses a format string.
pub(in crate::lower) fn parse(text: &str) -> Result<Vec<Part>, Mistake> {
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

/// Parses the text between the braces.
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
    // The first character is the fill character if the second one is an alignment.
    let mut characters = format.chars();
    let (first, second) = (characters.next(), characters.next());
    let fill = if second.is_some_and(|second| "<^>".contains(second)) { first.map_or(0, char::len_utf8) } else { 0 };
    if format[fill..].contains(['$', '*']) {
        return Err(Mistake::Dynamic);
    }
    Ok(Part::Argument { which, format: format.to_owned() })
}

/// Returns a format string that prints a text literally.
pub(in crate::lower) fn escaped(text: &str) -> String {
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
    fn literals_and_arguments() {
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
    fn invalid_format_strings() {
        assert_eq!(parse("{"), Err(Mistake::Unbalanced));
        assert_eq!(parse("a } b"), Err(Mistake::Unbalanced));
        assert_eq!(parse("{:width$}"), Err(Mistake::Dynamic));
        assert_eq!(parse("{:.*}"), Err(Mistake::Dynamic));
        assert_eq!(parse("{a.b}"), Err(Mistake::NoName("a.b".to_owned())));
    }
}

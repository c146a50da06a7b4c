//! Expansion of or-patterns (`a | b`) into lists of alternatives.

use super::Pattern;

/// Returns the number of variables that a pattern declares.
pub fn binding_count(pattern: &Pattern) -> usize {
    let mut bound = 0;
    pattern.for_each_local(&mut |_| bound += 1);
    bound
}

/// Expands the or-patterns whose alternatives bind variables, and returns the resulting patterns in order.
pub fn expanded(pattern: &Pattern) -> Vec<Pattern> {
    choices(pattern, &binds_in_choice)
}

/// Expands each sub-pattern for which `expands` holds, and returns the resulting patterns in order.
fn choices(pattern: &Pattern, expands: &dyn Fn(&Pattern) -> bool) -> Vec<Pattern> {
    if !expands(pattern) {
        return vec![pattern.clone()];
    }
    match pattern {
        Pattern::Or(parts) => parts.iter().flat_map(|part| choices(part, expands)).collect(),
        Pattern::At(local, inner) => {
            choices(inner, expands).into_iter().map(|inner| Pattern::At(*local, Box::new(inner))).collect()
        }
        Pattern::Tuple(parts) => products(parts, expands).into_iter().map(Pattern::Tuple).collect(),
        Pattern::Array(parts) => products(parts, expands).into_iter().map(Pattern::Array).collect(),
        Pattern::Struct { name, fields } => {
            let (names, parts): (Vec<String>, Vec<Pattern>) = fields.iter().cloned().unzip();
            let with_names = |parts: Vec<Pattern>| names.iter().cloned().zip(parts).collect();
            let structure = |parts| Pattern::Struct { name: name.clone(), fields: with_names(parts) };
            products(&parts, expands).into_iter().map(structure).collect()
        }
        Pattern::Wild | Pattern::Local(_) | Pattern::Literal(_) | Pattern::Constant(_) | Pattern::Range { .. } => {
            vec![pattern.clone()]
        }
    }
}

/// Expands the or-patterns that have overlapping alternatives or bind variables, and returns the alternatives in order.
pub fn alternatives(pattern: &Pattern) -> Vec<Pattern> {
    choices(pattern, &may_overlap)
}

/// Returns whether the pattern contains an or-pattern of which a value may match several alternatives, or whose
/// alternatives bind variables.
fn may_overlap(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Or(choices) => {
            let differ = choices
                .iter()
                .enumerate()
                .all(|(i, choice)| matches!(choice, Pattern::Literal(_)) && !choices[..i].contains(choice));
            !differ
        }
        Pattern::At(_, inner) => may_overlap(inner),
        Pattern::Tuple(parts) | Pattern::Array(parts) => parts.iter().any(may_overlap),
        Pattern::Struct { name: _, fields } => fields.iter().any(|(_, field)| may_overlap(field)),
        Pattern::Wild | Pattern::Local(_) | Pattern::Literal(_) | Pattern::Constant(_) | Pattern::Range { .. } => false,
    }
}

/// Returns the Cartesian product of the parts' alternatives. The first part varies slowest, in Rust's matching order.
fn products(parts: &[Pattern], expands: &dyn Fn(&Pattern) -> bool) -> Vec<Vec<Pattern>> {
    let mut all = vec![Vec::new()];
    for part in parts {
        let choices = choices(part, expands);
        all = all
            .into_iter()
            .flat_map(|chosen: Vec<Pattern>| {
                choices.iter().map(move |choice| chosen.iter().chain([choice]).cloned().collect())
            })
            .collect();
    }
    all
}

/// Returns whether the pattern contains an or-pattern whose alternatives bind variables.
fn binds_in_choice(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Or(_) => binding_count(pattern) > 0,
        Pattern::At(_, inner) => binds_in_choice(inner),
        Pattern::Tuple(parts) | Pattern::Array(parts) => parts.iter().any(binds_in_choice),
        Pattern::Struct { name: _, fields } => fields.iter().any(|(_, field)| binds_in_choice(field)),
        Pattern::Wild | Pattern::Local(_) | Pattern::Literal(_) | Pattern::Constant(_) | Pattern::Range { .. } => false,
    }
}

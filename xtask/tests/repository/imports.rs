//! Sibling modules import each other in one direction only.
//!
//! An import between two modules is an edge between siblings: the two children of their closest common parent that hold
//! them. An import between a module and one of its own descendants is no edge. The edges below each parent have to form
//! an acyclic graph.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write;

use crate::crates::packages;
use crate::module_graph::{SourceLocation, imports};

/// The edges between the children of one module. For each edge, the first place that needs it.
type Edges = BTreeMap<(String, String), SourceLocation>;

/// Returns the graphs of every crate, by the parent: `kernel-runtime` for its root, `kernel-runtime::cuda` for a
/// module.
fn sibling_graphs() -> BTreeMap<String, Edges> {
    let mut graphs: BTreeMap<String, Edges> = BTreeMap::new();
    for package in packages() {
        let Some(root_module) = &package.root_module else { continue };
        for import in imports(root_module) {
            let common = import.from.iter().zip(&import.to).take_while(|(from, to)| from == to).count();
            let (Some(from), Some(to)) = (import.from.get(common), import.to.get(common)) else { continue };
            let crate_name = if package.folder == "." { "cumbia" } else { &package.folder };
            let parent = [crate_name].into_iter().chain(import.from[..common].iter().map(String::as_str));
            let parent = parent.collect::<Vec<_>>().join("::");
            graphs.entry(parent).or_default().entry((from.clone(), to.clone())).or_insert(import.place);
        }
    }
    graphs
}

/// Returns a shortest path between two modules along `edges`, both ends included.
fn shortest_path<'e>(edges: &'e BTreeSet<(String, String)>, from: &'e str, to: &'e str) -> Option<Vec<&'e str>> {
    let mut previous: BTreeMap<&str, &str> = BTreeMap::new();
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        if at == to {
            let mut path = vec![to];
            while *path.last().expect("it has an end") != from {
                path.push(previous[path[path.len() - 1]]);
            }
            path.reverse();
            return Some(path);
        }
        for (source, target) in edges.iter().filter(|(source, _)| source == at) {
            if target != from && !previous.contains_key(target.as_str()) {
                previous.insert(target, source);
                queue.push_back(target);
            }
        }
    }
    None
}

/// Returns a cycle for each edge that closes one, as the path from the target of the edge back to its source.
fn cycles(edges: &BTreeSet<(String, String)>) -> Vec<Vec<&str>> {
    let mut accepted = BTreeSet::new();
    let mut cycles = Vec::new();
    for edge in edges {
        if shortest_path(&accepted, &edge.1, &edge.0).is_none() {
            accepted.insert(edge.clone());
        } else {
            cycles.push(shortest_path(edges, &edge.1, &edge.0).expect("there is one in a part of the graph"));
        }
    }
    cycles
}

#[test]
fn sibling_modules_import_each_other_in_one_direction() {
    let mut failures = Vec::new();
    for (parent, places) in &sibling_graphs() {
        let edges = places.keys().cloned().collect();
        failures.extend(cycles(&edges).iter().map(|path| message(parent, places, path)));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Returns the message about a cycle: each edge, and a place that needs it.
fn message(parent: &str, edges: &Edges, path: &[&str]) -> String {
    let mut text = format!("{parent}: import cycle between sibling modules");
    let closing = (path[path.len() - 1], path[0]);
    for (from, to) in path.windows(2).map(|pair| (pair[0], pair[1])).chain([closing]) {
        let place = &edges[&(from.to_owned(), to.to_owned())];
        let _ = write!(text, "\n  {from} -> {to} at {place}");
    }
    text
}

#[test]
fn cycles_are_found() {
    let edges = |text: &str| -> BTreeSet<_> {
        text.split(' ').map(|edge| (edge[..1].to_owned(), edge[1..].to_owned())).collect()
    };
    assert!(cycles(&edges("ab bc ac")).is_empty());
    assert_eq!(cycles(&edges("ab ac ad bc bd cd da")), [["a", "d"]]);
    assert_eq!(cycles(&edges("ab ba bc cb")), [["a", "b"], ["b", "c"]]);
    assert_eq!(shortest_path(&edges("ab bc cd"), "a", "d"), Some(vec!["a", "b", "c", "d"]));
}

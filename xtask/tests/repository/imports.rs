//! Sibling modules import each other in one direction only.
//!
//! An import between two modules is an edge between siblings: the two children of their closest common parent that hold
//! them. An import between a module and one of its own descendants is no edge. The edges below each parent have to form
//! an acyclic graph.
//!
//! `import_cycles.txt` lists the edges that break this rule today. An edge leaves the list when it is gone, or when it
//! closes no cycle any more; the test fails until then, so that the list shrinks. `CUMBIA_BLESS=1` writes it anew, for
//! modules that were renamed or moved: a list that grows is a mistake.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write;
use std::path::PathBuf;

use crate::crates::packages;
use crate::module_graph::{Place, imports};

/// The edges between the children of one module. For each edge, the first place that needs it.
type Edges = BTreeMap<(String, String), Place>;

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

/// Returns a small set of edges without which the graph is acyclic.
///
/// The edges are added one by one, and an edge that would close a cycle goes into the set. Those from modules that
/// import much come first: a module that imports much and is imported little is a high layer, whose edges lead down.
fn feedback_edges(edges: &Edges) -> BTreeSet<(String, String)> {
    let mut rank: BTreeMap<&str, i64> = BTreeMap::new();
    for (from, to) in edges.keys() {
        *rank.entry(from).or_default() += 1;
        *rank.entry(to).or_default() -= 1;
    }
    let mut ordered: Vec<&(String, String)> = edges.keys().collect();
    ordered.sort_by_key(|(from, to)| (rank[to.as_str()] - rank[from.as_str()], from, to));
    let mut accepted = BTreeSet::new();
    let mut feedback = BTreeSet::new();
    for edge in ordered {
        let closes_cycle = shortest_path(&accepted, &edge.1, &edge.0).is_some();
        if closes_cycle {
            feedback.insert(edge.clone())
        } else {
            accepted.insert(edge.clone())
        };
    }
    feedback
}

fn list() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/repository/import_cycles.txt")
}

const HEAD: &str = "\
# The imports between sibling modules that close a cycle today, as `parent: importer -> imported`.
# A test reads this list and fails on an edge that is not in it, and on a line that is not needed any more.
";

#[test]
fn sibling_modules_import_each_other_in_one_direction() {
    let graphs = sibling_graphs();
    if std::env::var("CUMBIA_BLESS").is_ok_and(|value| value == "1") {
        let mut text = String::from(HEAD);
        for (parent, edges) in &graphs {
            for (from, to) in feedback_edges(edges) {
                let _ = writeln!(text, "{parent}: {from} -> {to}");
            }
        }
        std::fs::write(list(), text).expect("a list that can be written");
        return;
    }
    let text = crate::read(&list());
    let mut allowed: BTreeMap<&str, BTreeSet<(String, String)>> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (parent, edge) = line.split_once(": ").unwrap_or_else(|| panic!("not `parent: a -> b`: {line}"));
        let (from, to) = edge.split_once(" -> ").unwrap_or_else(|| panic!("not `parent: a -> b`: {line}"));
        allowed.entry(parent).or_default().insert((from.to_owned(), to.to_owned()));
    }
    let mut failures = Vec::new();
    for (parent, listed) in &allowed {
        for edge in listed {
            if !graphs.get(*parent).is_some_and(|edges| edges.contains_key(edge)) {
                failures.push(format!("{parent}: {} -> {} is gone: remove it from the list", edge.0, edge.1));
            }
        }
    }
    for (parent, edges) in &graphs {
        let listed = allowed.remove(parent.as_str()).unwrap_or_default();
        let mut accepted: BTreeSet<(String, String)> = BTreeSet::new();
        for edge in edges.keys().filter(|edge| !listed.contains(edge)) {
            match shortest_path(&accepted, &edge.1, &edge.0) {
                Some(path) => failures.push(cycle(parent, edges, &path)),
                None => {
                    accepted.insert(edge.clone());
                }
            }
        }
        for edge in listed.iter().filter(|edge| edges.contains_key(edge)) {
            if shortest_path(&accepted, &edge.1, &edge.0).is_none() {
                let (from, to) = edge;
                failures.push(format!("{parent}: {from} -> {to} closes no cycle: remove it from the list"));
            }
        }
    }
    assert!(failures.is_empty(), "{}\nthe list: {}", failures.join("\n"), list().display());
}

/// Returns the message about a cycle: each edge, and a place that needs it. `path` leads from the target of the edge
/// that closes it back to its source.
fn cycle(parent: &str, edges: &Edges, path: &[&str]) -> String {
    let mut text = format!("{parent}: import cycle between sibling modules");
    let closing = (path[path.len() - 1], path[0]);
    for (from, to) in path.windows(2).map(|pair| (pair[0], pair[1])).chain([closing]) {
        let place = &edges[&(from.to_owned(), to.to_owned())];
        let _ = write!(text, "\n  {from} -> {to} at {place}");
    }
    text
}

#[test]
fn feedback_edges_leave_an_acyclic_graph() {
    let place = || crate::module_graph::imports(&crate::root().join("xtask/src/main.rs")).swap_remove(0).place;
    let edges = |text: &str| -> Edges {
        text.split(' ').map(|edge| ((edge[..1].to_owned(), edge[1..].to_owned()), place())).collect()
    };
    assert!(feedback_edges(&edges("ab bc ac")).is_empty());
    assert_eq!(feedback_edges(&edges("ab ac ad bc bd cd da")), BTreeSet::from([("d".to_owned(), "a".to_owned())]));
    let rest: BTreeSet<_> = edges("ab bc cd").into_keys().collect();
    assert_eq!(shortest_path(&rest, "a", "d"), Some(vec!["a", "b", "c", "d"]));
    assert_eq!(shortest_path(&rest, "d", "a"), None);
}

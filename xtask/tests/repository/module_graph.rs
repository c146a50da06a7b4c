//! The import graph of a crate: its modules, and the paths by which they name each other.
//!
//! Every path is read: `use` declarations, paths in signatures and bodies, and paths among the tokens of macros. A path
//! through a re-export (`crate::Device` for `crate::device::Device`) leads to the module that defines the item, so that
//! the root module hides no edge. Code under `#[cfg(test)]` is skipped: tests may look at any module.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, UseTree};

/// The path of a module from the root of its crate, which is the empty path.
pub(crate) type ModulePath = Vec<String>;

/// A place in a file, for messages.
#[derive(Clone, Debug)]
pub(crate) struct SourceLocation {
    file: PathBuf,
    line: usize,
}

impl std::fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)
    }
}

/// An import: the module that holds the path, the module that it leads to, and its first place.
pub(crate) struct Import {
    pub(crate) from: ModulePath,
    pub(crate) to: ModulePath,
    pub(crate) place: SourceLocation,
}

/// The declarations of one module.
#[derive(Default)]
struct Module {
    children: BTreeSet<String>,
    items: BTreeSet<String>,
    /// The imported names, and the paths that they stand for.
    names: BTreeMap<String, Vec<String>>,
    /// The paths of glob imports.
    globs: Vec<Vec<String>>,
    /// Every path in the module, as written.
    paths: Vec<(Vec<String>, SourceLocation)>,
}

/// Reads the crate with this root module.
fn modules(root_module: &Path) -> BTreeMap<ModulePath, Module> {
    let mut reader = Reader { modules: BTreeMap::new(), path: vec![], file: root_module.to_owned() };
    let folder = root_module.parent().expect("a file is in a directory");
    reader.read_file(root_module, folder);
    reader.modules
}

/// Returns every path in the crate with this root module, as written.
pub(crate) fn paths(root_module: &Path) -> Vec<(Vec<String>, SourceLocation)> {
    modules(root_module).into_values().flat_map(|module| module.paths).collect()
}

/// Returns the imports of the crate with this root module, without duplicates.
pub(crate) fn imports(root_module: &Path) -> Vec<Import> {
    let modules = modules(root_module);
    let mut found: BTreeMap<(ModulePath, ModulePath), SourceLocation> = BTreeMap::new();
    for (from, module) in &modules {
        for (path, place) in &module.paths {
            if let Some(to) = resolve(&modules, from, path, 0) {
                found.entry((from.clone(), to)).or_insert_with(|| place.clone());
            }
        }
    }
    found.into_iter().map(|((from, to), place)| Import { from, to, place }).collect()
}

/// Resolves a path that is written in module `from` to the module that defines its item, or `None` for a path out of
/// the crate. Re-exports are followed to a depth of 8, more than there are.
fn resolve(modules: &BTreeMap<ModulePath, Module>, from: &[String], path: &[String], depth: u32) -> Option<ModulePath> {
    let mut current = from.to_vec();
    let mut rest = path;
    match rest.first()?.as_str() {
        "crate" => {
            current.clear();
            rest = &rest[1..];
        }
        "self" => rest = &rest[1..],
        "super" => {
            while rest.first().is_some_and(|word| word == "super") {
                current.pop()?;
                rest = &rest[1..];
            }
        }
        first => {
            let module = modules.get(&current)?;
            if !module.children.contains(first) && !module.names.contains_key(first) {
                return None;
            }
        }
    }
    while let Some(name) = rest.first() {
        let module = modules.get(&current)?;
        if module.children.contains(name) {
            current.push(name.clone());
            rest = &rest[1..];
            continue;
        }
        if module.items.contains(name) || depth > 8 {
            break;
        }
        if let Some(target) = module.names.get(name) {
            let target: Vec<String> = target.iter().chain(&rest[1..]).cloned().collect();
            return resolve(modules, &current, &target, depth + 1);
        }
        let through_glob = module.globs.iter().find_map(|glob| {
            let target = resolve(modules, &current, glob, depth + 1)?;
            let defines = modules.get(&target)?;
            let known =
                defines.items.contains(name) || defines.children.contains(name) || defines.names.contains_key(name);
            known.then_some(target)
        });
        match through_glob {
            Some(target) if target != current => {
                let mut inner = vec!["self".to_owned()];
                inner.extend_from_slice(rest);
                return resolve(modules, &target, &inner, depth + 1);
            }
            _ => break,
        }
    }
    Some(current)
}

/// The state of the walk through the files of a crate.
struct Reader {
    modules: BTreeMap<ModulePath, Module>,
    /// The module that is being read.
    path: ModulePath,
    file: PathBuf,
}

impl Reader {
    /// Reads a file into the current module. `folder` is where its child modules are.
    fn read_file(&mut self, file: &Path, folder: &Path) {
        let text = crate::read(file);
        let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let outer = std::mem::replace(&mut self.file, file.to_owned());
        self.read_items(&parsed.items, folder);
        self.file = outer;
    }

    fn read_items(&mut self, items: &[Item], folder: &Path) {
        self.modules.entry(self.path.clone()).or_default();
        for item in items {
            if !is_test(attributes(item)) {
                self.declare(item);
            }
        }
        for item in items.iter().filter(|item| !is_test(attributes(item))) {
            match item {
                Item::Mod(module) => self.read_module(module, folder),
                item => self.visit_item(item),
            }
        }
    }

    fn read_module(&mut self, module: &ItemMod, folder: &Path) {
        let name = module.ident.to_string();
        let inner_folder = folder.join(&name);
        self.path.push(name.clone());
        if let Some((_, items)) = &module.content {
            self.read_items(items, &inner_folder);
        } else {
            let candidates = [folder.join(format!("{name}.rs")), inner_folder.join("mod.rs")];
            // A module under a disabled `cfg` may have no file.
            if let Some(file) = candidates.iter().find(|file| file.exists()) {
                self.read_file(file, &inner_folder);
            }
        }
        self.path.pop();
    }

    fn module(&mut self) -> &mut Module {
        self.modules.entry(self.path.clone()).or_default()
    }

    /// Records the name that an item declares in its module.
    fn declare(&mut self, item: &Item) {
        let ident = match item {
            Item::Const(item) => &item.ident,
            Item::Enum(item) => &item.ident,
            Item::Fn(item) => &item.sig.ident,
            Item::Static(item) => &item.ident,
            Item::Struct(item) => &item.ident,
            Item::Trait(item) => &item.ident,
            Item::TraitAlias(item) => &item.ident,
            Item::Type(item) => &item.ident,
            Item::Union(item) => &item.ident,
            Item::Mod(item) => {
                let name = item.ident.to_string();
                self.module().children.insert(name);
                return;
            }
            Item::Macro(item) => {
                // A macro may write items that are not visible here: a name in it counts as an item.
                let idents = item.ident.iter().map(ToString::to_string).collect::<Vec<_>>();
                self.module().items.extend(idents);
                return;
            }
            _ => return,
        };
        let name = ident.to_string();
        self.module().items.insert(name);
    }

    fn add_path(&mut self, path: Vec<String>, line: usize) {
        let file = self.file.strip_prefix(crate::root()).unwrap_or(&self.file).to_owned();
        self.module().paths.push((path, SourceLocation { file, line }));
    }

    /// Records the paths of a `use` declaration and the names that it brings into the module.
    fn read_use(&mut self, prefix: &[String], tree: &UseTree, in_body: bool) {
        let joined = |word: &syn::Ident| prefix.iter().cloned().chain([word.to_string()]).collect::<Vec<_>>();
        match tree {
            UseTree::Path(path) => self.read_use(&joined(&path.ident), &path.tree, in_body),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.read_use(prefix, tree, in_body)),
            UseTree::Name(name) => {
                let path = if name.ident == "self" { prefix.to_vec() } else { joined(&name.ident) };
                let known_as = path.last().cloned().unwrap_or_default();
                self.read_name(path, known_as, name.ident.span().start().line, in_body);
            }
            UseTree::Rename(rename) => {
                let path = if rename.ident == "self" { prefix.to_vec() } else { joined(&rename.ident) };
                self.read_name(path, rename.rename.to_string(), rename.ident.span().start().line, in_body);
            }
            UseTree::Glob(glob) => {
                let line = glob.star_token.spans[0].start().line;
                self.add_path(prefix.to_vec(), line);
                if !in_body {
                    self.module().globs.push(prefix.to_vec());
                }
            }
        }
    }

    fn read_name(&mut self, path: Vec<String>, known_as: String, line: usize, in_body: bool) {
        self.add_path(path.clone(), line);
        // A name that stands for itself (`use serde`) is another crate's.
        if !in_body && path.first() != Some(&known_as) {
            self.module().names.insert(known_as, path);
        }
    }

    /// Records the paths among tokens that begin with `crate`, `self` or `super`.
    fn read_tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut line = 0;
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    let word = ident.to_string();
                    if colons == 2 && !path.is_empty() {
                        path.push(word);
                    } else {
                        self.end_path(&mut path, line);
                        if ["crate", "self", "super"].contains(&word.as_str()) {
                            line = ident.span().start().line;
                            path.push(word);
                        }
                    }
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                other => {
                    self.end_path(&mut path, line);
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.read_tokens(group.stream());
                    }
                }
            }
        }
        self.end_path(&mut path, line);
    }

    fn end_path(&mut self, path: &mut Vec<String>, line: usize) {
        if path.len() > 1 {
            self.add_path(std::mem::take(path), line);
        }
        path.clear();
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        if is_test(attributes(item)) {
            return;
        }
        match item {
            // Declarations of the module itself; those in bodies come by `visit_item_use`.
            Item::Use(item) => self.read_use(&[], &item.tree, false),
            item => visit::visit_item(self, item),
        }
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        for stmt in &block.stmts {
            match stmt {
                syn::Stmt::Item(Item::Use(item)) => self.read_use(&[], &item.tree, true),
                stmt => self.visit_stmt(stmt),
            }
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() && path.segments.len() > 1 {
            let words: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.add_path(words, path.segments[0].ident.span().start().line);
        }
        visit::visit_path(self, path);
    }

    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}

    fn visit_macro(&mut self, node: &'ast syn::Macro) {
        self.visit_path(&node.path);
        self.read_tokens(node.tokens.clone());
    }
}

/// Returns whether an item exists in tests only.
fn is_test(attributes: &[Attribute]) -> bool {
    fn names_test(tokens: TokenStream) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(ident) => ident == "test",
            TokenTree::Group(group) => names_test(group.stream()),
            _ => false,
        })
    }
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) => list.path.is_ident("cfg") && names_test(list.tokens.clone()),
        _ => false,
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

#[test]
fn paths_lead_to_the_modules_that_define_their_items() {
    let folder = std::env::temp_dir().join(format!("cumbia-imports-{}", std::process::id()));
    fs::create_dir_all(folder.join("deep")).expect("a directory for temporary files");
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file that can be written");
    write("lib.rs", "mod low; mod high; mod deep; mod glob; pub use low::Item; pub use glob::*;");
    write("low.rs", "pub struct Item; #[cfg(test)] mod tests { use crate::high::f; }");
    write("high.rs", "use crate::Item; pub fn f(x: Item) { vec![crate::deep::inner::G]; }");
    write("deep/mod.rs", "pub mod inner;");
    write("deep/inner.rs", "use super::super::high; pub const G: u8 = 0; fn g() -> crate::Globbed { high::f() }");
    write("glob.rs", "pub struct Globbed; macro_rules! m { () => { $crate::low::Item } }");
    let found: Vec<String> = imports(&folder.join("lib.rs"))
        .into_iter()
        .filter(|import| !import.from.is_empty())
        .map(|import| format!("{} -> {}", import.from.join("::"), import.to.join("::")))
        .collect();
    fs::remove_dir_all(&folder).expect("a directory of this test");
    let expected = ["deep::inner -> glob", "deep::inner -> high", "glob -> low", "high -> deep::inner", "high -> low"];
    assert_eq!(found, expected);
}

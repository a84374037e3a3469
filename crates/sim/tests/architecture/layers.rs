//! Layers: a module imports only from those before it in the list.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use syn::visit::{self, Visit};

use super::source::{Source, is_for_tests, sources};

/// Modules of `sim`, from the floor to the roof. `spec` is above `region`, so nothing below `scenario` sees the
/// file format.
const SIM: [&str; 13] = [
    "measure",
    "kernel",
    "net",
    "tcp",
    "world",
    "region",
    "parallel",
    "spec",
    "plugin",
    "policy",
    "scenario",
    "run",
    "environment",
];

/// Modules of `sim::scenario`: checks and building know nothing of each other.
const SCENARIO: [(&str, &str); 2] = [("check", "build"), ("build", "check")];

/// Modules of `congestion`, from the floor to the roof.
const CONGESTION: [&str; 18] = [
    "units",
    "segment",
    "control",
    "base_rtt",
    "algorithm",
    "random",
    "filters",
    "window",
    "window_controller",
    "abe",
    "hystart",
    "hystart_linux",
    "search",
    "testing",
    "algorithms",
    "registry",
    "slow_start_by_rounds",
    "conformance",
];

#[test]
fn modules_of_sim_import_only_from_below() {
    check("sim/src", &SIM);
}

#[test]
fn modules_of_congestion_import_only_from_below() {
    check("congestion/src", &CONGESTION);
}

#[test]
fn checking_and_building_know_nothing_of_each_other() {
    let mut faults = String::new();
    for source in sources("sim/src") {
        for (from, to) in SCENARIO {
            if source.module.starts_with(&["scenario".into(), from.into()]) {
                for import in imports(&source) {
                    if import.starts_with(&["scenario".into(), to.into()]) {
                        let _ = writeln!(faults, "{} imports {}", source.name, import.join("::"));
                    }
                }
            }
        }
    }
    assert!(faults.is_empty(), "{faults}");
}

/// A module and those below it are one thing in several files, so imports between them make no circle.
#[test]
fn no_modules_of_sim_import_each_other_in_a_circle() {
    let sources = sources("sim/src");
    let modules: Vec<&[String]> = sources.iter().map(|source| source.module.as_slice()).collect();
    let is_apart = |path: &[String], other: &[String]| !path.starts_with(other) && !other.starts_with(path);
    let mut left: BTreeMap<&[String], BTreeSet<&[String]>> = BTreeMap::new();
    for source in sources.iter().filter(|source| !source.module.ends_with(&["tests".into()])) {
        let imports = imports(source);
        let home = |import: &Vec<String>| {
            let homes = modules.iter().filter(|module| import.starts_with(module));
            homes.max_by_key(|module| module.len()).copied()
        };
        let from_others = imports.iter().filter_map(home).filter(|module| is_apart(module, &source.module));
        left.insert(&source.module, from_others.collect());
    }
    while let Some(done) = {
        let is_done = |imports: &BTreeSet<&[String]>| imports.iter().all(|import| !left.contains_key(import));
        left.iter().find(|(_, imports)| is_done(imports)).map(|(module, _)| *module)
    } {
        left.remove(done);
    }
    let circles: Vec<String> = left.keys().map(|module| module.join("::")).collect();
    assert!(circles.is_empty(), "in circles, or importing from them: {}", circles.join(", "));
}

fn check(folder: &str, layers: &[&str]) {
    let mut faults = String::new();
    for source in sources(folder) {
        let Some(own) = source.module.first() else { continue };
        if source.module.ends_with(&["tests".into()]) {
            continue;
        }
        let Some(height) = layers.iter().position(|layer| layer == own) else {
            let _ = writeln!(faults, "{}: module {own} has no layer", source.name);
            continue;
        };
        for import in imports(&source) {
            let above = layers.iter().position(|layer| *layer == import[0]);
            if above.is_some_and(|above| above > height) {
                let _ = writeln!(faults, "{} imports {} from above", source.name, import.join("::"));
            }
        }
    }
    assert!(faults.is_empty(), "layers are {}:\n{faults}", layers.join(" <- "));
}

/// Paths below the crate's root that a file names, tests left out; what stands inside macros is not seen.
fn imports(source: &Source) -> Vec<Vec<String>> {
    let mut seen = Paths { own: source.module.clone(), paths: Vec::new() };
    seen.visit_file(&source.syntax);
    seen.paths
}

struct Paths {
    own: Vec<String>,
    paths: Vec<Vec<String>>,
}

impl Paths {
    /// Make a path absolute that begins with `crate`, `self` or `super`.
    fn add(&mut self, path: &[String]) {
        let mut base = match path.first().map(String::as_str) {
            Some("crate") => Vec::new(),
            Some("self" | "super") => self.own.clone(),
            _ => return,
        };
        for part in path {
            match part.as_str() {
                "crate" | "self" => {}
                "super" => {
                    base.pop();
                }
                name => base.push(name.into()),
            }
        }
        if !base.is_empty() {
            self.paths.push(base);
        }
    }

    fn add_tree(&mut self, prefix: &[String], tree: &syn::UseTree) {
        let with = |ident: &syn::Ident| [prefix, &[ident.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.add_tree(&with(&path.ident), &path.tree),
            syn::UseTree::Name(name) => self.add(&with(&name.ident)),
            syn::UseTree::Rename(rename) => self.add(&with(&rename.ident)),
            syn::UseTree::Glob(_) => self.add(prefix),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.add_tree(prefix, tree)),
        }
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_for_tests(&item.attrs) {
            self.own.push(item.ident.to_string());
            visit::visit_item_mod(self, item);
            self.own.pop();
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if !is_for_tests(&item.attrs) {
            self.add_tree(&[], &item.tree);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        self.add(&parts);
        visit::visit_path(self, path);
    }
}

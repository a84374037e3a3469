//! Sources of a crate, parsed.

use std::fs;
use std::path::{Path, PathBuf};

/// A source file.
pub struct Source {
    /// Path below `crates/`, for messages.
    pub name: String,
    /// Module path below the crate's root, such as `["tcp", "loss"]`; empty for the root itself.
    pub module: Vec<String>,
    pub lines: usize,
    pub syntax: syn::File,
}

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every file of `folder` (below `crates/`, such as `sim/src`), sorted by name.
pub fn sources(folder: &str) -> Vec<Source> {
    let root = crates().join(folder);
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    paths.sort();
    assert!(!paths.is_empty(), "{folder} has no sources");
    paths.iter().map(|path| parse(&root, path, folder)).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            paths.push(path);
        }
    }
}

fn parse(root: &Path, path: &Path, folder: &str) -> Source {
    let text = fs::read_to_string(path).expect("UTF-8");
    let below = path.strip_prefix(root).expect("it was found there").with_extension("");
    let mut module: Vec<String> = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if module.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main")) {
        module.pop();
    }
    Source {
        name: format!("{folder}/{}.rs", below.display()),
        module,
        lines: text.lines().count(),
        syntax: syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display())),
    }
}

/// Compiled for tests only.
pub fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let mut words = Vec::new();
        if attribute.path().is_ident("cfg") {
            let _ = attribute.parse_nested_meta(|meta| {
                words.extend(meta.path.get_ident().map(ToString::to_string));
                Ok(())
            });
        }
        attribute.path().is_ident("test") || words.iter().any(|word| word == "test")
    })
}

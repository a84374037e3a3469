//! Lays out the sources that controllers in Rust are built with, for maturin to put them into the wheel
//! (see `include` in pyproject.toml). In a checkout they are where they always were.

use std::path::Path;
use std::{env, fs, io};

/// What is needed to build the crate `mesonet-plugin`, from the root of the workspace.
const SOURCES: [&str; 5] = [
    "Cargo.toml",
    "crates/congestion/Cargo.toml",
    "crates/congestion/src",
    "crates/plugin/Cargo.toml",
    "crates/plugin/src",
];

fn main() -> io::Result<()> {
    let variable = |name| env::var(name).map_err(io::Error::other);
    let root = Path::new(&variable("CARGO_MANIFEST_DIR")?).join("../..");
    let target = Path::new(&variable("OUT_DIR")?).join("rust");
    if target.exists() {
        fs::remove_dir_all(&target)?;
    }
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", root.join(source).display());
        copy(&root.join(source), &target.join(source))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if from.is_dir() {
        for entry in fs::read_dir(from)? {
            let name = entry?.file_name();
            copy(&from.join(&name), &to.join(&name))?;
        }
        return Ok(());
    }
    to.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::copy(from, to).map(|_| ())
}

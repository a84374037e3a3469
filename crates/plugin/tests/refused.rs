//! Files that are no library of this ABI, and what is said of them.

use super::*;

/// Puts `abi` where the library says which one it has.
fn rebrand(bytes: &mut [u8], abi: u32) {
    let mut places = 0;
    let known = [&MAGIC[..], &mesonet_plugin::ABI.to_ne_bytes()].concat();
    for start in 0..bytes.len() - known.len() {
        if bytes[start..].starts_with(&known) {
            bytes[start + MAGIC.len()..][..4].copy_from_slice(&abi.to_ne_bytes());
            places += 1;
        }
    }
    assert_eq!(places, 1);
}

#[test]
fn another_abi_is_refused_by_name_and_version() {
    for abi in [1, 99] {
        let path = copy(&probe(), &format!("other-{abi}"), |bytes| rebrand(bytes, abi));
        let error = Library::open(&path).expect_err("another ABI");
        assert!(matches!(&error, OpenError::Abi { abi: stated, .. } if *stated == abi));
        let version = mesonet_plugin::VERSION;
        let expected = format!(
            "{}: controller library `mesonet-plugin` was built for ABI {abi} (mesonet-plugin {version}); this \
             mesonet has ABI 4 (mesonet-plugin {version}): rebuild the library with the mesonet-plugin that \
             comes with this mesonet",
            path.display()
        );
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn what_is_no_library_is_refused() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (path, text) in [
        (here.join("nowhere.so"), "no such file"),
        (here.to_owned(), "no such file"),
        (here.join("Cargo.toml"), "is not a shared library that this machine can load"),
        (
            copy(&probe(), "short", |bytes| bytes.truncate(5000)),
            "is not a shared library that this machine can load: it is cut off",
        ),
        (
            copy(&probe(), "dumb", |bytes| {
                let symbol = b"\0MESONET_PLUGIN\0";
                for start in 0..bytes.len() - symbol.len() {
                    if bytes[start..].starts_with(symbol) {
                        bytes[start + 1] = b'X';
                    }
                }
            }),
            "exports no controllers",
        ),
    ] {
        let error = Library::open(&path).expect_err(text).to_string();
        let expected = format!("{}: {text}", path.display());
        assert!(error.starts_with(&expected), "{error}");
        assert_eq!(error.matches(&*path.display().to_string()).count(), 1, "{error}");
    }
}

//! Limits of size: a file is read in one sitting, a function on a screen, a struct at a glance.

use std::fmt::Write as _;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::source::{Source, sources};

const FOLDERS: [&str; 6] =
    ["sim/src", "sim/tests", "sim/examples", "congestion/src", "congestion/tests", "benches"];

const LINES_OF_A_FILE: usize = 400;
const LINES_OF_A_FUNCTION: usize = 60;
const FIELDS: usize = 15;

#[test]
fn files_functions_and_structs_are_small() {
    let mut large = String::new();
    for source in FOLDERS.into_iter().flat_map(sources) {
        if source.lines > LINES_OF_A_FILE {
            let _ = writeln!(large, "{}: {} lines, at most {LINES_OF_A_FILE}", source.name, source.lines);
        }
        let mut sizes = Sizes { source: &source, large: &mut large };
        sizes.visit_file(&source.syntax);
    }
    assert!(large.is_empty(), "too large:\n{large}");
}

struct Sizes<'a> {
    source: &'a Source,
    large: &'a mut String,
}

impl Sizes<'_> {
    fn function(&mut self, name: &syn::Ident, whole: Span) {
        let lines = whole.end().line - name.span().start().line + 1;
        if lines > LINES_OF_A_FUNCTION {
            let place = format!("{}:{}", self.source.name, name.span().start().line);
            let _ = writeln!(self.large, "{place}: fn {name}, {lines} lines, at most {LINES_OF_A_FUNCTION}");
        }
    }
}

impl<'ast> Visit<'ast> for Sizes<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig.ident, item.span());
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig.ident, item.span());
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        let fields = item.fields.len();
        if fields > FIELDS {
            let place = format!("{}:{}", self.source.name, item.ident.span().start().line);
            let _ = writeln!(self.large, "{place}: struct {}, {fields} fields, at most {FIELDS}", item.ident);
        }
    }
}

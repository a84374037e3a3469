//! The house that ARCHITECTURE.md describes, held against the sources of `sim` and `congestion`: who may import
//! whom, and how large a file, a function and a struct may be.

mod layers;
mod limits;
mod source;

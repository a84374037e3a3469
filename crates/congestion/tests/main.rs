//! Tests that every registered algorithm has to pass; adding one to the registry is enough to be tested.

mod conformance;
mod marks;
mod response;
mod rounds;

//! Mesonet's side: opens libraries and puts their controllers to work.
//!
//! A library is trusted as any program is that one runs: to open it is to run its code. What is checked is
//! that it is the library that it is taken for, and that what it answers makes sense.
//! Libraries are never closed: their names and functions may be in use anywhere.

mod elf;
mod foreign;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use congestion::{Factory, Initial, Needs, Param, RegistryError, Time};

use crate::abi::{self, Calls, DONE, Header, Prelude, RawAlgorithm, RawParam, Text};

/// The largest window that a controller from outside may ask for [segments], 2^24.
///
/// No network needs as much, and a transport that is told to fill it simulates for hours.
pub const MAX_WINDOW: f64 = 16_777_216.0;

/// Message about a window [bytes] that is too large for segments of `smss` bytes; none if it is
/// not.
#[must_use]
pub fn too_large(cwnd: f64, smss: f64) -> Option<String> {
    (cwnd > MAX_WINDOW * smss).then(|| {
        format!("at most {MAX_WINDOW} segments (2^24) of {smss} bytes, got {cwnd:?}; are the units bytes?")
    })
}

/// Expectation of a window [bytes] that one of `cwnd` does not meet: it is below what a controller of these needs
/// may ask for, or not finite; none if it is met.
#[must_use]
pub fn too_small(cwnd: f64, smss: f64, needs: Needs) -> Option<String> {
    let least = needs.least_window(smss);
    // NaN is at least nothing.
    (!(cwnd >= least && cwnd.is_finite())).then(|| {
        let part = if least < smss { "1/1024 segment" } else { "one segment" };
        format!("at least {part} ({least} bytes), and finite")
    })
}

/// An opened library.
#[derive(Clone, Debug)]
pub struct Library {
    /// Name of its crate.
    pub name: &'static str,
    /// Version of its crate.
    pub version: &'static str,
    /// Its controllers, by name.
    pub controllers: Vec<Controller>,
}

/// A controller of a library: what a [`congestion::Algorithm`] is for one that is built in.
#[derive(Clone, Copy, Debug)]
pub struct Controller {
    /// Name in scenarios.
    pub name: &'static str,
    /// Name for people.
    pub display: &'static str,
    /// One sentence for lists.
    pub summary: &'static str,
    /// Publication of its rules and its defaults.
    pub source: &'static str,
    /// Parameters that can be set.
    pub params: &'static [Param],
    index: u32,
    calls: &'static Calls,
}

/// A controller that cannot go on.
#[derive(Clone, Debug)]
pub struct Failure {
    /// [`congestion::Initial::seed`] of the controller; it tells whose it was.
    pub seed: u64,
    /// When; none if the run ended before the controller was called.
    pub at: Option<Time>,
    /// The function at fault.
    pub place: &'static str,
    /// Fault of the controller.
    pub problem: Problem,
}

/// Fault of a controller.
#[derive(Clone, Debug, PartialEq)]
pub enum Problem {
    /// It panicked, with this text and place.
    Panicked(String),
    /// It asked for something that makes no sense.
    Broken(String),
}

/// Takes note of failures. A controller that failed keeps its last decision and is not called again.
pub type Report = Arc<dyn Fn(Failure) + Send + Sync>;

/// Why a library cannot be used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum OpenError {
    #[error("{}: no such file", .0.display())]
    Missing(PathBuf),
    #[error("{}: is not a shared library that this machine can load: {cause}", .path.display())]
    NotLoadable { path: PathBuf, cause: String },
    #[error(
        "{}: exports no controllers; export_controllers![...] in its lib.rs would, in a crate with \
         crate-type = [\"cdylib\"]",
        .0.display()
    )]
    NotControllers(PathBuf),
    #[error(
        "{}: controller library `{name}` was built for ABI {abi} (mesonet-plugin {plugin_version}); this \
         mesonet has ABI {} (mesonet-plugin {}): rebuild the library with the mesonet-plugin that comes with \
         this mesonet",
        .path.display(), crate::ABI, crate::VERSION
    )]
    Abi { path: PathBuf, name: String, abi: u32, plugin_version: String },
    #[error("{}: controller library `{name}` is broken: {problem}", .path.display())]
    Broken { path: PathBuf, name: String, problem: String },
}

impl Library {
    /// Opens a library, which runs its code.
    ///
    /// # Errors
    /// If there is no such file, if it is no such library, or one of another ABI, or if two of its
    /// controllers have one name.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        if !path.is_file() {
            return Err(OpenError::Missing(path.to_owned()));
        }
        let not_loadable = |cause| OpenError::NotLoadable { path: path.to_owned(), cause };
        let bytes = std::fs::read(path).map_err(|error| not_loadable(error.to_string()))?;
        if !elf::is_complete(&bytes) {
            return Err(not_loadable("it is cut off".into()));
        }
        Self::read(exported(path)?, path)
    }

    /// The library whose header is in this very program.
    ///
    /// # Errors
    /// If its controllers make no sense.
    pub fn linked(header: &'static Header) -> Result<Self, OpenError> {
        Self::read(header, Path::new("(linked)"))
    }

    fn read(header: &'static Header, path: &Path) -> Result<Self, OpenError> {
        let broken = |problem: String| {
            let name = text(header.prelude.name).unwrap_or("?").to_owned();
            OpenError::Broken { path: path.to_owned(), name, problem }
        };
        let mut controllers: Vec<Controller> = Vec::new();
        for index in 0..header.controllers {
            let controller = describe(&header.calls, index).map_err(&broken)?;
            if controllers.iter().any(|other| other.name == controller.name) {
                return Err(broken(format!("it has two controllers called \"{}\"", controller.name)));
            }
            controllers.push(controller);
        }
        let (Some(name), Some(version)) = (text(header.prelude.name), text(header.prelude.version)) else {
            return Err(broken("its name is not UTF-8".into()));
        };
        controllers.sort_by_key(|controller| controller.name);
        Ok(Self { name, version, controllers })
    }
}

impl Controller {
    /// Needs of a controller with the defaults. One that cannot be made needs nothing; the run that uses it says
    /// why it cannot.
    #[must_use]
    pub fn needs(&self) -> Needs {
        let factory = self.factory(&BTreeMap::new(), Arc::new(|_| ()));
        factory.map_or_else(|_| Needs::default(), |create| create(&Initial::ANY).needs())
    }

    /// The constructor of this controller, its defaults replaced by `params` where given. What fails later is
    /// told to `report`.
    ///
    /// # Errors
    /// If there is no such parameter, or a value is outside its range.
    pub fn factory(&self, params: &BTreeMap<String, f64>, report: Report) -> Result<Factory, RegistryError> {
        let values = congestion::values(self.name, self.params, params)?;
        let controller = *self;
        Ok(Box::new(move |initial| {
            foreign::create(
                controller.name,
                controller.index,
                controller.calls,
                &values,
                initial,
                report.clone(),
            )
        }))
    }
}

/// The header of the library at `path`, once it is known to be of this ABI.
#[expect(unsafe_code, reason = "loads a library")]
fn exported(path: &Path) -> Result<&'static Header, OpenError> {
    let not_loadable = |error: libloading::Error| OpenError::NotLoadable {
        path: path.to_owned(),
        cause: cause(&error, path),
    };
    // A bare file name would be looked for in the folders of the system.
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    // SAFETY: whoever names the library wants its code to be run.
    let library = unsafe { load(&absolute) }.map_err(not_loadable)?;
    // SAFETY: only the address is taken; what it points to is checked below.
    let symbol = unsafe { library.get::<*const Prelude>(abi::SYMBOL) };
    let start: *const Prelude = match symbol {
        // SAFETY: a data symbol's address is where its data are.
        Ok(symbol) => unsafe { symbol.into_raw() }.as_raw_ptr().cast_const().cast(),
        Err(_) => return Err(OpenError::NotControllers(path.to_owned())),
    };
    std::mem::forget(library);
    // SAFETY: whoever exports this symbol exports at least the magic bytes, or code of that length.
    if unsafe { (&raw const (*start).magic).read() } != abi::MAGIC {
        return Err(OpenError::NotControllers(path.to_owned()));
    }
    // SAFETY: with these bytes begin preludes only, and a prelude is the same in all versions of the ABI.
    let prelude = unsafe { &*start };
    if prelude.abi != crate::ABI {
        return Err(OpenError::Abi {
            path: path.to_owned(),
            name: text(prelude.name).unwrap_or("?").to_owned(),
            abi: prelude.abi,
            plugin_version: text(prelude.plugin_version).unwrap_or("?").to_owned(),
        });
    }
    // SAFETY: of this ABI, and never unloaded, so the header lives on.
    Ok(unsafe { &*start.cast::<Header>() })
}

/// Everything is resolved at once, so that nothing is found missing in the middle of a run.
#[cfg(unix)]
#[expect(unsafe_code, reason = "loads a library")]
unsafe fn load(path: &Path) -> Result<libloading::Library, libloading::Error> {
    use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
    // SAFETY: the caller answers for the library's code.
    unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map(Into::into)
}

#[cfg(not(unix))]
#[expect(unsafe_code, reason = "loads a library")]
unsafe fn load(path: &Path) -> Result<libloading::Library, libloading::Error> {
    // SAFETY: the caller answers for the library's code.
    unsafe { libloading::Library::new(path) }
}

/// Message of the system, without the path that our message begins with.
fn cause(error: &libloading::Error, path: &Path) -> String {
    let text = match error {
        libloading::Error::DlOpen { source } => source.to_string(),
        other => other.to_string(),
    };
    let end = text.find(&*path.to_string_lossy()).map_or(0, |start| start + path.to_string_lossy().len());
    text[end..].trim_start_matches([':', ' ']).to_owned()
}

#[expect(unsafe_code, reason = "reads what a library says of itself")]
fn text(text: Text) -> Option<&'static str> {
    // SAFETY: texts of a library live as long as it does, and it is never closed.
    unsafe { text.read() }
}

#[expect(unsafe_code, reason = "calls into a library")]
fn describe(calls: &'static Calls, index: u32) -> Result<Controller, String> {
    let mut raw = std::mem::MaybeUninit::<RawAlgorithm>::uninit();
    // SAFETY: the place can be written to.
    if unsafe { (calls.describe)(index, raw.as_mut_ptr()) } != DONE {
        return Err(format!("it does not describe its controller {index}"));
    }
    // SAFETY: a call that is done has written.
    let raw = unsafe { raw.assume_init() };
    let not_text = || format!("controller {index} is described by something else than UTF-8");
    let name = text(raw.name).ok_or_else(not_text)?;
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    if name.is_empty() || !name.chars().all(allowed) {
        return Err(format!(
            "a controller is called \"{name}\"; names consist of letters, digits, \"-\", \"_\" and \".\""
        ));
    }
    let mut params: Vec<Param> = Vec::new();
    for number in 0..raw.params {
        let param = parameter(calls, index, number).ok_or_else(not_text)?;
        if params.iter().any(|other| other.name == param.name) {
            return Err(format!("\"{name}\" has two parameters called \"{}\"", param.name));
        }
        if !(param.min..=param.max).contains(&param.default) {
            return Err(format!(
                "expected the default of \"{}\" of \"{name}\" from {} to {}, got {}",
                param.name, param.min, param.max, param.default
            ));
        }
        params.push(param);
    }
    Ok(Controller {
        name,
        display: text(raw.display).ok_or_else(not_text)?,
        summary: text(raw.summary).ok_or_else(not_text)?,
        source: text(raw.source).ok_or_else(not_text)?,
        params: params.leak(),
        index,
        calls,
    })
}

#[expect(unsafe_code, reason = "calls into a library")]
fn parameter(calls: &Calls, index: u32, number: u32) -> Option<Param> {
    let mut raw = std::mem::MaybeUninit::<RawParam>::uninit();
    // SAFETY: the place can be written to.
    if unsafe { (calls.parameter)(index, number, raw.as_mut_ptr()) } != DONE {
        return None;
    }
    // SAFETY: a call that is done has written.
    let RawParam { name, unit, doc, default, min, max } = unsafe { raw.assume_init() };
    Some(Param { name: text(name)?, unit: text(unit)?, doc: text(doc)?, default, min, max })
}

//! Is a file cut off? The system's loader does not look, and reads beyond its end: that kills the process.

/// True if an ELF file has all of its segments to load; also for files of other kinds, which are the loader's
/// to judge. Layout: System V ABI, chapters "ELF header" and "Program header".
pub(super) fn is_complete(file: &[u8]) -> bool {
    const SIXTY_FOUR_BIT: u8 = 2;
    let ordered = if cfg!(target_endian = "little") { 1 } else { 2 };
    if !file.starts_with(b"\x7fELF") || file.get(4..6) != Some(&[SIXTY_FOUR_BIT, ordered]) {
        return true;
    }
    segments(file).is_some_and(|mut ends| ends.all(|end| end.is_some_and(|end| end <= file.len())))
}

/// Where each segment ends in the file.
fn segments(file: &[u8]) -> Option<impl Iterator<Item = Option<usize>>> {
    let (table, size, count) = (long(file, 32)?, short(file, 54)?, short(file, 56)?);
    Some((0..count).map(move |index| {
        let entry = table.checked_add(index * size)?;
        long(file, entry.checked_add(8)?)?.checked_add(long(file, entry.checked_add(32)?)?)
    }))
}

fn long(file: &[u8], at: usize) -> Option<usize> {
    let bytes = file.get(at..at.checked_add(8)?)?;
    usize::try_from(u64::from_ne_bytes(bytes.try_into().ok()?)).ok()
}

fn short(file: &[u8], at: usize) -> Option<usize> {
    Some(usize::from(u16::from_ne_bytes(file.get(at..at + 2)?.try_into().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_program_is_complete_and_its_beginning_is_not() {
        let file = std::fs::read("/proc/self/exe").expect("this test is a program");
        assert!(is_complete(&file));
        for length in [6, 40, 60, 100, 4096, 65_536] {
            assert!(!is_complete(&file[..length]), "{length}");
        }
        assert!(is_complete(b"") && is_complete(b"#!/bin/sh\n"));
    }
}

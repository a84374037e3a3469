//! Statistics of completed transfers by algorithm and flow group.

/// Pair classes in the order of the tables: DD DF DN FF FN NN.
pub const PAIRS: usize = 6;
/// Interface classes: normal, fast.
pub const INTERFACES: usize = 2;
/// File types: Web object, document, service pack, movie.
pub const FILES: usize = 4;

/// Unordered pair of site classes (0 D, 1 F, 2 N) as an index into DD DF DN FF FN NN.
pub fn pair(a: u8, b: u8) -> u8 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    match low {
        0 => high,
        1 => 2 + high,
        _ => 5,
    }
}

/// Where a transfer belongs.
#[derive(Clone, Copy, Debug)]
pub struct GroupKey {
    /// Index of the algorithm.
    pub algorithm: u16,
    /// Pair class.
    pub pair: u8,
    /// Interface class.
    pub interface: u8,
    /// File type.
    pub file: u8,
}

/// A completed transfer.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    /// Source, over all regions.
    pub source: u32,
    /// Site of the receiver.
    pub site: u16,
    /// Its group.
    pub key: GroupKey,
    /// Segments in the file.
    pub size: u64,
    /// Data segments sent for it.
    pub sent: u64,
    /// First segment sent [s].
    pub start: f64,
    /// From there to the ACK of the last segment [s].
    pub duration: f64,
}

/// Sums over the transfers of one group.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Group {
    /// Transfers.
    pub transfers: u64,
    /// Sum of goodputs [segments/s].
    pub goodput_sum: f64,
    /// Sum of their squares.
    pub goodput_sq_sum: f64,
    /// Sum of `1 - size / sent`.
    pub retransmission_sum: f64,
    /// Segments in files.
    pub size_sum: u64,
    /// Data segments sent.
    pub sent_sum: u64,
    /// Sum of durations [s].
    pub duration_sum: f64,
}

/// All groups.
#[derive(Clone, Debug)]
pub struct Groups {
    cells: Vec<Group>,
}

impl Groups {
    /// Empty groups for a number of algorithms.
    pub fn new(algorithms: usize) -> Self {
        Self { cells: vec![Group::default(); algorithms * PAIRS * INTERFACES * FILES] }
    }

    /// Count a transfer.
    #[expect(clippy::cast_precision_loss, reason = "sizes beyond 2^53 segments cannot complete")]
    pub fn add(&mut self, transfer: &Transfer) {
        let key = transfer.key;
        let at = ((usize::from(key.algorithm) * PAIRS + usize::from(key.pair)) * INTERFACES
            + usize::from(key.interface))
            * FILES
            + usize::from(key.file);
        let cell = &mut self.cells[at];
        let goodput = transfer.size as f64 / transfer.duration;
        cell.transfers += 1;
        cell.goodput_sum += goodput;
        cell.goodput_sq_sum += goodput * goodput;
        cell.retransmission_sum += 1.0 - transfer.size as f64 / transfer.sent as f64;
        cell.size_sum += transfer.size;
        cell.sent_sum += transfer.sent;
        cell.duration_sum += transfer.duration;
    }

    /// Add another set of groups, cell by cell.
    pub fn merge(&mut self, other: &Self) {
        for (cell, more) in self.cells.iter_mut().zip(&other.cells) {
            cell.transfers += more.transfers;
            cell.goodput_sum += more.goodput_sum;
            cell.goodput_sq_sum += more.goodput_sq_sum;
            cell.retransmission_sum += more.retransmission_sum;
            cell.size_sum += more.size_sum;
            cell.sent_sum += more.sent_sum;
            cell.duration_sum += more.duration_sum;
        }
    }

    /// The groups that hold any transfer.
    pub fn rows(&self) -> impl Iterator<Item = (GroupKey, Group)> + '_ {
        self.cells.iter().enumerate().filter(|(_, cell)| cell.transfers > 0).map(|(at, cell)| {
            #[expect(clippy::cast_possible_truncation, reason = "each part is below its small base")]
            let key = GroupKey {
                algorithm: (at / (PAIRS * INTERFACES * FILES)) as u16,
                pair: (at / (INTERFACES * FILES) % PAIRS) as u8,
                interface: (at / FILES % INTERFACES) as u8,
                file: (at % FILES) as u8,
            };
            (key, *cell)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_come_in_the_order_of_the_tables() {
        let pairs: Vec<u8> = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)].map(|(a, b)| pair(a, b)).into();
        assert_eq!(pairs, [0, 1, 2, 3, 4, 5]);
        assert_eq!(pair(2, 1), 4);
    }
}

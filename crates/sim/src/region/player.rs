//! The client of a film: it holds playing time, and chooses the bit rate of the segment that it asks for.

use crate::world::{Adaptation, Video};

/// Segments whose rates are averaged.
const REMEMBERED: usize = 20;

/// State of the client of a film.
#[derive(Clone, Debug, Default)]
pub(super) struct Player {
    /// Bit rate in use, by its number.
    level: usize,
    /// Playing time held at `at` [s].
    buffer: f64,
    /// Time of the last change [s].
    at: f64,
    /// Time at which the segment under way was asked for [s].
    asked: f64,
    /// Seconds for each TCP segment of the last segments of the film, the latest last.
    paces: Vec<f64>,
}

impl Player {
    /// Size of the segment that the client asks for at `now` [s].
    pub fn ask(&mut self, video: &Video, now: f64) -> u32 {
        self.play(now);
        self.asked = now;
        self.level = self.choice(video);
        video.sizes[self.level]
    }

    /// A segment has come. Time at which there is room for the next one [s].
    pub fn take(&mut self, video: &Video, now: f64) -> f64 {
        self.play(now);
        self.buffer += video.segment;
        if self.paces.len() == REMEMBERED {
            self.paces.remove(0);
        }
        self.paces.push((now - self.asked) / f64::from(video.sizes[self.level]));
        now + (self.buffer + video.segment - video.buffer).max(0.0)
    }

    fn play(&mut self, now: f64) {
        self.buffer = (self.buffer - (now - self.at)).max(0.0);
        self.at = now;
    }

    /// Number of the bit rate of the next segment.
    fn choice(&self, video: &Video) -> usize {
        let sizes = &video.sizes;
        let top = sizes.len() - 1;
        let last_below = |most: f64| sizes.iter().rposition(|&size| f64::from(size) < most).unwrap_or(0);
        match video.adaptation {
            // Huang and others, SIGCOMM 2014, algorithm 1.
            Adaptation::Buffer { reservoir, cushion } => {
                let lower = self.level.saturating_sub(1);
                let higher = (self.level + 1).min(top);
                let span = f64::from(sizes[top]) - f64::from(sizes[0]);
                let mapped = f64::from(sizes[0]) + span * (self.buffer - reservoir) / cushion;
                if self.buffer <= reservoir {
                    0
                } else if self.buffer >= reservoir + cushion {
                    top
                } else if mapped >= f64::from(sizes[higher]) {
                    last_below(mapped)
                } else if mapped <= f64::from(sizes[lower]) {
                    sizes.iter().position(|&size| f64::from(size) > mapped).unwrap_or(top)
                } else {
                    self.level
                }
            }
            Adaptation::Throughput(part) => {
                let time: f64 = self.paces.iter().sum();
                #[expect(clippy::cast_precision_loss, reason = "they are few")]
                let rate = self.paces.len() as f64 / time;
                if self.paces.is_empty() { 0 } else { last_below(part * rate * video.segment) }
            }
        }
    }
}

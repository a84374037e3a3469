//! Applications: they ask for data over connections of their own. From: a timer, and the ACK of all that a connection was
//! asked for. To: `connect`, where there is no connection yet, else `send`.

use std::collections::VecDeque;

use congestion::{Duration, Time};

use super::player::Player;
use super::{NONE, Region, Source, nada};
use crate::kernel::channels::Channels;
use crate::kernel::rng::{Block, Purpose};
use crate::kernel::timers::TimerKind;
use crate::measure::requests::{Connection, Request};
use crate::net::packet::Packet;
use crate::tcp::sender::Sender;
use crate::world::Behaviour;

/// State of an application.
#[derive(Debug, Default)]
pub(crate) struct Application {
    /// First source within the region, those of the other connections follow.
    pub first: u32,
    pub lines: Vec<Line>,
    /// Requests that wait for a connection, by their number among those recorded.
    waiting: VecDeque<usize>,
    /// Requests so far.
    requests: u32,
    /// Units so far.
    units: u32,
    /// Requests that are not complete.
    open: u32,
    /// Datagrams sent.
    pub datagrams: u32,
    player: Player,
    /// Rate of a call that adapts.
    pub nada: nada::Sender,
}

/// A connection of an application.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    /// Segments that were asked for since it was established.
    pub offered: u32,
    /// Requests that are not complete.
    open: u32,
    /// Segments that had been acknowledged, and sent, when all was complete the last time.
    settled: (u32, u64),
}

impl<C: Channels<Packet>> Region<C> {
    /// Add a connection of an application, which begins to act with the first.
    pub(crate) fn add_line(&mut self, application: u32, source: u32) {
        let at = application as usize;
        if at >= self.sources.applications.len() {
            self.sources.applications.resize_with(at + 1, Application::default);
        }
        let state = &mut self.sources.applications[at];
        state.lines.push(Line::default());
        if state.lines.len() == 1 {
            state.first = source;
            let own = &self.world.traffic.applications[at];
            let wait = match &own.behaviour {
                Behaviour::Open { gap, .. } => {
                    gap.draw(words(self.draws_of(application, Purpose::Request, 0), 1), 0)
                }
                Behaviour::Listed { times, .. } => times[0],
                Behaviour::Closed { .. } | Behaviour::Video(_) | Behaviour::Call(_) => 0.0,
            };
            let start = Time::ZERO + Duration::from_seconds(own.start + wait);
            self.wake_at(application, start);
        }
    }

    fn wake_at(&mut self, application: u32, at: Time) {
        self.events.set_timer(at, TimerKind::Application, application, 0);
    }

    fn draws_of(&self, application: u32, purpose: Purpose, index: u32) -> Block {
        self.world.streams.block(purpose, application, index)
    }

    /// Application that a source works for.
    pub(super) fn application_of(&self, source: u32) -> Option<u32> {
        let flow = self.flow_record(source)?.flow;
        self.world.traffic.flows[flow as usize].application
    }

    /// Segments that a source was asked for by its application.
    pub(super) fn offered(&self, source: u32) -> Option<u32> {
        let state = &self.sources.applications[self.application_of(source)? as usize];
        Some(state.lines[(source - state.first) as usize].offered)
    }

    /// An application asks for something.
    pub(super) fn on_application(&mut self, application: u32, now: Time) {
        let world = self.world.clone();
        let own = &world.traffic.applications[application as usize];
        if own.stop.is_some_and(|stop| now.seconds() >= stop) {
            return;
        }
        let state = &mut self.sources.applications[application as usize];
        let (request, unit) = (state.requests, state.units);
        state.units += 1;
        match &own.behaviour {
            Behaviour::Open { gap, size } => {
                let amount = size.draw(words(self.draws_of(application, Purpose::Request, unit), 0), unit);
                // Parts of a constant rate may be nothing.
                if amount > 0.0 {
                    self.ask(application, whole(amount), unit, now);
                }
                let draws = self.draws_of(application, Purpose::Request, unit + 1);
                let next = gap.draw(words(draws, 1), unit + 1);
                self.wake_at(application, now + Duration::from_seconds(next));
            }
            Behaviour::Closed { requests, size, .. } => {
                let draws = self.draws_of(application, Purpose::Unit, unit);
                let count = whole(requests.draw(words(draws, 0), unit));
                for number in request..request + count {
                    let draws = self.draws_of(application, Purpose::Request, number);
                    self.ask(application, whole(size.draw(words(draws, 0), number)), unit, now);
                }
            }
            Behaviour::Listed { times, sizes } => {
                let size = u32::try_from(sizes[unit as usize]).unwrap_or(u32::MAX);
                self.ask(application, size, unit, now);
                if let Some(next) = times.get(unit as usize + 1) {
                    let at = Time::ZERO + Duration::from_seconds(own.start + next);
                    self.wake_at(application, at);
                }
            }
            Behaviour::Video(video) => {
                let size = state.player.ask(video, now.seconds());
                self.ask(application, size, unit, now);
            }
            Behaviour::Call(_) => self.on_frame(application, unit, now),
        }
    }

    /// The next frame of a call whose rate adapts.
    #[cold]
    fn on_frame(&mut self, application: u32, unit: u32, now: Time) {
        let Behaviour::Call(call) = self.world.traffic.applications[application as usize].behaviour else {
            return;
        };
        let state = &mut self.sources.applications[application as usize];
        let size = state.nada.frame(&call, state.lines[0].offered - state.datagrams, now);
        if size > 0 {
            self.ask(application, size, unit, now);
        }
        self.wake_at(application, now + Duration::from_seconds(call.frame));
    }

    /// A request of an application: to a connection that is free, or to the only one, if there is one only.
    fn ask(&mut self, application: u32, size: u32, unit: u32, now: Time) {
        let number = self.recorder.traces.requests.len();
        let (connection, end, received) = (None, size, Time::NEVER);
        let in_order = !self.world.traffic.applications[application as usize].datagrams;
        let request = Request { application, unit, size, asked: now, connection, end, in_order, received };
        self.recorder.traces.requests.push(request);
        let own = &self.world.traffic.applications[application as usize];
        let (separate, datagrams) = (own.separate, own.datagrams);
        let state = &mut self.sources.applications[application as usize];
        state.requests += 1;
        if datagrams {
            return self.send_datagrams(application, number, now);
        }
        state.open += 1;
        let only = state.lines.len() == 1 && !separate;
        let free = if only { Some(0) } else { state.lines.iter().position(|line| line.open == 0) };
        match free {
            Some(line) => self.assign(application, line, number, now),
            None => state.waiting.push_back(number),
        }
    }

    /// A connection is asked for a request.
    fn assign(&mut self, application: u32, line: usize, number: usize, now: Time) {
        let state = &mut self.sources.applications[application as usize];
        #[expect(clippy::cast_possible_truncation, reason = "a place among sources")]
        let source = state.first + line as u32;
        let line = &mut state.lines[line];
        let request = &mut self.recorder.traces.requests[number];
        line.open += 1;
        line.offered = line.offered.saturating_add(request.size);
        let offered = line.offered;
        let Source { flow, cycle, slot, .. } = self.sources[source];
        (request.end, request.connection) = (offered, Some(Connection { flow, cycle }));
        if slot == NONE {
            self.connect(source, now);
        } else if let Some(sender) = &mut self.connections[slot].sender {
            sender.seq.limit = offered;
            self.send(slot, now);
        }
    }

    /// All that a connection was asked for is acknowledged.
    pub(super) fn settle(&mut self, application: u32, slot: u32, now: Time) {
        let world = self.world.clone();
        let separate = world.traffic.applications[application as usize].separate;
        let connection = &self.connections[slot];
        let source = connection.source;
        let state = &mut self.sources.applications[application as usize];
        let line = &mut state.lines[(source - state.first) as usize];
        let done = std::mem::take(&mut line.open);
        // ACKs of repairs that were not needed may come later, too.
        if done > 0 {
            let (size, sent) = (line.offered, connection.sender.as_ref().map_or(0, Sender::sent));
            let counters = &mut self.recorder.counters;
            counters.completed += u64::from(done);
            counters.completed_size += u64::from(size - line.settled.0);
            counters.completed_sent += sent - line.settled.1;
            line.settled = (size, sent);
        }
        if separate {
            self.close(slot, now);
        } else {
            self.schedule_wakeup(slot, now);
            self.send(slot, now);
        }
        if done > 0 {
            if let Behaviour::Video(video) = &world.traffic.applications[application as usize].behaviour {
                let player = &mut self.sources.applications[application as usize].player;
                let next = Time::ZERO + Duration::from_seconds(player.take(video, now.seconds()));
                self.wake_at(application, next.max(now));
            }
            self.go_on(application, source, done, now);
        }
    }

    /// A connection could not be established; what it was asked for does not come.
    pub(super) fn give_up(&mut self, source: u32, now: Time) {
        let Some(application) = self.application_of(source) else { return };
        let state = &mut self.sources.applications[application as usize];
        let line = std::mem::take(&mut state.lines[(source - state.first) as usize]);
        if let Behaviour::Video(_) = self.world.traffic.applications[application as usize].behaviour {
            self.wake_at(application, now);
        }
        self.go_on(application, source, line.open, now);
    }

    /// Requests of an application have ended, and with them a connection is free.
    fn go_on(&mut self, application: u32, source: u32, done: u32, now: Time) {
        let world = self.world.clone();
        let closed = self.sources[source].slot == NONE;
        let state = &mut self.sources.applications[application as usize];
        let line = (source - state.first) as usize;
        state.open -= done;
        if closed {
            state.lines[line] = Line::default();
        }
        let (open, unit) = (state.open, state.units - 1);
        if let Behaviour::Closed { pause, .. } = &world.traffic.applications[application as usize].behaviour
            && open == 0
        {
            let next = pause.draw(words(self.draws_of(application, Purpose::Unit, unit), 1), unit);
            self.wake_at(application, now + Duration::from_seconds(next));
        }
        if let Some(number) = self.sources.applications[application as usize].waiting.pop_front() {
            self.assign(application, line, number, now);
        }
    }
}

/// The two random words of a number, by its place in a block.
fn words(block: Block, place: usize) -> [u64; 2] {
    [block[2 * place], block[2 * place + 1]]
}

/// A number rounded up to a whole one of at least 1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts saturate")]
fn whole(number: f64) -> u32 {
    (libm::ceil(number) as u32).max(1)
}

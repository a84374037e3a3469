//! Requests of applications, and when their data had come.

use std::collections::BTreeMap;

use congestion::Time;

/// A request of an application.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Request {
    /// Index of the application.
    pub application: u32,
    /// Number of what it belongs to, such as a page, from 0.
    pub unit: u32,
    /// Segments.
    pub size: u32,
    /// When the application asked for it.
    pub asked: Time,
    /// Connection that it got, if it got one.
    pub connection: Option<Connection>,
    /// One past its last segment there.
    pub end: u32,
    /// The connection brings data in order; else they are datagrams.
    pub in_order: bool,
    /// Arrival of its data, where they are in order all that was before included; [`Time::NEVER`] if that did not come.
    pub received: Time,
}

/// One of the connections of a named flow, the first being 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Connection {
    /// Index of the flow.
    pub flow: u32,
    /// Its number.
    pub cycle: u32,
}

/// Arrival of a segment.
#[derive(Clone, Copy, Debug)]
pub struct Receipt {
    /// When.
    pub time: Time,
    /// Index of the flow.
    pub flow: u32,
    /// The segment, counted from zero.
    pub segment: u32,
    /// Number of the connection modulo 2^16.
    pub cycle: u16,
}

/// Fill in when requests were received. Receipts of a flow are in the order of time.
pub fn receive(requests: &mut [Request], receipts: &[Receipt]) {
    // Time by which all segments up to one have come, by connection.
    let mut complete: BTreeMap<Connection, Vec<Time>> = BTreeMap::new();
    let mut latest: BTreeMap<u32, u32> = BTreeMap::new();
    for receipt in receipts {
        let cycle = latest.entry(receipt.flow).or_default();
        #[expect(clippy::cast_possible_truncation, reason = "the cycle is compared modulo 2^16")]
        let later = receipt.cycle.wrapping_sub(*cycle as u16);
        *cycle += u32::from(later);
        let arrivals = complete.entry(Connection { flow: receipt.flow, cycle: *cycle }).or_default();
        let at = receipt.segment as usize;
        if at >= arrivals.len() {
            arrivals.resize(at + 1, Time::NEVER);
        }
        arrivals[at] = arrivals[at].min(receipt.time);
    }
    for request in requests.iter_mut().filter(|request| !request.in_order) {
        let arrivals = request.connection.and_then(|connection| complete.get(&connection));
        let own = arrivals
            .and_then(|arrivals| arrivals.get((request.end - request.size) as usize..request.end as usize));
        request.received = own.and_then(|own| own.iter().copied().max()).unwrap_or(Time::NEVER);
    }
    for arrivals in complete.values_mut() {
        for at in 1..arrivals.len() {
            arrivals[at] = arrivals[at].max(arrivals[at - 1]);
        }
    }
    for request in requests.iter_mut().filter(|request| request.in_order) {
        let arrivals = request.connection.and_then(|connection| complete.get(&connection));
        let last = arrivals.and_then(|arrivals| arrivals.get(request.end as usize - 1));
        request.received = last.copied().unwrap_or(Time::NEVER);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Segments 0 and 1, then 2 to 4 on one connection, of which 1 comes last; the next connection brings one.
    #[test]
    fn a_request_is_received_once_all_before_it_is() {
        let connection = |cycle| Some(Connection { flow: 3, cycle });
        let request = |cycle, end| Request {
            application: 0,
            unit: 0,
            size: 2,
            asked: Time::ZERO,
            connection: connection(cycle),
            end,
            in_order: true,
            received: Time::NEVER,
        };
        let mut requests = [request(0, 2), request(0, 5), request(1, 1), request(1, 2), request(2, 1)];
        let receipt = |time, cycle, segment| Receipt { time: Time(time), flow: 3, segment, cycle };
        let order = [(1, 0, 0), (2, 0, 2), (3, 0, 3), (4, 0, 4), (9, 0, 1), (12, 0, 0), (20, 1, 0)];
        receive(&mut requests, &order.map(|(time, cycle, segment)| receipt(time, cycle, segment)));
        let received: Vec<_> = requests.iter().map(|request| request.received).collect();
        assert_eq!(received, [Time(9), Time(9), Time(20), Time::NEVER, Time::NEVER]);
    }
}

//! Mistakes in scenarios, each with the answer to it.

use serde_json::{Value, json};

/// Where (JSON pointer), what instead, and where and how the answer names it.
pub type Mistake = (&'static str, Value, &'static str, &'static str);

/// Every mistake.
pub fn all() -> Vec<Mistake> {
    [
        stations(),
        rate_changes(),
        short_stretches(),
        bursts(),
        routes(),
        transport(),
        traffic(),
        measurement(),
        syntax(),
    ]
    .concat()
}

/// Mistakes in stations and in what the whole run has.
fn stations() -> Vec<Mistake> {
    vec![
        ("/version", json!(2), "version", "expected 1, got 2"),
        ("/duration", json!(0.0), "duration", "expected more than 0 s, got 0"),
        ("/duration", json!(-3.0), "duration", "expected more than 0 s, got -3"),
        ("/duration", json!(1.5e6), "duration", "expected at most 1000000 s"),
        ("/regions", json!(0), "regions", "expected 1 to 4096, got 0"),
        ("/stations", json!([]), "stations", "expected at least one station"),
        (
            "/stations/0/region",
            json!(1),
            "stations[0].region",
            "expected the index of one of 1 regions, got 1",
        ),
        ("/stations/0/rate", json!({"packets_per_second": 0.0}), "stations[0].rate", "packets/s, got 0"),
        ("/stations/1/rate", json!({"bits_per_second": -1e6}), "stations[1].rate", "bit/s, got -1000000"),
        (
            "/stations/0/buffer",
            json!({"packets": 0}),
            "stations[0].buffer",
            "expected room for at least one packet",
        ),
        (
            "/stations/0/buffer",
            json!({"bytes": 0}),
            "stations[0].buffer",
            "expected room for at least one packet",
        ),
        ("/stations/1/loss", json!(1.5), "stations[1].loss", "expected a probability from 0 to 1, got 1.5"),
        ("/stations/1/loss", json!(-0.1), "stations[1].loss", "expected a probability from 0 to 1, got -0.1"),
        ("/packet/smss", json!(u32::MAX), "packet.smss", "expected 1 to 1000000 bytes, got 4294967295"),
        ("/packet/smss", json!(0), "packet.smss", "expected 1 to 1000000 bytes, got 0"),
        (
            "/stations/0/discipline",
            json!({"name": "red", "min_th": 100.0}),
            "stations[0].discipline.min_th",
            "expected less than the buffer of 100 packets, got 100",
        ),
        (
            "/stations/0/discipline",
            json!({"name": "policer", "burst": 1499}),
            "stations[0].discipline.burst",
            "expected at least one packet of 1500 bytes, got 1499",
        ),
    ]
}

/// Changes of a rate that lie closer than a packet in service is accounted for.
fn short_stretches() -> Vec<Mistake> {
    let wrong = |value: Value, place, message| ("/stations/0/rate_changes", value, place, message);
    vec![
        wrong(
            json!({"times": [1.0, 1.000_000_1], "rates": [5.0, 6.0]}),
            "stations[0].rate_changes.times[1]",
            "expected at least 0.000001 s from one change to the next",
        ),
        wrong(
            json!({"times": [1e-12], "rates": [0.0], "period": 1.0}),
            "stations[0].rate_changes.times[0]",
            "expected at least 0.000001 s from one change to the next",
        ),
        wrong(
            json!({"times": [1.0], "rates": [5.0], "period": 1.000_000_1}),
            "stations[0].rate_changes.period",
            "expected at least 0.000001 s after the last change",
        ),
    ]
}

/// Mistakes in changes of a rate.
fn rate_changes() -> Vec<Mistake> {
    let changes = "/stations/0/rate_changes";
    let wrong = |value: Value, place, message| (changes, value, place, message);
    vec![
        wrong(json!({"times": [], "rates": []}), "stations[0].rate_changes", "one at least, got 0 and 0"),
        wrong(
            json!({"times": [1.0, 2.0], "rates": [5.0]}),
            "stations[0].rate_changes",
            "expected as many times as rates",
        ),
        wrong(
            json!({"times": [2.0, 2.0], "rates": [5.0, 6.0]}),
            "stations[0].rate_changes.times",
            "expected increasing times from 0",
        ),
        wrong(
            json!({"times": [-1.0], "rates": [5.0]}),
            "stations[0].rate_changes.times",
            "expected increasing times from 0",
        ),
        wrong(
            json!({"times": [1.0], "rates": [5.0], "period": 1.0}),
            "stations[0].rate_changes.times",
            "to less than 1 s",
        ),
        wrong(
            json!({"times": [1.0], "rates": [5.0], "period": 0.0}),
            "stations[0].rate_changes.period",
            "expected more than 0 s, got 0",
        ),
        wrong(
            json!({"times": [1.0], "rates": [-5.0], "period": 2.0}),
            "stations[0].rate_changes.rates[0]",
            "packets/s, got -5",
        ),
        wrong(
            json!({"times": [1.0], "rates": [0.0]}),
            "stations[0].rate_changes.rates",
            "expected a value above 0 after an outage",
        ),
        wrong(
            json!({"times": [0.0, 1.0], "rates": [0.0, 0.0], "period": 2.0}),
            "stations[0].rate_changes.rates",
            "expected a value above 0 after an outage",
        ),
        (
            "/stations/0/discipline",
            json!({"name": "xcp"}),
            "stations[0].rate_changes",
            "routers of xcp know one rate, so it cannot change",
        ),
    ]
}

/// Mistakes in bursts of a flow.
fn bursts() -> Vec<Mistake> {
    let wrong = |value: Value, place, message| ("/flows/0/bursts", value, place, message);
    vec![
        wrong(
            json!({"size": 0, "next": {"after": 1.0}}),
            "flows[0].bursts.size",
            "expected 1 segment or more, got 0",
        ),
        wrong(
            json!({"size": 1, "next": {"after": -1.0}}),
            "flows[0].bursts.next",
            "expected 0 to 3600 s, got -1",
        ),
        wrong(
            json!({"size": 1, "next": {"every": 0.0}}),
            "flows[0].bursts.next",
            "expected 0.000001 to 3600 s, got 0",
        ),
    ]
}

/// Mistakes in links, routes, sites and interfaces.
fn routes() -> Vec<Mistake> {
    vec![
        ("/next_link", json!([[-1, -1]]), "next_link", "expected 2 rows of 2 sites"),
        (
            "/next_link/0/1",
            json!(7),
            "next_link[0][1]",
            "expected a link that leaves station 0, -1 or -2, got 7",
        ),
        ("/next_link/0/1", json!(-3), "next_link[0][1]", "got -3"),
        ("/next_link/0/1", json!(-2), "next_link[0][1]", "expected a route from forward to back, got none"),
        (
            "/links",
            json!([{"from": 0, "to": 9, "delay": 0.1}]),
            "links[0].to",
            "index of one of 2 stations, got 9",
        ),
        (
            "/links",
            json!([{"from": 0, "to": 1, "delay": -0.1}]),
            "links[0].delay",
            "expected 0 to 3600 s, got -0.1",
        ),
        ("/sites/0/station", json!(2), "sites[0].station", "index of one of 2 stations, got 2"),
        ("/sites/1/class", json!(3), "sites[1].class", "index of one of 3 classes, got 3"),
        ("/sites/1/receivers", json!(3_000_000_000_u32), "sites", "expected at most 2^31 hosts"),
        (
            "/sites/1/receivers",
            json!(0),
            "sites",
            "expected a receiver that every source may send to, got none",
        ),
        ("/interfaces", json!([]), "interfaces", "expected 1 to 256, got 0"),
        ("/interfaces/0/delay", json!(-1.0), "interfaces[0].delay", "expected 0 to 3600 s, got -1"),
        (
            "/interfaces/0/rate",
            json!({"packets_per_second": -1.0}),
            "interfaces[0].rate",
            "packets/s, got -1",
        ),
    ]
}

/// Mistakes in the transport.
fn transport() -> Vec<Mistake> {
    vec![
        ("/transport/rto_min", json!(0.0), "transport.rto_min", "3600 s, got 0"),
        ("/transport/rto_min", json!(61.0), "transport.rto_min", "expected at most rto_max"),
        ("/transport/ack_every", json!(0), "transport.ack_every", "segments, got 0"),
        ("/transport/ack_delay", json!(-1.0), "transport.ack_delay", "expected 0 to 3600 s"),
        ("/transport/dup_thresh", json!(0), "transport.dup_thresh", "segments, got 0"),
        ("/transport/syn_tries", json!(17), "transport.syn_tries", "expected 1 to 16, got 17"),
        ("/transport/receive_window", json!(0), "transport.receive_window", "segments, got 0"),
        (
            "/transport/initial_window",
            json!(0.0),
            "transport.initial_window",
            "expected 1 to 100000 segments",
        ),
        ("/transport/initial_ssthresh", json!(-5.0), "transport.initial_ssthresh", "segments, got -5"),
    ]
}

/// Mistakes in algorithms, population and flows.
fn traffic() -> Vec<Mistake> {
    vec![
        ("/algorithms/0/name", json!("renno"), "algorithms[0]", "reno"),
        ("/algorithms/0/params", json!({"alpha": 1.0}), "algorithms[0]", "alpha"),
        ("/population/think_mean", json!(0.0), "population.think_mean", "expected more than 0 s, got 0"),
        ("/population/files/shape", json!(1.0), "population.files.shape", "expected more than 1, got 1"),
        (
            "/population/files/mean",
            json!(-1.0),
            "population.files.mean",
            "expected more than 0 segments, got -1",
        ),
        ("/population/files/probability", json!([0.6, 0.6, 0.0]), "population.files.probability", "got 1.2"),
        ("/population/files/factor/1", json!(0.0), "population.files.factor[1]", "expected more than 0"),
        (
            "/population/algorithm_shares",
            json!([0.5, 0.5]),
            "population.algorithm_shares",
            "each of 1 algorithms, got 2",
        ),
        ("/population/algorithm_shares", json!([0.9]), "population.algorithm_shares", "sum to 1"),
        (
            "/population/fast_probability",
            json!(1.01),
            "population.fast_probability",
            "expected a probability from 0 to 1",
        ),
        ("/population/jumbo/end", json!(0.1), "population.jumbo", "expected start before end"),
        (
            "/population/patience/probability",
            json!(-1.0),
            "population.patience.probability",
            "from 0 to 1, got -1",
        ),
        ("/population/startup/connecting", json!(0.95), "population.startup", "summing to at most 1"),
        ("/flows/0/source", json!(2), "flows[0].source", "index of one of 2 sites, got 2"),
        ("/flows/0/algorithm", json!(1), "flows[0].algorithm", "index of one of 1 algorithms, got 1"),
        ("/flows/0/interface", json!(2), "flows[0].interface", "index of one of 2 interfaces, got 2"),
        ("/flows/0/start", json!(-1.0), "flows[0].start", "expected 0 s or more, got -1"),
        ("/flows/0/size", json!(0), "flows[0].size", "expected 1 segment or more, got 0"),
        ("/flows/0/stop", json!(0.0), "flows[0].stop", "expected later than the start, got 0 s"),
    ]
}

/// Mistakes in what is measured.
fn measurement() -> Vec<Mistake> {
    vec![
        ("/measure/interval", json!(0.0), "measure.interval", "expected more than 0 s, got 0"),
        ("/measure/interval", json!(1e-9), "measure.interval", "expected at most 10 million intervals"),
        ("/measure/stations", json!([2]), "measure.stations[0]", "index of one of 2 stations, got 2"),
    ]
}

/// Mistakes that serde finds: it names line and column, and the keys or variants it knows.
fn syntax() -> Vec<Mistake> {
    vec![
        ("/duration", json!("long"), "scenario", "expected f64"),
        (
            "/transport/recovery",
            json!("vegas"),
            "scenario",
            "unknown variant `vegas`, expected one of `sack`, `rack`, `newreno`, `newreno-steady`, `tahoe`, `tahoe-1988`",
        ),
        ("/stations/0/rate", json!({"mbps": 1}), "scenario", "unknown variant `mbps`"),
        ("/stations/0/discipline", json!({"name": "blue"}), "scenario", "unknown variant `blue`"),
        ("/flows/0/size", json!(-1), "scenario", "expected u64"),
    ]
}

"""
The simulator core of mesonet; private, use the package.
"""

from _typeshed import Incomplete
from os import PathLike
from typing import Any, Final, SupportsFloat, SupportsIndex, final
RESULT_VERSION: Final[str]

@final
class AckSample:
    """
    Everything one ACK says.
    """
    def __repr__(self, /) -> str: ...
    @property
    def ce_marked(self, /) -> int:
        """
        Bytes newly reported as marked "congestion experienced".
        """
    @property
    def delivered(self, /) -> int:
        """
        Bytes newly acknowledged, cumulatively or selectively.
        """
    @property
    def forward_delay(self, /) -> float | None:
        """
        Time that segment took from sender to receiver [s], propagation included; None if the ACK does not
        tell. Both ends share a clock, which the Internet's do not.
        """
    @property
    def lost(self, /) -> int:
        """
        Bytes newly declared lost.
        """
    @property
    def rate(self, /) -> RateSample | None:
        """
        Delivery-rate sample; None unless the controller has `wants_rate_samples`.
        """
    @property
    def round(self, /) -> RoundSample | None:
        """
        Summary of the round trip that this ACK ends; None if it ends none.
        """
    @property
    def rtt(self, /) -> float | None:
        """
        Round-trip time of the segment that caused this ACK [s]; None if it is ambiguous (Karn).
        """
    @property
    def rtt_ps(self, /) -> int | None:
        """
        Round-trip time of the segment, exactly [ps].
        """

@final
class CongestionEvent:
    """
    Begin or end of an episode of congestion; one event per episode, not per lost segment.
    """
    def __repr__(self, /) -> str: ...
    @property
    def kind(self, /) -> str:
        """
        `"enter_recovery"` (loss by duplicate ACKs or SACK, RFC 6675), `"exit_recovery"` (everything
        outstanding at its beginning is acknowledged), `"ecn_echo"` (a mark, RFC 3168) or `"rto"` (the
        retransmission timer expired, RFC 6298).
        """

@final
class Environments:
    """
    Environments of some controlled flows each, whose algorithms are called `external:0`, `external:1` and so on in
    the scenarios.
    """
    def __new__(cls, /, policy: Policy, reward: str, agents: SupportsIndex, count: SupportsIndex) -> Environments:
        """
        `count` environments without episodes. `reward` is JSON; raises `ValueError` where it is none.
        """
    def finish(self, /, index: SupportsIndex) -> dict:
        """
        Goes on to the end of an episode, under the decisions that are in force, and returns its measurements like
        `Spec.run`. The episode is over. Raises `RuntimeError` where there is none.
        """
    def look(self, /) -> dict:
        """
        The outcome without a step, as `step` returns it.
        """
    def reset(self, /, index: SupportsIndex, spec: Spec, seed: SupportsIndex) -> None:
        """
        Begins an episode in one environment, up to the first decision. Raises `ScenarioProblem`, and what Ctrl-C
        raises; the episode is over then.
        """
    def step(self, /, actions: Incomplete, active: Incomplete, threads: SupportsIndex = 1) -> dict:
        """
        Steps the environments that are `active`, without Python. `actions` holds a number for every flow of every
        environment. Returns arrays: `observations` (environments, flows, width), `rewards` and `terminated`
        (environments, flows), `truncated` (environments), `records` (environments, flows, quantities). Raises
        `ValueError` with the index of an action that is out of range, `ControllerFailure`, and what Ctrl-C raises: within
        a second, wherever the engine is. Episodes that it halts are over.
        """

@final
class Flow:
    """
    Facts about the flow at the moment of a call.
    """
    def __repr__(self, /) -> str: ...
    @property
    def app_limited(self, /) -> bool:
        """
        The application, not the window, limits sending, whatever the ACK acknowledges (RFC 9438 section 4.2).
        """
    @property
    def cwnd_limited(self, /) -> bool:
        """
        This ACK may open the window: it, not the application, limits sending (RFC 7661), and if a timeout is being
        repaired, the ACK acknowledges the oldest segment and not only later ones (RFC 5681 section 3.1).
        """
    @property
    def ecn(self, /) -> str:
        """
        ECN that the hosts have agreed on: `"none"`, `"classic"`, `"dctcp"` or `"l4s"`, which is what the controller
        asked for, or less.
        """
    @property
    def flight_size(self, /) -> int:
        """
        Bytes sent and not yet cumulatively acknowledged (RFC 5681 `FlightSize`).
        """
    @property
    def in_flight(self, /) -> int:
        """
        Bytes in the network as the sender estimates them (RFC 6675 pipe).
        """
    @property
    def in_recovery(self, /) -> bool:
        """
        Between `enter_recovery` or `rto` and `exit_recovery`; after `rto` the window should grow meanwhile.
        """
    @property
    def min_rtt(self, /) -> float:
        """
        Smallest RTT seen on this connection [s]; zero before the first sample.
        """
    @property
    def now(self, /) -> float:
        """
        The instant of the call [s since the start of the run].
        """
    @property
    def now_ps(self, /) -> int:
        """
        Instant of the call, exactly [ps].
        """
    @property
    def smss(self, /) -> int:
        """
        Payload bytes of a full segment (RFC 5681 SMSS).
        """
    @property
    def srtt(self, /) -> float:
        """
        Smoothed RTT [s]; zero before the first sample.
        """

@final
class Initial:
    """
    Initial values of a controller.
    """
    def __repr__(self, /) -> str: ...
    @property
    def counts_whole_acks(self, /) -> bool:
        """
        After a timeout, too, an ACK opens the window by all that it delivers, as in Linux, and not by a segment at
        most (RFC 3465 section 2.3).
        """
    @property
    def halve(self, /) -> str:
        """
        Quantity that a loss halves: `"flight"` (RFC 5681) or `"window"` (Linux).
        """
    @property
    def restart_window(self, /) -> float:
        """
        Window after a retransmission timeout [segments]: 1 (RFC 5681) or the initial window (`MesoNet`).
        """
    @property
    def seed(self, /) -> int:
        """
        Seed for the controller's own random numbers, another one for every flow.
        """
    @property
    def smss(self, /) -> int:
        """
        Payload bytes of a full segment.
        """
    @property
    def ssthresh(self, /) -> float:
        """
        Initial slow-start threshold [segments]; infinity for none.
        """
    @property
    def window(self, /) -> float:
        """
        Initial window [segments] (RFC 6928).
        """

@final
class LibraryController:
    """
    A controller of a library.
    """
    @property
    def display(self, /) -> str:
        """
        Its name for people.
        """
    @property
    def ecn(self, /) -> str:
        """
        ECN that it asks for: `"none"`, `"classic"`, `"dctcp"` or `"l4s"`.
        """
    @property
    def name(self, /) -> str:
        """
        Its name in the library.
        """
    @property
    def needs(self, /) -> str | None:
        """
        The queue discipline that routers on its way must have, if it works with no other.
        """
    @property
    def params(self, /) -> list:
        """
        Its parameters, as `algorithms` describes them.
        """
    @property
    def source(self, /) -> str:
        """
        Where its rules and its defaults are published.
        """
    @property
    def summary(self, /) -> str:
        """
        One sentence for lists.
        """

@final
class Policy:
    """
    A policy: its settings as JSON, and a function from an observation to a number, for runs that decide inside.
    """
    def __new__(cls, /, settings: str, decide: Any | None = None) -> Policy:
        """
        Raises `PolicyProblem` with all faults of the settings.
        """
    @property
    def range(self, /) -> tuple[float, float]:
        """
        Least and largest number that an agent may answer with.
        """
    @property
    def width(self, /) -> int:
        """
        Numbers of an observation.
        """

@final
class RateSample:
    """
    Delivery rate over roughly the last round trip (draft-ietf-ccwg-bbr, section 4.1.2).
    """
    def __repr__(self, /) -> str: ...
    @property
    def app_limited(self, /) -> bool:
        """
        The application, not the network, limited the sample.
        """
    @property
    def delivered(self, /) -> int:
        """
        Bytes delivered over `interval`.
        """
    @property
    def interval(self, /) -> float:
        """
        The longer of the send and the ACK interval [s].
        """

@final
class RoundSample:
    """
    Summary of the round trip that has just ended.
    """
    def __repr__(self, /) -> str: ...
    @property
    def ce_marked(self, /) -> int:
        """
        Bytes reported as marked in the round.
        """
    @property
    def delivered(self, /) -> int:
        """
        Bytes delivered in the round.
        """
    @property
    def lost(self, /) -> int:
        """
        Bytes declared lost in the round.
        """
    @property
    def min_rtt(self, /) -> float | None:
        """
        Smallest RTT sample of the round [s]; None if there was none.
        """
    @property
    def rtt_count(self, /) -> int:
        """
        Number of RTT samples in the round.
        """

@final
class Rows:
    """
    Rows of a trace, of which a long run has a hundred million: they become columns when these are asked for.
    """
    def columns(self, /) -> dict:
        """
        Columns by name, made anew with every call.
        """

@final
class Spec:
    """
    A resolved scenario that was parsed and checked, with the makers of its controllers that are not built in.
    One serves any number of runs, also at the same time.
    """
    def __new__(cls, /, spec_json: str, plugins: dict[str, Any] | None = None) -> Spec:
        """
        Parses and checks a resolved scenario. `plugins` has, by the name that the scenario uses, controllers of
        libraries, and constructors that are called with an `Initial`. Raises `ScenarioProblem`.
        """
    def carried(self, /, seed: SupportsIndex, station: SupportsIndex, end: SupportsFloat | SupportsIndex) -> list[tuple[float, float]]:
        """
        Segments that a busy station serves by some times [s] of a run, up to `end` [s]: `(time, segments)`, between
        which the rate stays.
        """
    def need(self, /) -> dict[str, int]:
        """
        Bytes of memory that a run takes whatever happens in it, by part.
        """
    def run(self, /, seed: SupportsIndex, threads: SupportsIndex = 1, progress: Any | None = None) -> dict:
        """
        Runs the scenario and returns its measurements; after Ctrl-C those that it has until then, with the simulated
        time [s] as `stopped`, which else is None. `progress` is called now and then with the simulated time [s].
        Raises `ControllerFailure`, and whatever `progress` raises, unless it is `KeyboardInterrupt`.
        """

def algorithms() -> list:
    """
    The congestion-control algorithms that can be named, with their parameters.
    """

def causes() -> list[str]:
    """
    Causes of drops and marks at queues, in the order of their numbers in results.
    """

def cbrt(x: SupportsFloat | SupportsIndex, /) -> float:
    """
    Cube root of `x`.
    """

def conformance(controller: Any, seed: SupportsIndex, steps: SupportsIndex, params: dict[str, SupportsFloat | SupportsIndex]) -> list[tuple[str, str, str | None, str | None, Any | None]]:
    """
    Play the conformance suite to a controller: a built-in algorithm by name, or something that `Spec`
    takes as a plugin, with values of its parameters. Returns (name, demand, what was found instead, the method at
    fault, its exception), where the last three may be None. One that cannot be made is tried only once, and one that
    needs segments not at all: the script has none.
    """

def discipline_faults(discipline: str, packets: SupportsIndex | None = None, bytes: SupportsIndex | None = None) -> list[tuple[str, str]]:
    """
    Faults of a queue discipline, as JSON of a resolved scenario, with the buffer of its station [packets or bytes]
    where that is known. Returns (parameter, what was expected and found). Raises `ScenarioProblem` if it is none.
    """

def disciplines() -> list:
    """
    Queue disciplines that a scenario may use, with their parameters.
    """

def exp(x: SupportsFloat | SupportsIndex, /) -> float:
    """
    e to the power of `x`.
    """

def exp2(x: SupportsFloat | SupportsIndex, /) -> float:
    """
    2 to the power of `x`.
    """

def features() -> list:
    """
    Features that an observation may contain.
    """

def log(x: SupportsFloat | SupportsIndex, /) -> float:
    """
    Natural logarithm of `x`; NaN for a negative one, minus infinity for zero.
    """

def log1p(x: SupportsFloat | SupportsIndex, /) -> float:
    """
    Natural logarithm of 1 + `x`, accurate for a small `x`.
    """

def open_library(path: str | PathLike[str]) -> dict:
    """
    Opens the library at `path`, which runs its code, and returns its controllers by name.
    """

def power(x: SupportsFloat | SupportsIndex, y: SupportsFloat | SupportsIndex, /) -> float:
    """
    `x` to the power of `y`.
    """

def quantities() -> list:
    """
    Quantities of a record of the time between two decisions, in the order of the columns of `Environments.step`.
    """

def transport_options() -> list[dict]:
    """
    Options of the transport. Their default is what is off; None where a scenario has to say more.
    """

def __getattr__(name: str) -> Incomplete: ...

"""The scenario of little plans."""

LITTLE = {
    "kind": "dumbbell",
    "rate": "10 Mbit/s",
    "rtt": "40 ms",
    "flows": ["reno"],
    "duration": "2 s",
}

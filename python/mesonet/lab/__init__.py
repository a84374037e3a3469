"""A laboratory in the browser: knobs, a run as one turns, and lessons. Needs the extra `lab`."""

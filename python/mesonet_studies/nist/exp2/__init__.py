"""Experiments 2a, 2b and 2c of NIST SP 500-282: what their studies share."""

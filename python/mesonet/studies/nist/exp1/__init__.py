"""What Experiments 1a and 1b of NIST's study share, and CUBIC and BBR in them."""

"""Experiments of the slides on HCC TCP: ns-2 simulations over one bottleneck."""

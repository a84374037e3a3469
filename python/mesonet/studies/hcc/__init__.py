"""What the slides on HCC TCP publish: ns-2 experiments over one bottleneck."""

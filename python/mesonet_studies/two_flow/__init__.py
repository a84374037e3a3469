"""The two-flow bench: one flow alone, then two over one bottleneck."""

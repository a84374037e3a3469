"""Response functions: mean windows under random loss beside the published ones."""

"""Published experiments, a folder each: plans, claims, a page, and code where numbers need it."""

"""TCP over real wide-area paths; Y.-T. Li, "Testing TCP in the WAN" (slides, 2007)."""

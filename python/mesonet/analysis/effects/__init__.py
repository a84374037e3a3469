"""Main effects of the factors."""

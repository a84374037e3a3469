"""The tests of TCP over real wide-area paths by SLAC and Microsoft, on simulated paths.

Source: Y.-T. Li, "Testing TCP in the WAN", Microsoft TCP Workshop, February 2007 (slides).
"""

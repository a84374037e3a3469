"""RTT fairness of any algorithms, as in figure 12 of the slides on HCC TCP."""

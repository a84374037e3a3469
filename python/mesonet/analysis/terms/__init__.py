"""Effects of factors and their products."""

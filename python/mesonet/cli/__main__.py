"""`python -m mesonet.cli`."""

from mesonet.cli import main

if __name__ == "__main__":
    main()

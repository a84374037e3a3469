"""`python -m mesonet.cli`."""

import sys
from pathlib import Path

from mesonet.cli import main

if __name__ == "__main__":
    # Python puts the current folder first among the places of modules; no file there is one of
    # mesonet's, unless mesonet itself is.
    if not sys.flags.safe_path and Path(sys.path[0]) != Path(__file__).parents[2]:
        del sys.path[0]
    main()

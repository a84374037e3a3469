"""Makes the synthetic campaign and the inputs made from it importable."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / "analysis"), str(Path(__file__).parent)]

"""Makes the synthetic campaign and the helpers importable, however the tests are collected."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "analysis"))
sys.path.insert(0, str(Path(__file__).parent))

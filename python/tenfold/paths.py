"""Where the package lies."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
SEARCH = PACKAGE.parent  # what sys.path needs to find it: site-packages, or python/ of a source tree

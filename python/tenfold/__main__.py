"""The command `tenfold` of an installed package, and `python -m tenfold`: becomes the program in the package."""

from __future__ import annotations

import os
import sys

from tenfold.migration import command


def main() -> None:
    """Does not return. What the command starts Python for, it starts this one for."""
    os.environ.setdefault("TENFOLD_PYTHON", sys.executable)
    if sys.prefix != sys.base_prefix:  # its packages, libtpu among them, are found as if the environment were active
        os.environ.setdefault("VIRTUAL_ENV", sys.prefix)
    program = command(search_path=False)
    os.execv(program, ["tenfold", *sys.argv[1:]])


if __name__ == "__main__":
    main()

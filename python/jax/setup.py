"""The version is the library's: include/tenfold/version.h has it."""

import re
from pathlib import Path

from setuptools import setup

header = Path(__file__).resolve().parents[2] / "include" / "tenfold" / "version.h"
version = re.search(r'#define TENFOLD_VERSION "(.+)"', header.read_text())[1]
setup(version=version, install_requires=["jax>=0.10", f"tenfold=={version}"])

"""Locks that survive os.fork(). The child has one thread: a lock that another one holds would stay locked there, and
what it guards would stay half changed."""

from __future__ import annotations

import os
from typing import Any


def across_forks(lock: Any) -> Any:
    """The lock, which a fork from Python waits for: neither process finds it locked, or what it guards half changed."""
    os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
    return lock

"""Work in a forked child, for tests of what a fork amid other threads leaves usable."""

import os
import signal
import sys
import warnings

SECONDS = 120  # after that a child counts as one that hangs


def in_child(work) -> int:
    """What `work` returns, as the exit status of a forked process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking with threads: that is what is tested
        child = os.fork()
    if child == 0:
        status = 70
        try:
            signal.alarm(SECONDS)
            if "torch" in sys.modules:
                sys.modules["torch"].set_num_threads(1)  # what eager mode does there is not ours
            status = work()
        except BaseException as error:
            print(repr(error), file=sys.stderr)
        finally:
            os._exit(status)
    _, how = os.waitpid(child, 0)
    assert not os.WIFSIGNALED(how), f"the child ended by signal {os.WTERMSIG(how)}"
    return os.WEXITSTATUS(how)

"""Script that sets limits, between fork and exec, and then becomes a program that plays over stdin and stdout.

Arguments: MiB of address space, 0 for no limit; id of the process that it must not outlive, 0 for none; the command.
"""

from __future__ import annotations

import os
import sys

MEBIBYTE = 2**20
PR_SET_PDEATHSIG, SIGKILL = 1, 9  # from <sys/prctl.h>: the signal that this process gets when its parent ends
CANNOT_RUN = 126  # exit code, as in shells


def limit_memory(size: int) -> None:
    """Limit the address space of this process to `size` bytes, or to what the system allows it if that is less."""
    import resource

    most = resource.getrlimit(resource.RLIMIT_AS)[1]
    limit = size if most == resource.RLIM_INFINITY else min(size, most)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def main(memory: str, parent: str, *command: str) -> None:
    """Set the limits, then replace this process with the command."""
    if int(parent) and sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
        if os.getppid() != int(parent):  # the parent has already ended
            sys.exit(1)
    if int(memory):
        limit_memory(int(memory) * MEBIBYTE)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        sys.exit(CANNOT_RUN)


if __name__ == "__main__":
    main(*sys.argv[1:])

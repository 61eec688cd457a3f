"""What the process of a reader cannot do: run code of a store, write, and reach the network for a local store.

Everything is given up by the process itself before it looks at the store, and cannot be taken back. What the
system offers is used; the guard in Python is there on every system:

=====================  ============================  ===================================================
 what                   where                         who is held by it
=====================  ============================  ===================================================
 audit hook             everywhere                    Python: unpickling, programs, writing, connections
 Landlock               Linux 5.13 and later          also libraries in C: writing, programs; from 6.7 on TCP
 namespace              Linux, where it may be made   also libraries in C: the network
 limits of resources    Linux, macOS                  memory, seconds of the processor, length of files
=====================  ============================  ===================================================
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from contextlib import suppress
from typing import Any

MEMORY = 4 * 1024**3
"""Bytes of address space that a reader may take."""

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = frozenset(
    [
        "os.chmod",
        "os.chown",
        "os.link",
        "os.mkdir",
        "os.remove",
        "os.removexattr",
        "os.rename",
        "os.rmdir",
        "os.setxattr",
        "os.symlink",
        "os.truncate",
        "os.utime",
    ]
)
_PROGRAMS = frozenset(
    [
        "os.exec",
        "os.fork",
        "os.forkpty",
        "os.posix_spawn",
        "os.spawn",
        "os.startfile",
        "os.system",
        "pty.spawn",
        "subprocess.Popen",
    ]
)
_CONNECTIONS = frozenset(
    ["socket.bind", "socket.connect", "socket.getaddrinfo", "socket.sendmsg", "socket.sendto"]
)

_LANDLOCK_CREATE_RULESET = 444
_LANDLOCK_RESTRICT_SELF = 446
_PR_SET_NO_NEW_PRIVS = 38
_CLONE_NEWUSER = 0x1000_0000
_CLONE_NEWNET = 0x4000_0000
_READING = 1 << 2 | 1 << 3  # of files and folders, which is not restricted
_RUNNING = 1 << 0
_TCP = 1 << 0 | 1 << 1  # bind and connect
_RIGHTS = {1: 13, 2: 14, 3: 15}
"""By version of Landlock how many rights to the file system it knows; later versions know 15 or more."""


class Confined(PermissionError):
    """Something that the process of a reader may not do."""


def confine(*, network: bool, seconds: float, programs: bool = False) -> None:
    """Give up what a reader does not need; call it in a process of its own, before threads are started.

    Parameters
    ----------
    network : bool
        Whether the store is on a server.
    seconds : float
        Seconds of the processor that it may take; then the system ends it.
    programs : bool
        Whether the process becomes another program, which limits its own memory: Node.js reserves far more
        addresses than it uses.
    """
    _limit(seconds, memory=not programs)
    if sys.platform == "linux":
        if not network:
            leave_network()
        _restrict(network=network, programs=programs)
    refuse_unpickling()
    sys.addaudithook(_guard(network=network, programs=programs))


def _limit(seconds: float, *, memory: bool) -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    # A write beyond the limit is an error, and not the end of the process.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    processor = max(1, round(seconds))
    for which, soft, hard in (
        *(((resource.RLIMIT_AS, MEMORY, MEMORY),) if memory else ()),
        (resource.RLIMIT_CPU, processor, processor + 1),
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        _, most = resource.getrlimit(which)
        if most != resource.RLIM_INFINITY:
            soft, hard = min(soft, most), min(hard, most)  # noqa: PLW2901
        with suppress(OSError, ValueError):  # macOS does not limit address space; see SECURITY.md
            resource.setrlimit(which, (soft, hard))


def leave_network() -> bool:
    """Move into a namespace whose network has no devices; return whether that was permitted."""
    library = ctypes.CDLL(None, use_errno=True)
    # Root stays itself, to read the files that it may read; others need a namespace of users to be permitted.
    flags = (_CLONE_NEWNET, _CLONE_NEWUSER | _CLONE_NEWNET)
    return any(library.unshare(flag) == 0 for flag in flags)


def _restrict(*, network: bool, programs: bool) -> bool:
    """Give up all rights to change the file system; return whether the system knows Landlock."""
    library = ctypes.CDLL(None, use_errno=True)
    version = library.syscall(_LANDLOCK_CREATE_RULESET, None, 0, 1)
    if version < 1:
        return False
    files = ((1 << _RIGHTS.get(version, 15)) - 1) & ~_READING & ~(_RUNNING if programs else 0)
    # No rule follows: what is handled and not permitted by a rule is forbidden.
    handled = (ctypes.c_uint64 * 2)(files, 0 if network else _TCP)
    size = 8 if version < 4 else 16
    ruleset = library.syscall(_LANDLOCK_CREATE_RULESET, handled, size, 0)
    if ruleset < 0:
        return False
    try:
        library.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        return bool(library.syscall(_LANDLOCK_RESTRICT_SELF, ruleset, 0) == 0)
    finally:
        os.close(ruleset)


def refuse_unpickling() -> None:
    """Make the codec ``pickle`` of every version of numcodecs one that refuses."""
    try:
        from numcodecs import pickles  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        return

    def refuse(*_: object, **__: object) -> Any:
        raise Confined("the codec pickle could run any code")

    pickles.Pickle.decode = refuse


def _guard(*, network: bool, programs: bool) -> Any:
    """Return an audit hook, which cannot be removed again."""

    def guard(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if isinstance(path, str | bytes) and isinstance(flags, int) and flags & _WRITING:
                raise Confined(f"a reader may not write {os.fsdecode(path)}")
        elif event in _CHANGES:
            raise Confined(f"a reader may not change files ({event})")
        elif event in _PROGRAMS and not (programs and event == "os.exec"):
            raise Confined(f"a reader may not start programs ({event})")
        elif event == "pickle.find_class":
            raise Confined("a reader may not unpickle, which could run any code")
        elif event in _CONNECTIONS and not network and not _is_own(event, arguments):
            raise Confined(f"the store is local: a reader may not use the network ({event})")

    return guard


def _is_own(event: str, arguments: tuple[Any, ...]) -> bool:
    """Return whether a connection stays in the process: on Windows event loops have one to themselves."""
    if os.name != "nt" or event not in ("socket.bind", "socket.connect"):
        return False
    address = arguments[1]
    return isinstance(address, tuple) and address[:1] in (("127.0.0.1",), ("::1",))

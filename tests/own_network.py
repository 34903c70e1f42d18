"""A network namespace of its own for the thread that runs a test: loopback, and nothing else.

Ray binds its services to the machine's own address and lets others on the network connect. In a namespace that
has only loopback, all of them end up on 127.0.0.1.
"""

import ctypes
import fcntl
import os
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_CLONE_NEWNET = 0x40000000
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 0x1


@contextmanager
def loopback_only() -> Iterator[bool]:
    """Move this thread, and the processes and threads it starts, into a namespace that has only loopback.

    Yields whether that worked: it takes Linux and the right to make namespaces, which root has. Otherwise
    nothing changes.
    """
    home = _new_namespace()
    if home is None:
        yield False
        return
    try:
        _raise_loopback()
        yield True
    finally:
        ctypes.CDLL(None).setns(home, _CLONE_NEWNET)
        os.close(home)


def _new_namespace() -> int | None:
    """Enter a new network namespace; returns a descriptor of the old one, or None where it is not allowed."""
    if not Path("/proc/thread-self/ns/net").exists():
        return None
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    if ctypes.CDLL(None).unshare(_CLONE_NEWNET) == 0:
        return home
    os.close(home)
    return None


def _raise_loopback() -> None:
    """What ``ip link set lo up`` does."""
    with socket.socket() as any_socket:
        request = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(any_socket, _SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | _IFF_UP))

"""What this process connects to, as Python itself reports it. It does not see what uvloop connects by itself."""

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_listening: list[list[tuple[str, int]]] = []


def _hear(event: str, given: tuple[Any, ...]) -> None:
    if event == "socket.connect" and _listening:
        made, place = given
        if made.type == socket.SOCK_STREAM and made.family in {socket.AF_INET, socket.AF_INET6}:
            for heard in _listening:
                heard.append((place[0], place[1]))


sys.addaudithook(_hear)  # it cannot be taken away again; with nobody listening it does nothing


@contextmanager
def connects() -> Iterator[list[tuple[str, int]]]:
    """The addresses and ports that TCP connections are begun to meanwhile, in order."""
    heard: list[tuple[str, int]] = []
    _listening.append(heard)
    try:
        yield heard
    finally:
        _listening[:] = [other for other in _listening if other is not heard]

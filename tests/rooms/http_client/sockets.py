"""What this process connects to, as Python itself reports it. It does not see what uvloop connects by itself."""

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_listening: list[list[tuple[str, int]]] = []


def _on_worked(event: str, given: tuple[Any, ...]) -> None:
    if event == "socket.connect" and _listening:
        made, place = given
        if made.type == socket.SOCK_STREAM and made.family in {socket.AF_INET, socket.AF_INET6}:
            for received in _listening:
                received.append((place[0], place[1]))


sys.addaudithook(_on_worked)  # it cannot be taken away again; with nobody listening it does nothing


@contextmanager
def connects() -> Iterator[list[tuple[str, int]]]:
    """The addresses and ports that TCP connections are begun to meanwhile, in order."""
    received: list[tuple[str, int]] = []
    _listening.append(received)
    try:
        yield received
    finally:
        _listening[:] = [other for other in _listening if other is not received]

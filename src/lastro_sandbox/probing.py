"""Probes of a sandbox's start: ports, health, another run."""

from __future__ import annotations

import errno
import http.client
import json
import socket
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lastro_sandbox.embedded import StartRefused

if TYPE_CHECKING:
    from pathlib import Path


def where_it_answers(sandbox: Path) -> str:
    """Says the state of a home's running sandbox. sandbox: its sandbox.json, if there is one."""
    try:
        said = json.loads(sandbox.read_bytes())
        return f"runs already, at {said['baseUrl']} with the simulated networks at {said['simulatorUrl']}"
    except (OSError, ValueError, KeyError):
        return "is being started or stopped already"


def demand_free_port(bind: str, port: int, variable: str) -> None:
    """Raises StartRefused where another program has the port. variable: the one that chooses another port."""
    family = socket.AF_INET6 if ":" in bind else socket.AF_INET
    with socket.socket(family) as probe:
        # As the servers do: a port whose last connections have yet to be forgotten is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((bind, port))
        except OSError as error:
            reason = "is in use by another program" if error.errno == errno.EADDRINUSE else f"cannot be used ({error})"
            raise StartRefused(f"Port {port} {reason}; stop it or set {variable} to another port.") from error


def is_healthy(url: str | None) -> bool:
    """Tells whether the URL answers 200; None is always healthy."""
    if url is None:
        return True
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=2)
    try:
        connection.request("GET", parts.path)
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()

"""Settings of the institution's network. Without one lastro works with companies' banks alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lastro.config.given import Given
    from lastro.core.secrets import Secret

_URL, _TOKEN, _BANKS = "LASTRO_NETWORK_URL", "LASTRO_NETWORK_TOKEN", "LASTRO_BANKS_FILE"


def network(given: Given) -> tuple[str, Secret]:
    """Reads the network's address and our token there. An empty address: lastro works with banks alone."""
    url = given.address(_URL)
    token = given.secret(_TOKEN, needed=bool(url) and not given.is_sandbox)
    if url or given.is_sandbox:
        return url, token
    if not given.text(_BANKS):
        given.problems.append(
            f"{_URL} is not set: outside the sandbox lastro needs an institution's network ({_URL} with {_TOKEN}_FILE), or"
            f" accounts at banks that speak API Pix ({_BANKS})."
        )
    elif token.reveal():
        given.problems.append(
            f"{_URL} is not set, and {_TOKEN}_FILE is: set both for an institution's network, or neither to work with the"
            f" banks of {_BANKS} alone."
        )
    return url, token

"""A process of a storm whose bank is polled twice a second, and looked at each second whether a night is over.

A token is had again soon: faults end them one after the other, and a storm's clients wait for twenty seconds.
"""

import sys
from dataclasses import replace
from functools import partial

from lastro.app import wiring
from lastro.cli import main
from lastro.http_client import OutgoingClient
from lastro.rails.api_pix import Connection, nightly, oauth, opening

TIMEOUT_SECONDS = 1.0  # of endpoints, as in tests/world/hurried_worker.py
POLL_SECONDS = 0.5
TOKENS_A_MINUTE, LONGEST_PAUSE_SECONDS, FEWER_SECONDS = 600, 1.0, 2.0

_polling_of = opening.polling_of


def quick(connection: Connection) -> object:
    """What is watched at a connection, more often than a file may say."""
    return replace(_polling_of(connection), poll_seconds=POLL_SECONDS)


if __name__ == "__main__":
    setattr(wiring, "OutgoingClient", partial(OutgoingClient, timeout_seconds=TIMEOUT_SECONDS))  # noqa: B010
    setattr(opening, "polling_of", quick)  # noqa: B010
    setattr(nightly, "_LOOK_SECONDS", 1.0)  # noqa: B010
    setattr(oauth, "REQUESTS_A_MINUTE", TOKENS_A_MINUTE)  # noqa: B010
    setattr(oauth, "_LONGEST_PAUSE", LONGEST_PAUSE_SECONDS)  # noqa: B010
    setattr(oauth, "FEWER_SECONDS", FEWER_SECONDS)  # noqa: B010
    main.main(sys.argv[1:])

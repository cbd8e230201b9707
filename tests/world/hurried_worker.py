"""A worker like every other, but that gives endpoints one second instead of ten: a storm has many that hang."""

from functools import partial

from lastro.app import wiring
from lastro.cli import main
from lastro.http_client import OutgoingClient

TIMEOUT_SECONDS = 1.0

if __name__ == "__main__":
    setattr(wiring, "OutgoingClient", partial(OutgoingClient, timeout_seconds=TIMEOUT_SECONDS))  # noqa: B010
    main.main(["worker"])

"""A worker like every other, but that gives endpoints one second instead of ten: a storm has many that hang."""

from functools import partial

from lastro.base.outgoing import OutgoingClient
from lastro.doors import cli, wiring

TIMEOUT_SECONDS = 1.0

if __name__ == "__main__":
    setattr(wiring, "OutgoingClient", partial(OutgoingClient, timeout_seconds=TIMEOUT_SECONDS))  # noqa: B010
    cli.main(["worker"])

"""The request body of a request to close an account."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from lastro.api_kit.forms import Form, Line

MOST_TAKEN: Final = 100
MOST_SKIPPED: Final = 100_000


class RequestClose(Form):
    """The request to close an account for ever."""

    close_request_reason: Annotated[
        Line, msgspec.Meta(description="Why; told with the event of the closing.", examples=["We are moving to one account"])
    ]


class ListCloses(Form):
    """A part of the list of requests, newest first."""

    skip: Annotated[
        Annotated[int, msgspec.Meta(ge=0, le=MOST_SKIPPED)] | None,
        msgspec.Meta(description="How many are left out; none where nothing is said."),
    ] = None
    take: Annotated[
        Annotated[int, msgspec.Meta(ge=1, le=MOST_TAKEN)] | None,
        msgspec.Meta(description="How many are shown at most; 20 where nothing is said.", examples=[20]),
    ] = None
    require_total_count: Annotated[bool | None, msgspec.Meta(description="Whether they are counted, too.")] = None

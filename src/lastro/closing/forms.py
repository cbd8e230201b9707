"""The request body of a request to close an account."""

from __future__ import annotations

from typing import Annotated

import msgspec

from lastro.api_kit.forms import Form, Line


class RequestClose(Form):
    """The request to close an account for ever."""

    close_request_reason: Annotated[
        Line, msgspec.Meta(description="Why; told with the event of the closing.", examples=["We are moving to one account"])
    ]

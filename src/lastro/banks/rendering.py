"""The API's answers about banks."""

from __future__ import annotations

from typing import Annotated

import msgspec

from lastro.api_kit.rendering import words
from lastro.api_kit.routes import Answer

METHODS = ("PIX", "TED")


class BankListed(Answer, frozen=True, kw_only=True):
    """An institution that can be paid."""

    ispb: Annotated[str, msgspec.Meta(description="The institution's id of 8 characters.", examples=["60701190"])]
    bank_number: Annotated[
        str | None,
        msgspec.Meta(description="Its COMPE number of three digits; one without leaves it out.", examples=["341"]),
    ] = None
    short_name: Annotated[str, msgspec.Meta(description="As the Central Bank abbreviates it.")]
    name: Annotated[str, msgspec.Meta(description="In full, as far as the Central Bank's lists have it.")]
    methods: Annotated[
        list[Annotated[str, words(*METHODS)]],
        msgspec.Meta(description="What reaches it: `PIX`, `TED` or both."),
    ]


class BanksListed(Answer, frozen=True, kw_only=True):
    """The bank list, by ISPB."""

    data: list[BankListed]

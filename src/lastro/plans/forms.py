"""The request bodies of plans."""

from __future__ import annotations

from typing import Annotated

import msgspec

from lastro.api_kit.forms import Form
from lastro.plans.model import MOST_LINES

# Items have no type here: one that is no object is a line like the others, so that all problems are listed at once.
_PAYOUTS = {
    "type": "array", "minItems": 1, "maxItems": MOST_LINES,
    "items": {"description": "The body of a create of a payout. Whatever else it is, is said of its line once checked."},
    "description": "Each is the body of a create of a payout; what is wrong with one is said of its line once checked.",
}  # fmt: skip


class CreatePlan(Form):
    """Payouts that are checked, approved and made together."""

    payouts: Annotated[msgspec.Raw, msgspec.Meta(extra_json_schema=_PAYOUTS)]


class ApprovePlan(Form):
    """Signs what was looked at."""

    hash: Annotated[
        str,
        msgspec.Meta(
            description="The `hash` of the plan, as you have read it.", pattern=r"^[0-9a-f]{64}$(?!\n)", examples=["0f" * 32]
        ),
    ]  # fmt: skip

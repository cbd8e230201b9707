"""The documentation of the sandbox's own paths, beside that of the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec

from lastro.api_kit.forms import Form
from lastro.api_kit.routes import Doc
from lastro.core.errors import Kind, Refusal
from lastro.web.openapi import Gives, Open
from lastro_sandbox.durations import LAST_YEAR

if TYPE_CHECKING:
    from collections.abc import Mapping

_JSON = "application/json"
_CLOCK = {
    "type": "object", "required": ["now", "pending"],
    "properties": {
        "now": {"type": "string", "format": "date-time", "description": "Business time."},
        "pending": {"type": "integer", "minimum": 0, "description": "How much is due and not done."},
    },
}  # fmt: skip
_ENVIRONMENT = {
    "type": "object", "required": ["id", "name", "values"],
    "properties": {
        "id": {"type": "string"}, "name": {"type": "string"},
        "values": {"type": "array", "items": {
            "type": "object", "required": ["key", "value"],
            "properties": {"key": {"type": "string"}, "value": {"type": "string"}},
        }},
    },
}  # fmt: skip
_ORDER_OR_PAYOUT = {"anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in ("Order", "FullPayout")]}
_SHOWN = {"now": "2026-02-03T12:00:00.000000Z", "pending": 0}
_WRITES = (413, 415)


class ClockForm(Form):
    """The change of business time: either of the two."""

    advance: Annotated[str | None, msgspec.Meta(description="An ISO 8601 duration.", examples=["P3D"])] = None
    now: Annotated[
        str | None, msgspec.Meta(description="An ISO 8601 time with its offset.", examples=["2026-02-03T12:00:00Z"])
    ] = None


# To which an order may be led, if not from every status.
STATUSES = (
    "PAID", "EXPIRED", "CANCELED", "ERROR", "REJECTED", "INITIAL", "PENDING", "AUTHENTICATING", "REFUNDED",
    "PARTIAL_REFUNDED",
)  # fmt: skip


class StatusForm(Form):
    """An order or a payout, and the status it is to have."""

    id: str
    status: Annotated[str, msgspec.Meta(examples=["PAID"], extra_json_schema={"enum": list(STATUSES)})]


_STEP = Doc(
    "Step the clock",
    "Business time walks there, from one due instant to the next, and everything that falls due is done; it answers then,"
    " or after 15 seconds. A duration is counted from where the clock is, or from where it already walks to: two steps of a"
    " day, one right after the other, are two days. It never goes back.",
    ClockForm, None,
    (
        Refusal(Kind.INVALID, "advance", "MUTUALLY_EXCLUSIVE", "Neither or both of `advance` and `now` are there.",
                "Give one of the two."),
        Refusal(Kind.INVALID, "advance", "OUT_OF_RANGE", f"It would lead beyond the year {LAST_YEAR}.", "Give less."),
        Refusal(Kind.INVALID, "now", "OUT_OF_RANGE", "The clock never goes back.", "Give a later time."),
    ),
    {"advance": "P3D"},
)  # fmt: skip
_TOOL = Doc(
    "Lead an order to a status",
    "Plays the simulated act that leads there, and answers the order as it then is. What takes days in the network waits for"
    " the clock. REFUNDED gives back all that is left of a paid order, PARTIAL_REFUNDED half of it. REJECTED is ERROR.\n\n"
    "The id may be that of a payout: it is waited for, canceled, or given back by its receiver. The network decides about a"
    " payout at once; one of 7001.01 is refused.",
    StatusForm, None,
    (
        Refusal(Kind.NOT_FOUND, "", "", "No order or payout of your company has this id.",
                "Take the `id` that the create answered."),
        Refusal(Kind.CONFLICT, "status", "CONFLICT", "The order cannot go there from where it is.", "Make another order."),
    ),
    {"id": "0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21", "status": "PAID"},
)  # fmt: skip
OPEN_PATHS: Mapping[str, Mapping[str, Open]] = {
    "/": {"GET": Open(
        "read_welcome", "sandbox", Doc("Read the first page", "Where to go from here."),
        (Gives(200, "The page.", "text/html", {"type": "string"}),),
    )},
    "/sandbox/clock": {
        "GET": Open("read_clock", "sandbox", Doc("Read the clock", "What time it is, and how much is due and not done."),
                    (Gives(200, "The clock.", _JSON, _CLOCK, _SHOWN),)),
        "PUT": Open("step_clock", "sandbox", _STEP, (Gives(200, "It is there.", _JSON, _CLOCK, _SHOWN),), _WRITES),
    },
    "/sandbox/postman-environment.json": {"GET": Open(
        "read_postman_environment", "sandbox",
        Doc("Read the environment of the Postman collection",
            "What `/postman.json` is played with: this sandbox's address, its client with the secret, its first account."
            " Given to callers on this machine alone."),
        (Gives(200, "The environment.", _JSON, _ENVIRONMENT, headers=("cache-control",)),), (403, 503),
    )},
    "/order-tools/v1/order/status": {"PUT": Open(
        "play_order", "sandbox", _TOOL,
        (Gives(200, "The order, or the payout, as it now is.", _JSON, _ORDER_OR_PAYOUT),),
        (401, 404, 409, *_WRITES), needs_token=True,
    )},
}  # fmt: skip

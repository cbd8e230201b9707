"""Good requests of every operation, whose bodies say a mark wherever they speak of people or have words of their own."""

import secrets
from collections.abc import Mapping
from typing import Any
from unittest.mock import Mock
from urllib.parse import quote

import msgspec
from tests.house.bad_input_kept import MORE, merged
from tests.house.canary import Marks, RawRequest
from tests.house.examples import EXAMPLES

from lastro.app import wiring
from lastro.orders import Installation

# Those with a body that a sandbox takes, given an account with its Pix key and a paid order. The others name what only a
# town has: they are refused, and what they say may be told by nobody all the same.
TAKEN = frozenset(
    {
        "create_order", "create_order_payin", "create_static_qrcode", "create_refund", "create_payout", "create_payout_plan",
        "create_subscription", "open_account", "request_account_close", "create_key", "create_key_claim", "set_webhook",
        "test_webhook", "resend_webhook_events",
    }
)  # fmt: skip


def good_requests(marks: Marks, token: str, objects: Mapping[str, str], hook: str) -> dict[str, RawRequest]:
    """Every operation as its example asks it, by its name, with its real object where there is one.

    objects: ids by their kind. hook: a URL that may be told of events.
    """
    nobodys = Mock(place=Installation(Mock(), "https://lastro.test", sandbox=True))
    words, made = words_of(marks, hook), {}
    for route in wiring.routes(nobodys):
        example = EXAMPLES.get(route.operation)
        if example is None:
            continue  # that there is one is another test's business
        ask = example.ask(objects.get(example.kind or "", "x"))
        content = ask.content
        if ask.body is not None:
            content = msgspec.json.encode(planted(merged(ask.body, MORE.get(route.operation, {})), words))
        query = "&".join(f"{quote(n)}={quote(v)}" for n, v in ask.query.items())
        target = route.path.format(**ask.path)
        headers = {"authorization": f"Bearer {token}"}
        if route.key != "none":
            headers["idempotency-key"] = f"{marks.hidden['idempotency key']}{route.operation}"
        if content:
            headers["content-type"] = ask.media
        made[route.operation] = RawRequest(route.method, f"{target}?{query}" if query else target, headers, content or None)
    return made


def words_of(marks: Marks, hook: str) -> dict[str, str]:
    """What is said in place of an example's own words, by the name of the field."""
    people = marks.people
    return {
        **dict.fromkeys(("name", "fullName", "tradeName"), people["name of an example"]),
        **dict.fromkeys(("street", "city", "neighborhood", "complement"), people["address of an example"]),
        **dict.fromkeys(
            ("description", "refundReason", "closeRequestReason", "details"), people["description of an example"]
        ),
        **dict.fromkeys(
            ("notificationUrl", "webhookUrl", "url"), f"{hook}?token={marks.hidden['webhook url of an example']}"
        ),
        "returnUrl": people["return url of an example"], "email": people["e-mail of an example"],
        "phone": people["phone of an example"], "ip": people["ip of an example"],
        "accountNumber": people["bank account of an example"], "CPF": people["document of an example"],
        "EMAIL": people["Pix key of an example"],
    }  # fmt: skip


def planted(said: Any, words: Mapping[str, str]) -> Any:
    """The same body with these words in it; codes, amounts, days and whatever is chosen from a list stay."""
    if isinstance(said, list | tuple):
        return [planted(one, words) for one in said]
    if not isinstance(said, Mapping):
        return said
    made = {
        name: words[name] if name in words and isinstance(value, str) else planted(value, words)
        for name, value in said.items()
    }
    if said.get("type") == "CPF" and "number" in said:
        made["number"] = words["CPF"]
    if said.get("type") == "EMAIL" and "key" in said:
        made["key"] = f"{secrets.token_hex(4)}.{words['EMAIL']}"  # of two requests for one key the second would be refused
    return made

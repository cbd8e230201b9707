"""That a storm looks again at every write that was acknowledged, and sees what is lost of it."""

from typing import Any
from unittest.mock import Mock

import msgspec
import pytest
from tests.journeys.play import Answer
from tests.world.whole import promises
from tests.world.whole.crowd import OPERATIONS, Request


def test_every_write_is_read_again_or_excused() -> None:
    """What a storm never looks at again, it would not miss."""
    tables = (promises.READ_AGAIN.keys(), promises.IN_BOOKS, promises.EXCUSED.keys())
    writes = {name for name, (method, _) in OPERATIONS.items() if method != "GET"}
    assert set().union(*tables) == writes
    assert sum(map(len, tables)) == len(writes), "each is in one of the tables"
    assert all(promises.EXCUSED.values())
    assert {OPERATIONS[again.operation][0] for again in promises.READ_AGAIN.values()} == {"GET"}


async def unkept(operation: str, target: str, said: Any, shown: Any, body: bytes | None = None) -> list[str]:
    """What a storm says where a write was answered so, and is shown so when it is over."""

    async def read(*_: Any, **__: Any) -> Any:
        return shown

    kept = (Request(operation, target, body, {}, "ana"), Answer(200, {}, b"" if said is None else msgspec.json.encode(said)))
    return await promises.unkept(Mock(kept=[kept], read=read))


_PLANS, _OF = "/order/v1/banking/payout-plans/p", "/public/v1/banking/subscriptions/s/payments/c"
_KEPT: dict[str, tuple[str, str, Any, Any, Any]] = {
    "an end": ("cancel_med", "/order/v1/banking/med/m/cancel", {"referenceId": "m", "status": "CANCELLED"},
               {"referenceId": "m", "status": "CANCELLED"}, {"referenceId": "m", "status": "CREATED"}),
    "an amount": ("create_order", "/order/v2/transparent", {"id": "o", "amount": "1"}, {"id": "o", "amount": "1"},
                  {"id": "o", "amount": "2"}),
    "a signature": ("approve_payout_plan", f"{_PLANS}/approvals", {"id": "p", "approvals": [{"clientId": "x"}]},
                    {"id": "p", "approvals": [{"clientId": "y"}, {"clientId": "x"}]}, {"id": "p", "approvals": []}),
    "a plan's making": ("apply_payout_plan", f"{_PLANS}/apply", {"id": "p", "status": "APPLYING"},
                        {"id": "p", "status": "FAILED"}, {"id": "p", "status": "APPROVED"}),
    "a cancellation": ("cancel_subscription", "/order/v1/banking/subscriptions/s/cancellations",
                       {"id": "c", "idempotencyKey": "k", "reason": "OTHER", "status": "PENDING"},
                       {"cancellations": [{"id": "c", "idempotencyKey": "k", "reason": "OTHER"}]}, {"cancellations": []}),
    "a try": ("retry_subscription_payment", f"{_OF}/retry",
              {"id": "c", "subscriptionId": "s", "attempts": [{"date": "2026-01-02"}]},
              {"attempts": [{"date": "2026-01-01"}, {"date": "2026-01-02"}]}, {"attempts": [{"date": "2026-01-01"}]}),
    "the end of a key": ("delete_key", "/order/v1/banking/accounts/a/keys/k", None, {"data": [{"id": "l"}]},
                         {"data": [{"id": "k"}]}),
}  # fmt: skip


@pytest.mark.parametrize("what", _KEPT)
async def test_what_was_lost_is_seen(what: str) -> None:
    operation, target, said, kept, lost = _KEPT[what]
    assert await unkept(operation, target, said, kept) == []
    assert len(await unkept(operation, target, said, lost)) == 1
    assert len(await unkept(operation, target, said, None)) == 1, "it is not there at all"


async def test_a_document_that_is_waited_for_again_is_seen() -> None:
    request_id = "0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21"
    form = f'--x\r\nContent-Disposition: form-data; name="accountRequestId"\r\n\r\n{request_id}\r\n--x--'.encode()
    target, said = "/order/v1/banking/accounts/documents", {"missingRequiredDocuments": list[str]()}
    for status, seen in (("PENDING_DOCUMENTS", 1), ("REPROVED", 0)):
        shown = {"status": status, "missingRequiredDocuments": ["selfieHolder"]}
        assert len(await unkept("upload_account_document", target, said, shown, form)) == seen


async def test_a_url_that_was_forgotten_is_seen() -> None:
    body = b'{"events":[{"event":"ORDER-PAYIN.PAID","url":"https://a.example","active":true}]}'
    for url, seen in (("https://a.example", 0), (None, 1)):
        shown = {"events": [{"event": "ORDER-PAYIN.PAID", "url": url, "active": True}]}
        assert len(await unkept("set_webhook", "/order/v1/webhook", {"events": []}, shown, body)) == seen


async def test_a_write_that_nobody_reads_again_is_seen() -> None:
    (what,) = await unkept("read_order", "/order/v2/transparent/o", {"id": "o"}, {"id": "o"})
    assert "nobody has said" in what

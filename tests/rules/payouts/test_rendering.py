"""Which id a payout is shown with, wherever it is shown: contract.md §4 as a table."""

import os
from datetime import UTC, datetime
from uuid import UUID

import msgspec
import pytest

from lastro.accounts import Account, Holder, Institution
from lastro.core.ids import Chance
from lastro.core.money import Money
from lastro.core.runner import RequestContext
from lastro.payouts import Payout
from lastro.payouts.notifications import pay_out
from lastro.payouts.rendering import created, in_full
from lastro.rails.port import Receiver

AT = datetime(2026, 1, 31, 12, 0, 1, tzinfo=UTC)
OURS = Institution("99999010", "LASTRO SANDBOX IP", "0001", "990")
HOLDER = Holder("ORGANIZATION", "Padaria São João Ltda", "CNPJ", "11222333000181", "ana@example.com", "+5511999999999")
ACCOUNT = Account(UUID(int=1), "ACTIVE", 1, "000000019", "0001", "SAO PAULO", HOLDER, AT)
FABIO = Receiver("Fabio de Fora", "CPF", "24681357928", "99999030", "0001", "300003", "CHECKING_ACCOUNT")
E2E, NUMBER = "E9999901020260131120000001aBcDeF", "STR20260131000000007"


def payout(method: str, rail: str, *, sequence: int | None = None, children: int = 0) -> Payout:
    """Paid; whole, a batch, or a transfer of one."""
    is_ted = rail == "ted"
    return Payout(
        id=UUID(int=2 + (sequence or 0)), state="PAID", version=3, batch_id=UUID(int=2) if sequence else None,
        sequence=sequence, children=children, account_id=ACCOUNT.id, external_id=None if sequence else "salary-7",
        idempotency_key="k", method=method, rail=rail, initiation="MANUAL", amount=Money(1000, "BRL"), fee=Money(0, "BRL"),
        returned=Money(0, "BRL"), description="Salary", receiver=FABIO, bank_name=None, bank_code=None, key=None,
        key_type=None, txid=None, end_to_end_id=None if is_ted or children else E2E,
        control_number="L1" if is_ted and not children else None, str_control_number=NUMBER if is_ted and not children else None,
        message_id=None, hold_id=None, fee_hold_id=None, quota_period=None, is_at_night=False, scheduled_on=None,
        start_at=None, send_until=None, error_code=None, error_message=None, ask_at=None, paid_at=AT, created_at=AT,
        updated_at=AT, account=ACCOUNT,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("method", "rail", "shown", "told"),
    [
        ("PIX", "pix", E2E, (E2E, None)),
        ("PIX", "book", E2E, (E2E, None)),
        ("TED", "ted", "", (None, NUMBER)),
        ("TED", "book", "", (None, None)),  # no STR has numbered it
    ],
)
def test_a_pix_has_an_end_to_end_id_and_a_ted_has_none(
    method: str, rail: str, shown: str, told: tuple[str | None, str | None]
) -> None:
    one, batch = payout(method, rail), payout(method, rail, children=2)
    parts = [payout(method, rail, sequence=n) for n in (1, 2)]
    for answer in (created(one, []), in_full(one, [])):
        assert answer.end_to_end_id == shown
    for answer in (created(batch, parts), in_full(batch, parts)):
        assert answer.batch is not None
        assert [answer.end_to_end_id, *(t.end_to_end_id for t in answer.batch.transactions)] == [
            shown,
            shown or None,
            shown or None,
        ]
    event = pay_out(RequestContext(UUID(int=7), AT, Chance(os.urandom)), one, OURS)
    body = msgspec.json.decode(event.body)
    assert (body.get("endToEndId"), body.get("controlNumber")) == told

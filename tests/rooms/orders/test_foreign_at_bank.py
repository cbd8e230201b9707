"""A claim asks the bank what the Pix is now: what was given back there, or is another, pays no order."""

from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web
from structlog.testing import capture_logs
from tests.rooms.rails.api_pix_bank import instant, problem

from lastro.core.errors import Kind, Refused
from lastro.core.runner import Done
from lastro.orders import ClaimForeign, on_statements
from lastro.rails import port
from lastro.rails.port import ForeignPayment

from .test_connections import Connected, at_bank
from .test_foreign import claim, counts, found, typed

__all__ = ["at_bank"]

SEEN = "SELECT state, reason, version FROM foreign_payments"
SAID = "SELECT reason FROM history WHERE machine = 'foreign_payments' ORDER BY version"


def returned(payment: ForeignPayment, status: str, amount: str = "10.50", **more: Any) -> dict[str, Any]:
    """A return of it as the bank lists it, by whomever."""
    hours = {"solicitacao": instant(payment.paid_at), "liquidacao": instant(payment.paid_at)}
    return {"id": "m1", "rtrId": "D" * 32, "valor": amount, "status": status, "horario": hours} | more


async def seen(at_bank: Connected) -> tuple[Any, ...]:
    (row,) = await at_bank.shop.rows(SEEN)
    return tuple(row)


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "DEVOLVIDO", "natureza": "MED_FRAUDE"},
        {"status": "DEVOLVIDO", "amount": "0.01", "natureza": "ORIGINAL"},
        {"status": "EM_PROCESSAMENTO", "natureza": "ORIGINAL"},
        {"status": "EM_PROCESSAMENTO", "id": "no id of a return"},
    ],
)
async def test_what_was_given_back_is_refused_and_the_list_shows_it(at_bank: Connected, changes: dict[str, Any]) -> None:
    made, payment = await at_bank.make(), typed(at_bank)
    foreign_id = await found(at_bank, payment)
    at_bank.bank.shows(payment, devolucoes=[returned(payment, **changes)])
    for _ in range(2):
        refused = await claim(at_bank, foreign_id, made["id"])
        assert isinstance(refused, Refused)
        (said,) = refused.problems
        assert (refused.kind, said.field, "given back" in said.description) == (Kind.CONFLICT, "paymentId", True)
        assert await seen(at_bank) == ("FOUND", port.GIVEN_BACK, 2), "it is said once"
    assert await at_bank.shop.column(SAID) == [None, "by rita: not claimed: GIVEN_BACK"]
    assert (await counts(at_bank.shop))[2:] == (0, 0, 0, 0)
    assert await at_bank.status() == ["INITIAL"]


async def test_a_return_that_failed_leaves_it_to_be_claimed(at_bank: Connected) -> None:
    made, payment = await at_bank.make(), typed(at_bank)
    foreign_id = await found(at_bank, payment)
    at_bank.bank.shows(payment, devolucoes=[returned(payment, "EM_PROCESSAMENTO")])
    assert isinstance(await claim(at_bank, foreign_id, made["id"]), Refused)
    at_bank.bank.shows(payment, devolucoes=[returned(payment, "NAO_REALIZADO")])
    assert isinstance(await claim(at_bank, foreign_id, made["id"]), Done)
    assert await seen(at_bank) == ("CLAIMED", None, 3), "what the bank said before is true no more"
    assert await at_bank.status() == ["PAID"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"valor": "10.51"}, "amount"), ({"txid": "y" * 32}, "txid"), ({"chave": "other@example.com"}, "pixKey"),
        ({"txid": "x" * 32, "chave": " LOJA@example.com "}, ""), ({"txid": None, "chave": None}, ""),
    ],
)  # fmt: skip
async def test_it_is_what_the_list_says_or_is_not_claimed(at_bank: Connected, changes: dict[str, Any], field: str) -> None:
    made, payment = await at_bank.make(), replace(typed(at_bank), txid="x" * 32)
    foreign_id = await found(at_bank, payment)
    at_bank.bank.shows(payment, **changes)
    outcome = await claim(at_bank, foreign_id, made["id"])
    assert isinstance(outcome, Refused if field else Done), outcome
    assert (await seen(at_bank))[:2] == (("FOUND", port.DIFFERS_THERE) if field else ("CLAIMED", None))
    assert isinstance(outcome, Done) or [one.field for one in outcome.problems] == [field]


async def test_a_txid_that_the_list_did_not_have_is_a_difference(at_bank: Connected) -> None:
    made, payment = await at_bank.make(), typed(at_bank)
    foreign_id = await found(at_bank, payment)
    at_bank.bank.shows(payment, txid=made["pix"]["conciliationId"])
    assert isinstance(await claim(at_bank, foreign_id, made["id"]), Refused)
    assert (await seen(at_bank))[:2] == ("FOUND", port.DIFFERS_THERE)


async def test_what_the_bank_does_not_know_is_refused(at_bank: Connected) -> None:
    made, payment = await at_bank.make(), typed(at_bank)
    foreign_id = await found(at_bank, payment)
    del at_bank.bank.payments[payment.payment_id]
    refused = await claim(at_bank, foreign_id, made["id"])
    assert isinstance(refused, Refused)
    assert [(one.field, one.issue) for one in refused.problems] == [("paymentId", "CONFLICT")]
    assert (await seen(at_bank))[:2] == ("FOUND", port.UNKNOWN_THERE)


async def test_a_bank_that_does_not_say_is_503_and_harmless(at_bank: Connected) -> None:
    made, payment = await at_bank.make(), typed(at_bank)
    foreign_id = await found(at_bank, payment)
    other = at_bank.bank.payments[payment.payment_id] | {"endToEndId": "E" * 32}
    at_bank.bank.next(
        "GET pix", lambda *_: problem(503, "ServicoIndisponivel"), lambda *_: web.Response(status=404, text="no such page"),
        lambda *_: web.json_response(other), lambda *_: web.json_response({"valor": "1"}),
    )  # fmt: skip
    with capture_logs():
        for number in range(4):
            refused = await claim(at_bank, foreign_id, made["id"])
            assert isinstance(refused, Refused)
            assert (refused.kind, refused.problems, refused.write) == (Kind.UNAVAILABLE, (), None), number
    at_bank.bank.wrong.clear()
    assert (await seen(at_bank), await at_bank.status()) == (("FOUND", None, 1), ["INITIAL"])
    assert isinstance(await claim(at_bank, foreign_id, made["id"]), Done)


async def test_a_connection_that_is_not_configured_here_is_503(at_bank: Connected) -> None:
    made = await at_bank.make()
    verb = ClaimForeign(await found(at_bank, typed(at_bank)), made["id"], "rita", at_bank.here, {})
    refused = await at_bank.shop.cast.runner.act(at_bank.shop.ana.company_id, verb)
    assert isinstance(refused, Refused)
    assert refused.kind is Kind.UNAVAILABLE
    assert await at_bank.status() == ["INITIAL"]


async def test_the_bank_is_not_asked_where_something_else_refuses(at_bank: Connected) -> None:
    made = await at_bank.make()
    foreign_id = await found(at_bank, typed(at_bank, 1049))
    before = list(at_bank.bank.asked)
    assert isinstance(await claim(at_bank, foreign_id, made["id"]), Refused)
    assert at_bank.bank.asked == before


async def test_the_pix_of_a_rehearsal_says_so_and_is_claimed_for_no_order(at_bank: Connected) -> None:
    made, payment = await at_bank.make(), replace(typed(at_bank), txid="lastrorehearsal" + "a1" * 7 + "b")
    foreign_id = await found(at_bank, payment)
    assert await seen(at_bank) == ("CLOSED", port.REHEARSAL, 2), "it waits for nobody"
    refused = await claim(at_bank, foreign_id, made["id"])
    assert isinstance(refused, Refused)
    assert [one.description for one in refused.problems] == ["is of a rehearsal of lastro, which gives it back itself"]
    assert await at_bank.status() == ["INITIAL"]


async def test_an_order_is_named_by_its_code_too(at_bank: Connected) -> None:
    await at_bank.make(externalId="Pedido 77")
    foreign_id = await found(at_bank, typed(at_bank))
    assert isinstance(await claim(at_bank, foreign_id, "Pedido 78"), Refused)
    assert isinstance(await claim(at_bank, foreign_id, "Pedido 77"), Done)
    assert await at_bank.status() == ["PAID"]


async def test_books_name_a_claimed_payment_as_the_bank_does(at_bank: Connected) -> None:
    """The statement's line has the txid that the payment carried; another payment's is that of its order."""
    made, other = await at_bank.make(), await at_bank.make(externalId="order-2")
    payment = replace(typed(at_bank), txid="x" * 32)
    await claim(at_bank, await found(at_bank, payment), made["id"])
    await at_bank.paid(other)
    (booked,) = [one for one in on_statements(at_bank.rail) if one.kind == port.IN]
    ids = await at_bank.shop.column("SELECT end_to_end_id FROM pix_payments ORDER BY created_at")
    rows = await at_bank.shop.rows(booked.known_sql, at_bank.shop.ana.company_id, ids)
    assert {row["network_id"]: row["reference"] for row in rows} == {
        ids[0]: "x" * 32, ids[1]: other["pix"]["conciliationId"],
    }  # fmt: skip

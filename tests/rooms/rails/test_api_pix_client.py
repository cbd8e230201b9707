"""What is ordered at a bank after a charge was made: its end, and refunds; and what the bank says became of them."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from structlog.testing import capture_logs

from lastro.core.money import Money
from lastro.orders import ForeignPayments
from lastro.rails import port
from lastro.rails.api_pix.client import ApiPix
from lastro.rails.api_pix.lists import Lists, ListTerms
from lastro.rails.api_pix.opening import Stores, rail_of
from lastro.rails.api_pix.own_returns import OwnReturns
from lastro.rails.api_pix.polling import PaymentRouter, Polling, PollingTerms
from lastro.rails.api_pix.recurring import Recurring
from lastro.rails.api_pix.returns import ReturnedPayment, bank_id
from lastro.rails.cursors import RailCursor
from lastro.rails.instruments import Instruments
from lastro.rails.port import Pending, Permanent, Transient, Unknown
from lastro.standards.pix_ids import return_id

from .api_pix_bank import AT, Bank, instant, serving
from .api_pix_branch import order_with
from .conftest import House, Scene
from .network import ISPB
from .test_api_pix_issuing import LOST, TXID, answers, refuses
from .test_bank_webhooks import connection

RAIL = "efi1"
NOBODY = UUID(int=0)
RETURN = return_id(ISPB, AT, 7, 1)
REMOVED, REMOVED_BY_BANK = "REMOVIDA_PELO_USUARIO_RECEBEDOR", "REMOVIDA_PELO_PSP"
CENT = Money(1, "BRL")
NO_TOKEN = answers(401)


@dataclass
class Desk:
    """A bank, our adapter to it, and a payment there that a return of ours gives back a real of."""

    bank: Bank
    payment: str
    returned: dict[str, ReturnedPayment] = field(default_factory=dict)
    rail: ApiPix = field(init=False)

    async def __call__(self, return_id: str) -> ReturnedPayment | None:
        return self.returned.get(return_id)

    async def close_charge(self) -> None:
        await self.rail.send(port.COLLECTION_CLOSE, "close:x", port.encode(port.CollectionClose(TXID)), NOBODY)

    async def give_back(self, cents: int = 100, **changes: Any) -> None:
        order = port.ReturnOrder(RETURN, self.payment, Money(cents, "BRL"), "MD06", "text", AT, **changes)
        await self.rail.send(port.RETURN_SEND, RETURN, port.encode(order), NOBODY)

    async def final(self) -> port.ReturnFinal:
        told = await self.rail.status_of(port.RETURN_SEND, RETURN)
        assert isinstance(told, port.NetworkMessage)
        assert (told.kind, told.subject, told.network_id) == (port.RETURN_FINAL, RETURN, "")
        return port.return_final(told.body)

    def ends(self, status: str, **more: Any) -> None:
        (found,) = self.bank.payments[self.payment]["devolucoes"]
        found |= {"status": status} | more


def again(behaviour: Any) -> list[Any]:
    """The line repeats a PUT that was lost, and what was refused with 401, once by itself."""
    return [behaviour] * (2 if behaviour in (LOST, NO_TOKEN) else 1)


def charge(bank: Bank, status: str = "ATIVA", **more: Any) -> None:
    bank.charges[TXID] = {
        "txid": TXID, "revisao": 0, "status": status, "chave": "k", "valor": {"original": "10.50"},
        "calendario": {"criacao": instant(AT), "expiracao": 3600},
    } | more  # fmt: skip


@pytest.fixture
async def desk(scene: Scene) -> AsyncIterator[Desk]:
    bank = Bank()
    async with serving(bank) as line:
        terms, own = ListTerms(RAIL, "utc", timedelta(days=5), 100), Instruments(scene.work, scene.database)
        recurring = Recurring(RAIL, line, "utc", 7)
        router = PaymentRouter(terms, own, ForeignPayments(scene.runner, NOBODY), recurring)
        cursor = RailCursor(scene.database, RAIL, "pix", UUID(int=1))
        polling = Polling(PollingTerms(RAIL, 600), terms, line, Lists(terms, line), cursor, router, recurring)
        made = Desk(bank, bank.pay(1, AT))
        made.returned[RETURN] = ReturnedPayment(made.payment, Money(100, "BRL"))
        await order_with(scene, scene.chance.uuid(AT), TXID, "k")
        made.rail = ApiPix(RAIL, line, "utc", polling, made, own, recurring)
        yield made


async def test_a_charge_ends_at_the_bank(desk: Desk) -> None:
    charge(desk.bank)
    await desk.close_charge()
    assert desk.bank.sent("PATCH") == [{"status": REMOVED}]
    assert desk.bank.charges[TXID]["status"] == REMOVED
    with capture_logs() as logs:
        await desk.close_charge()  # its second copy changes nothing
    assert (desk.bank.charges[TXID]["status"], desk.bank.charges[TXID]["revisao"], logs) == (REMOVED, 1, [])


async def test_a_charge_that_was_paid_stays_paid(desk: Desk) -> None:
    charge(desk.bank, "CONCLUIDA")
    with capture_logs() as logs:
        await desk.close_charge()
    assert [line["event"] for line in logs] == ["bank.charge_paid"]
    assert desk.bank.charges[TXID]["status"] == "CONCLUIDA"


async def test_a_charge_that_the_bank_does_not_know_needs_no_end(desk: Desk) -> None:
    with capture_logs() as logs:
        await desk.close_charge()
    assert [line["event"] for line in logs] == ["bank.charge_unknown"]


@pytest.mark.parametrize("behaviour", [answers(204), answers(200, ""), answers(200, {}), answers(202)])
async def test_an_end_without_a_body_is_looked_at(desk: Desk, behaviour: Any) -> None:
    charge(desk.bank, REMOVED)
    desk.bank.next("PATCH cob", behaviour)
    await desk.close_charge()
    assert desk.bank.asked == [f"PATCH /cob/{TXID}", f"GET /cob/{TXID}"]


async def test_an_end_that_did_not_come_about_is_not_taken_for_one(desk: Desk) -> None:
    charge(desk.bank)
    desk.bank.next("PATCH cob", answers(204))
    with pytest.raises(Transient):
        await desk.close_charge()
    desk.bank.next("PATCH cob", refuses(400, "CobOperacaoInvalida"))
    with pytest.raises(Permanent) as refused:
        await desk.close_charge()
    assert refused.value.code == "CobOperacaoInvalida"


async def test_an_end_whose_answer_says_that_it_can_be_paid_is_none(desk: Desk) -> None:
    """Only the word of removal is an end: in the answer, or in what the bank says when it is asked."""
    charge(desk.bank)
    shown = dict(desk.bank.charges[TXID])
    desk.bank.next("PATCH cob", answers(200, shown))
    with pytest.raises(Transient, match="keeps the charge open"):
        await desk.close_charge()
    assert desk.bank.charges[TXID]["status"] == "ATIVA"
    desk.bank.charges[TXID]["status"] = REMOVED  # it shows an older state, and knows better when it is asked
    desk.bank.next("PATCH cob", answers(200, shown))
    await desk.close_charge()
    assert desk.bank.asked == [f"PATCH /cob/{TXID}", f"GET /cob/{TXID}"] * 2


@pytest.mark.parametrize(
    "behaviour", [answers(500), answers(404), NO_TOKEN, answers(403), answers(429), answers(400, "<html>")]
)
async def test_an_end_that_nobody_heard_is_tried_again(desk: Desk, behaviour: Any) -> None:
    charge(desk.bank)
    desk.bank.next("PATCH cob", *again(behaviour))
    with pytest.raises(Transient):
        await desk.close_charge()
    await desk.close_charge()
    assert desk.bank.charges[TXID]["status"] == REMOVED


PAID = {"endToEndId": f"E12345678202611231300{1:011d}", "valor": "10.50", "horario": "2026-11-23T13:00:00Z"}


@pytest.mark.parametrize(
    ("status", "pix", "told"),
    [
        ("ATIVA", None, "pending"), ("ATIVA", [], "pending"), ("CONCLUIDA", [], "pending"), ("CONCLUIDA", None, "pending"),
        ("CONCLUIDA", [PAID], "paid"), ("ATIVA", [PAID | {"txid": TXID}], "paid"), (REMOVED, [PAID], "paid"),
        (REMOVED, None, REMOVED), (REMOVED_BY_BANK, [], REMOVED_BY_BANK), ("CONCLUIDA", [PAID | {"txid": "x" * 32}], "pending"),
        ("CONCLUIDA", [PAID | {"chave": "other"}], "pending"), ("CONCLUIDA", [PAID | {"chave": "k"}], "paid"),
    ],
)  # fmt: skip
async def test_the_payment_decides_and_not_the_status(desk: Desk, status: str, pix: Any, told: str) -> None:
    charge(desk.bank, status, pix=pix)
    for kind, name in ((port.COLLECTION_SETTLED, TXID), (port.COLLECTION_CLOSE, f"close:{TXID}")):
        answer = await desk.rail.status_of(kind, name)
        if told == "pending":
            assert answer == Pending()
        elif told == "paid":
            assert isinstance(answer, port.NetworkMessage)
            assert (answer.kind, answer.instrument) == (port.COLLECTION_SETTLED, TXID)
            assert port.collected(answer.body) == port.Collected(PAID["endToEndId"], TXID, Money(1050, "BRL"), AT, AT)
        else:
            assert isinstance(answer, port.NetworkMessage)
            assert port.collection_refused(answer.body) == port.CollectionRefused(TXID, told)


async def test_what_the_bank_does_not_know_is_unknown_and_a_gateway_knows_nothing(desk: Desk) -> None:
    assert await desk.rail.status_of(port.COLLECTION_SETTLED, TXID) == Unknown()
    assert await desk.rail.status_of(port.RETURN_SEND, RETURN) == Unknown()
    for resource, kind, name in (("cob", port.COLLECTION_SETTLED, TXID), ("return", port.RETURN_SEND, RETURN)):
        for behaviour in (
            answers(404, "<html>"),
            answers(404),
            answers(500),
            answers(403),
            answers(200, "?"),
            answers(200, {}),
        ):
            desk.bank.next(f"GET {resource}", behaviour)
            with pytest.raises(Transient):
                await desk.rail.status_of(kind, name)


async def test_a_charge_about_another_or_in_no_known_state_says_nothing(desk: Desk) -> None:
    for changes in ({"txid": "x" * 32}, {"status": "EXPIRADA"}, {"valor": {"original": "10"}}, {"pix": [{"valor": "1.00"}]}):
        charge(desk.bank, **{"status": "ATIVA"} | changes)
        with pytest.raises(Transient):
            await desk.rail.status_of(port.COLLECTION_SETTLED, TXID)


async def test_money_goes_back_under_our_id_with_the_same_bytes(desk: Desk) -> None:
    await desk.give_back()
    await desk.give_back()
    puts = [(target, sent) for method, target, sent, *_ in desk.bank.exchanges if method == "PUT"]
    path = f"/pix/{desk.payment}/devolucao/{RETURN}"
    assert puts == [(path, b'{"valor":"1.00","natureza":"ORIGINAL"}')] * 2
    assert len(desk.bank.payments[desk.payment]["devolucoes"]) == 1
    assert await desk.rail.status_of(port.RETURN_SEND, RETURN) == Pending()
    desk.ends("DEVOLVIDO", horario={"solicitacao": instant(AT), "liquidacao": instant(AT + timedelta(seconds=3))})
    assert await desk.final() == port.ReturnFinal(
        RETURN, desk.payment, settled=True, settled_at=AT + timedelta(seconds=3), amount=Money(100, "BRL")
    )
    assert not desk.bank.wrong


@pytest.mark.parametrize(
    ("reason", "code"),
    [("AM04", "AM04"), ("Saldo insuficiente", "NAO_REALIZADO"), (None, "NAO_REALIZADO"), ("1" * 11, "NAO_REALIZADO")],
)
async def test_a_return_that_failed_has_a_code(desk: Desk, reason: str | None, code: str) -> None:
    await desk.give_back()
    desk.ends("NAO_REALIZADO", motivo=reason)
    assert await desk.final() == port.ReturnFinal(RETURN, desk.payment, settled=False, code=code, amount=Money(100, "BRL"))


async def test_another_amount_under_our_id_is_told_and_left_to_people(desk: Desk) -> None:
    await desk.give_back()
    desk.ends("DEVOLVIDO", valor="2.00")
    with capture_logs() as logs:
        assert (await desk.final()).amount == Money(200, "BRL")
    assert [(line["event"], line["log_level"]) for line in logs] == [("bank.return_differs", "critical")]
    with capture_logs() as logs:
        await desk.give_back()
    assert [line["event"] for line in logs] == ["bank.return_differs"]


@pytest.mark.parametrize("behaviour", [answers(409), answers(202), answers(204), refuses(409, "PixDevolucaoInvalida")])
async def test_what_is_there_already_is_looked_at(desk: Desk, behaviour: Any) -> None:
    desk.bank.next("PUT return", behaviour)
    with pytest.raises(Transient):
        await desk.give_back()  # it is not there
    await desk.give_back()
    desk.bank.next("PUT return", behaviour)
    await desk.give_back()
    assert desk.bank.asked[-1].startswith("GET /pix/")


@pytest.mark.parametrize("status", [400, 422])
async def test_a_refusal_by_the_bank_is_for_good(desk: Desk, status: int) -> None:
    told = [{"razao": "Acima do saldo do Pix", "propriedade": "valor"}]
    desk.bank.next("PUT return", refuses(status, "PixDevolucaoInvalida", violacoes=told))
    with pytest.raises(Permanent) as refused:
        await desk.give_back()
    assert (refused.value.code, "Acima do saldo do Pix" in refused.value.reason) == ("PixDevolucaoInvalida", True)


@pytest.mark.parametrize(
    "behaviour",
    [
        LOST, answers(500), answers(503), NO_TOKEN, answers(403), refuses(403, "AcessoNegado"), refuses(400, "AcessoNegado"),
        answers(400, "<html>"), answers(404), refuses(404, "PixNaoEncontrado"), answers(429), answers(201, ""), answers(200, "{}"),
        answers(400, {"type": "error"}), answers(422, {"type": "about:blank", "title": "Bad Request"}),
    ],
)  # fmt: skip
async def test_anything_else_is_unknown_and_no_refund_fails_by_it(desk: Desk, behaviour: Any) -> None:
    desk.bank.next("PUT return", *again(behaviour))
    with pytest.raises(Transient):
        await desk.give_back()
    await desk.give_back()
    assert len(desk.bank.payments[desk.payment]["devolucoes"]) == 1


@pytest.mark.parametrize("word", ["PixNaoEncontrado", "PixDevolucaoNaoEncontrada"])
async def test_what_the_bank_does_not_know_even_by_itself_cannot_be_given_back(desk: Desk, word: str) -> None:
    desk.bank.next("PUT return", refuses(404, word), refuses(404, word), answers(404), refuses(404, word))
    desk.bank.next("GET pix", answers(404), answers(500))
    for _ in range(2):
        with pytest.raises(Transient):
            await desk.give_back()  # a gateway does not know it, then the bank does not say
    known = desk.bank.payments.pop(desk.payment)
    with pytest.raises(Transient):
        await desk.give_back()  # a gateway's no is not looked into
    with pytest.raises(Permanent) as refused:
        await desk.give_back()
    assert refused.value.code == word
    assert desk.bank.asked[-2:] == [f"PUT /pix/{desk.payment}/devolucao/{RETURN}", f"GET /pix/{desk.payment}"]
    desk.bank.payments[desk.payment] = known


async def test_an_answer_about_another_return_is_no_answer(desk: Desk) -> None:
    await desk.give_back()
    desk.ends("DEVOLVIDO", id="another")
    desk.bank.next("GET return", answers(200, desk.bank.payments[desk.payment]["devolucoes"][0]))
    with capture_logs() as logs, pytest.raises(Transient):
        await desk.rail.status_of(port.RETURN_SEND, RETURN)
    assert [line["event"] for line in logs] == ["bank.answer_invalid"]


async def test_nobody_else_than_the_payer_is_paid(desk: Desk) -> None:
    who = ("Bento", "CPF", "12345678909", "99999020", "0001", "1")
    anew = port.Anew(port.Payer(*who, "CACC"), port.Receiver(*who, "CHECKING_ACCOUNT"))
    with pytest.raises(Permanent, match=r"payer alone"):
        await desk.give_back(anew=anew)
    assert desk.bank.asked == []


async def test_a_connection_without_refunds_orders_no_return(scene: Scene) -> None:
    bank = Bank()
    async with serving(bank) as line:
        stores = Stores(scene.database, scene.work, ForeignPayments(scene.runner, NOBODY), UUID(int=1))
        rail = rail_of(connection(capabilities=frozenset({"cob"})), line, stores)
        order = port.ReturnOrder(RETURN, bank.pay(1, AT), Money(100, "BRL"), "MD06", "text", AT)
        with pytest.raises(Permanent) as refused:
            await rail.send(port.RETURN_SEND, RETURN, port.encode(order), NOBODY)
    assert refused.value.code == "NOT_SUPPORTED"
    assert bank.exchanges == []


async def test_other_kinds_are_a_mistake_of_ours(desk: Desk) -> None:
    with pytest.raises(ValueError, match=r"no message"):
        await desk.rail.send(port.COLLECTION_SEND, "x", b"{}", NOBODY)


async def test_a_return_that_is_not_ours_is_not_asked_about(desk: Desk) -> None:
    with pytest.raises(Transient):
        await desk.rail.status_of(port.RETURN_SEND, return_id(ISPB, AT, 8, 1))
    assert desk.bank.asked == []


def test_an_id_is_what_a_bank_takes() -> None:
    assert bank_id(RETURN) == RETURN
    assert bank_id("a-b_c:" + "d" * 40) == "d" * 35


async def test_a_return_names_what_it_gives_back(scene: Scene, house: House) -> None:
    """Read by the role that sees ids; a return of another rail, or with the number of no company, is not ours."""
    ours = OwnReturns(scene.work, RAIL)
    await scene.returning(house.ana, RETURN)
    assert await ours(RETURN) is None
    assert await ours.known([RETURN]) == frozenset()
    await scene.admin.execute("UPDATE refunds SET rail = $1", RAIL)
    assert await ours(RETURN) == ReturnedPayment("E" + RETURN[1:], Money(1000, "BRL"))
    others = [return_id(ISPB, AT, 7, 2), return_id(ISPB, AT, 8, 1), "D1", "x"]
    assert await ours.known([RETURN, *others]) == frozenset({RETURN})
    assert [await ours(name) for name in others] == [None] * 4

"""The contract of every partner that collects, against its network: what is sent, what is told once, what is asked."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest

from lastro.core.money import Money
from lastro.core.secrets import Secret
from lastro.rails import port
from lastro.rails.catch_up import CatchUp
from lastro.rails.collecting import PARTNERS, Collecting, PartnerQuotes, statements
from lastro.rails.inbox import Inbox
from lastro.rails.network_client import NetworkClient
from lastro.rails.port import NetworkMessage, Pending, Permanent, ReturnFinal, Transient, Unknown
from lastro.rails.sending import Sender
from lastro.standards import boleto, boleto_numbers, cash_references, clabe, receiving_accounts
from lastro.standards.own_numbers import own_digits
from lastro_sim.collecting import movements
from lastro_sim.partners import PARTNERS as SIMULATED

from .conftest import NOW, Town
from .network import ISPB, TOKEN

ENDS = NOW + timedelta(minutes=30)
PAYER = port.Person("Bento", "CPF", "12345678909", "Rua A, 1")
ANA = port.Person("Ana Comercio Ltda", "CNPJ", "11222333000181")
NOBODY = UUID(int=0)
# By rail: the currency, and on which day what is paid on Monday 23rd settles.
RAILS = {
    port.BOLETO: ("BRL", 24), port.CRYPTO: ("BRL", 23), port.CRYPTO2: ("BRL", 23),
    port.SPEI: ("MXN", 23), port.DEPOSIT: ("BRL", 23),
    port.OXXO: ("MXN", 24), port.OXXOPAY: ("MXN", 23), port.PAYNET: ("MXN", 23), port.PAYNET2: ("MXN", 23),
}  # fmt: skip
APPS, TILLS = (port.CRYPTO, port.CRYPTO2), (port.OXXO, port.OXXOPAY, port.PAYNET, port.PAYNET2)
TAKE_AGAIN = (port.SPEI, port.DEPOSIT)
ANNOUNCE = (port.BOLETO, port.OXXO, *APPS)
REFERENCES = {
    port.BOLETO: lambda number: own_digits(7, number),
    port.SPEI: lambda number: str(clabe.Clabe("990", "180", clabe.own_account(number))),
    port.DEPOSIT: lambda number: str(receiving_accounts.own("991", "0001", number)),
    port.OXXO: lambda number: cash_references.reference(cash_references.OXXO, number),
    port.OXXOPAY: lambda number: cash_references.reference(cash_references.OXXO_PAY, number),
    **dict.fromkeys((port.PAYNET, port.PAYNET2), lambda number: cash_references.reference(cash_references.PAYNET, number)),
    **dict.fromkeys(APPS, lambda number: own_digits(7, number)),
}  # fmt: skip


def order(rail: str, sequence: int = 1, cents: int = 10_000) -> port.CollectionOrder:
    number = sequence + 100 * [*RAILS].index(rail)  # the phone takes a reference of one partner alone
    reference, amount = REFERENCES[rail](number), Money(cents, RAILS[rail][0])
    wanted = port.CollectionOrder(reference, amount, PAYER, ANA, "Pedido 1", "pedido-1", NOW + timedelta(days=3))
    if rail in APPS:
        return replace_order(wanted, expires_at=ENDS)
    if rail != port.BOLETO:
        return wanted
    due = date(2049, 3, 1)
    field = boleto_numbers.free_field("0001", reference)
    code = boleto.barcode(boleto.Boleto(bank="990", free_field=field, amount_minor=cents, due_date=due))
    return replace_order(wanted, due=due, payable_until=date(2049, 3, 2), code=code)


def replace_order(wanted: port.CollectionOrder, **changes: Any) -> port.CollectionOrder:
    return msgspec.structs.replace(wanted, **changes)


def amount(rail: str, cents: int) -> Money:
    return Money(cents, RAILS[rail][0])


async def register(town: Town, rail: str, wanted: port.CollectionOrder) -> None:
    if rail in APPS:
        quotes = PartnerQuotes(rail, town.line())
        await quotes.quote(port.QuoteWish(wanted.reference, "BINANCE", wanted.amount, ENDS, ANA, "Pedido 1"))
        await quotes.close()
    await town.rail(rail).send(port.COLLECTION_SEND, wanted.reference, port.encode(wanted), NOBODY)


async def close(town: Town, rail: str, reference: str) -> None:
    body = port.encode(port.CollectionClose(reference))
    await town.rail(rail).send(port.COLLECTION_CLOSE, f"close:{reference}", body, NOBODY)


async def pay(town: Town, wanted: port.CollectionOrder, **more: str) -> Any:
    return await town.act("/phone/pay", qrcodeData=wanted.code or wanted.reference, **more)


async def give_back(town: Town, rail: str, name: str, payment_id: str, cents: int) -> None:
    back = port.ReturnOrder(name, payment_id, amount(rail, cents), "MD06", created_at=NOW)
    await town.rail(rail).send(port.RETURN_SEND, name, port.encode(back), NOBODY)


async def know(town: Town, rail: str, reference: str) -> None:
    """There is an order of Ana's with this instrument."""
    admin, ana, order_id = town.scene.admin, town.house.ana, town.scene.chance.uuid(NOW)
    account_id = await admin.fetchval("SELECT account_id FROM account_numbers WHERE number = $1", town.house.account)
    await admin.execute(
        "INSERT INTO accounts (company_id, id, number, branch, status, holder_type, full_name, document_type, document_number,"
        " email, phone, created_at, updated_at) VALUES ($1, $2, $3, '0001', 'ACTIVE', 'ORGANIZATION', 'Ana', 'CNPJ',"
        " '11222333000181', 'a@example.com', '+5511987650001', $4, $4) ON CONFLICT DO NOTHING",
        ana, account_id, town.house.account, NOW,
    )  # fmt: skip
    await admin.execute(
        "INSERT INTO orders (company_id, id, account_id, external_id, origin, payment_method, status, currency, description,"
        " created_at, updated_at) VALUES ($1, $2, $3, $4, 'TRANSPARENT', 'OXXO', 'INITIAL', 'MXN', 'Pan', now(), now())",
        ana, order_id, account_id, f"{rail} {reference}",
    )  # fmt: skip
    await admin.execute(
        "INSERT INTO instruments (company_id, order_id, rail, reference) VALUES ($1, $2, $3, $4)",
        ana,
        order_id,
        rail,
        reference,
    )


def test_every_partner_is_here() -> None:
    assert {*RAILS, port.CARD} == {*port.COLLECTING} == {*PARTNERS} == {*SIMULATED}
    assert {name: partner.currency for name, partner in PARTNERS.items()} == {
        name: partner.currency for name, partner in SIMULATED.items()
    }


async def test_what_a_payer_does_reaches_its_company(town: Town) -> None:
    """References that name no company are found among the instruments; what nobody has is the institution's."""
    names, orders = {}, {}
    for rail in RAILS:
        orders[rail] = ours, strange = order(rail, 1), order(rail, 2)
        await know(town, rail, ours.reference)
        for wanted in (ours, strange):
            await register(town, rail, wanted)
            names[rail, wanted.reference] = (await pay(town, wanted))["paymentId"]
    town.move_clock(days=1)
    for rail in RAILS:
        kinds = [*([port.COLLECTION_ANNOUNCED] if rail in ANNOUNCE else []), port.COLLECTION_SETTLED]
        rows = await town.told(rail, 2 * len(kinds))
        names_no_company = PARTNERS[rail].company_of is None
        owners = (town.house.ana, town.house.institution if names_no_company else town.house.ana)
        for wanted, owner in zip(orders[rail], owners, strict=True):
            about = [row for row in rows if row["subject"] == wanted.reference]
            assert [(row["company_id"], row["kind"]) for row in about] == [(owner, kind) for kind in kinds], rail
            told = port.collected(about[-1]["body"])
            assert (told.payment_id, told.amount) == (names[rail, wanted.reference], wanted.amount), rail
            assert told.settled_at is not None
            assert told.payer == (None if rail in TILLS else port.Person("Pessoa Pagadora", "CPF", "12345678909")), rail
            assert told.of is not None
            assert (told.of.amount, told.of.number) == (wanted.amount, wanted.number), rail
    settled = port.collected((await town.rows(port.BOLETO))[-1]["body"])
    assert settled.settled_at == datetime(2026, 11, 24, 11, tzinfo=UTC)


async def test_what_was_not_stored_is_told_again_and_what_was_is_not(town: Town) -> None:
    first, second = order(port.BOLETO, 1), order(port.BOLETO, 2)
    for wanted in (first, second):
        await register(town, port.BOLETO, wanted)
    await pay(town, first)
    given: list[list[str]] = []

    async def keep(messages: list[NetworkMessage]) -> None:
        given.append([told.subject for told in messages])
        if len(given) == 1:
            raise OSError("the disk is full")
        await town.inbox(port.BOLETO).keep(messages)

    async def stored(many: int) -> bool:
        return len(await town.rows(port.BOLETO)) == many

    await town.listen_until(port.BOLETO, lambda: stored(1), keep)
    assert given == [[first.reference], [first.reference]]
    await pay(town, second)
    await town.listen_until(port.BOLETO, lambda: stored(2), keep)
    assert given[2:] == [[second.reference]], "a new process begins behind what the last one had confirmed"
    town.network.store.remember("movements-confirmed-boleto", 0)  # as if the worker had been killed before it confirmed

    async def again() -> bool:
        return len(given) > 3

    await town.listen_until(port.BOLETO, again, keep)
    assert len(await town.rows(port.BOLETO)) == 2, "what is told twice is stored once"


async def test_a_stream_is_read_to_its_end(town: Town) -> None:
    """More movements than one answer holds; read again, they are the same rows."""
    for rail in (port.BOLETO, port.PAYNET):
        for _ in range(movements.LARGEST_BATCH + 20):
            movements.put(town.network, SIMULATED[rail], "OF_ANOTHER_VERSION", {})
        for _ in range(2):
            await town.rail(rail).catch_up(town.inbox(rail).keep)
            assert len(await town.rows(rail)) == movements.LARGEST_BATCH + 20


async def test_a_stream_that_cannot_be_read_covers_nothing(town: Town) -> None:
    for rail in RAILS:
        away = Collecting(PARTNERS[rail], NetworkClient("http://127.0.0.1:1", Secret(TOKEN)))
        there = CatchUp({rail: (town.rail(rail), town.inbox(rail).keep)})
        assert not await CatchUp({rail: (away, town.inbox(rail).keep)}).read(rail, NOW, NOW)
        assert not there.covers(rail, NOW)
        assert await there.read(rail, NOW, NOW)
        assert there.covers(rail, NOW)
        assert not there.covers(rail, NOW + timedelta(microseconds=1))
        await away.close()


async def test_a_line_of_its_statement_finds_its_company(town: Town) -> None:
    """Lines of all rails are asked about by one inbox; a reference of another rail is another voucher."""
    reference = "93345678901234"
    await know(town, port.OXXO, reference)
    pix = Inbox(town.scene.database, town.scene.work, town.scene.chance, ISPB)
    told = [
        NetworkMessage(port.COLLECTION_SETTLED, rail, reference, b"{}", rail=rail, instrument=reference)
        for rail in (port.OXXO, port.BOLETO)
    ]
    _, owners = await pix.owners(told)
    assert owners == {port.OXXO: town.house.ana, port.BOLETO: town.house.institution}


async def test_its_statement_tells_the_same(town: Town) -> None:
    names = {}
    for rail in RAILS:
        wanted = order(rail)
        await register(town, rail, wanted)
        names[rail] = (await pay(town, wanted))["paymentId"]
    town.move_clock(days=2)
    for rail, (_, day) in RAILS.items():
        await town.told(rail, 2 if rail in ANNOUNCE else 1)
        asked = statements(PARTNERS[rail], town.line())
        page = await asked.statement(date(2026, 11, day), None)
        await asked.close()
        assert page is not None
        (one,) = page.lines
        assert (one.kind, one.network_id, one.reference) == (port.IN, names[rail], order(rail).reference), rail
        assert (one.amount, one.told.kind, one.told.rail) == (amount(rail, 10_000), port.COLLECTION_SETTLED, rail)
        assert one.told.instrument == (one.reference if PARTNERS[rail].company_of is None else None), rail


REGISTERING: list[tuple[str, type[Exception], type[object]]] = [
    ("reject", Permanent, Unknown), ("timeout", Transient, Unknown), ("down", Transient, Unknown),
    ("lost-answer", Transient, Pending),
]  # fmt: skip


async def test_registering_and_closing(town: Town) -> None:
    for rail in RAILS:
        adapter = town.rail(rail)
        for sequence, (behaviour, error, known) in enumerate(REGISTERING):
            wanted = order(rail, sequence)
            await town.act("/faults", operation=rail, behaviour=behaviour)
            with pytest.raises(error):
                await register(town, rail, wanted)
            assert isinstance(await adapter.status_of(port.COLLECTION_SEND, wanted.reference), known), (rail, behaviour)
            for _ in range(2):
                await register(town, rail, wanted)
            assert isinstance(await adapter.status_of(port.COLLECTION_SEND, wanted.reference), Pending)
            for _ in range(2):
                await close(town, rail, wanted.reference)
            assert isinstance(await adapter.status_of(port.COLLECTION_CLOSE, f"close:{wanted.reference}"), Pending)
            assert (await pay(town, wanted))["code"] == "CHARGE_REMOVED", rail
        ahead, paid = order(rail, 5), order(rail, 6)
        await close(town, rail, ahead.reference)
        assert isinstance(await adapter.status_of(port.COLLECTION_CLOSE, f"close:{ahead.reference}"), Unknown)
        for one in (ahead, paid):
            await register(town, rail, one)
        assert (await pay(town, ahead))["code"] == "CHARGE_REMOVED", rail
        await pay(town, paid)
        if rail not in TAKE_AGAIN:
            with pytest.raises(Permanent, match="ALREADY_PAID"):
                await close(town, rail, paid.reference)
        with pytest.raises(ValueError, match="pix"):
            await adapter.send("pix.answer", "x", b"{}", NOBODY)


async def test_a_refusal_for_good_is_news_for_its_room(town: Town) -> None:
    """Also where a partner has no returns, and is not asked."""
    scene, now = town.scene, await town.scene.now()
    refused: dict[str, Any] = {}
    for rail in RAILS:
        wanted = order(rail)
        if rail in APPS:
            await register(town, rail, wanted)
            wanted = order(rail, 2)
            quotes = PartnerQuotes(rail, town.line())
            await quotes.quote(port.QuoteWish(wanted.reference, "BINANCE", wanted.amount, ENDS, ANA, "Pedido 1"))
            await quotes.close()
        await town.act("/faults", operation=rail, behaviour="reject")
        refused[rail] = wanted
        ids = scene.chance.uuid(now), scene.chance.uuid(now)
        await scene.put(town.house.ana, port.collection_message(rail, wanted, *ids, now))
        if rail in TILLS:
            back = port.ReturnOrder(f"D{rail}", "P1", amount(rail, 100), "MD06")
            ids = scene.chance.uuid(now), scene.chance.uuid(now)
            await scene.put(town.house.ana, port.return_message(back, *ids, now, rail=rail))
        await Sender(scene.database, scene.work, scene.runner, scene.chance, rail, town.rail(rail)).queue.drain()
        (row,) = await town.rows(rail, port.COLLECTION_REFUSED)
        assert port.collection_refused(row["body"]) == port.CollectionRefused(wanted.reference, "REGISTRATION_REFUSED")
        finals = [port.return_final(row["body"]) for row in await town.rows(rail, port.RETURN_FINAL)]
        assert finals == ([ReturnFinal(f"D{rail}", "P1", settled=False, code="NO_RETURNS")] if rail in TILLS else []), rail
        if rail in TILLS:
            assert isinstance(await town.rail(rail).status_of(port.RETURN_SEND, f"D{rail}"), Unknown)


async def test_giving_back(town: Town) -> None:
    rails, paid = [rail for rail in RAILS if rail not in TILLS], {}
    for rail in rails:
        await know(town, rail, order(rail).reference)
        await register(town, rail, order(rail))
        paid[rail] = (await pay(town, order(rail)))["paymentId"]
        if rail in ANNOUNCE:
            with pytest.raises(Permanent, match="PAYMENT_NOT_SETTLED"):
                await give_back(town, rail, "D1", paid[rail], 4_000)
        assert isinstance(await town.rail(rail).status_of(port.RETURN_SEND, "D1"), Unknown)
    town.move_clock(days=1)
    for rail in rails:
        await town.told(rail, 1, port.COLLECTION_SETTLED)
        await town.act("/faults", operation="return", behaviour="slow", delay=3600)
        await give_back(town, rail, "D1", paid[rail], 4_000)
        assert isinstance(await town.rail(rail).status_of(port.RETURN_SEND, "D1"), Pending)
        await town.act("/faults", operation="return", behaviour="timeout")
        await give_back(town, rail, "D2", paid[rail], 1_000)
        assert isinstance(await town.rail(rail).status_of(port.RETURN_SEND, "D2"), NetworkMessage), "told to who asks alone"
        with pytest.raises(Permanent, match="MORE_THAN_PAID"):
            await give_back(town, rail, "D3", paid[rail], 5_001)
    town.move_clock(hours=2)
    for rail in rails:
        (row,) = await town.told(rail, 1, port.RETURN_FINAL)
        assert (row["company_id"], row["subject"]) == (town.house.ana, "D1"), rail
        told = await town.rail(rail).status_of(port.RETURN_SEND, "D1")
        assert isinstance(told, NetworkMessage)
        final = port.return_final(told.body)
        assert (final.settled, final.end_to_end_id, final.amount) == (True, paid[rail], amount(rail, 4_000)), rail
        assert (told.kind, told.subject) == (port.RETURN_FINAL, "D1")
        assert final == port.return_final(row["body"])


async def test_account_numbers_take_any_amount_as_often_as_people_like(town: Town) -> None:
    for rail in TAKE_AGAIN:
        await register(town, rail, order(rail))
        names = [(await pay(town, order(rail), amount=value))["paymentId"] for value in ("40.00", "60.01")]
        heard = [port.collected(row["body"]) for row in await town.told(rail, 2)]
        assert [(one.payment_id, one.amount.minor) for one in heard] == [(names[0], 4000), (names[1], 6001)]
        assert heard[0].settled_at == heard[0].paid_at


async def test_a_payment_that_is_announced_and_void(town: Town) -> None:
    names = {}
    for rail in ANNOUNCE:
        await register(town, rail, order(rail))
        await town.act("/faults", operation=rail, behaviour="void")
        names[rail] = (await pay(town, order(rail)))["paymentId"]
    town.move_clock(days=1)
    for rail in ANNOUNCE:
        (row,) = await town.told(rail, 1, port.COLLECTION_VOID)
        void = port.collection_void(row["body"])
        assert (void.payment_id, void.reference, void.code) == (names[rail], order(rail).reference, "NOT_SETTLED"), rail

"""A charge by each method: the form asks for what it needs, says what it costs, and the order's page says how to pay it."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape

import pytest
from tests.cast import TRANSFERS, Cast, Seller
from tests.rooms.console.test_charging import MADE, form
from tests.rooms.console.test_form_problems import said_beside
from tests.rooms.console.visiting import Building, Visit, building
from tests.rooms.orders.collecting import ADDRESS, Market

from lastro import console
from lastro.app import wiring
from lastro.companies import FeePlan
from lastro.console import ways_to_pay
from lastro.console.pricing import Price, plan_at
from lastro.console.terms import Terms
from lastro.core.money import Money
from lastro.orders.methods import METHODS
from lastro.people import Entrance, Register, Role
from lastro.rails.port import CRYPTO
from lastro.web.application import application

HERE = "/console/charge"
_BRAZIL = {"externalId": ""}
_MEXICO = {"documentType": "CURP", "document": "NUXL900101MDFXXC09"}
# What each form has beside what all have, and a text that the order's page has for its payer.
BY: dict[str, tuple[dict[str, str], str]] = {
    "PIX": (_BRAZIL, "Pix Copia e Cola"), "BOLETO": (ADDRESS, "Linha digitável"), "SPEI": (_MEXICO, "CLABE"),
    "DEPOSIT": ({"bank": "banco-dois"}, "Conta com dígito"), "OXXO": (_MEXICO, "Referência para o caixa"),
    "OXXOPAY": (_MEXICO, "Referência para o caixa"), "PAYNET": (_MEXICO, "Referência para o caixa"),
    "BINANCE_PAY": (_BRAZIL, "Código para o aplicativo"),
}  # fmt: skip


@pytest.fixture
def house(cast: Cast, ana: Seller) -> Building:
    """One that has a partner for every method."""
    plain = building(cast, ana)
    own = replace(plain.house.place.institution, compe="999")  # its slips name it by this number
    place = replace(plain.house.place, institution=own, methods=frozenset({*METHODS, "BINANCE_PAY"}), transfers=TRANSFERS)
    house = replace(plain.house, place=place, quotes={CRYPTO: Market()})
    routes, operations = wiring.routes(house), wiring.operations(house)
    asgi = application(
        wiring.gate(house, operations), operations, routes, wiring.public(house) | console.paths(house, routes)
    )
    entrance = Entrance(cast.database, house.key_ring, cast.chance, lambda: datetime.now(UTC))
    return Building(cast, ana, house, entrance, Register(entrance), asgi)


async def at(house: Building) -> Visit:
    visit, _ = await house.inside(Role.OPERATE)
    return visit


def filled(ana: Seller, method: str) -> dict[str, str]:
    """What a person types for a method."""
    given = form(ana, amount="45,00", paymentMethod=method, **BY[method][0])
    return given if method == "PIX" else {name: text for name, text in given.items() if name != "expiration"}


@pytest.mark.parametrize("method", BY)
async def test_a_charge_is_made_by_each_method_and_its_page_says_how_to_pay(
    house: Building, ana: Seller, method: str
) -> None:
    visit = await at(house)
    page = f"{HERE}?paymentMethod={method}"
    shown = (await visit.get(page)).text
    inputs = set(re.findall(r'<(?:input|select|textarea) id="[cf]-\w+" name="(\w+)"', shown))
    needs = {name for name in filled(ana, method) if name not in ("paymentMethod", "isOpen")}
    assert inputs - {"externalId"} == needs - {"externalId"}, "the fields that it needs, and no other"
    answer = await visit.send(page, HERE, **filled(ana, method))
    assert MADE.search(answer.headers.get("location", "")), unescape(answer.text)
    order = (await visit.get(answer.headers["location"])).text
    assert BY[method][1] in order
    texts = re.findall(r"<textarea [^>]*readonly[^>]* data-copy=\"Copiar\"[^>]*>([^<]+)</textarea>", order)
    assert len(texts) >= 2, "its code and its link, each to be copied"


async def test_every_method_but_cards_is_offered_and_an_unknown_one_is_not_there(house: Building) -> None:
    visit = await at(house)
    page = (await visit.get(HERE)).text
    assert re.findall(r"href=\"/console/charge\?paymentMethod=(\w+)\"", page) == [
        "PIX", "BOLETO", "DEPOSIT", "SPEI", "OXXO", "OXXOPAY", "PAYNET", "BINANCE_PAY",
    ]  # fmt: skip
    assert ("Binance Pay" in page, "3-D Secure" in page) == (True, True)
    for name in ("CREDIT_CARD", "NONE", "<b>"):
        assert (await visit.get(f"{HERE}?paymentMethod={name}")).status_code == 404
        assert (await visit.send(HERE, HERE, paymentMethod=name)).status_code == 404


async def test_what_a_method_needs_and_lacks_is_said_beside_its_field(house: Building, ana: Seller) -> None:
    visit = await at(house)
    slip = await visit.send(HERE, HERE, **{**filled(ana, "BOLETO"), "postalCode": "", "city": ""})
    said_beside(slip.text, "c-postalCode", "c-city")
    assert 'value="Rua A"' in slip.text
    deposit = await visit.send(HERE, HERE, **{**filled(ana, "DEPOSIT"), "bank": ""})
    said_beside(deposit.text, "c-bank")
    spei = await visit.send(HERE, HERE, **{**filled(ana, "SPEI"), "documentType": "", "amount": ""})
    said_beside(spei.text, "c-amount", "c-documentType")


async def test_the_fee_is_said_before_the_charge_is_made(house: Building, cast: Cast, ana: Seller) -> None:
    visit = await at(house)
    assert "Sem tarifa." in (await visit.get(HERE)).text
    await cast.set_fees(ana.company_id, 150, direction="IN")
    assert "Tarifa: R$\N{NO-BREAK SPACE}1,50, descontada" in (await visit.get(HERE)).text
    part = await visit.get(f"{HERE}/price?paymentMethod=PIX&amount=10,00", hx_request="true")
    assert "<html" not in part.text
    assert "a conta recebe R$\N{NO-BREAK SPACE}8,50" in part.text
    for typed in ("", "0", "ten", "1e9", "-1", "9" * 40):
        part = await visit.get(f"{HERE}/price?paymentMethod=PIX&amount={typed}")
        assert (part.status_code, "a conta recebe R$" in part.text) == (200, False), typed
    assert "maior que o valor" in (await visit.get(f"{HERE}/price?paymentMethod=PIX&amount=1")).text
    again = await visit.send(HERE, HERE, **form(ana, amount="", isOpen="yes", email="no"))
    assert "só é conhecida no pagamento" in again.text
    reader, _ = await house.inside(Role.READ)
    assert (await reader.get(f"{HERE}/price")).status_code == 403


REAIS = Money(0, "BRL")


@pytest.mark.parametrize(
    ("plan", "sentences"),
    [
        (None, ["No fee.", "The account gets R$ 100.00."]),
        (
            FeePlan(Money(50, "BRL"), 99, REAIS),
            ["Fee: R$ 0.50 + 0.99%, taken from what the account gets.",
             "The customer pays R$ 100.00; the fee is R$ 1.49, and the account gets R$ 98.51."],
        ),
        (
            FeePlan(REAIS, 250, REAIS, "CUSTOMER"),
            ["Fee: 2.50%, on top of what the customer pays.",
             "The customer pays R$ 102.50, with the fee of R$ 2.50; the account gets R$ 100.00."],
        ),
    ],
)  # fmt: skip
def test_a_price_is_said_in_words(plan: FeePlan | None, sentences: list[str]) -> None:
    said = Price("BRL", plan).lines("100.00", Terms("en"))
    assert [one.replace("\N{NO-BREAK SPACE}", " ") for one in said] == sentences


def test_the_plan_is_the_one_that_holds_now() -> None:
    one = {
        "direction": "IN", "paymentMethod": "PIX", "fixed": {"currency": "BRL", "value": "0.50"}, "variablePercent": "0.99",
        "additional": {"currency": "BRL", "value": "0.00"}, "feePayer": "CUSTOMER", "validFrom": "2026-01-01T00:00:00Z",
    }  # fmt: skip
    later = {**one, "variablePercent": "2.00", "validFrom": "2026-06-01T00:00:00Z"}
    others = [{**one, "direction": "OUT"}, {**one, "paymentMethod": "BOLETO"}]
    held = FeePlan(Money(50, "BRL"), 99, REAIS, "CUSTOMER")
    assert plan_at([one, later, *others], "PIX", "BRL", datetime(2026, 5, 31, tzinfo=UTC)) == held
    assert plan_at([one, later, *others], "PIX", "BRL", datetime(2026, 6, 1, tzinfo=UTC)) == replace(
        held, variable_basis_points=200
    )
    assert plan_at([one, later], "PIX", "BRL", datetime(2025, 6, 1, tzinfo=UTC)) is None


def test_a_code_that_no_picture_holds_is_shown_as_a_text_alone() -> None:
    block = {"deeplink": "x", "universalUrl": "https://app.example", "qrcodeData": "https://app.example/1", "rate": "5.41"}
    drawn, long = (ways_to_pay.of({"crypto": {**block, **other}}, Terms("pt")) for other in ({}, {"qrcodeData": "é" * 600}))
    assert (drawn.picture is not None, drawn.facts) == (True, (("Cotação", "5,41"),))
    assert (long.picture, [one.text for one in long.codes]) == (None, ["é" * 600])

"""The hosted page as it is made: well-formed, escaped, whole by itself, and with nothing that is nobody's business."""

import base64
import re
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import cv2
import numpy as np
import pytest
import zxingcpp
from tests.cast import PLACE
from tests.in_one import in_one_test
from tests.rules.orders.values import FREE, NOW, brl, order

from lastro.orders.checkout.model import CheckoutLine, HowToPay, Link, OrderSeen, Picture
from lastro.orders.checkout.page import _JINJA, CheckoutPages
from lastro.orders.checkout.rules import KEY_LEFT, LATE
from lastro.orders.checkout.words import LANGUAGES, TAGS, TEXTS, Words
from lastro.orders.codes import payload
from lastro.orders.model import STATUSES, Instrument, OrderShown, Party

from .hosted import Page

TOKEN = "00001Rk7tq0vXb2LzYcN9a"
PAGES = CheckoutPages(PLACE)
BENTO = Party(UUID(int=9), "Bento Braga", "CPF", "11144477735")
BACK = "https://shop.example.com/thanks?cart=1#top"
PAID = {"paid": brl(1000), "paid_at": NOW}
EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>{{ 7 * 7 }}&amp;</code><!--"


def seen(*, late: bool = False, **changes: Any) -> OrderSeen:
    given = {"order_token": TOKEN, "location_token": TOKEN, "customer": BENTO, "return_url": BACK, **changes}
    if given.get("state") in ("PAID", "REFUNDED", "PARTIAL_REFUNDED"):
        given |= PAID
    one = order(**given)
    return OrderSeen(OrderShown(one, "Ana Flores Ltda", "SAO PAULO"), NOW + timedelta(days=1) if late else NOW)


def page(language: str = "en", **changes: Any) -> Page:
    return Page(PAGES.order(seen(**changes), language))


@in_one_test("language", LANGUAGES)
@in_one_test("standing", [*STATUSES, LATE, KEY_LEFT])
def test_every_standing_is_a_whole_page_in_every_language(standing: str, language: str) -> None:
    state = "INITIAL" if standing in (LATE, KEY_LEFT) else standing
    found = page(language, state=state, late=standing == LATE, leads_here=standing != KEY_LEFT)
    say = Words(language)
    assert found.language == TAGS[language]
    assert found.title == f"{say(standing)} · Ana Flores Ltda"
    assert say(f"{standing}-about") in found.words
    assert "Flores" in found.text["dd"]
    assert found.text["h1"] == [say.money(brl(1000))]
    assert (found.refresh is not None) == (standing in ("INITIAL", LATE, KEY_LEFT, "PENDING", "AUTHENTICATING"))
    assert ("img" in found.tags) == ("button" in found.tags) == (standing == "INITIAL")


@pytest.mark.parametrize("state", STATUSES)
def test_the_way_back_is_offered_at_the_end(state: str) -> None:
    found = page(state=state)
    is_over = state not in ("INITIAL", "PENDING", "AUTHENTICATING")
    assert found.ways == ([f"https://shop.example.com/thanks?cart=1&orderToken={TOKEN}#top"] if is_over else [])
    assert ("shop.example.com" in found.text.get("strong", [])) == is_over
    assert page(state=state, return_url=None).ways == []
    assert page(state=state, return_url="javascript:alert(1)").ways == []


def test_a_pix_is_paid_by_its_picture_or_its_text() -> None:
    one = seen()
    text = payload(one.shown.order, "Ana Flores Ltda", "SAO PAULO", PLACE)
    found = Page(PAGES.order(one, "pt"))
    assert found.text["code"] == [text]
    (picture,) = found.of("img")
    png = base64.b64decode(picture["src"].removeprefix("data:image/png;base64,"), validate=True)
    read = zxingcpp.read_barcodes(cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_GRAYSCALE))
    assert [one.text for one in read] == [text]
    (button,) = found.of("button")
    assert "hidden" in button, "without a script it could do nothing"
    assert "02/01/2026 às 10:00 (horário de Brasília)" in found.words
    assert found.of("time")[0]["datetime"] == "2026-01-02T13:00:00+00:00"


@pytest.mark.parametrize("longest", [False, True])
def test_crypto_leads_into_the_app_at_its_rate(longest: bool) -> None:
    link = "https://app.example/pay/1?a=1&b=2" if not longest else "https://app.example/" + "x" * 492
    details = {
        "asset": "USDT", "assetAmount": "18.409574", "rate": "5.4321", "deeplink": "binance://pay/1", "qrcodeData": link,
        "universalUrl": link, "rateValidUntil": "2026-01-01T12:30:00.000000Z",
    }  # fmt: skip
    made = Instrument("crypto", "1", details=details)
    found = page(payment_method="BINANCE_PAY", instrument=made, txid=None, location_token=None)
    assert (found.text["code"], found.ways) == (["18.409574 USDT", "1 USDT = 5.4321 BRL", link], [link])
    png = base64.b64decode(found.of("img")[0]["src"].removeprefix("data:image/png;base64,"), validate=True)
    read = zxingcpp.read_barcodes(cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_GRAYSCALE))
    assert [one.text for one in read] == [link]
    assert link not in page(payment_method="BINANCE_PAY", instrument=made, txid=None, state="PENDING").words


def test_an_open_amount_is_the_payers_to_choose() -> None:
    found = page(amount=None, final_amount=None)
    assert found.text["h1"] == ["You choose the amount when paying"]
    assert page(amount=None, final_amount=None, state="PAID").text["h1"] == ["R$10.00"]


def test_what_the_customer_pays_is_asked_with_what_of_it_is_a_fee() -> None:
    found = page(amount=brl(1000), final_amount=brl(1035), fees=replace(FREE, fixed=brl(35), payer="CUSTOMER"))
    assert found.text["h1"] == ["R$10.35"]
    assert "R$0.35" in found.text["dd"]
    assert "Includes a fee of" not in page().words


@pytest.mark.parametrize(
    ("customer", "shown"),
    [
        (BENTO, "Bento Braga, CPF ***.444.777-**"),
        (Party(UUID(int=9), "Loja do Bento", "CNPJ", "11222333000181"), "Loja do Bento, CNPJ **.222.333/0001-**"),
        (Party(UUID(int=9), "Benito", "CURP", "BEAB900131HDFRRN09"), "Benito, CURP ******************"),
        (Party(UUID(int=9), "Bento", None, None), "Bento"),
        (None, None),
    ],
)
def test_of_the_customer_the_name_is_shown_and_no_document(customer: Party | None, shown: str | None) -> None:
    found = page(customer=customer)
    assert ("In the name of" in found.words) == (shown is not None)
    assert shown is None or shown in found.text["dd"]
    if customer is not None and customer.document_number is not None:
        assert customer.document_number not in PAGES.order(seen(customer=customer), "en").decode()


def test_who_paid_and_where_we_tell_it_is_nobodys_business() -> None:
    private: dict[str, Any] = {
        "payer": Party(UUID(int=8), "Pia Private", "CPF", "52998224725", {"account": "secret-account"}), "state": "PAID",
        "notification_url": "https://hook.example.com/secret", "end_to_end_id": "Esecret", "external_id": "secret-code",
        "error_message": "secret-error", "pix_key": "secret-key", "financial_partner": "SECRET",
    }  # fmt: skip
    html = PAGES.order(seen(**private), "en").decode()
    assert not re.search(r"(?i)secret|pia private|52998224725|982\.247|hook\.example", html)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_of_others_is_escaped(language: str) -> None:
    hostile = replace(
        seen(state="PAID", description=EVIL, customer=replace(BENTO, name=EVIL), return_url=f"https://a.example/{EVIL.replace(' ', '')}"),
        shown=OrderShown(seen(state="PAID", description=EVIL, customer=replace(BENTO, name=EVIL)).shown.order, EVIL, EVIL),
    )  # fmt: skip
    for one in (hostile, seen(description=EVIL, customer=replace(BENTO, name=EVIL))):
        found = Page(PAGES.order(one, language))
        assert EVIL in found.text["dd"]
        assert found.tags.count("script") == (one is not hostile)
        assert found.tags.count("img") == (one is not hostile)


def test_nothing_is_fetched_from_elsewhere() -> None:
    for state in STATUSES:
        assert page(state=state).loads <= {"/checkout.css", "/checkout.js"}
    assert Page(PAGES.missing("en")).loads == {"/checkout.css"}
    style, script = PAGES.style.decode(), PAGES.script.decode()
    assert re.search(r"url\(|@import|@font-face", style) is None
    assert re.findall(r"\w+://", style + script) == []
    assert script.count("fetch(") == 1
    assert 'fetch(location.pathname + "/state"' in script
    assert re.search(r"cookie|localStorage|sessionStorage|innerHTML|eval|sendBeacon|XMLHttpRequest|import\b", script) is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_address_that_leads_nowhere_has_a_page_of_its_own(language: str) -> None:
    found = Page(PAGES.missing(language))
    assert (found.language, found.title) == (TAGS[language], Words(language)("missing"))
    assert (found.ways, found.refresh) == ([], None)
    assert PAGES.missing(language) == PAGES.missing(language)


def test_the_languages_lead_to_each_other() -> None:
    for language in LANGUAGES:
        found = page(language)
        others = {one["href"].removeprefix("?lang=") for one in found.of("a") if one["href"].startswith("?lang=")}
        assert others == set(LANGUAGES) - {language}


@pytest.mark.parametrize(
    ("accepted", "asked", "language"),
    [
        ("", None, "pt"), ("en", None, "en"), ("fr, es;q=0.2", None, "es"), ("en", "es", "es"), ("en", "pt-BR", "pt"), ("", "EN", "en"),
        ("en", "fr", "en"), ("en", "", "en"), ("es", "../en", "es"), ("", "en-US-x-y", "en"),
    ],
)  # fmt: skip
def test_the_address_chooses_the_language_before_the_header(accepted: str, asked: str | None, language: str) -> None:
    assert PAGES.language(accepted, asked) == language


def test_it_is_said_that_a_sandbox_is_none() -> None:
    assert "nothing here is real money" in page().words
    real = CheckoutPages(replace(PLACE, sandbox=False))
    assert "nothing here is real money" not in Page(real.order(seen(), "en")).words


def test_a_method_needs_no_template() -> None:
    """Whatever a method says of how it is paid, one template shows it."""
    how = HowToPay(
        steps=("pix-open",), lines=(CheckoutLine("pix-code", EVIL, copied=True), CheckoutLine("to", "plain")),
        picture=Picture("aGk=", "pix-picture"), link=Link("return", "https://bank.example/3ds?a=1&b=2"),
    )  # fmt: skip
    values = {
        "say": Words("en"), "languages": [], "order": seen().shown.order, "receiver": "Ana", "name": "INITIAL", "tone": "waiting",
        "amount": brl(1), "fee": None, "customer": None, "waits": None, "refresh": 15, "back": None, "place": PLACE,
    }  # fmt: skip
    found = Page(_JINJA.get_template("order.html").render(**values, how=how).encode())
    assert found.text["code"] == [EVIL, "plain"]
    assert (len(found.of("button")), len(found.of("img")), found.ways) == (1, 1, ["https://bank.example/3ds?a=1&b=2"])
    bars = HowToPay(picture=Picture("aGk=", "cash-bars", is_bars=True))
    (drawn,) = Page(_JINJA.get_template("order.html").render(**values, how=bars).encode()).of("img")
    assert (drawn["class"], "width" in drawn) == ("bars", False), "bars are as wide as they were drawn"
    bare = Page(_JINJA.get_template("order.html").render(**values, how=HowToPay()).encode())
    assert not {"ol", "img", "code", "button"} & set(bare.tags)
    assert all(name in TEXTS for name in (*how.steps, *(line.label for line in how.lines)))


# ── colours ──


def _lightness(colour: str) -> float:
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", range(2), ids=["light", "dark"])
def test_every_colour_can_be_read(scheme: int) -> None:
    """WCAG 2.2, 1.4.3: 4.5 to 1."""
    roots = re.findall(r":root \{(.*?)\}", PAGES.style.decode(), re.DOTALL)
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", roots[scheme]))
    pairs = [
        (ink, ground) for ink in ("ink", "soft", "accent", "good", "bad", "waiting", "calm") for ground in ("ground", "card")
    ]
    for one, other in [*pairs, ("on-accent", "accent")]:
        darker, lighter = sorted((_lightness(colours[one]), _lightness(colours[other])))
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5, (one, other)

"""Messages of the SPI, read and written."""

from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.core.money import Money
from lastro.rails import messages, port
from lastro.rails.spi import wire
from lastro.standards.pix_ids import order_message_id

AT = datetime(2026, 11, 20, 12, 0, 0, 123456, tzinfo=UTC)
E2E = "E99999020202611201200abcdefghijk"
RETURN = "D99999010202611201200000070abcde"
PAYER = {
    "name": "Pessoa Pagadora", "document": {"type": "CPF", "number": "12345678909"}, "ispb": "99999020", "branch": "0001",
    "account": "123456", "accountType": "CACC",
}  # fmt: skip
ASK = {
    "msgId": "M1", "type": "pacs.008", "createdAt": "2026-11-20T12:00:00Z", "endToEndId": E2E, "txId": "abc", "amount": "10.00",
    "acceptedAt": "2026-11-20T09:00:00-03:00", "localInstrument": "QRDN", "purpose": "IPAY", "payer": PAYER,
    "receiver": {"ispb": "99999010", "branch": "0001", "account": "000000019", "accountType": "TRAN",
                 "document": {"type": "CNPJ", "number": "11222333000181"}},
    "remittance": "Olá",
}  # fmt: skip


def read(message: object) -> port.NetworkMessage:
    return wire.read(msgspec.json.encode(message), "99999010")


def test_a_question() -> None:
    told = read(ASK)
    assert (told.kind, told.network_id, told.subject, told.txid, told.account) == ("pix.ask", "M1", E2E, "abc", "000000019")
    arrival = port.arrival(told.body)
    assert arrival == port.PixArrival(
        "M1", E2E, "abc", Money(1000, "BRL"), datetime(2026, 11, 20, 12, 0, tzinfo=UTC),
        port.Payer("Pessoa Pagadora", "CPF", "12345678909", "99999020", "0001", "123456", "CACC"),
        "0001", "000000019", "11222333000181", None, "QRDN", "Olá", purpose="IPAY",
    )  # fmt: skip


TOKEN = "00001lVPPixWUxJY0ZrI0u"


@pytest.mark.parametrize(
    ("said", "token"),
    [
        ({"location": f"pay.example.com/qr/v2/{TOKEN}"}, TOKEN),
        ({"qrCode": f"0002012566pay.example.com/qr/v2/{TOKEN}5204000053039865802BR"}, TOKEN),
        ({"remittance": f"Pix pay.example.com/qr/v2/{TOKEN}"}, TOKEN),
        ({"location": f"pay.example.com/qr/v2/{TOKEN}", "localInstrument": "DICT"}, None),
        ({"location": f"pay.example.com/qr/v2/{TOKEN}", "txId": "abc"}, None),
        ({"location": f"pay.example.com/qr/v2/rec/{TOKEN}"}, None),
        ({}, None),
    ],
)
def test_a_forgotten_txid_is_looked_for_in_location_code_and_text(said: dict[str, str], token: str | None) -> None:
    told = read({k: v for k, v in ASK.items() if k != "txId"} | said)
    assert port.arrival(told.body).location_token == token
    assert told.txid == said.get("txId", token), "by it an order waits for what is not handled yet"


def test_money_that_is_in() -> None:
    told = read(ASK | {"type": "camt.054", "settledAt": "2026-11-20T12:00:01Z"})
    assert told.kind == "pix.settled"
    assert port.arrival(told.body).settled_at == datetime(2026, 11, 20, 12, 0, 1, tzinfo=UTC)


@pytest.mark.parametrize(("status", "settled"), [("ACCC", True), ("ACSC", True), ("RJCT", False)])
def test_ends(status: str, settled: bool) -> None:
    message = {"msgId": "M2", "type": "pacs.002", "endToEndId": E2E, "status": status, "code": None if settled else "AB03"}
    told = read(message)
    assert (told.kind, told.subject) == ("pix.final", E2E)
    assert port.pix_final(told.body) == port.PixFinal(E2E, settled, None if settled else "AB03")
    told = read(message | {"returnId": RETURN})
    assert (told.kind, told.subject) == ("return.final", RETURN)
    assert port.return_final(told.body) == port.ReturnFinal(RETURN, E2E, settled, None if settled else "AB03")


def test_an_end_says_what_it_is_about() -> None:
    side = {"ispb": "99999030", "branch": "0001", "account": "300003", "document": {"type": "CPF", "number": "24681357928"}}
    original = {"amount": "10.00", "txId": "abc", "debtor": {"ispb": "99999020"}, "creditor": side}
    message = {"msgId": "M2", "type": "pacs.002", "endToEndId": E2E, "status": "ACSC"}
    told = read(message | {"originalTransaction": original})
    assert port.pix_final(told.body).of == port.Facts(
        Money(1000, "BRL"), port.Side("99999020"), port.Side("99999030", "0001", "300003", "24681357928"), "abc"
    )
    assert read(message | {"originalTransaction": original | {"amount": "ten"}}).kind == "unknown"
    assert port.return_final(read(message | {"returnId": RETURN, "amount": "4.00"}).body).amount == Money(400, "BRL")


def test_a_refused_message() -> None:
    told = read({"msgId": "M3", "type": "admi.002", "relatedMsgId": "M" + RETURN[1:], "code": "X1", "description": "why"})
    assert (told.kind, told.subject) == ("return.doubted", RETURN)
    assert port.payment_doubted(told.body) == port.PaymentDoubted(RETURN, "X1")
    theirs = RETURN.replace("99999010", "99999020")
    told = read({"msgId": "M3", "type": "admi.002", "relatedMsgId": "M" + theirs[1:], "code": "X1", "description": "why"})
    assert port.refused(told.body) == port.MessageRefused("M" + theirs[1:], theirs, "X1", "why")
    told = read({"msgId": "M3", "type": "admi.002", "relatedMsgId": "Mother", "reason": "why"})
    assert port.refused(told.body) == port.MessageRefused("Mother", None, None, "why")


@pytest.mark.parametrize(("said", "code"), [({}, "admi.002"), ({"code": "X1"}, "X1")])
def test_a_refused_order_of_ours_is_a_doubt(said: dict[str, str], code: str) -> None:
    name = order_message_id("99999010", 7, bytes(range(24)))
    told = read({"msgId": "M3", "type": "admi.002", "relatedMsgId": name, "reason": "why"} | said)
    assert (told.kind, told.subject, told.company_number) == ("order.doubted", name, 7)
    assert port.payment_doubted(told.body) == port.PaymentDoubted(name, code)
    other = order_message_id("99999020", 7, bytes(range(24)))
    assert read({"msgId": "M3", "type": "admi.002", "relatedMsgId": other}).kind == "refused"


@pytest.mark.parametrize(
    "change",
    [
        {"type": "pacs.028"}, {"amount": "10.0x"}, {"amount": "0.00"}, {"amount": 10}, {"endToEndId": "E1"}, {"txId": "a-b"},
        {"txId": "a" * 36}, {"acceptedAt": "2026-11-20T12:00:00"}, {"payer": None}, {"settledAt": "2026-11-20T12:00:01Z"},
        {"remittance": "a\0b"}, {"receiver": {"account": 1}}, {"type": "camt.054"}, {"type": "pacs.002", "status": "NEW"},
    ],
)  # fmt: skip
def test_what_breaks_the_catalogue_is_kept_as_it_came(change: dict[str, object]) -> None:
    raw = msgspec.json.encode(ASK | change)
    assert wire.read(raw, "99999010") == port.NetworkMessage("unknown", "M1", "M1", raw)


@given(st.binary() | st.recursive(st.none() | st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(
    st.sampled_from(["messages", "msgId", "type", "endToEndId", "status"]), inner)).map(msgspec.json.encode))  # fmt: skip
def test_nothing_that_arrives_is_lost_or_raises(raw: bytes) -> None:
    for told in (wire.read(raw, "99999010"), *wire.read_batch(raw, "99999010")):
        assert told.network_id
        assert "\0" not in told.network_id + told.subject
        assert len(told.network_id) <= 68
    assert wire.read(raw, "99999010") == wire.read(raw, "99999010")


def test_a_batch_keeps_its_order() -> None:
    batch = b'{"messages":[' + msgspec.json.encode(ASK) + b', {"msgId":"M9","type":"new"}, 7]}'
    kinds = [told.kind for told in wire.read_batch(batch, "99999010")]
    assert kinds == ["pix.ask", "unknown", "unknown"]
    assert wire.read_batch(b'{"messages":[]}', "99999010") == []


def test_an_answer_is_written() -> None:
    answer = port.PixAnswer("M5", "M1", E2E, accept=False, code="AC03", created_at=AT)
    assert msgspec.json.decode(wire.written("pix.answer", port.encode(answer))) == {
        "msgId": "M5", "type": "pacs.002", "createdAt": "2026-11-20T12:00:00.123Z", "originalMsgId": "M1", "endToEndId": E2E,
        "status": "RJCT", "code": "AC03",
    }  # fmt: skip


def test_a_return_is_written() -> None:
    order = port.ReturnOrder(RETURN, E2E, Money(1, "BRL"), "MD06", created_at=AT)
    assert msgspec.json.decode(wire.written("return.send", port.encode(order))) == {
        "msgId": "M" + RETURN[1:], "type": "pacs.004", "createdAt": "2026-11-20T12:00:00.123Z", "returnId": RETURN,
        "endToEndId": E2E, "amount": "0.01", "reason": "MD06",
    }  # fmt: skip


def test_what_the_network_lacks_is_not_written() -> None:
    with pytest.raises(ValueError, match=r"the SPI has no message for ted\.send"):
        wire.written("ted.send", b"{}")


def test_answers_to_questions() -> None:
    pending = b'{"status":"PENDING","endToEndId":"%s","settledAt":null}' % E2E.encode()
    assert wire.payment_status(E2E, pending) == port.Pending()
    assert wire.return_status(RETURN, pending) == port.Pending()
    ended = pending.replace(b"PENDING", b"RJCT").replace(b"null", b'null,"code":"AM09"')
    assert wire.return_status(RETURN, ended) == port.ReturnFinal(RETURN, E2E, settled=False, code="AM09")
    with pytest.raises(messages.Malformed):
        wire.payment_status(E2E, b"<html>")


@given(st.integers(1, 999_999_999_999))
def test_money_is_exact_on_every_way(minor: int) -> None:
    money = Money(minor, "BRL")
    order = port.ReturnOrder(RETURN, E2E, money, "MD06", created_at=AT)
    assert port.return_order(port.encode(order)).amount == money
    assert msgspec.json.decode(wire.written("return.send", port.encode(order)))["amount"] == str(money)
    assert port.arrival(read(ASK | {"amount": str(money)}).body).amount == money


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"error":"CONFLICT","message":"used"}', ("CONFLICT", "used")),
        (b'{"type":"EntryBlocked","title":"blocked","status":403}', ("EntryBlocked", "blocked")),
        (b"<html>", ("HTTP400", "answered with HTTP status 400")),
    ],
)
def test_refusals_are_worded(body: bytes, expected: tuple[str, str]) -> None:
    assert messages.problem(400, body) == expected

"""Messages of the STR, read and written."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.core.money import Money, MoneyError
from lastro.rails import messages, port
from lastro.rails.spi import wire as stream
from lastro.rails.ted import READERS, wire
from lastro.standards.ted_ids import control_number

AT = datetime(2026, 11, 23, 13, 0, 0, 123456, tzinfo=UTC)
OURS = control_number(AT, 7, 1)
RESULT = {
    "msgId": "M1", "type": "STR0008R1", "createdAt": "2026-11-23T13:00:01Z", "numCtrlIf": OURS,
    "numCtrlStr": "STR20261123000000001", "status": "1", "settledAt": "2026-11-23T13:00:01Z",
}  # fmt: skip
RETURN = {
    "msgId": "M2", "type": "STR0010R2", "createdAt": "2026-11-23T13:05:01Z", "numCtrlStr": "STR20261123000000002",
    "originalNumCtrlStr": "STR20261123000000001", "originalNumCtrlIf": OURS, "amount": "10.50", "code": "2",
    "settledAt": "2026-11-23T13:05:01Z",
}  # fmt: skip
ORDER = port.TedOrder(
    OURS, Money(1050, "BRL"),
    port.Payer("Ana Comercio Ltda", "CNPJ", "11222333000181", "99999010", "0001", "000000019", "TRAN"),
    port.Receiver("Fabio de Fora", "CPF", "24681357928", "99999030", "0001", "0300003", "CHECKING_ACCOUNT"),
    AT, history="Salário",
)  # fmt: skip
SETTLED = datetime(2026, 11, 23, 13, 0, 1, tzinfo=UTC)


def read(message: object) -> port.NetworkMessage:
    """As it comes: on the stream of the SPI."""
    return stream.read(msgspec.json.encode(message), "99999010", READERS)


def written(order: port.TedOrder) -> dict[str, object]:
    raw = wire.written("ted.send", port.encode(order))
    assert raw == wire.written("ted.send", port.encode(order))
    found: dict[str, object] = msgspec.json.decode(raw)
    return found


def test_a_ted_is_written() -> None:
    assert written(ORDER) == {
        "msgId": OURS, "type": "STR0008", "createdAt": "2026-11-23T13:00:00.123Z", "numCtrlIf": OURS, "amount": "10.50",
        "debtor": {"name": "Ana Comercio Ltda", "document": {"type": "CNPJ", "number": "11222333000181"}, "branch": "0001",
                   "account": "19", "accountType": "PG"},
        "creditor": {"ispb": "99999030", "name": "Fabio de Fora", "document": {"type": "CPF", "number": "24681357928"},
                     "branch": "0001", "account": "300003", "accountType": "CC"},
        "purpose": "10", "history": "Salário",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("word", "code"), [("CHECKING_ACCOUNT", "CC"), ("SAVINGS_ACCOUNT", "PP"), ("PAYMENT_ACCOUNT", "PG")]
)
def test_account_types(word: str, code: str) -> None:
    receiver = msgspec.structs.replace(ORDER.receiver, account_type=word)
    assert written(msgspec.structs.replace(ORDER, receiver=receiver))["creditor"]["accountType"] == code  # type: ignore[index]


@pytest.mark.parametrize(
    ("name", "shown"), [("x" * 80, "x" * 80), ("x" * 81, "x" * 80), ("x" * 79 + " y", "x" * 79), ("é" * 150, "é" * 80)]
)
def test_names_have_the_size_of_the_field(name: str, shown: str) -> None:
    receiver = msgspec.structs.replace(ORDER.receiver, name=name)
    assert written(msgspec.structs.replace(ORDER, receiver=receiver))["creditor"]["name"] == shown  # type: ignore[index]


@pytest.mark.parametrize(("history", "shown"), [(None, None), ("", None), ("x" * 201, "x" * 200), ("a b", "a b")])
def test_the_history(history: str | None, shown: str | None) -> None:
    assert written(msgspec.structs.replace(ORDER, history=history)).get("history") == shown


def test_what_the_str_lacks_is_not_written() -> None:
    with pytest.raises(ValueError, match=r"the STR has no message for payment\.send"):
        wire.written("payment.send", b"{}")


@pytest.mark.parametrize("status", ["1", "2", "3", "4"])
def test_effective(status: str) -> None:
    told = read(RESULT | {"status": status})
    assert (told.kind, told.network_id, told.subject, told.company_number, told.rail) == (
        "payment.final", "M1", OURS, 7, "ted",
    )  # fmt: skip
    assert port.payment_final(told.body) == port.PaymentFinal(
        OURS, settled=True, settled_at=SETTLED, number="STR20261123000000001"
    )


@pytest.mark.parametrize("status", ["5", "9", "14", "15", "22", "23", "24", "25"])
def test_refused(status: str) -> None:
    told = read({k: v for k, v in RESULT.items() if k != "settledAt"} | {"status": status})
    assert told.kind == "payment.final"
    assert port.payment_final(told.body) == port.PaymentFinal(
        OURS, settled=False, code=status, number="STR20261123000000001"
    )


@pytest.mark.parametrize("status", ["17", "18", "19", "20"])
def test_no_end_yet(status: str) -> None:
    message = RESULT | {"status": status, "settledAt": None}
    told = read(message)
    assert (told.kind, told.subject, told.company_number, told.rail) == ("payment.pending", OURS, 7, "ted")
    assert told.body == msgspec.json.encode(message)
    assert wire.status(OURS, msgspec.json.encode(message)) == port.Pending()


def test_one_comes_back() -> None:
    told = read(RETURN)
    assert (told.kind, told.network_id, told.subject, told.company_number, told.rail) == (
        "payment.returned", "M2", OURS, 7, "ted",
    )  # fmt: skip
    assert port.payment_returned(told.body) == port.PaymentReturned(
        OURS, "STR20261123000000002", Money(1050, "BRL"), "2", datetime(2026, 11, 23, 13, 5, 1, tzinfo=UTC),
        of=port.Facts(number="STR20261123000000001"),
    )  # fmt: skip


@pytest.mark.parametrize(
    "message",
    [
        RESULT | {"status": "6"}, RESULT | {"status": 1}, RESULT | {"status": "01"}, RESULT | {"numCtrlIf": "P" * 20},
        RESULT | {"numCtrlIf": None}, RESULT | {"numCtrlStr": "20261123"}, RESULT | {"settledAt": "yesterday"},
        RESULT | {"settledAt": "2026-11-23T13:00:01"}, RESULT | {"type": "STR0004"}, RETURN | {"amount": "0.00"},
        RETURN | {"amount": 10.5}, RETURN | {"numCtrlStr": "x"}, RETURN | {"originalNumCtrlIf": "STR20261123000000001"},
        RETURN | {"settledAt": None}, RETURN | {"code": "a\0"},
    ],
)  # fmt: skip
def test_what_breaks_the_catalogue_is_kept_as_it_came(message: dict[str, object]) -> None:
    raw = msgspec.json.encode(message)
    assert read(message) == port.NetworkMessage("unknown", str(message["msgId"]), str(message["msgId"]), raw)


def test_without_its_readers_the_stream_keeps_them_as_they_came() -> None:
    assert stream.read(msgspec.json.encode(RESULT), "99999010").kind == "unknown"


def test_both_systems_come_in_one_batch() -> None:
    batch = (
        b'{"messages":[' + msgspec.json.encode(RETURN) + b"," + msgspec.json.encode(RESULT) + b',{"msgId":"M9","type":"x"}]}'
    )
    kinds = [told.kind for told in stream.read_batch(batch, "99999010", READERS)]
    assert kinds == ["payment.returned", "payment.final", "unknown"]


def test_answers_to_questions() -> None:
    shown = {k: v for k, v in RESULT.items() if k not in ("msgId", "type", "createdAt")} | {
        "amount": "10.50",
        "returned": None,
    }
    assert wire.status(OURS, msgspec.json.encode(shown)) == port.PaymentFinal(
        OURS, settled=True, settled_at=SETTLED, number="STR20261123000000001"
    )
    for broken in (b"<html>", b"{}", msgspec.json.encode(shown | {"status": "7"})):
        with pytest.raises((messages.Malformed, MoneyError)):
            wire.status(OURS, broken)
    with pytest.raises(messages.Malformed, match="numCtrlIf"):
        wire.status(control_number(AT, 7, 2), msgspec.json.encode(shown))


@given(st.sampled_from([RESULT, RETURN]), st.sampled_from(sorted(RESULT | RETURN)), st.none() | st.text() | st.integers())
def test_nothing_that_arrives_is_lost_or_raises(message: dict[str, object], field: str, value: object) -> None:
    told = read(message | {field: value})
    assert told.network_id
    assert "\0" not in told.network_id + told.subject
    assert told.rail in (None, "ted")


@given(st.integers(1, 999_999_999_999))
def test_money_is_exact_on_every_way(minor: int) -> None:
    money = Money(minor, "BRL")
    assert written(msgspec.structs.replace(ORDER, amount=money))["amount"] == str(money)
    assert port.payment_returned(read(RETURN | {"amount": str(money)}).body).amount == money


ARRIVAL: dict[str, Any] = {
    "msgId": "M1", "type": "STR0008R2", "numCtrlStr": "STR20261127000000042", "amount": "123.45", "purpose": "10",
    "settledAt": "2026-11-27T13:00:00.000Z", "history": " Aluguel ",
    "debtor": {
        "ispb": "99999020", "name": "Pessoa Pagadora", "document": {"type": "CPF", "number": "12345678909"}, "branch": "1",
        "account": "123456", "accountType": "CC",
    },
    "creditor": {
        "ispb": "99999010", "name": "Ana", "document": {"type": "CNPJ", "number": "11222333000181"}, "branch": "1",
        "account": "19", "accountType": "PG",
    },
}  # fmt: skip


def arrived(**changed: object) -> port.NetworkMessage:
    return READERS["STR0008R2"]("M1", msgspec.json.encode(ARRIVAL | changed), "99999010")


def test_a_ted_that_came_is_for_the_account_whose_zeros_the_str_leaves_out() -> None:
    told = arrived()
    assert (told.kind, told.subject, told.account, told.rail) == (
        port.TED_ARRIVED, "STR20261127000000042", "000000019", port.TED,
    )  # fmt: skip
    ted = port.ted_arrival(told.body)
    assert (str(ted.amount), ted.receiver_branch, ted.receiver_document, ted.history, ted.payer.account_type) == (
        "123.45", "1", "11222333000181", "Aluguel", "CACC",
    )  # fmt: skip


@pytest.mark.parametrize(
    "changed",
    [
        {"amount": "0.00"}, {"numCtrlStr": "L123"}, {"creditor": ARRIVAL["creditor"] | {"ispb": "99999030"}},
        {"debtor": ARRIVAL["debtor"] | {"document": {"type": "RFC", "number": "X"}}},
    ],
)  # fmt: skip
def test_what_breaks_the_catalogue_is_not_read(changed: dict[str, object]) -> None:
    with pytest.raises((messages.Malformed, MoneyError)):
        arrived(**changed)

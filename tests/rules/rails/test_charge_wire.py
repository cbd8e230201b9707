"""Messages about charges of Pix Automático, read and written."""

from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.core.money import Money
from lastro.rails import messages, port
from lastro.rails.rejected_messages import REFUSED_ENDS
from lastro.rails.spi import charge_wire, wire
from lastro.standards.recurrence_ids import recurrence_id

ISPB = "99999010"
AT = datetime(2026, 11, 20, 12, 0, 0, 123456, tzinfo=UTC)
NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
ID = recurrence_id(ISPB, date(2026, 11, 20), 7, 1, retries=True)
OTHERS = recurrence_id("99999030", date(2026, 11, 20), 7, 1, retries=False)
TXID = "a" * 32
E2E = "E99999020202611201200abcdefghijk"
SCHEDULED = {
    "msgId": "M1", "type": "pain.014", "createdAt": "2026-11-20T12:00:00Z", "originalMsgId": "M9", "idRec": ID, "txId": TXID,
    "status": "ACCP", "endToEndId": E2E, "decidedAt": "2026-11-20T09:00:00-03:00",
}  # fmt: skip
REFUSED = {name: value for name, value in SCHEDULED.items() if name != "endToEndId"} | {"status": "RJCT", "code": "EXPR"}
CANCELED = {
    "msgId": "M3", "type": "camt.055", "originalMsgId": "M9", "idRec": ID, "txId": TXID, "reason": "SLBD",
    "canceledAt": "2026-11-20T12:00:00Z",
}  # fmt: skip
RESOLVED = {
    "msgId": "M4", "type": "camt.029", "originalMsgId": "M8", "instructionMsgId": "M9", "idRec": ID, "status": "RJCT",
    "code": "NIPA", "decidedAt": "2026-11-20T12:00:00Z",
}  # fmt: skip
INSTRUCTION = port.ChargeInstruction(
    message_id="M9", recurrence_id=ID, txid=TXID, kind="NTAG", amount=Money(2990, "BRL"), due_on=date(2027, 1, 10),
    collect_on=date(2027, 1, 11), payer_ispb="99999020", payer_document="12345678909",
    collector=port.Collector("Loja da Ana Ltda", "11222333000181", "0001", "00000019"), details="Mensalidade",
)  # fmt: skip


def read(message: object) -> port.NetworkMessage:
    return wire.read(msgspec.json.encode(message), ISPB)


READ: list[tuple[dict[str, Any], str, Any, Any]] = [
    (SCHEDULED, "charge.scheduled", port.charge_scheduled, port.ChargeScheduled("M9", ID, TXID, E2E, NOON)),
    (REFUSED, "charge.refused", port.charge_refused, port.ChargeRefused("M9", ID, TXID, "EXPR", NOON)),
    (CANCELED, "charge.canceled", port.charge_canceled, port.ChargeCanceled("M3", "M9", ID, TXID, "SLBD", NOON)),
    (
        RESOLVED, "charge-cancel.final", port.charge_cancel_final,
        port.ChargeCancelFinal("M8", "M9", "REFUSED", "NIPA", NOON, ID),
    ),
    (
        RESOLVED | {"status": "ACCP", "code": None}, "charge-cancel.final", port.charge_cancel_final,
        port.ChargeCancelFinal("M8", "M9", "CONFIRMED", None, NOON, ID),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("message", "kind", "decode", "value"), READ)
def test_what_is_told(message: dict[str, Any], kind: str, decode: Any, value: Any) -> None:
    told = read(message)
    assert (told.kind, told.network_id, told.subject, told.company_number) == (kind, message["msgId"], ID, 7)
    assert (told.account, told.txid, told.rail) == (None, None, None)
    assert decode(told.body) == value
    others = read(message | {"idRec": OTHERS})
    assert (others.kind, others.subject, others.company_number) == (kind, OTHERS, None)


@in_one_test(
    "message",
    [
        SCHEDULED | {"idRec": "RR1"}, SCHEDULED | {"endToEndId": None}, SCHEDULED | {"endToEndId": "E1"},
        SCHEDULED | {"txId": "short"}, SCHEDULED | {"txId": "a-" * 16}, SCHEDULED | {"status": "PDNG"},
        SCHEDULED | {"originalMsgId": "a-b"}, SCHEDULED | {"originalMsgId": None},
        SCHEDULED | {"decidedAt": "2026-11-20T12:00:00"}, SCHEDULED | {"decidedAt": None},
        REFUSED | {"code": None}, REFUSED | {"code": ""}, REFUSED | {"code": "a b"}, REFUSED | {"code": 7},
        CANCELED | {"reason": None}, CANCELED | {"reason": "slbd"}, CANCELED | {"canceledAt": None},
        CANCELED | {"txId": "a\0" * 16}, CANCELED | {"originalMsgId": ""}, CANCELED | {"idRec": ID.lower()},
        RESOLVED | {"instructionMsgId": None}, RESOLVED | {"instructionMsgId": "é"}, RESOLVED | {"status": "PENDING"},
        RESOLVED | {"originalMsgId": "x" * 65}, RESOLVED | {"code": "a"},
    ],
)  # fmt: skip
def test_what_breaks_the_catalogue_is_kept_as_it_came(message: dict[str, Any]) -> None:
    raw = msgspec.json.encode(message)
    assert wire.read(raw, ISPB) == port.NetworkMessage("unknown", message["msgId"], message["msgId"], raw)


PIX = {
    "msgId": "M5", "type": "pacs.008", "endToEndId": E2E, "txId": TXID, "amount": "29.90",
    "acceptedAt": "2026-11-20T12:00:00Z", "localInstrument": "AUTO", "recurrence": {"idRec": ID},
    "payer": {
        "name": "Pessoa Pagadora", "document": {"type": "CPF", "number": "12345678909"}, "ispb": "99999020", "branch": "0001",
        "account": "123456", "accountType": "CACC",
    },
    "receiver": {"branch": "0001", "account": "000000019"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "charging", "authorizing"),
    [
        ({}, ID, None), ({"recurrence": {"idRec": OTHERS}}, OTHERS, None), ({"recurrence": None}, None, None),
        ({"localInstrument": "QRDN"}, None, port.Authorizing(ID)), ({"localInstrument": "QRDN", "recurrence": None}, None, None),
    ],
)  # fmt: skip
def test_a_payment_says_of_which_recurrence_it_is_a_charge(
    changes: dict[str, Any], charging: str | None, authorizing: port.Authorizing | None
) -> None:
    for kind, more in (("pacs.008", {}), ("camt.054", {"settledAt": "2026-11-20T12:00:01Z"})):
        told = read(PIX | {"type": kind} | changes | more)
        assert (told.kind, told.subject, told.txid) == ("pix.ask" if kind == "pacs.008" else "pix.settled", E2E, TXID)
        arrival = port.arrival(told.body)
        assert (arrival.charging, arrival.authorizing) == (charging, authorizing)
        assert arrival.instrument == changes.get("localInstrument", "AUTO")


@pytest.mark.parametrize("recurrence", [{"idRec": "RR1"}, {}, ID, []])
def test_a_charge_of_a_recurrence_that_nobody_can_read_is_kept_as_it_came(recurrence: Any) -> None:
    assert read(PIX | {"recurrence": recurrence}).kind == "unknown"


def test_an_instruction_is_written() -> None:
    message = port.charge_message(INSTRUCTION, UUID(int=1), UUID(int=2), AT)
    assert (message.rail, message.kind, message.network_id) == ("pix", "charge.send", "M9")
    assert msgspec.json.decode(wire.written(message.kind, message.body)) == {
        "msgId": "M9", "type": "pain.013", "createdAt": "2026-11-20T12:00:00.123Z", "idRec": ID, "txId": TXID, "kind": "NTAG",
        "amount": "29.90", "dueDate": "2027-01-10", "settlementDate": "2027-01-11",
        "payer": {"ispb": "99999020", "document": {"type": "CPF", "number": "12345678909"}},
        "receiver": {
            "name": "Loja da Ana Ltda", "document": {"type": "CNPJ", "number": "11222333000181"}, "branch": "0001",
            "account": "00000019", "accountType": "TRAN",
        },
        "remittance": "Mensalidade",
    }  # fmt: skip
    plain = msgspec.structs.replace(INSTRUCTION, details=None, payer_document="99999020000185")
    told = msgspec.json.decode(wire.written(message.kind, port.charge_message(plain, UUID(int=1), UUID(int=2), AT).body))
    assert "remittance" not in told
    assert told["payer"]["document"] == {"type": "CNPJ", "number": "99999020000185"}


def test_a_cancellation_is_written() -> None:
    order = port.ChargeCancelOrder.new(ISPB, "M9", ID, TXID, "SLCR", bytes(range(32)))
    message = port.charge_cancel_message(order, UUID(int=1), UUID(int=2), AT)
    assert (message.rail, message.kind, message.network_id) == ("pix", "charge-cancel.send", order.message_id)
    assert msgspec.json.decode(wire.written(message.kind, message.body)) == {
        "msgId": order.message_id, "type": "camt.055", "createdAt": "2026-11-20T12:00:00.123Z", "originalMsgId": "M9",
        "idRec": ID, "txId": TXID, "reason": "SLCR",
    }  # fmt: skip


def test_what_the_network_never_takes_has_been_refused_by_no_bank() -> None:
    sent = port.charge_message(INSTRUCTION, UUID(int=1), UUID(int=2), AT)
    told = REFUSED_ENDS[port.CHARGE_SEND](sent.body, "INVALID")
    assert (told.kind, told.subject) == ("charge.refused", ID)
    assert port.charge_refused(told.body) == port.ChargeRefused("M9", ID, TXID, "INVALID", None)
    order = port.ChargeCancelOrder.new(ISPB, "M9", ID, TXID, "SLCR", bytes(range(32)))
    asked = port.charge_cancel_message(order, UUID(int=1), UUID(int=2), AT)
    told = REFUSED_ENDS[port.CHARGE_CANCEL_SEND](asked.body, "INVALID")
    assert (told.kind, told.subject) == ("charge-cancel.final", ID)
    assert port.charge_cancel_final(told.body) == port.ChargeCancelFinal(order.message_id, "M9", "FAILED", "INVALID")


STATUS = {
    "msgId": "M9",
    "idRec": ID,
    "txId": TXID,
    "status": "SCHEDULED",
    "decidedAt": "2026-11-20T12:00:00Z",
    "endToEndId": E2E,
}
PAID = {name: value for name, value in PIX.items() if name not in {"msgId", "type"}} | {"settledAt": "2026-11-20T12:00:01Z"}
SETTLED = STATUS | {"status": "SETTLED", "payment": PAID}


@pytest.mark.parametrize(
    ("status", "kind", "decode", "value"),
    [
        (STATUS, "charge.scheduled", port.charge_scheduled, port.ChargeScheduled("M9", ID, TXID, E2E, NOON)),
        (STATUS | {"status": "RJCT", "code": "AM02"}, "charge.refused", port.charge_refused,
         port.ChargeRefused("M9", ID, TXID, "AM02", NOON)),
        (STATUS | {"status": "CANCELED", "code": "CCLD"}, "charge.canceled", port.charge_canceled,
         port.ChargeCanceled("", "M9", ID, TXID, "CCLD", NOON)),
    ],
)  # fmt: skip
def test_answers_about_an_instruction(status: dict[str, Any], kind: str, decode: Any, value: Any) -> None:
    told = wire.charge_status("M9", msgspec.json.encode(status), ISPB)
    assert isinstance(told, port.NetworkMessage)
    assert (told.kind, told.network_id, told.subject, told.company_number) == (kind, "", ID, 7)
    assert decode(told.body) == value


def test_what_was_collected_is_told_as_the_payment_whole() -> None:
    told = wire.charge_status("M9", msgspec.json.encode(SETTLED), ISPB)
    assert isinstance(told, port.NetworkMessage)
    assert (told.kind, told.subject, told.txid, told.account) == ("pix.settled", E2E, TXID, "000000019")
    arrival = port.arrival(told.body)
    assert (arrival.charging, arrival.amount, arrival.settled_at) == (ID, Money(2990, "BRL"), NOON.replace(second=1))


def test_what_is_undecided_is_pending() -> None:
    pending = STATUS | {"status": "PENDING", "decidedAt": None, "endToEndId": None}
    assert wire.charge_status("M9", msgspec.json.encode(pending), ISPB) == port.Pending()
    asked = {"msgId": "M8", "idRec": ID, "instructionMsgId": "M9", "status": "PENDING", "decidedAt": None}
    assert charge_wire.charge_cancel_status("M8", msgspec.json.encode(asked), ISPB) == port.Pending()


@pytest.mark.parametrize(
    "status",
    [
        STATUS | {"status": "DONE"}, STATUS | {"endToEndId": None}, STATUS | {"decidedAt": None}, STATUS | {"idRec": "x"},
        STATUS | {"txId": None}, STATUS | {"status": "RJCT"}, STATUS | {"status": "CANCELED"},
        SETTLED | {"payment": None}, SETTLED | {"payment": PIX}, SETTLED | {"payment": 7},
        SETTLED | {"payment": PAID | {"amount": "-1.00"}},
    ],
)  # fmt: skip
def test_answers_that_cannot_be_read_say_nothing(status: dict[str, Any]) -> None:
    with pytest.raises(messages.Malformed):
        wire.charge_status("M9", msgspec.json.encode(status), ISPB)


@pytest.mark.parametrize(
    ("status", "code", "outcome"), [("ACCP", None, "CONFIRMED"), ("RJCT", "NIPA", "REFUSED"), ("RJCT", None, "REFUSED")]
)
def test_answers_about_a_cancellation(status: str, code: str | None, outcome: Any) -> None:
    said = {"idRec": ID, "instructionMsgId": "M9", "status": status, "code": code, "decidedAt": "2026-11-20T12:00:00Z"}
    told = charge_wire.charge_cancel_status("M8", msgspec.json.encode(said), ISPB)
    assert isinstance(told, port.NetworkMessage)
    assert (told.kind, told.subject) == ("charge-cancel.final", ID)
    assert port.charge_cancel_final(told.body) == port.ChargeCancelFinal("M8", "M9", outcome, code, NOON, ID)
    for body in (b"<html>", msgspec.json.encode(said | {"instructionMsgId": ""})):
        with pytest.raises(messages.Malformed):
            charge_wire.charge_cancel_status("M8", body, ISPB)


texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40)
days = st.dates(date(2020, 1, 1), date(2100, 1, 1))
instants = st.datetimes(datetime(2020, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
ids = st.builds(
    recurrence_id, st.sampled_from([ISPB, "99999030"]), days, st.integers(0, 99), st.integers(0, 999), retries=st.booleans()
)
names = st.from_regex(r"[A-Za-z0-9]{1,32}", fullmatch=True)
txids = st.from_regex(r"[A-Za-z0-9]{26,35}", fullmatch=True)
codes = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", min_size=4, max_size=4)
collectors = st.builds(port.Collector, texts, texts, texts, texts)


@given(st.builds(
    port.ChargeInstruction, names, ids, txids, st.sampled_from(["AGND", "NTAG", "RIFL"]),
    st.builds(Money, st.integers(1, 999_999_999_999), st.just("BRL")), days, days, texts, texts, collectors, st.none() | texts, st.booleans(),
    instants,
))  # fmt: skip
def test_every_instruction_is_written_whole(order: port.ChargeInstruction) -> None:
    body = port.encode(order)
    assert port.charge_instruction(body) == order
    said = msgspec.json.decode(wire.written(port.CHARGE_SEND, body))
    assert (said["msgId"], said["idRec"], said["txId"], said["kind"]) == (
        order.message_id,
        order.recurrence_id,
        order.txid,
        order.kind,
    )
    assert (said["amount"], said["dueDate"]) == (str(order.amount), order.due_on.isoformat())
    assert (said["settlementDate"], said.get("remittance")) == (order.collect_on.isoformat(), order.details)
    assert said["receiver"]["name"] == order.collector.name
    assert wire.written(port.CHARGE_SEND, body) == wire.written(port.CHARGE_SEND, body)


@given(names, names, ids, txids, codes, instants)
def test_every_end_is_read_as_it_was_said(name: str, original: str, id_rec: str, txid: str, code: str, at: datetime) -> None:
    said = {"msgId": name, "originalMsgId": original, "idRec": id_rec, "txId": txid}
    refused = read(said | {"type": "pain.014", "status": "RJCT", "code": code, "decidedAt": at})
    assert port.charge_refused(refused.body) == port.ChargeRefused(original, id_rec, txid, code, at)
    gone = read(said | {"type": "camt.055", "reason": code, "canceledAt": at})
    assert port.charge_canceled(gone.body) == port.ChargeCanceled(name, original, id_rec, txid, code, at)


@given(st.sampled_from([SCHEDULED, REFUSED, CANCELED, RESOLVED, PIX]), st.dictionaries(
    st.sampled_from([*SCHEDULED, *CANCELED, *RESOLVED, *PIX]),
    st.none() | st.booleans() | st.integers() | st.text(max_size=30) | st.lists(st.none()) | st.dictionaries(st.text(), st.none()),
))  # fmt: skip
def test_nothing_that_arrives_is_lost_or_raises(message: dict[str, Any], changes: dict[str, Any]) -> None:
    told = read(message | changes)
    assert told.network_id
    assert "\0" not in told.network_id + told.subject

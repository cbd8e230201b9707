"""Messages of Pix Automático, read and written."""

from datetime import UTC, date, datetime, timedelta
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
from lastro.rails.spi import recurrence_wire, wire
from lastro.standards.recurrence_ids import recurrence_id

ISPB = "99999010"
AT = datetime(2026, 11, 20, 12, 0, 0, 123456, tzinfo=UTC)
ID = recurrence_id(ISPB, date(2026, 11, 20), 7, 1, retries=True)
OTHERS = recurrence_id("99999030", date(2026, 11, 20), 7, 1, retries=False)
PAYER = {
    "name": "Pessoa Pagadora", "document": {"type": "CPF", "number": "12345678909"}, "ispb": "99999020", "branch": "0001",
    "account": "123456", "accountType": "CACC", "ibgeCode": "3550308",
}  # fmt: skip
PORTED = port.Payer("Pessoa Pagadora", "CPF", "12345678909", "99999020", "0001", "123456", "CACC", "3550308")
WORD = {
    "msgId": "M1", "type": "pain.012", "createdAt": "2026-11-20T12:00:00Z", "idRec": ID, "status": "ACCP",
    "maximumAmount": "50.00", "decidedAt": "2026-11-20T09:00:00-03:00", "payer": PAYER,
}  # fmt: skip
ANSWER = {
    "msgId": "M2", "type": "pain.012", "originalMsgId": "M9", "idRec": ID, "status": "RJCT", "code": "AP13",
    "decidedAt": "2026-11-20T12:00:00Z",
}  # fmt: skip
CANCELED = {
    "msgId": "M3", "type": "pain.011", "idRec": ID, "reason": "SLDB", "canceledAt": "2026-11-20T12:00:00Z",
    "requestedBy": {"role": "USUARIO_PAGADOR", "document": {"type": "CPF", "number": "12345678909"}, "name": "Pessoa"},
}  # fmt: skip
NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
BY = port.Requester(port.BY_RECEIVER, "CNPJ", "11222333000181", "Loja da Ana Ltda")


def read(message: object) -> port.NetworkMessage:
    return wire.read(msgspec.json.encode(message), ISPB)


def test_a_payers_yes() -> None:
    told = read(WORD)
    assert (told.kind, told.network_id, told.subject, told.company_number) == ("authorization.ask", "M1", ID, 7)
    assert (told.account, told.txid, told.rail) == (None, None, None)
    assert port.authorization(told.body) == port.Authorization("M1", ID, PORTED, NOON, Money(5000, "BRL"))
    without = {name: value for name, value in WORD.items() if name != "maximumAmount"}
    assert port.authorization(read(without).body).maximum is None


def test_a_payers_no() -> None:
    told = read(WORD | {"status": "RJCT", "code": "AP14"})
    assert (told.kind, told.subject, told.company_number) == ("authorization.declined", ID, 7)
    assert port.authorization_declined(told.body) == port.AuthorizationDeclined("M1", ID, PORTED, NOON, "AP14")


def test_a_registration_that_the_network_will_not_have_after_all() -> None:
    refusal = {"msgId": "M4", "type": "admi.002", "relatedMsgId": ID, "createdAt": WORD["decidedAt"], "reason": "why"}
    told = read(refusal)
    assert (told.kind, told.network_id, told.subject, told.company_number) == ("recurrence.refused", "M4", ID, 7)
    assert port.recurrence_refused(told.body) == port.RecurrenceRefused("M4", ID, "admi.002", NOON)
    coded = read({name: value for name, value in refusal.items() if name != "createdAt"} | {"code": "AP14"})
    assert port.recurrence_refused(coded.body) == port.RecurrenceRefused("M4", ID, "AP14", None)


def test_a_payer_cancels() -> None:
    told = read(CANCELED)
    assert (told.kind, told.subject, told.company_number) == ("authorization.canceled", ID, 7)
    requester = port.Requester("USUARIO_PAGADOR", "CPF", "12345678909", "Pessoa")
    assert port.authorization_canceled(told.body) == port.AuthorizationCanceled("M3", ID, "SLDB", requester, NOON)
    by_bank = read(CANCELED | {"reason": "DCSD", "requestedBy": {"role": "PSP_PAGADOR"}})
    assert port.authorization_canceled(by_bank.body).requester == port.Requester("PSP_PAGADOR")


def test_what_became_of_our_cancellation() -> None:
    told = read(ANSWER)
    assert (told.kind, told.network_id, told.subject, told.company_number) == ("cancellation.final", "M2", ID, 7)
    assert port.cancellation_final(told.body) == port.CancellationFinal("M9", ID, "REFUSED", "AP13", NOON)
    confirmed = port.cancellation_final(read(ANSWER | {"status": "ACCP", "code": None}).body)
    assert (confirmed.outcome, confirmed.code) == ("CONFIRMED", None)


def test_a_recurrence_that_is_not_ours_names_no_company_of_ours() -> None:
    for message in (WORD, ANSWER, CANCELED):
        told = read(message | {"idRec": OTHERS})
        assert (told.subject, told.company_number) == (OTHERS, None)
        assert told.kind != port.UNKNOWN


@in_one_test(
    "message",
    [
        WORD | {"idRec": "RR1"}, WORD | {"idRec": ID.lower()}, WORD | {"status": "ACTC"}, WORD | {"maximumAmount": "-1.00"},
        WORD | {"maximumAmount": "0.00"}, WORD | {"maximumAmount": 50}, WORD | {"decidedAt": "2026-11-20T12:00:00"},
        WORD | {"payer": None}, WORD | {"payer": PAYER | {"document": "12345678909"}}, WORD | {"originalMsgId": "a-b"},
        WORD | {"status": "RJCT", "code": "a b"}, WORD | {"payer": PAYER | {"name": "a\0b"}},
        ANSWER | {"originalMsgId": ""}, ANSWER | {"status": "PDNG"}, ANSWER | {"idRec": None}, ANSWER | {"code": ""},
        CANCELED | {"reason": None}, CANCELED | {"reason": "sldb"}, CANCELED | {"requestedBy": {"role": "ANYBODY"}},
        CANCELED | {"canceledAt": None}, CANCELED | {"idRec": "R" * 29}, CANCELED | {"requestedBy": "me"},
    ],
)  # fmt: skip
def test_what_breaks_the_catalogue_is_kept_as_it_came(message: dict[str, Any]) -> None:
    raw = msgspec.json.encode(message)
    assert wire.read(raw, ISPB) == port.NetworkMessage("unknown", message["msgId"], message["msgId"], raw)


PIX = {
    "msgId": "M4", "type": "pacs.008", "endToEndId": "E99999020202611201200abcdefghijk", "txId": "abc", "amount": "10.00",
    "acceptedAt": "2026-11-20T12:00:00Z", "localInstrument": "QRDN", "payer": PAYER,
    "receiver": {"branch": "0001", "account": "000000019"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("recurrence", "authorizing"),
    [
        ({"idRec": ID}, port.Authorizing(ID)), ({"idRec": ID, "maximumAmount": "0.01"}, port.Authorizing(ID, Money(1, "BRL"))),
        (None, None),
    ],
)  # fmt: skip
def test_a_first_payment_says_what_it_authorizes(recurrence: Any, authorizing: port.Authorizing | None) -> None:
    for kind, more in (("pacs.008", {}), ("camt.054", {"settledAt": "2026-11-20T12:00:01Z"})):
        told = read(PIX | {"type": kind, "recurrence": recurrence} | more)
        assert told.kind in ("pix.ask", "pix.settled")
        assert port.arrival(told.body).authorizing == authorizing


@pytest.mark.parametrize("recurrence", [{"idRec": "RR1"}, {"idRec": ID, "maximumAmount": "x"}, {}, ID])
def test_a_first_payment_that_authorizes_nothing_readable_is_no_payment(recurrence: Any) -> None:
    assert read(PIX | {"recurrence": recurrence}).kind == "unknown", "paying alone would be half of it"


def test_an_answer_is_written() -> None:
    asked = port.authorization(read(WORD).body)
    yes = port.AuthorizationAnswer.new(ISPB, asked, None, bytes(range(32)))
    assert (yes.accept, yes.original_message_id, yes.recurrence_id) == (True, "M1", ID)
    message = port.authorization_answer_message(yes, UUID(int=1), UUID(int=2), AT)
    assert (message.rail, message.kind, message.network_id) == ("pix", "authorization.answer", yes.message_id)
    assert msgspec.json.decode(wire.written(message.kind, message.body)) == {
        "msgId": yes.message_id, "type": "pain.012", "createdAt": "2026-11-20T12:00:00.123Z", "originalMsgId": "M1",
        "idRec": ID, "status": "ACCP",
    }  # fmt: skip
    no = port.AuthorizationAnswer.new(ISPB, asked, "AP13", bytes(range(32)))
    written = wire.written(message.kind, port.authorization_answer_message(no, UUID(int=1), UUID(int=2), AT).body)
    told = msgspec.json.decode(written)
    assert (told["status"], told["code"]) == ("RJCT", "AP13")


def test_a_cancellation_is_written() -> None:
    order = port.CancellationOrder.new(ISPB, ID, "SLCR", BY, bytes(range(32)))
    message = port.cancellation_message(order, UUID(int=1), UUID(int=2), AT)
    assert (message.rail, message.kind, message.network_id) == ("pix", "cancellation.send", order.message_id)
    assert msgspec.json.decode(wire.written(message.kind, message.body)) == {
        "msgId": order.message_id, "type": "pain.011", "createdAt": "2026-11-20T12:00:00.123Z", "idRec": ID, "reason": "SLCR",
        "requestedBy": {
            "role": "USUARIO_RECEBEDOR", "document": {"type": "CNPJ", "number": "11222333000181"}, "name": "Loja da Ana Ltda",
        },
    }  # fmt: skip
    plain = msgspec.structs.replace(order, requester=port.Requester(port.BY_RECEIVERS_BANK))
    written = wire.written(message.kind, port.cancellation_message(plain, UUID(int=1), UUID(int=2), AT).body)
    assert msgspec.json.decode(written)["requestedBy"] == {"role": "PSP_RECEBEDOR"}


def test_a_cancellation_that_the_network_never_takes_has_been_refused_by_nobody() -> None:
    order = port.CancellationOrder.new(ISPB, ID, "SLCR", BY, bytes(range(32)))
    told = REFUSED_ENDS[port.CANCELLATION_SEND](
        port.cancellation_message(order, UUID(int=1), UUID(int=2), AT).body, "INVALID"
    )
    assert (told.kind, told.subject) == ("cancellation.final", ID)
    assert port.cancellation_final(told.body) == port.CancellationFinal(order.message_id, ID, "FAILED", "INVALID")


def test_answers_about_a_cancellation() -> None:
    status = {"msgId": "M9", "idRec": ID, "status": "PENDING", "decidedAt": None}
    assert recurrence_wire.cancellation_status("M9", msgspec.json.encode(status)) == port.Pending()
    ended = status | {"status": "RJCT", "code": "MIDI", "decidedAt": "2026-11-20T12:00:00Z"}
    final = recurrence_wire.cancellation_status("M9", msgspec.json.encode(ended))
    assert final == port.CancellationFinal("M9", ID, "REFUSED", "MIDI", NOON)
    for body in (b"<html>", msgspec.json.encode(status | {"idRec": "x"})):
        with pytest.raises(messages.Malformed):
            recurrence_wire.cancellation_status("M9", body)


texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40)
instants = st.datetimes(datetime(2020, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
ids = st.builds(
    recurrence_id, st.sampled_from([ISPB, "99999030"]), st.dates(date(2020, 1, 1), date(2100, 1, 1)), st.integers(0, 99),
    st.integers(0, 999), retries=st.booleans(),
)  # fmt: skip
payers = st.builds(port.Payer, texts, st.sampled_from(["CPF", "CNPJ"]), texts, texts, texts, texts, texts, st.none() | texts)
codes = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", min_size=4, max_size=4)
amounts = st.none() | st.builds(Money, st.integers(1, 999_999_999_999), st.just("BRL"))
names = st.from_regex(r"[A-Za-z0-9]{1,32}", fullmatch=True)
requesters = st.builds(
    port.Requester, st.sampled_from(["USUARIO_PAGADOR", "PSP_PAGADOR"]), st.just("CPF"), texts, st.none() | texts
)


def _payer(payer: port.Payer) -> dict[str, Any]:
    return {
        "name": payer.name, "document": {"type": payer.document_type, "number": payer.document_number}, "ispb": payer.ispb,
        "branch": payer.branch, "account": payer.account, "accountType": payer.account_type, "ibgeCode": payer.ibge_code,
    }  # fmt: skip


@given(st.builds(port.Authorization, names, ids, payers, instants, amounts))
def test_every_yes_is_read_as_it_was_said(said: port.Authorization) -> None:
    maximum = {} if said.maximum is None else {"maximumAmount": str(said.maximum)}
    told = read({
        "msgId": said.message_id, "type": "pain.012", "idRec": said.recurrence_id, "status": "ACCP",
        "decidedAt": said.accepted_at.astimezone(UTC), "payer": _payer(said.payer), **maximum,
    })  # fmt: skip
    assert port.authorization(told.body) == said
    assert (told.company_number is not None) == (said.recurrence_id[2:10] == ISPB)


@given(st.builds(port.AuthorizationCanceled, names, ids, codes, requesters, instants))
def test_every_cancellation_is_read_as_it_was_said(said: port.AuthorizationCanceled) -> None:
    asked = said.requester
    told = read({
        "msgId": said.message_id, "type": "pain.011", "idRec": said.recurrence_id, "reason": said.code,
        "canceledAt": said.canceled_at + timedelta(0), "requestedBy": {
            "role": asked.role, "document": {"type": asked.document_type, "number": asked.document_number}, "name": asked.name,
        },
    })  # fmt: skip
    assert port.authorization_canceled(told.body) == said


@given(st.builds(port.CancellationOrder, names, ids, codes, requesters, instants))
def test_every_order_is_written_whole(order: port.CancellationOrder) -> None:
    body = port.encode(order)
    assert port.cancellation_order(body) == order
    written = msgspec.json.decode(wire.written(port.CANCELLATION_SEND, body))
    assert (written["msgId"], written["idRec"], written["reason"]) == (order.message_id, order.recurrence_id, order.code)
    assert written["requestedBy"].get("name") == order.requester.name
    assert wire.written(port.CANCELLATION_SEND, body) == wire.written(port.CANCELLATION_SEND, body)


@given(st.sampled_from([WORD, ANSWER, CANCELED]), st.dictionaries(
    st.sampled_from([*WORD, *ANSWER, *CANCELED]),
    st.none() | st.booleans() | st.integers() | st.text(max_size=30) | st.lists(st.none()) | st.dictionaries(st.text(), st.none()),
))  # fmt: skip
def test_nothing_that_arrives_is_lost_or_raises(message: dict[str, Any], changes: dict[str, Any]) -> None:
    told = read(message | changes)
    assert told.network_id
    assert "\0" not in told.network_id + told.subject

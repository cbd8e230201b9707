"""That a storm sees each movement which is on one side alone, or otherwise than on the other."""

from copy import deepcopy
from datetime import UTC, datetime
from typing import Any
from unittest.mock import Mock

from tests.in_one import in_one_test
from tests.journeys.play import _SENT, _SENT_TEDS
from tests.world.whole import matching

from lastro.core.money import Money
from lastro.rails.port import CardChargeback, encode

_OURS, _THEIRS = "E99999010x", "E00000000y"  # a payment that we have sent, and one that came
_TILL, _CARD = "till-1", "card-1"


def _both() -> tuple[dict[str, Any], dict[str, Any]]:
    """The records of network and partners by their places, and our books by what reads them, which agree."""
    back = {"amount": "1.00", "status": "SETTLED"}
    network = {
        "/payments": [
            {"endToEndId": _OURS, "receiverIspb": "99999020", "status": "SETTLED", "amount": "5.00", "returns": [{"returnId": "D1", **back}]},
            {"endToEndId": _THEIRS, "receiverIspb": "99999010", "status": "SETTLED", "amount": "6.00", "returns": [{"returnId": "D2", **back}]},
        ],
        "/teds": [
            {"numCtrlIf": "T1", "status": "SETTLED", "amount": "7.00", "returned": {"numCtrlStr": "S1", "amount": "7.00"}},
        ],
        "/teds/in": [],
        "/collecting/boleto": [],
        "/collecting/spei": [{"payments": [
            {"paymentId": _TILL, "status": "SETTLED", "amount": "8.00", "returns": [{"returnId": "D3", **back}]},
        ]}],
        "/cards": [{
            "paymentId": _CARD, "status": "CAPTURED", "amount": "9.00", "returns": [{"returnId": "D4", **back}],
            "chargebacks": [{"chargebackId": "C1", "amount": "8.00"}],
        }],
    }  # fmt: skip
    books = {
        _SENT: [{"end_to_end_id": _OURS, "status": "PARTIAL_REFUNDED", "amount_minor": 500}],
        _SENT_TEDS: [{"control_number": "T1", "status": "REFUNDED", "amount_minor": 700}],
        matching._PAYMENTS: [{"end_to_end_id": _THEIRS, "state": "SETTLED", "amount_minor": 600}],
        matching._GIVEN: [{"end_to_end_id": _THEIRS, "return_id": "D2", "state": "PAID", "amount_minor": 100}],
        f"{matching._CAME_BACK} pix": [{"network_id": _OURS, "return_id": "D1", "state": "BOOKED", "amount_minor": 100}],
        f"{matching._CAME_BACK} ted": [{"network_id": "T1", "return_id": "S1", "state": "BOOKED", "amount_minor": 700}],
        matching._COLLECTED: [
            {"rail": "spei", "end_to_end_id": _TILL, "state": "SETTLED", "amount_minor": 800, "order_id": 1},
            {"rail": "card", "end_to_end_id": _CARD, "state": "SETTLED", "amount_minor": 900, "order_id": 2},
        ],
        matching._GIVEN_BY_PARTNERS: [
            {"of": "spei", "end_to_end_id": _TILL, "return_id": "D3", "state": "PAID", "amount_minor": 100},
            {"of": "card", "end_to_end_id": _CARD, "return_id": "D4", "state": "PAID", "amount_minor": 100},
        ],
        matching._CHARGEBACKS: [{"end_to_end_id": _CARD, "chargeback_id": "C1", "state": "BOOKED", "amount_minor": 800}],
        matching._LEFT_TO_PEOPLE: [],
        matching._TEDS_IN: [],
        matching._TEDS_GIVEN: [],
    }  # fmt: skip
    return network, books


async def _matched(network: dict[str, Any], books: dict[str, Any]) -> list[str]:
    async def act(path: str, **_: Any) -> Any:
        return {"data": network.get(path.partition("?")[0], [])}

    async def fetch(sql: str, *rails: str) -> Any:
        return books[" ".join((sql, *rails))]

    return await matching.matched(Mock(act=act, books=Mock(fetch=fetch)))


_ROWS = [(sql, place) for sql, rows in _both()[1].items() for place in range(len(rows))]
_NAMES = [f"{sql.strip().replace(chr(10), ' ')[-60:]} {place}" for sql, place in _ROWS]


async def test_what_agrees_is_not_told() -> None:
    assert await _matched(*_both()) == []


@in_one_test(("sql", "place"), _ROWS, ids=_NAMES)
async def test_each_row_of_the_books_is_missed_and_seen_otherwise(sql: str, place: int) -> None:
    network, books = _both()
    row = books[sql].pop(place)
    assert len(await _matched(network, books)) == 1, "they alone have it"
    books[sql] += [row, row]
    assert len(await _matched(network, books)) == 1, "it is here twice"
    books[sql].pop()
    books[sql][-1] = {**row, "amount_minor": row["amount_minor"] + 1}
    assert len(await _matched(network, books)) == 1, "of another amount"
    column = "status" if "status" in row else "state"
    books[sql][-1] = {**row, column: "PENDING"}
    assert len(await _matched(network, books)) == 1, "with another end"


@in_one_test(("sql", "place"), _ROWS, ids=_NAMES)
async def test_each_row_that_we_alone_have_is_told(sql: str, place: int) -> None:
    network, books = _both()
    row = books[sql][place]
    name = "control_number" if "control_number" in row else "network_id" if "network_id" in row else "end_to_end_id"
    books[sql].append({**row, name: f"{row[name]} of nobody"})
    assert len(await _matched(network, books)) == 1


async def test_a_return_that_was_refused_is_an_error_here() -> None:
    for sql, place in (("_GIVEN", "/payments"), ("_GIVEN_BY_PARTNERS", "/cards")):
        network, books = _both()
        network[place][-1]["returns"][0]["status"] = "REJECTED"
        row = books[getattr(matching, sql)][-1]
        assert len(await _matched(network, books)) == 1
        row["state"] = "ERROR"
        assert await _matched(network, books) == []
        network[place][-1]["returns"] = []
        assert await _matched(network, books) == [], "it may also never have come there"


async def test_a_chargeback_of_more_than_is_left_may_be_left_to_people() -> None:
    network, books = _both()
    taken = CardChargeback("C1", _CARD, "1", Money(801, "MXN"), datetime(2026, 1, 1, tzinfo=UTC))
    network["/cards"][0]["chargebacks"][0]["amount"] = "8.01"
    books[matching._CHARGEBACKS] = []
    assert len(await _matched(network, books)) == 1, "and nobody was told"
    books[matching._LEFT_TO_PEOPLE] = [{"body": encode(taken)}]
    assert await _matched(network, books) == []
    fits = deepcopy(network)
    fits["/cards"][0]["chargebacks"][0]["amount"] = "8.00"
    assert len(await _matched(fits, books)) == 1, "so much was left of it"
    books[matching._COLLECTED][-1]["order_id"] = None
    assert await _matched(fits, books) == [], "it has paid no order"

"""Our books against the records of network and partners: each movement is on both sides, once, with its amount and end."""

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from tests.journeys.play import _AGREE, _ISPB, _PAYOUTS_AGREE, _SENT, _SENT_TEDS, _TEDS_AGREE, Play, cents

from lastro.rails.port import CARD, card_chargeback
from lastro_sim.settings import COMPANY_BANK_ISPB

# A partner's name among the acts of the simulator, and the rail under which we know it.
PARTNERS = ("oxxo", "oxxopay", "paynet", "paynet2", "spei", "deposit", "crypto", "crypto2")
_TAKEN = ("SETTLED", "RETURNED", "STRANDED", "CREDITED", "PAID_OUT")
# A payment that could not be returned waits for people, who may have decided about it meanwhile.
_CAME_AGREE = {"SETTLED": _TAKEN, "REJECTED": _AGREE["REJECTED"]}
_NOT_TAKEN = ("FAILED", "REFUSED", None)
_NOT_SENT = ("ERROR", "EXPIRED", "CANCELED", "ANALYSIS")
_NOT_GIVEN = ("ERROR", "CREDITED", "PAID_OUT")  # the last two: what was refused, people have decided about
_BOOKED = ("BOOKED",)  # of rows that have no states

_PAYMENTS = "SELECT * FROM pix_payments WHERE rail = 'pix'"
# Not those of companies' own banks: tests/world/bank/matching.py holds them against what these have.
_COLLECTED = """
SELECT * FROM pix_payments WHERE rail NOT IN ('pix', 'book', 'ted') AND rail NOT IN (SELECT n.rail FROM connections n)
"""
_TEDS_IN = "SELECT * FROM pix_payments WHERE rail = 'ted'"
_TEDS_GIVEN = """
SELECT r.*, p.end_to_end_id FROM refunds r JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
 WHERE p.rail = 'ted'
"""
_GIVEN = """
SELECT r.*, p.end_to_end_id FROM refunds r JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
 WHERE p.rail = 'pix'
"""
_GIVEN_BY_PARTNERS = """
SELECT r.*, p.end_to_end_id, p.rail AS of FROM refunds r
  JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id WHERE p.rail NOT IN ('pix', 'book', 'ted')
   AND p.rail NOT IN (SELECT n.rail FROM connections n)
"""
_CAME_BACK = """
SELECT b.*, 'BOOKED' AS state, coalesce(p.end_to_end_id, p.control_number) AS network_id FROM payout_returns b
  JOIN payouts p ON p.company_id = b.company_id AND p.id = b.payout_id WHERE p.rail = $1
"""
_CHARGEBACKS = """
SELECT c.*, 'BOOKED' AS state, p.end_to_end_id FROM chargebacks c
  JOIN pix_payments p ON p.company_id = c.company_id AND p.id = c.payment_id
 WHERE c.rail = 'card'
"""
_LEFT_TO_PEOPLE = "SELECT body FROM inbox WHERE kind = 'card.chargeback' AND outcome = 'alarmed'"


async def matched(play: Play) -> list[str]:
    """What is on one side alone, or otherwise than on the other."""
    return [*await _pix(play), *await _teds(play), *await _teds_in(play), *await _partners(play)]


class Books:
    """Rows of ours, each by what the other side calls it; what nobody there has named is left over.

    what: what they are. column: where each says how it ended. name: the columns of its name.
    """

    def __init__(self, what: str, rows: Iterable[Any], column: str, *name: str) -> None:
        self.what, self.column = what, column
        self.rows: dict[tuple[str, ...], Any] = {}
        self.twice: list[str] = []
        for row in rows:
            called = tuple(row[part] for part in name)
            if called in self.rows:
                self.twice.append(f"{what} {' '.join(called)} is here twice")
            self.rows[called] = row

    def met(self, theirs: dict[str, Any], agree: Collection[str | None], *name: str) -> Iterator[str]:
        """theirs: their record of what they call so. agree: how ours may have ended; None: we need not have it."""
        mine = self.rows.pop(name, None)
        state = None if mine is None else mine[self.column]
        if state not in agree:
            yield f"there is {theirs}, and our {self.what} is {state or 'not there'}"
        elif mine is not None and mine["amount_minor"] != cents(theirs["amount"]):
            yield f"there is {theirs}, and our {self.what} is of {mine['amount_minor']}"

    def rest(self, may: Collection[str | None] = ()) -> Iterator[str]:
        """What is here more than once, or here alone. may: how what has never left us, or never came, has ended."""
        yield from self.twice
        for name, row in self.rows.items():
            if row[self.column] not in may:
                yield f"{self.what} {' '.join(name)} is {row[self.column]}, and nobody there has it"


async def _pix(play: Play) -> list[str]:
    network = (await play.act("/payments?limit=10000", method="GET"))["data"]
    came = Books("payment", await play.books.fetch(_PAYMENTS), "state", "end_to_end_id")
    given = Books("return", await play.books.fetch(_GIVEN), "state", "end_to_end_id", "return_id")
    sent = Books("payout", await play.books.fetch(_SENT), "status", "end_to_end_id")
    back = Books("return of a payout", await play.books.fetch(_CAME_BACK, "pix"), "state", "network_id", "return_id")
    wrong: list[str] = []
    for payment in network:
        name = payment["endToEndId"]
        if payment["receiverIspb"] == COMPANY_BANK_ISPB and name[1:9] != _ISPB:
            continue
        if name[1:9] == _ISPB:
            wrong += sent.met(payment, _PAYOUTS_AGREE[payment["status"]], name)
            for one in payment["returns"]:
                wrong += back.met(one, _BOOKED if one["status"] == "SETTLED" else (None,), name, one["returnId"])
            continue
        wrong += came.met(payment, _CAME_AGREE.get(payment["status"], ()), name)
        for one in payment["returns"]:
            wrong += _given_back(one, given, name)
    return [*wrong, *sent.rest(_NOT_SENT), *came.rest(), *given.rest(_NOT_GIVEN), *back.rest()]


def _given_back(theirs: dict[str, Any], given: Books, *payment: str) -> Iterator[str]:
    """What they have given back of a payment for us has ended here as there."""
    agree = {"SETTLED": ("PAID",), "REJECTED": _NOT_GIVEN}.get(theirs["status"], ())
    yield from given.met(theirs, agree, *payment, theirs["returnId"])


async def _teds(play: Play) -> list[str]:
    network = (await play.act("/teds?limit=10000", method="GET"))["data"]
    sent = Books("TED", await play.books.fetch(_SENT_TEDS), "status", "control_number")
    back = Books("return of a TED", await play.books.fetch(_CAME_BACK, "ted"), "state", "network_id", "return_id")
    wrong: list[str] = []
    for ted in network:
        name, returned = ted["numCtrlIf"], ted["returned"]
        wrong += sent.met(ted, ("REFUNDED" if returned else _TEDS_AGREE[ted["status"]],), name)
        if returned:
            wrong += back.met(returned, _BOOKED, name, returned["numCtrlStr"])
    return [*wrong, *sent.rest(_NOT_SENT), *back.rest()]


async def _teds_in(play: Play) -> list[str]:
    """Every TED of another bank was taken once, and is given back there where it is here."""
    came = Books("TED that came", await play.books.fetch(_TEDS_IN), "state", "end_to_end_id")
    given = Books("return of ours of a TED", await play.books.fetch(_TEDS_GIVEN), "state", "end_to_end_id", "return_id")
    wrong: list[str] = []
    for ted in (await play.act("/teds/in?limit=10000", method="GET"))["data"]:
        name, back = ted["numCtrlStr"], ted["returned"]
        wrong += came.met(ted, ("RETURNED",) if back else ("SETTLED", "STRANDED", *_NOT_GIVEN), name)
        if back:
            wrong += given.met({**ted, **back}, ("PAID",), name, back["numCtrlIf"])
    return [*wrong, *came.rest(), *given.rest(_NOT_GIVEN)]


async def _partners(play: Play) -> list[str]:
    """Every payment that a partner has settled was taken once, and what it has given and taken back is ours."""
    cards = (await play.act("/cards?limit=10000", method="GET"))["data"]
    payments = [(CARD, {**card, "status": "SETTLED"}) for card in cards if card["status"] == "CAPTURED"]
    for rail in ("boleto", *PARTNERS):
        found = (await play.act(f"/collecting/{rail}?limit=10000", method="GET"))["data"]
        payments += [(rail, payment) for item in found for payment in item["payments"]]
    rows = await play.books.fetch(_COLLECTED)
    came = Books("payment", rows, "state", "rail", "end_to_end_id")
    given = Books("return", await play.books.fetch(_GIVEN_BY_PARTNERS), "state", "of", "end_to_end_id", "return_id")
    wrong: list[str] = []
    for rail, payment in payments:
        wrong += came.met(payment, _TAKEN if payment["status"] == "SETTLED" else _NOT_TAKEN, rail, payment["paymentId"])
        for one in payment["returns"]:
            wrong += _given_back(one, given, rail, payment["paymentId"])
    of_no_order = {row["end_to_end_id"] for row in rows if row["rail"] == CARD and row["order_id"] is None}
    wrong += await _charged_back(play, cards, of_no_order)
    return [*wrong, *came.rest(_NOT_TAKEN), *given.rest(_NOT_GIVEN)]


async def _charged_back(play: Play, cards: list[dict[str, Any]], of_no_order: Collection[str]) -> list[str]:
    """What issuers took back is booked. More than is left of its order is left to people, as is what has paid no order."""
    booked = Books("chargeback", await play.books.fetch(_CHARGEBACKS), "state", "end_to_end_id", "chargeback_id")
    alarmed = {card_chargeback(row["body"]).chargeback_id for row in await play.books.fetch(_LEFT_TO_PEOPLE)}
    wrong: list[str] = []
    for card in cards:
        names = [(card["paymentId"], one["chargebackId"]) for one in card["chargebacks"]]
        gone = [one for one in card["returns"] if one["status"] == "SETTLED"]
        gone += [one for name, one in zip(names, card["chargebacks"], strict=True) if name in booked.rows]
        left = cents(card["amount"]) - sum(cents(one["amount"]) for one in gone)
        for name, one in zip(names, card["chargebacks"], strict=True):
            is_unfit = cents(one["amount"]) > left or card["paymentId"] in of_no_order
            may = (*_BOOKED, None) if is_unfit and name[1] in alarmed else _BOOKED
            wrong += booked.met(one, may, *name)
    return [*wrong, *booked.rest()]

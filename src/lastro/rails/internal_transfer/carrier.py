"""Carries messages of one company's outbox into another's inbox. Idempotent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.rails import port
from lastro.rails.port import NetworkMessage, Pending, Permanent, Unknown
from lastro.standards import pix_ids, ted_ids

if TYPE_CHECKING:
    import asyncio
    from uuid import UUID

    from lastro.core.db import Database
    from lastro.rails.inbox import Inbox
    from lastro.rails.port import Keep

_ACCOUNT = "SELECT company_id FROM account_numbers WHERE number = $1"
_ASKED = "SELECT true FROM inbox WHERE subject = $1 AND kind = 'pix.ask' AND rail = 'book' LIMIT 1"
# The side that gives back is told last, so that nothing is left to tell once it has heard.
_GIVEN = "SELECT true FROM inbox WHERE subject = $1 AND kind = 'return.final' AND rail = 'book' LIMIT 1"


class Book:
    """The rail "book". inbox: its way in."""

    def __init__(self, work: Database, inbox: Inbox) -> None:
        self._work = work
        self._inbox = inbox

    async def listen(self, keep: Keep, stop: asyncio.Event) -> None:
        """Waits: nobody outside tells anything."""
        del keep
        await stop.wait()

    async def send(self, kind: str, network_id: str, body: bytes, company_id: UUID) -> None:
        """Asks the receiver about a payment, and tells both sides the result.

        His answer is told to the payer and, where it is yes, to him. A return is told to the payer and then to the
        receiver; it cannot be refused.

        Permanent, with the network's word: no account here has that number.
        """
        if kind == port.PAYMENT_SEND:
            await self._ask(port.payment_order(body))
        elif kind == port.PIX_ANSWER:
            await self._answer(port.pix_answer(body), company_id)
        elif kind == port.RETURN_SEND:
            order = port.return_order(body)
            if order.anew is None:
                await self._give_back(order, company_id)
            else:
                await self._pay_anew(order, order.anew)
        else:
            raise ValueError(f"from one account here to another there is no message for {kind} ({network_id})")

    async def status_of(self, kind: str, network_id: str) -> NetworkMessage | Pending | Unknown:
        """Tells whether the receiver was asked: Pending, or Unknown.

        Between two tables nothing is lost, so that the end is told to its waiting side. A payment is asked about when
        nobody can be carrying it any more, so that one that is not there then never will be.
        """
        told = await self._work.everywhere(_GIVEN if kind == port.RETURN_SEND else _ASKED, network_id)
        return Pending() if told else Unknown()

    async def close(self) -> None:
        """Does nothing: it has no connections of its own."""

    async def _ask(self, order: port.PaymentOrder, purpose: str | None = None) -> None:
        receiver = order.receiver
        assert receiver.branch is not None, "an account here has its branch"
        async with self._work.session() as session:
            company_id = await session.value(_ACCOUNT, receiver.account)
        if company_id is None:
            raise Permanent("AC03", "no account here has this number")
        arrival = port.PixArrival(
            message_id=f"book:{order.end_to_end_id}", end_to_end_id=order.end_to_end_id, txid=order.txid,
            amount=order.amount, accepted_at=order.accepted_at, payer=order.payer, receiver_branch=receiver.branch,
            receiver_account=receiver.account, receiver_document=receiver.document_number, key=order.key,
            instrument=order.instrument, remittance=order.remittance, purpose=purpose,
        )  # fmt: skip
        told = NetworkMessage(port.PIX_ASK, arrival.message_id, order.end_to_end_id, port.encode(arrival), order.txid)
        await self._inbox.store(company_id, [told])

    async def _pay_anew(self, order: port.ReturnOrder, anew: port.Anew) -> None:
        """Pays another receiver than the payer, as by any payment. Its end is told of that payment."""
        assert order.created_at is not None
        paid = port.PaymentOrder(order.return_id, order.amount, anew.payer, anew.receiver, "MANU", order.created_at)
        await self._ask(paid, order.reason)

    async def _answer(self, answer: port.PixAnswer, receiver_id: UUID) -> None:
        at = answer.created_at
        name = answer.end_to_end_id
        final = port.PaymentFinal(name, answer.accept, answer.code, at if answer.accept else None)
        payer = NetworkMessage(
            port.PAYMENT_FINAL, f"final.payer:{name}", name, port.encode(final), company_number=_company(name)
        )
        await self._inbox.keep([payer])  # its id carries the payer's company
        if answer.accept:
            end = port.PixFinal(name, settled=True, settled_at=at)
            await self._inbox.store(
                receiver_id, [NetworkMessage(port.PIX_FINAL, f"final.receiver:{name}", name, port.encode(end))]
            )

    async def _give_back(self, order: port.ReturnOrder, receiver_id: UUID) -> None:
        at, name = order.created_at, order.return_id
        assert at is not None
        back = port.PaymentReturned(order.end_to_end_id, name, order.amount, order.reason, at, order.details)
        payer = NetworkMessage(
            port.PAYMENT_RETURNED, f"return.payer:{name}", order.end_to_end_id, port.encode(back),
            company_number=_company(order.end_to_end_id),
        )  # fmt: skip
        await self._inbox.keep([payer])  # the payment's id carries the payer's company
        end = port.ReturnFinal(name, order.end_to_end_id, settled=True, settled_at=at)
        await self._inbox.store(
            receiver_id, [NetworkMessage(port.RETURN_FINAL, f"return.receiver:{name}", name, port.encode(end))]
        )


def _company(name: str) -> int | None:
    """Returns the company of a payment's id.

    A TED between accounts here has a control number, any other payment an endToEndId.
    """
    number = ted_ids.company_of_control_number(name)
    return pix_ids.company_of_end_to_end_id(name) if number is None else number

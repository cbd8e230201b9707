"""A payer's decisions on a recurrence: authorize, decline, cancel.

The API and the page both call these. The bank judges what it can know itself. `force` skips its checks, so that the
receiver's bank has to judge.
"""

import asyncio
import re
from dataclasses import dataclass
from typing import Any

from lastro.standards import brcode
from lastro_sim import faults, logs
from lastro_sim.forms import Form
from lastro_sim.network import Network
from lastro_sim.refusals import not_found
from lastro_sim.spi import authorizations
from lastro_sim.spi.authorizations import Consent

from . import payers, reading, recurrences
from .location import Locations
from .payers import PhoneOwner
from .reading import LONGEST_QR, Reading
from .recurrences import Recurrence

DECLINES = frozenset({"AP13", "AP14"})
NOT_INTERESTED = "AP14"
CODE = re.compile(r"[A-Z0-9]{4}")
ID_REC = re.compile(r"[A-Za-z0-9]{29}")
# A payer without money may agree to pay later; one with a blocked account may not.
HELD = "SUSPECTED_FRAUD"


def consent_to(
    network: Network, found: Reading, payer: PhoneOwner, maximum: int | None, *, force: bool
) -> Consent | str | None:
    """Returns the consent that comes with paying a code; None if there is none.

    A text is the reason why the bank does not allow it.
    """
    recurrence = found.recurrence
    if recurrence is None:
        return None if maximum is None else "MAXIMUM_NOT_ALLOWED"
    consent = Consent(recurrence.id_rec, recurrence.receiver, payer.fields, maximum)
    if force:
        return consent
    if authorizations.live(network, recurrence.id_rec) is not None:
        return "BEING_AUTHORIZED"
    return recurrences.maximum_problem(recurrence, maximum) or consent


def refused(id_rec: str | None, code: str) -> dict[str, Any]:
    """Returns the bank's own refusal, which the receiver's bank never sees."""
    return ({} if id_rec is None else {"idRec": id_rec}) | {"status": "REJECTED", "code": code}


@dataclass(frozen=True)
class Authorizing:
    """The payer's bank's service for recurrences."""

    network: Network
    locations: Locations

    async def authorize(self, form: Form) -> dict[str, Any]:
        """Authorizes a recurrence that asks for no payment (journey 2)."""
        payer, maximum, force = payers.chosen(form), form.maybe_amount("maximumAmount"), form.flag("force")
        found = await self._found(form, force=force)
        if isinstance(found, dict):
            return found
        if found.kind == "COMPOSITE":
            return refused(_id_rec(found), "PAYMENT_REQUIRED")
        recurrence = _recurrence(found)
        if payer.refused == HELD:
            return refused(recurrence.id_rec, HELD)
        consent = Consent(recurrence.id_rec, recurrence.receiver, payer.fields, maximum)
        problem = None if force else recurrences.maximum_problem(recurrence, maximum)
        known = None if force else authorizations.live(self.network, recurrence.id_rec)
        again = known is not None and authorizations.is_same(known, consent)
        if known is not None and not again:
            problem = problem or ("ALREADY_AUTHORIZED" if known["status"] == "AUTHORIZED" else "BEING_AUTHORIZED")
        if problem is not None:
            return refused(recurrence.id_rec, problem)
        fault = self._struck(consent, recurrence, authorizations.OF_WORDS | {"reject"})
        if fault is not None and fault.behaviour == "reject":
            return refused(recurrence.id_rec, fault.code or authorizations.REFUSED_BY_BANK)
        if known is not None:
            authorizations.ask_again(self.network, known, fault)
        else:
            authorizations.ask(self.network, consent, fault)
        return await self._ended(recurrence.id_rec)

    async def decline(self, form: Form) -> dict[str, Any]:
        """Declines a recurrence of either journey."""
        payer, force = payers.chosen(form), form.flag("force")
        reason = form.maybe_choice("reason", DECLINES) or NOT_INTERESTED
        found = await self._found(form, force=force)
        if isinstance(found, dict):
            return found
        recurrence = _recurrence(found)
        if not force and authorizations.live(self.network, recurrence.id_rec) is not None:
            return refused(recurrence.id_rec, "BEING_AUTHORIZED")
        consent = Consent(recurrence.id_rec, recurrence.receiver, payer.fields)
        fault = self._struck(consent, recurrence, authorizations.OF_WORDS - {"lost-answer"})
        authorizations.decline(self.network, consent, reason, fault)
        return {"idRec": recurrence.id_rec, "status": "DECLINED"}

    def cancel(self, form: Form, id_rec: str | None = None) -> dict[str, Any]:
        """Cancels an authorization as the payer, or as the bank.

        The reason decides between the two. id_rec: from the path.
        """
        if id_rec is None:
            id_rec = form.text("idRec", 29, ID_REC)
        reason, force = form.maybe_text("reason", 4, CODE) or authorizations.BY_PAYER, form.flag("force")
        form.check()
        if ID_REC.fullmatch(id_rec):  # any other text of a path stays out of the log
            logs.about(id_rec)
        known = recurrences.known(self.network, id_rec)
        row = authorizations.newest(self.network, id_rec)
        if known is None:
            return refused(id_rec, "RECURRENCE_UNKNOWN")
        if not force and (row is None or row["status"] != "AUTHORIZED"):
            return refused(id_rec, "NOT_AUTHORIZED")
        payer = payers.DEFAULT.fields if row is None else authorizations.payer_of(row)
        authorizations.cancel(self.network, id_rec, known[1].receiver, payer, reason)
        return {"idRec": id_rec, "status": "CANCELED"}

    def listed(self, id_rec: str | None, limit: int) -> list[dict[str, Any]]:
        """Returns the newest authorizations, oldest first, each with its recurrence."""
        return [self._shown(row) for row in self.network.store.newest("authorization", limit, id_rec=id_rec)]

    def newest(self, id_rec: str) -> dict[str, Any]:
        """Returns the newest authorization of a recurrence, or else its last reading. 404 for an unknown one."""
        row = authorizations.newest(self.network, id_rec)
        if row is not None:
            return self._shown(row)
        known = recurrences.known(self.network, id_rec)
        if known is None:
            raise not_found()
        return {"idRec": id_rec, "status": "REJECTED", "recurrence": self._of(known[0], known[1])}

    def _shown(self, row: Any) -> dict[str, Any]:
        known = recurrences.known(self.network, row["id_rec"])
        of = {} if known is None else {"recurrence": self._of(known[0], known[1])}
        return authorizations.shown(row) | of

    def _of(self, text: str, recurrence: Recurrence) -> dict[str, Any]:
        paid_at_once = brcode.decode(text).location is not None
        return recurrences.shown(self.network, recurrence, paid_at_once=paid_at_once)

    async def _found(self, form: Form, *, force: bool) -> Reading | dict[str, Any]:
        """Reads the code or idRec of a request. Returns a refusal where the bank lets nobody authorize it."""
        id_rec = form.maybe_text("idRec", 29, ID_REC)
        if form.given("idRec") is None and form.given("qrcodeData") is None:
            form.refuse("qrcodeData", "REQUIRED", "A code or the idRec of one that was read is needed")
        elif form.given("idRec") is not None and form.given("qrcodeData") is not None:
            form.refuse("idRec", "MUTUALLY_EXCLUSIVE", "A code or an idRec, not both")
        text = form.maybe_text("qrcodeData", LONGEST_QR)
        form.check()
        if id_rec is not None:
            known = recurrences.known(self.network, id_rec)
            if known is None:
                return refused(id_rec, "RECURRENCE_UNKNOWN")
            text = known[0]
        assert text is not None
        code = reading.decode(Form({"qrcodeData": text}))
        found = await reading.read(self.network, self.locations, text, code)
        if found.kind not in {"RECURRENCE", "COMPOSITE"}:
            return refused(None, "NOT_A_RECURRENCE")
        if found.problem is not None:
            kept = reading.remembered(self.network, text) if force else None
            if kept is None or kept.recurrence is None:
                return refused(id_rec or _id_rec(found), found.problem)
            found = kept
        logs.about(_recurrence(found).id_rec)
        return found

    def _struck(self, consent: Consent, recurrence: Recurrence, among: frozenset[str]) -> faults.Fault | None:
        """Returns the ordered fault, or else the one that the amount implies."""
        with self.network.store.writing():
            struck = faults.strike(self.network, "authorization", consent.about, among)
        return struck or recurrences.for_amount(recurrence.amount, consent.maximum, among & {"twice", "lost-answer"})

    async def _ended(self, id_rec: str) -> dict[str, Any]:
        """Waits for the receiver's answer as long as a person would."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self.network.settings.answer_seconds
        while True:
            row = authorizations.newest(self.network, id_rec)
            assert row is not None
            left = until - loop.time()
            if row["status"] != "PENDING" or left <= 0:
                return {"idRec": id_rec, "status": row["status"]} | ({"code": row["code"]} if row["code"] else {})
            await self.network.bells.wait(f"authorization:{id_rec}", left)


def _recurrence(found: Reading) -> Recurrence:
    assert found.recurrence is not None
    return found.recurrence


def _id_rec(found: Reading) -> str | None:
    return None if found.recurrence is None else found.recurrence.id_rec

"""Endpoints of refunds for participants. They are createRefund, listRefund, getRefund, cancelRefund and closeRefund."""

import re
from typing import Any

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from lastro_sim import logs, queries
from lastro_sim.answers import DIRECTORY, Asked, answer
from lastro_sim.clock import counted
from lastro_sim.forms import Form
from lastro_sim.network import Network
from lastro_sim.refusals import Problem, RefusedError, malformed, not_found
from lastro_sim.settings import LASTRO_ISPB

from . import cases, objects, refunds
from .objects import REFUND, Row
from .steps import answered, done, struck

ROLES = {"REQUESTING": "opener", "CONTESTED": "counterpart"}
STATUSES = ("OPEN", "CLOSED", "CANCELLED")
CURSOR = re.compile(r"([0-9]{1,19})x([0-9]{1,12})")
AMOUNT = re.compile(r"[0-9]{1,13}\.[0-9]{2}")
MOST = 200
LISTED = {
    "Participant", "IncludeIndirectParticipants", "ParticipantRole", "Status", "IncludeDetails", "ModifiedAfter",
    "ModifiedBefore", "Limit", "Cursor",
}  # fmt: skip


@post("/dict/v2/refunds", **DIRECTORY)
async def refund_create(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Creates a refund of a settled transaction, without a recovery."""
    form = Form.read(await request.body())
    wish = refunds.RefundWish(
        form.text("TransactionId", 32), form.choice("RefundReason", refunds.REASONS), form.message_amount("RefundAmount"),
        form.maybe_text("RefundDetails", 2000),
    )  # fmt: skip
    _check(form)
    logs.about(wish.transaction_id)
    fault = await struck(network, wish.transaction_id)
    made = done(network, lambda: refunds.create(network, wish, LASTRO_ISPB, {"MonitorAccount": True}))
    return answered(made, fault, 201)


@get("/dict/v2/refunds", **DIRECTORY)
async def refund_list(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Lists the participant's refunds in one role, by LastModified, from a position."""
    asked = queries.read(request, LISTED)
    side, limit = ROLES.get(asked.get("ParticipantRole", "")), queries.whole(asked, "Limit", 20, 1, MOST)
    statuses = asked["Status"].split(",") if "Status" in asked else list(STATUSES)
    after = CURSOR.fullmatch(asked.get("Cursor", "0x0"))
    if side is None or after is None or asked.get("Participant") != LASTRO_ISPB or not set(statuses) <= set(STATUSES):
        raise malformed(Problem("ParticipantRole", "INVALID", "Participant and ParticipantRole are required"))
    begin, end = (_instant(asked, name, default) for name, default in (("ModifiedAfter", 0), ("ModifiedBefore", 2**62)))
    marks = ", ".join("?" for _ in statuses)
    rows = network.store.rows(
        f"SELECT * FROM med_object WHERE kind = ? AND {side} = ? AND status IN ({marks}) AND (changed_at, seq) > (?, ?)"  # noqa: S608 a column of ours
        " AND changed_at >= ? AND changed_at <= ? ORDER BY changed_at, seq LIMIT ?",
        REFUND, LASTRO_ISPB, *statuses, int(after[1]), int(after[2]), begin, end, limit + 1,
    )  # fmt: skip
    return answer(refunds.page(rows, limit, details=asked.get("IncludeDetails") == "true"))


@get("/dict/v2/refunds/{object_id:str}", **DIRECTORY)
async def refund_get(network: NamedDependency[Network], object_id: FromPath[str]) -> Response[bytes]:
    """Returns one refund, to either of its participants."""
    return answer(objects.shown(_party(network, object_id)))


@post("/dict/v2/refunds/{object_id:str}/cancel", status_code=200, **DIRECTORY)
async def refund_cancel(network: NamedDependency[Network], object_id: FromPath[str]) -> Response[bytes]:
    """Cancels a refund."""
    fault = await struck(network, _party(network, object_id)["transaction_id"])
    row = _party(network, object_id)
    return answered(done(network, lambda: refunds.cancel(network, row, LASTRO_ISPB)), fault)


@post("/dict/v2/refunds/{object_id:str}/close", status_code=200, **DIRECTORY)
async def refund_close(request: Asked, network: NamedDependency[Network], object_id: FromPath[str]) -> Response[bytes]:
    """Closes a refund by its returned transaction or a rejection reason. The same request again is answered alike."""
    form = Form.read(await request.body())
    given: dict[str, Any] = {
        "AnalysisResult": form.choice("RefundAnalysisResult", refunds.RESULTS),
        "AnalysisDetails": form.maybe_text("RefundAnalysisDetails", 2000),
        "RefundRejectionReason": form.maybe_choice("RefundRejectionReason", refunds.REJECTIONS),
        "RefundTransactionId": form.maybe_text("RefundTransactionId", 32),
        "EffectiveRefundedAmount": form.maybe_text("EffectiveRefundedAmount", 16, AMOUNT),
    }  # fmt: skip
    _check(form)
    told = {name: value for name, value in given.items() if value is not None}
    fault = await struck(network, _party(network, object_id)["transaction_id"])
    row = _party(network, object_id)

    def closed() -> Row:
        ended = refunds.checked(network, row, LASTRO_ISPB, told)
        return row if ended is None else cases.close_refund(network, row, ended)

    return answered(done(network, closed), fault)


def _party(network: Network, object_id: str) -> Row:
    """Returns a refund of the participant's, in either role."""
    row = objects.find(network, object_id)
    if row is None or row["kind"] != REFUND or LASTRO_ISPB not in (row["opener"], row["counterpart"]):
        raise not_found()
    return row


def _check(form: Form) -> None:
    """Rejects wrong fields with RefundInvalid."""
    try:
        form.check()
    except RefusedError as no:
        raise RefusedError(400, "RefundInvalid", no.message, no.problems) from no


def _instant(asked: dict[str, str], name: str, default: int) -> int:
    if name not in asked:
        return default
    form = Form({name: asked[name]})
    found = form.moment(name)
    form.check()
    assert found is not None
    return counted(found)

"""Endpoints of disputes: the directory's for participants, both sides' for tests."""

import re

from litestar import Response, get, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath

from lastro_sim import faults, logs
from lastro_sim.answers import DIRECTORY, Asked, answer
from lastro_sim.collecting import movements
from lastro_sim.forms import Form
from lastro_sim.guard import PARTICIPANT_ONLY
from lastro_sim.network import Network
from lastro_sim.refusals import RefusedError, found, not_found
from lastro_sim.routes import act
from lastro_sim.settings import LASTRO_ISPB

from . import acts, cases, eligible, markers, objects
from .objects import RECOVERY, REPORT, Row
from .steps import answered as _answered
from .steps import done as _done
from .steps import struck as _struck

# The forms of DICT 2.12.1, schemas Email, Phone and TaxIdNumber.
EMAIL = re.compile(
    r"[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*"
)
PHONE = re.compile(r"\+[0-9]\d{1,14}")
TAX_ID = re.compile(r"[0-9]{11}|[0-9]{14}")


@get("/dict/v2/med-events", opt=PARTICIPANT_ONLY)
async def events(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Returns the participant's dispute events after a position."""
    return answer({"movements": await movements.pulled(request, network, objects.EVENTS)})


@post("/dict/v2/funds-recoveries", **DIRECTORY)
async def recovery_create(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Opens a recovery. The same request id again answers the same one."""
    form = Form.read(await request.body())
    request_id, name = form.text("RequestId", 36), form.text("RootTransactionId", 32)
    told = cases.Statement(
        form.choice("SituationType", cases.SITUATIONS), form.maybe_text("ReportDetails", 2000), _contact(form)
    )
    if told.situation == "OTHER" and told.details is None:
        form.refuse("ReportDetails", "REQUIRED", "OTHER has to be explained")
    is_internal = form.maybe_choice("TransactionType", ("SPI", "INTERNAL")) == "INTERNAL"
    amount = form.message_amount("InfractionAmount") if is_internal else 0
    _check(form, "FundsRecoveryInvalid")
    logs.about(name)
    fault = await _struck(network, name)

    def made_of() -> Row:
        if is_internal:
            payment: eligible.Payment = eligible.within(network, name, LASTRO_ISPB, amount)
        else:
            payment = eligible.contested(network, name, LASTRO_ISPB)
        return cases.open_recovery(network, payment, told, request_id)

    made = _done(network, made_of)
    return _answered(made, fault, 201)


@get("/dict/v2/funds-recoveries/{object_id:str}", **DIRECTORY)
async def recovery_get(network: NamedDependency[Network], object_id: FromPath[str]) -> Response[bytes]:
    """Returns a recovery, to its opener or the paid customers' bank."""
    row = objects.find(network, object_id)
    reported = {one["counterpart"] for one in objects.of_recovery(network, object_id, REPORT)}
    if row is None or row["kind"] != RECOVERY or LASTRO_ISPB not in {row["opener"], *reported}:
        raise not_found()
    return answer(objects.shown(row))


@put("/dict/v2/funds-recoveries/{object_id:str}", **DIRECTORY)
async def recovery_update(request: Asked, network: NamedDependency[Network], object_id: FromPath[str]) -> Response[bytes]:
    """Changes a recovery's situation, details or contact."""
    form = Form.read(await request.body())
    given = {
        "SituationType": form.maybe_choice("SituationType", cases.SITUATIONS),
        "ReportDetails": form.maybe_text("ReportDetails", 2000),
        "ContactInformation": _contact(form) if form.given("ContactInformation") is not None else None,
    }
    _check(form, "FundsRecoveryInvalid")
    row, fault = await _own_struck(network, object_id, RECOVERY, "opener")
    told = {name: value for name, value in given.items() if value is not None}
    return _answered(_done(network, lambda: cases.update(network, row, told)), fault)


@post("/dict/v2/funds-recoveries/{object_id:str}/cancel", status_code=200, **DIRECTORY)
async def recovery_cancel(network: NamedDependency[Network], object_id: FromPath[str]) -> Response[bytes]:
    """Cancels a recovery."""
    row, fault = await _own_struck(network, object_id, RECOVERY, "opener")
    return _answered(_done(network, lambda: cases.cancel(network, row)), fault)


@post("/dict/v2/funds-recoveries/{object_id:str}/refund", status_code=200, **DIRECTORY)
async def recovery_refund(network: NamedDependency[Network], object_id: FromPath[str]) -> Response[bytes]:
    """Orders the refunds of an analysed recovery."""
    row, fault = await _own_struck(network, object_id, RECOVERY, "opener")
    return _answered(_done(network, lambda: cases.order_refunds(network, row)), fault)


@post("/dict/v2/infraction-reports/{object_id:str}/acknowledge", status_code=200, **DIRECTORY)
async def report_acknowledge(network: NamedDependency[Network], object_id: FromPath[str]) -> Response[bytes]:
    """Acknowledges a report."""
    row, fault = await _own_struck(network, object_id, REPORT, "counterpart")
    return _answered(_done(network, lambda: cases.acknowledge(network, row)), fault)


@post("/dict/v2/infraction-reports/{object_id:str}/close", status_code=200, **DIRECTORY)
async def report_close(request: Asked, network: NamedDependency[Network], object_id: FromPath[str]) -> Response[bytes]:
    """Closes a report with its analysis."""
    form = Form.read(await request.body())
    result, fraud = form.choice("AnalysisResult", acts.VERDICTS), form.maybe_choice("FraudType", markers.FRAUDS)
    details = form.maybe_text("AnalysisDetails", 2000)
    if result == "AGREED" and form.given("FraudType") is None:
        form.refuse("FraudType", "REQUIRED", "Who agrees says of which kind the fraud was")
    if fraud == "OTHER" and details is None:
        form.refuse("AnalysisDetails", "REQUIRED", "OTHER has to be explained")
    _check(form, "InfractionReportInvalid")
    given = {"AnalysisResult": result, "FraudType": fraud if result == "AGREED" else None, "AnalysisDetails": details}
    told = {name: value for name, value in given.items() if value is not None}
    row, fault = await _own_struck(network, object_id, REPORT, "counterpart")
    return _answered(_done(network, lambda: cases.close_report(network, row, told)), fault)


@post("/dict/v2/infraction-reports/{object_id:str}/cancel", status_code=200, **DIRECTORY)
async def report_cancel(network: NamedDependency[Network], object_id: FromPath[str]) -> Response[bytes]:
    """Refuses to cancel a report, as each belongs to a recovery (cancelInfractionReport)."""
    _own(network, object_id, REPORT, "opener")
    raise RefusedError(400, "InfractionReportOperationInvalid", "It belongs to a recovery, and is canceled with it")


@post("/dict/v2/infraction-reports", **DIRECTORY)
async def report_create() -> Response[bytes]:
    """Refuses a deprecated request: cases of fraud begin with a recovery (createInfractionReport)."""
    raise RefusedError(410, "DeprecatedResource", "Open a funds recovery instead")


@post("/dict/v2/fraud-markers", **DIRECTORY)
async def marker_create(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Creates a fraud marker of the participant's own customer."""
    form = Form.read(await request.body())
    given = {
        "TaxIdNumber": form.text("TaxIdNumber", 14, TAX_ID), "FraudType": form.choice("FraudType", markers.FRAUDS),
        "Key": form.maybe_text("Key", 77),
    }  # fmt: skip
    request_id = form.text("RequestId", 36)
    _check(form, "FraudMarkerInvalid")
    told = {name: value for name, value in given.items() if value is not None}
    made = _done(network, lambda: markers.create(network, LASTRO_ISPB, told, request_id))
    return answer(markers.shown(made), 201)


@get("/dict/v2/fraud-markers/{marker_id:str}", **DIRECTORY)
async def marker_get(network: NamedDependency[Network], marker_id: FromPath[str]) -> Response[bytes]:
    """Returns a fraud marker that the participant made or agreed to."""
    return answer(markers.shown(_own_marker(network, marker_id)))


@post("/dict/v2/fraud-markers/{marker_id:str}/cancel", status_code=200, **DIRECTORY)
async def marker_cancel(network: NamedDependency[Network], marker_id: FromPath[str]) -> Response[bytes]:
    """Cancels a fraud marker that the participant made or agreed to."""
    row = _own_marker(network, marker_id)
    return answer(markers.shown(_done(network, lambda: markers.cancel(network, row))))


@get("/med")
async def med_list(network: NamedDependency[Network]) -> Response[bytes]:
    """Lists every object of every dispute."""
    return answer({"data": acts.listed(network)})


@get("/med/{object_id:str}")
async def med_get(network: NamedDependency[Network], object_id: FromPath[str]) -> Response[bytes]:
    """Returns one object."""
    return answer(acts.shown(network, found(objects.find(network, object_id))))


ROUTES = (act("/med", acts.begin), act("/med/{object_id:str}/advance", acts.advance))


def _contact(form: Form) -> dict[str, str]:
    """Reads the contact for other banks, with Email and Phone.

    ContactInformation is required, like RootTransactionId and SituationType.
    """
    contact = form.child("ContactInformation")
    return {"Email": contact.text("Email", 254, EMAIL), "Phone": contact.text("Phone", 16, PHONE)}


def _check(form: Form, word: str) -> None:
    """Rejects a request with wrong fields by the directory's code `word`."""
    if form.problems:
        raise RefusedError(400, word, "Some fields are invalid", tuple(form.problems))


def _own_marker(network: Network, marker_id: str) -> Row:
    row = markers.find(network, marker_id)
    if row is None or row["registrant"] != LASTRO_ISPB:
        raise not_found()
    return row


def _own(network: Network, object_id: str, kind: str, side: str) -> Row:
    """Returns an object of this kind with the participant on that side."""
    row = objects.find(network, object_id)
    if row is None or row["kind"] != kind or row[side] != LASTRO_ISPB:
        raise not_found()
    return row


async def _own_struck(network: Network, object_id: str, kind: str, side: str) -> tuple[Row, faults.Fault | None]:
    """Returns the participant's object after a fault, which may delay it."""
    fault = await _struck(network, _own(network, object_id, kind, side)["transaction_id"])
    return _own(network, object_id, kind, side), fault

"""Endpoints of claims: the directory's for participants, the other bank's for tests."""

from collections.abc import Callable
from typing import Any

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from lastro.standards import documents, pix_keys
from lastro_sim import faults, queries
from lastro_sim.answers import Asked, answer
from lastro_sim.clock import printed
from lastro_sim.collecting import movements
from lastro_sim.forms import Form
from lastro_sim.guard import PARTICIPANT_ONLY
from lastro_sim.network import Network
from lastro_sim.refusals import away, found, not_found
from lastro_sim.routes import act
from lastro_sim.settings import LASTRO_ISPB, OUTSIDE_BANK_ISPB, SIMULATED_BANKS
from lastro_sim.spi.intake import ACCOUNT, BRANCH

from . import claim_list, claims, entries
from .claims import OWNERSHIP, PORTABILITY, ClaimWish, Row
from .entries import Account, Owner
from .refusals import DirectoryError, says_no

CLAIM_TYPES = {"PORTABILITY": PORTABILITY, "CLAIM_OWNERSHIP": OWNERSHIP}
STEPS = ("WAITING_RESOLUTION", "CONFIRMED", "CANCELLED", "COMPLETED")
# ClaimOperationReason; only the directory itself uses PARTICIPANT_EXCLUSION.
REASONS = frozenset({"USER_REQUESTED", "ACCOUNT_CLOSURE", "FRAUD", "RECONCILIATION", "DEFAULT_OPERATION", "RFB_VALIDATION"})
MOST_LISTED = 1000
SAYS_NO = says_no("ClaimInvalid")


@get("/dict/v2/claim-events", opt=PARTICIPANT_ONLY)
async def events(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Returns the participant's claim events after a position."""
    return answer({"movements": await movements.pulled(request, network, claims.EVENTS)})


@post("/dict/v2/claims", opt=PARTICIPANT_ONLY, exception_handlers=SAYS_NO)
async def claim_create(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Opens a claim; an open claim of the key is in the way."""
    form = Form.read(await request.body())
    wish = _read(form)
    form.check()
    fault = _struck(network, wish.key)
    return _answered(_done(network, lambda: claims.open_claim(network, wish)), fault, 201)


@get("/dict/v2/claims", opt=PARTICIPANT_ONLY, exception_handlers=says_no("BadRequest"))
async def claim_list_get(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Lists the participant's claims by modification time."""
    rows, has_more = claim_list.found(network, claim_list.read(request))
    return answer({"HasMoreElements": has_more, "Claims": [claims.shown(row) for row in rows]})


@get("/dict/v2/claims/{claim_id:str}", opt=PARTICIPANT_ONLY, exception_handlers=says_no("BadRequest"))
async def claim_get(request: Asked, network: NamedDependency[Network], claim_id: FromPath[str]) -> Response[bytes]:
    """Returns a claim of the participant's. The header that names the participant is required (getClaim)."""
    if not request.headers.get("PI-RequestingParticipant"):
        raise DirectoryError("BadRequest")
    return answer(claims.shown(_own(network, claim_id)[0]))


@post("/dict/v2/claims/{claim_id:str}/acknowledge", opt=PARTICIPANT_ONLY, exception_handlers=SAYS_NO, status_code=200)
async def claim_acknowledge(request: Asked, network: NamedDependency[Network], claim_id: FromPath[str]) -> Response[bytes]:
    """Acknowledges a claim for the donor."""
    _read_act(await request.body(), claim_id).check()
    row, side = _own(network, claim_id)
    _only("DONOR", side)
    fault = _struck(network, row["key"])
    return _answered(_done(network, lambda: claims.acknowledge(network, row)), fault)


@post("/dict/v2/claims/{claim_id:str}/confirm", opt=PARTICIPANT_ONLY, exception_handlers=SAYS_NO, status_code=200)
async def claim_confirm(request: Asked, network: NamedDependency[Network], claim_id: FromPath[str]) -> Response[bytes]:
    """Confirms a claim for the donor."""
    form = _read_act(await request.body(), claim_id)
    reason = form.choice("Reason", REASONS)
    form.check()
    row, side = _own(network, claim_id)
    _only("DONOR", side)
    fault = _struck(network, row["key"])
    return _answered(_done(network, lambda: claims.confirm(network, row, reason)), fault)


@post("/dict/v2/claims/{claim_id:str}/cancel", opt=PARTICIPANT_ONLY, exception_handlers=SAYS_NO, status_code=200)
async def claim_cancel(request: Asked, network: NamedDependency[Network], claim_id: FromPath[str]) -> Response[bytes]:
    """Cancels a claim for the side that its Participant names."""
    form = _read_act(await request.body(), claim_id)
    reason = form.choice("Reason", REASONS)
    form.check()
    row, side = _own(network, claim_id)
    fault = _struck(network, row["key"])
    return _answered(_done(network, lambda: claims.cancel(network, row, side, reason)), fault)


@post("/dict/v2/claims/{claim_id:str}/complete", opt=PARTICIPANT_ONLY, exception_handlers=SAYS_NO, status_code=200)
async def claim_complete(request: Asked, network: NamedDependency[Network], claim_id: FromPath[str]) -> Response[bytes]:
    """Completes a claim for the claimer; answers the key's dates."""
    form = _read_act(await request.body(), claim_id)
    request_id = form.text("RequestId", 36)
    form.check()
    row, side = _own(network, claim_id)
    _only("CLAIMER", side)
    fault = _struck(network, row["key"])
    done = _done(network, lambda: claims.complete(network, row, request_id))
    if fault is not None:
        raise away()
    return answer(claims.shown(done) | claims.dates(network, done))


@get("/directory/claims")
async def claims_list(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Lists every claim, oldest first."""
    queries.read(request, ())
    return answer({"data": [_shown(row) for row in network.store.newest("claim", MOST_LISTED)]})


def _begin(network: Network, form: Form) -> dict[str, Any]:
    """Opens the outside bank's claim of a key at lastro."""
    key, kind = (
        pix_keys.canonical(form.text("key", pix_keys.MAX_KEY)),
        form.maybe_choice("claimType", CLAIM_TYPES) or "PORTABILITY",
    )
    form.check()
    entry = entries.find(network, key)
    if entry is None or entry["ispb"] in SIMULATED_BANKS:
        raise not_found()
    owner = Owner(entry["owner_name"], entry["owner_type"], entry["owner_number"])
    if kind == "CLAIM_OWNERSHIP":
        owner = Owner("Pessoa de Fora", "CPF", "52998224725")
    place = Account(OUTSIDE_BANK_ISPB, "0001", str(310_000 + network.store.next_number("outside-account")), "CACC")
    wish = ClaimWish(CLAIM_TYPES[kind], key, entry["type"], owner, place)
    return _acted(network, {"key": key}, lambda: claims.open_claim(network, wish))


def _advance(network: Network, form: Form, claim_id: str) -> dict[str, Any]:
    """Takes the other bank's next step."""
    status, reason = form.choice("status", STEPS), form.maybe_choice("reason", REASONS) or "USER_REQUESTED"
    form.check()
    row = found(claims.find(network, claim_id))
    return _acted(network, {"claimId": claim_id}, lambda: _step(network, row, status, reason))


ROUTES = (act("/directory/claims", _begin), act("/directory/claims/{claim_id:str}/advance", _advance))


def _step(network: Network, row: Row, status: str, reason: str) -> Row:
    side = "CLAIMER" if row["claimer"] in SIMULATED_BANKS else "DONOR"
    if status == "CANCELLED":
        return claims.cancel(network, row, side, reason)
    if (status == "COMPLETED") != (side == "CLAIMER"):
        raise DirectoryError("Forbidden")
    if status == "COMPLETED":
        return claims.complete(network, row, None)
    return claims.acknowledge(network, row) if status == "WAITING_RESOLUTION" else claims.confirm(network, row, reason)


def _read_act(raw: bytes, claim_id: str) -> Form:
    """Reads a claim's step and its participant."""
    form = Form.read(raw)
    if form.text("ClaimId", 36) not in ("", claim_id):
        form.refuse("ClaimId", "MISMATCH", "The path names another claim")
    if form.text("Participant", 8) not in ("", LASTRO_ISPB):
        form.refuse("Participant", "INVALID", "The ISPB of the participant is expected")
    return form


def _read(form: Form) -> ClaimWish:
    kind, key_type = form.choice("Type", (PORTABILITY, OWNERSHIP)), form.choice("KeyType", entries.KEY_TYPES)
    key = form.text("Key", pix_keys.MAX_KEY)
    if key and key_type and pix_keys.key_type(key) != key_type:
        form.refuse("Key", "INVALID", f"Not a {key_type} key in its canonical form")
    claimer, place = form.child("Claimer"), form.child("ClaimerAccount")
    number = claimer.text("TaxIdNumber", 14)
    owner = Owner(claimer.text("Name", 150), "CPF" if documents.is_cpf(number) else "CNPJ", number)
    ispb = place.text("Participant", 8)
    if ispb and ispb != LASTRO_ISPB:
        place.refuse("Participant", "INVALID", "The ISPB of the participant is expected")
    account = Account(
        ispb, place.text("Branch", 4, BRANCH), place.text("AccountNumber", 20, ACCOUNT),
        place.choice("AccountType", entries.ACCOUNT_TYPES), place.instant("OpeningDate"),
    )  # fmt: skip
    return ClaimWish(kind, key, key_type, owner, account)


def _shown(row: Row) -> dict[str, Any]:
    """Returns a claim for tests, with the API's names."""
    words = {theirs: ours for ours, theirs in CLAIM_TYPES.items()}
    claim = {
        "claimId": row["id"], "claimType": words[row["type"]], "type": row["key_type"], "key": row["key"],
        "status": row["status"], "claimer": row["claimer"], "donor": row["donor"],
        "resolutionUntil": printed(row["resolution_at"]),
    }  # fmt: skip
    more = {
        "reason": row["cancel_reason"] or row["confirm_reason"],
        "completionFrom": None if row["completion_at"] is None else printed(row["completion_at"]),
    }  # fmt: skip
    return claim | {name: value for name, value in more.items() if value is not None}


def _acted(network: Network, about: dict[str, str], step: Callable[[], Row]) -> dict[str, Any]:
    try:
        with network.store.writing():
            return _shown(step())
    except DirectoryError as no:
        return about | {"status": "REJECTED", "code": no.code}


def _done(network: Network, step: Callable[[], Row]) -> Row:
    """Carries out a step in one transaction."""
    with network.store.writing():
        return step()


def _own(network: Network, claim_id: str) -> tuple[Row, str]:
    """Returns a claim of the participant's and its side in it.

    In one between its own customers the participant speaks for the claimer.
    """
    row = claims.find(network, claim_id)
    if row is None:
        raise DirectoryError("NotFound")
    if LASTRO_ISPB not in (row["claimer"], row["donor"]):
        raise DirectoryError("Forbidden")
    return row, "CLAIMER" if row["claimer"] == LASTRO_ISPB else "DONOR"


def _only(side: str, own: str) -> None:
    if side != own:
        raise DirectoryError("Forbidden")


def _struck(network: Network, key: str) -> faults.Fault | None:
    """Applies an ordered fault before a request about this key; raises a refusal."""
    fault = faults.strike(network, "claim", {"key": key}, {"reject", "lost-answer", "down"})
    if fault is not None and fault.behaviour == "down":
        raise away()
    if fault is not None and fault.behaviour == "reject":
        raise DirectoryError(fault.code or "Forbidden")
    return fault


def _answered(row: Row, fault: faults.Fault | None, status: int = 200) -> Response[bytes]:
    if fault is not None:
        raise away()
    return answer(claims.shown(row), status)

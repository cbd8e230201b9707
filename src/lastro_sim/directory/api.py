"""Endpoints of the directory: DICT for participants, outside keys for tests."""

import asyncio
import json
import sqlite3
from typing import Any
from urllib.parse import unquote

from litestar import Response, delete, get, post
from litestar.di import NamedDependency

from lastro.standards import documents, pix_ids, pix_keys
from lastro_sim import faults, queries
from lastro_sim.answers import Asked, answer
from lastro_sim.clock import SECOND
from lastro_sim.forms import Form
from lastro_sim.guard import PARTICIPANT_ONLY
from lastro_sim.network import Network
from lastro_sim.refusals import Problem, away, conflict, malformed
from lastro_sim.routes import act
from lastro_sim.settings import LASTRO_ISPB, OUTSIDE_BANK_ISPB, SIMULATED_BANKS
from lastro_sim.spi.intake import ACCOUNT, BRANCH

from . import buckets, claims, entries
from .entries import Account, Entry, Owner
from .refusals import DirectoryError, says_no

HEADERS_OF_A_LOOK_UP = ("PI-RequestingParticipant", "PI-PayerId", "PI-EndToEndId")
LOST = frozenset({"lost-answer"})  # the request is carried out, and its answer is lost
# CreateEntryRequest and DeleteEntryRequest of DICT API 2.12.1, "Valores válidos"; any other word is InvalidReason.
CREATE_REASONS = frozenset({"USER_REQUESTED", "RECONCILIATION"})
DELETE_REASONS = frozenset({"USER_REQUESTED", "ACCOUNT_CLOSURE", "RECONCILIATION", "FRAUD", "RFB_VALIDATION"})
MOST_ENTRIES = {"CPF": 5, "CNPJ": 20}  # keys of an account, by kind of owner
SAYS_NO = says_no("EntryInvalid")


def _key(request: Asked) -> str:
    """Returns the key at the end of a path. An e-mail may have a slash, which is sent as %2F and parts no path."""
    return unquote(request.scope["raw_path"].decode("ascii").rpartition("/")[2])


@get("/dict/v2/entries/{key:path}", opt=PARTICIPANT_ONLY, exception_handlers=says_no("BadRequest"))
async def entry_get(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Looks up a key before a payment to it (getEntry)."""
    key = _key(request)
    missing = [name for name in HEADERS_OF_A_LOOK_UP if not request.headers.get(name)]
    if missing:
        raise malformed(*(Problem(name, "REQUIRED", "This header is required") for name in missing))
    struck = await _misbehave(network, key, request.headers["PI-EndToEndId"])
    if struck is not None:
        return struck
    participant, payer, end_to_end_id = (request.headers[name] for name in HEADERS_OF_A_LOOK_UP)
    asked = buckets.LookUp(participant, payer, key, end_to_end_id)
    wait = buckets.seconds_to_wait(network, asked)
    if wait is not None:
        return _later(wait)
    entry = entries.find(network, key)
    if entry is not None and entry["ispb"] == participant:  # "não deve ser feita consulta ao DICT"
        raise DirectoryError("EntryCannotBeQueriedForBookTransfer")
    if entry is not None and entry["status"] == "BLOCKED":
        raise DirectoryError("EntryBlocked")
    buckets.spend(network, asked, found=entry is not None)  # only 200 and 404 cost tokens
    if entry is None:
        raise DirectoryError("NotFound")
    claim = claims.open_of(network, key)
    claimed_at = None if claim is None else claims.opened_at(claim)
    shown = entries.shown_to_participant(network, entry, claimed_at)
    return answer(shown, headers={"Cache-Control": "max-age=60"})


@post("/dict/v2/entries", opt=PARTICIPANT_ONLY, exception_handlers=SAYS_NO)
async def entry_create(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Registers a key (createEntry); random ones are made here. The same request id again answers the same entry."""
    form = Form.read(await request.body())
    request_id, reason = form.text("requestId", 36), form.text("reason")
    entry = _read_entry(form, form.child("account"))
    form.check()
    if reason not in CREATE_REASONS:
        raise DirectoryError("InvalidReason")
    struck = await _misbehave(network, entry.key, None)
    if struck is not None:
        return struck
    body = _fingerprint(entry)
    known = network.store.find("entry_request", request_id=request_id)
    if known is not None:
        if json.loads(known["body"]) != body:
            raise DirectoryError("RequestIdAlreadyUsed")
        kept = entries.find(network, known["key"])
        if kept is None:
            raise DirectoryError("NotFound")
        return answer(entries.shown_to_participant(network, kept), 201)
    _refuse_entry(network, entry)
    with network.store.writing():
        made = _keep(network, entry)
        network.store.insert("entry_request", request_id=request_id, body=json.dumps(body), key=made["key"])
    if faults.strike(network, "directory", {"key": made["key"]}, LOST) is not None:
        raise away()
    return answer(entries.shown_to_participant(network, made), 201)


@post("/dict/v2/entries/{key:path}", opt=PARTICIPANT_ONLY, exception_handlers=says_no("BadRequest"), status_code=200)
async def entry_delete(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Deletes a participant's own key: POST …/{Key}/delete (deleteEntry)."""
    path = request.scope["raw_path"].decode("ascii")
    if not path.endswith("/delete"):
        raise DirectoryError("NotFound")
    key = unquote(path.removesuffix("/delete").rpartition("/")[2])
    form = Form.read(await request.body())
    named, participant, reason = form.text("key", pix_keys.MAX_KEY), form.text("participant", 8), form.text("reason")
    if named not in ("", key):
        form.refuse("key", "MISMATCH", "The path names another key")
    form.check()
    if reason not in DELETE_REASONS:
        raise DirectoryError("InvalidReason")
    struck = await _misbehave(network, key, None)
    if struck is not None:
        return struck
    entry = entries.find(network, key)
    if entry is None:
        raise DirectoryError("NotFound")
    if participant != LASTRO_ISPB or entry["ispb"] != participant:
        raise DirectoryError("Forbidden")
    if claims.open_of(network, key) is not None:
        raise DirectoryError("EntryLockedByClaim")
    with network.store.writing():
        entries.remove(network, key)
    if faults.strike(network, "directory", {"key": key}, LOST) is not None:
        raise away()
    return answer({"key": key})


@get("/directory")
async def directory_list(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Lists all keys and their owners, the outside ones first."""
    queries.read(request, ())
    return answer({"data": entries.listed(network)})


def _add(network: Network, form: Form) -> dict[str, Any]:
    """Adds a key of the outside bank."""
    entry = _read_outside(network, form)
    form.check()
    if entry.key and entries.find(network, entry.key) is not None:
        raise conflict("key", "DUPLICATE", "The directory has this key already")
    return entries.shown_to_all(network, _keep(network, entry))


@get("/directory/limits")
async def limits_get(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Lists the rate limits and their remaining tokens."""
    queries.read(request, ())
    return answer(buckets.shown(network))


def _set_limits(network: Network, form: Form) -> dict[str, Any]:
    """Sets the participants' category, or switches the rate limits off."""
    letter, enforce = form.maybe_choice("category", buckets.CATEGORIES), form.flag("enforced")
    form.check()
    buckets.configure(network, letter, None if form.given("enforced") is None else enforce)
    return buckets.shown(network)


@delete("/directory/limits", status_code=200)
async def limits_fill(network: NamedDependency[Network]) -> Response[bytes]:
    """Fills every bucket."""
    network.store.run("DELETE FROM bucket")
    return answer(buckets.shown(network))


ROUTES = (act("/directory", _add), act("/directory/limits", _set_limits))


async def _misbehave(network: Network, key: str, end_to_end_id: str | None) -> Response[bytes] | None:
    """Applies an ordered fault to this request."""
    about = {"key": key or None, "endToEndId": end_to_end_id}
    fault = faults.strike(network, "directory", about, faults.BEHAVIOURS["directory"] - LOST)
    if fault is None:
        return None
    if fault.behaviour == "down":
        raise away()
    if fault.behaviour == "slow":
        await asyncio.sleep(fault.delay / SECOND)
        return None
    if fault.behaviour == "limited":
        return _later(max(fault.delay // SECOND, 1))
    raise DirectoryError(fault.code or "EntryBlocked")


def _refuse_entry(network: Network, entry: Entry) -> None:
    """Refuses an invalid entry by the first reason found."""
    if entry.kind in {"CPF", "CNPJ"} and entry.key != entry.owner.document:
        raise DirectoryError("EntryTaxIdNumberByDifferentOwner")
    if entry.key and claims.open_of(network, entry.key) is not None:
        raise DirectoryError("EntryLockedByClaim")
    holder = entries.find(network, entry.key) if entry.key else None
    if holder is not None:
        raise DirectoryError(_held(holder, entry))
    if entries.count_at(network, entry.account) >= MOST_ENTRIES[entry.owner.document_type]:
        raise DirectoryError("EntryLimitExceeded")


def _held(holder: sqlite3.Row, entry: Entry) -> str:
    """Returns the code for refusing a key that is registered already."""
    if holder["owner_number"] != entry.owner.document:
        return "EntryKeyOwnedByDifferentPerson"
    return "EntryAlreadyExists" if holder["ispb"] == entry.account.ispb else "EntryKeyInCustodyOfDifferentParticipant"


def _later(seconds: int) -> Response[bytes]:
    """Returns 429 with the seconds to wait."""
    return DirectoryError("RateLimited").answered({"Retry-After": str(seconds)})


def _keep(network: Network, entry: Entry) -> sqlite3.Row:
    key = entry.key or network.chance.uuid()
    entries.add(network, Entry(key, entry.kind, entry.owner, entry.account, entry.status))
    return network.store.get("entry", key=key)


def _read_entry(form: Form, place: Form) -> Entry:
    kind, key = _read_key(form, own_random_keys=False)
    owner = _read_owner(form.child("owner"))
    ispb = place.text("ispb", 8)
    if ispb and (not pix_ids.is_ispb(ispb) or ispb in SIMULATED_BANKS):
        place.refuse("ispb", "INVALID", "The ISPB of the participant is expected")
    opened_at = place.instant("openedAt") if place.given("openedAt") is not None else None
    branch, account = place.text("branch", 4, BRANCH), place.text("account", 20, ACCOUNT)
    account_type = place.choice("accountType", entries.ACCOUNT_TYPES)
    return Entry(key, kind, owner, Account(ispb, branch, account, account_type, opened_at))


def _read_outside(network: Network, form: Form) -> Entry:
    """Reads a test's outside key and makes up missing fields."""
    kind, key = _read_key(form, own_random_keys=True)
    owner = Owner("Pessoa de Fora", "CPF", "52998224725")
    if kind in {"CPF", "CNPJ"} and key:
        owner = Owner("Pessoa de Fora", kind, key)
    child = form.maybe_child("owner")
    if child is not None:
        owner = _read_owner(child)
    bank = form.maybe_child("bank") or Form({})
    account = bank.maybe_text("account", 20, ACCOUNT) or str(310_000 + network.store.next_number("outside-account"))
    branch = bank.maybe_text("branch", 4, BRANCH) or "0001"
    account_type = bank.maybe_choice("accountType", entries.ACCOUNT_TYPES) or "CACC"
    status = form.maybe_choice("status", entries.STATUSES) or "ACTIVE"
    return Entry(key, kind, owner, Account(OUTSIDE_BANK_ISPB, branch, account, account_type), status)


def _read_key(form: Form, *, own_random_keys: bool) -> tuple[str, str]:
    """Reads type and key; the directory makes random keys itself. Every other key must be given and fit its type."""
    given = form.maybe_text("key", pix_keys.MAX_KEY)
    key = given if given is None or not own_random_keys else pix_keys.canonical(given)
    guessed = pix_keys.key_type(key) if key else None
    kind = form.maybe_choice("type", entries.KEY_TYPES)
    if kind is None and form.given("type") is None:
        kind = guessed or ""
        if not kind:
            form.refuse("type", "REQUIRED", "This field is required")
    if kind == "EVP" and key is not None and not own_random_keys:
        form.refuse("key", "NOT_ALLOWED", "The directory makes random keys itself")
    elif kind and kind != "EVP" and key is None and form.given("key") is None:
        form.refuse("key", "REQUIRED", "This field is required")
    elif kind and key is not None and guessed != kind:
        form.refuse("key", "INVALID", f"Not a {kind} key in its canonical form")
    return kind or "", key or ""


def _read_owner(form: Form) -> Owner:
    """Reads name and document. The document is an object of type and number, or its number alone."""
    name = form.text("name", 150)
    nested = isinstance(form.given("document"), dict)
    holder, field = (form.child("document"), "number") if nested else (form, "document")
    number = holder.text(field, 14)
    kind = "CPF" if documents.is_cpf(number) else "CNPJ"
    if number and kind == "CNPJ" and not documents.is_cnpj(number):
        holder.refuse(field, "INVALID", "A CPF or CNPJ with its check digits is expected")
    return Owner(name, kind, number)


def _fingerprint(entry: Entry) -> dict[str, Any]:
    """Returns the fields that make two requests the same."""
    return {
        "key": entry.key,
        "type": entry.kind,
        "owner": [entry.owner.name, entry.owner.document],
        "account": [entry.account.ispb, entry.account.branch, entry.account.account, entry.account.account_type],
    }

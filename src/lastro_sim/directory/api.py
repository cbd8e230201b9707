"""The directory's doors: for participants (DICT), and for tests that need one more outside key."""

import asyncio
import json
import sqlite3
from typing import Any
from urllib.parse import unquote

from litestar import Response, delete, get, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler

from lastro.standards import documents, pix_ids, pix_keys

from .. import faults, queries
from ..answers import Asked, answer
from ..clock import SECOND
from ..forms import Form
from ..guard import participant_only
from ..network import Network
from ..refusals import Problem, away, conflict, malformed
from ..settings import OUTSIDE_BANK_ISPB, SIMULATED_BANKS
from ..spi.intake import ACCOUNT, BRANCH
from . import buckets, claims, entries
from .entries import Account, Entry, Owner

HEADERS_OF_A_LOOK_UP = ("PI-RequestingParticipant", "PI-PayerId", "PI-EndToEndId")
TITLES = {
    "NotFound": (404, "The directory has no such entry"),
    "EntryBlocked": (403, "The entry is blocked by a court order"),
    "EntryAlreadyExists": (409, "The participant has registered the key for this owner already"),
    "EntryKeyInCustodyOfDifferentParticipant": (409, "The owner has the key at another participant"),
    "EntryKeyOwnedByDifferentPerson": (409, "Somebody else has the key"),
    "RequestIdAlreadyUsed": (409, "The request id was used for another request"),
    "EntryLockedByClaim": (409, "A claim of the key is open"),
    "RateLimited": (429, "Too many look-ups: wait before the next one"),
}

LOST = frozenset({"lost-answer"})  # what was asked is done, and the answer to it is lost


def _key(request: Asked) -> str:
    """The key that a path ends with. An e-mail may have a slash, which is sent as %2F and parts no path."""
    return unquote(request.scope["raw_path"].decode("ascii").rpartition("/")[2])


@get("/dict/v2/entries/{key:path}", guards=[participant_only])
async def entry_get(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Look a key up before paying to it."""
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
    buckets.spend(network, asked, found=entry is not None)
    if entry is None:
        return _refusal("NotFound")
    if entry["status"] == "BLOCKED":
        return _refusal("EntryBlocked")
    return answer(entries.shown_to_participant(entry), headers={"Cache-Control": "max-age=60"})


@post("/dict/v2/entries", guards=[participant_only])
async def entry_create(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Register a key; random ones are made here. The same request id again answers the same entry."""
    form = Form.read(await request.body())
    request_id = form.text("requestId", 36)
    entry = _read_entry(form, form.child("account"))
    form.check()
    struck = await _misbehave(network, entry.key, None)
    if struck is not None:
        return struck
    body = _fingerprint(entry)
    known = entries.request(network, request_id)
    if known is not None:
        if json.loads(known["body"]) != body:
            return _refusal("RequestIdAlreadyUsed")
        kept = entries.find(network, known["key"])
        return _refusal("NotFound") if kept is None else answer(entries.shown_to_participant(kept), 201)
    if entry.key and claims.open_of(network, entry.key) is not None:
        return _refusal("EntryLockedByClaim")
    holder = entries.find(network, entry.key) if entry.key else None
    if holder is not None:
        return _refusal(_held(holder, entry))
    with network.store.writing():
        made = _keep(network, entry)
        entries.remember_request(network, request_id, body, made["key"])
    if faults.strike(network, "directory", {"key": made["key"]}, LOST) is not None:
        raise away()
    return answer(entries.shown_to_participant(made), 201)


@delete("/dict/v2/entries/{key:path}", guards=[participant_only], status_code=200)
async def entry_delete(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Free a participant's key. Keys of the banks played here are not his to delete."""
    key = _key(request)
    struck = await _misbehave(network, key, None)
    if struck is not None:
        return struck
    entry = entries.find(network, key)
    if entry is not None and claims.open_of(network, key) is not None:
        return _refusal("EntryLockedByClaim")
    if entry is None or entry["ispb"] in SIMULATED_BANKS or not entries.remove(network, key):
        return _refusal("NotFound")
    if faults.strike(network, "directory", {"key": key}, LOST) is not None:
        raise away()
    return answer({"key": key})


@get("/directory")
async def directory_list(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """All keys and their owners, the outside ones first."""
    queries.read(request, ())
    return answer({"data": entries.listed(network)})


@post("/directory", status_code=200)
async def directory_add(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Give the outside bank one more key."""
    form = Form.read(await request.body())
    entry = _read_outside(network, form)
    form.check()
    if entry.key and entries.find(network, entry.key) is not None:
        raise conflict("key", "DUPLICATE", "The directory has this key already")
    return answer(entries.shown_to_all(network, _keep(network, entry)))


@get("/directory/limits")
async def limits_get(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """How much may still be asked, and by whom."""
    queries.read(request, ())
    return answer(buckets.shown(network))


@post("/directory/limits", status_code=200)
async def limits_set(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Choose the participants' category, or count nothing at all."""
    form = Form.read(await request.body())
    letter, enforce = form.maybe_choice("category", buckets.CATEGORIES), form.flag("enforced")
    form.check()
    buckets.configure(network, letter, None if form.given("enforced") is None else enforce)
    return answer(buckets.shown(network))


@delete("/directory/limits", status_code=200)
async def limits_fill(network: NamedDependency[Network]) -> Response[bytes]:
    """Fill every bucket."""
    buckets.fill(network)
    return answer(buckets.shown(network))


ROUTES: tuple[HTTPRouteHandler, ...] = (
    entry_get,
    entry_create,
    entry_delete,
    directory_list,
    directory_add,
    limits_get,
    limits_set,
    limits_fill,
)


async def _misbehave(network: Network, key: str, end_to_end_id: str | None) -> Response[bytes] | None:
    """What an ordered fault makes of this request."""
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
    return _refusal(fault.code or "EntryBlocked")


def _held(holder: sqlite3.Row, entry: Entry) -> str:
    """Why a key is not registered that somebody has."""
    if holder["owner_number"] != entry.owner.document:
        return "EntryKeyOwnedByDifferentPerson"
    return "EntryAlreadyExists" if holder["ispb"] == entry.account.ispb else "EntryKeyInCustodyOfDifferentParticipant"


def _refusal(kind: str, headers: dict[str, str] | None = None) -> Response[bytes]:
    status, title = TITLES.get(kind, (403, "The directory refuses"))
    return answer({"type": kind, "title": title, "status": status}, status, headers)


def _later(seconds: int) -> Response[bytes]:
    """Asked too much: when it may be asked again."""
    return _refusal("RateLimited", {"Retry-After": str(seconds)})


def _keep(network: Network, entry: Entry) -> sqlite3.Row:
    key = entry.key or network.chance.uuid()
    entries.add(network, Entry(key, entry.kind, entry.owner, entry.account, entry.status))
    made = entries.find(network, key)
    assert made is not None
    return made


def _read_entry(form: Form, place: Form) -> Entry:
    kind, key = _read_key(form, own_random_keys=False)
    owner = _read_owner(form.child("owner"))
    if kind in {"CPF", "CNPJ"} and key and owner.document and key != owner.document:
        form.refuse("key", "MISMATCH", "The key is not the owner's document")
    ispb = place.text("ispb", 8)
    if ispb and (not pix_ids.is_ispb(ispb) or ispb in SIMULATED_BANKS):
        place.refuse("ispb", "INVALID", "The ISPB of the participant is expected")
    opened_at = place.instant("openedAt") if place.given("openedAt") is not None else None
    branch, account = place.text("branch", 4, BRANCH), place.text("account", 20, ACCOUNT)
    account_type = place.choice("accountType", entries.ACCOUNT_TYPES)
    return Entry(key, kind, owner, Account(ispb, branch, account, account_type, opened_at))


def _read_outside(network: Network, form: Form) -> Entry:
    """A test's outside key: whatever it leaves out is made up."""
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
    """Type and key. A random key is made by the directory, every other one must be given and fit its type."""
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
    """Name and document; the document as an object of type and number, or its number alone."""
    name = form.text("name", 150)
    nested = isinstance(form.given("document"), dict)
    holder, field = (form.child("document"), "number") if nested else (form, "document")
    number = holder.text(field, 14)
    kind = "CPF" if documents.is_cpf(number) else "CNPJ"
    if number and kind == "CNPJ" and not documents.is_cnpj(number):
        holder.refuse(field, "INVALID", "A CPF or CNPJ with its check digits is expected")
    return Owner(name, kind, number)


def _fingerprint(entry: Entry) -> dict[str, Any]:
    """What makes two requests the same request."""
    return {
        "key": entry.key,
        "type": entry.kind,
        "owner": [entry.owner.name, entry.owner.document],
        "account": [entry.account.ispb, entry.account.branch, entry.account.account, entry.account.account_type],
    }

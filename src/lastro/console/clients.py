"""The API clients of a company: create, rotate the secret, revoke, by administrators.

The verbs are those of `lastro client`, as operations that no path serves, so that the frame records them as it does any act.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar
from urllib.parse import quote

import msgspec
from cryptography.x509 import InvalidVersion, load_pem_x509_certificates

from lastro import companies
from lastro.api_kit import forms
from lastro.api_kit.forms import Form
from lastro.api_kit.proxies import thumbprint
from lastro.api_kit.routes import Doc, Incoming, Route
from lastro.console import company_page, shell
from lastro.console.api_calls import Calls
from lastro.console.decisions import ROOT
from lastro.console.form_problems import NONE, elements, placed
from lastro.console.terms import Terms
from lastro.core.errors import Kind, Problem, Refused
from lastro.core.secrets import new_machine_secret
from lastro.people import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lastro.api_kit.http import Response
    from lastro.companies import Client
    from lastro.console.shell import PageRequest, User
    from lastro.core.ids import Chance
    from lastro.core.runner import Verb

F = TypeVar("F", bound=Form)

HERE = "/console/developers"
_CLIENTS = f"{ROOT}/clients"
OVERLAP_HOURS = (0, 1, 24, 24 * 7)  # for how long the older secret may admit beside a new one
_FEWEST_FAILED = 300
_MOST_NETWORKS = 50
_INPUTS: Final = {
    **elements("", "name", "permissions", "networks"), "certificates": "add", "add": "add", "requestsPerMinute": "limit",
}  # fmt: skip
_Text = Annotated[str, msgspec.Meta(min_length=1, max_length=140)]


class LetIn(Form):
    """A new client. permissions: what it may do. networks: where its requests may come from; none: anywhere. Both are set
    apart by spaces.
    """

    name: _Text
    permissions: str | None = None
    networks: str | None = None


class Renew(Form):
    """Another secret. hours: for how long the one it had admits too."""

    hours: int


class Words(Form):
    """Permissions or networks of a client, separated by spaces; no networks: anywhere."""

    permissions: str | None = None
    networks: str | None = None


class Certificates(Form):
    """Certificates of which a client must show one, by `x5t#S256`: added and removed.

    Both are separated by spaces. is_free: the last one may be removed, and then the client needs none any more.
    """

    add: str | None = None
    remove: str | None = None
    is_free: bool = False


class Limit(Form):
    """A client's rate limit, in requests a minute; none: the default."""

    requests_per_minute: int | None = None


class Nothing(Form):
    """A form without fields."""


def routes(chance: Chance) -> tuple[Route, ...]:
    """Returns the operations. chance: the source of secrets."""

    def renewed(client: str, form: Renew) -> Verb[Any] | Refused:
        if form.hours not in OVERLAP_HOURS:
            return Refused(Kind.INVALID, (Problem("hours", "INVALID", "is none of the choices"),))
        secret = new_machine_secret(companies.SECRET_PREFIX, chance.bytes)
        return companies.RotateSecret(client, secret, timedelta(hours=form.hours))

    return (
        _route("", "add_client", LetIn, lambda _, form: companies.AddClient(
            form.name, _split(form.permissions), _split(form.networks))),
        _route("/{id}/secret", "rotate_client_secret", Renew, renewed),
        _route("/{id}/permissions", "permit_client", Words,
               lambda client, form: companies.Permit(client, _split(form.permissions))),
        _route("/{id}/networks", "bind_client_networks", Words,
               lambda client, form: companies.BindNetworks(client, _split(form.networks))),
        _route("/{id}/certificates", "bind_client_certificates", Certificates,
               lambda client, form: companies.BindCertificates(
                   client, _split(form.add), _split(form.remove), stays_bound=not form.is_free)),
        _route("/{id}/limit", "limit_client", Limit,
               lambda client, form: companies.LimitRequests(client, form.requests_per_minute)),
        _route("/{id}/revoke", "revoke_client", Nothing, lambda client, _: companies.Revoke(client)),
        _route("/{id}/revoke-tokens", "revoke_client_tokens", Nothing, lambda client, _: companies.RevokeTokens(client)),
    )  # fmt: skip


def _route(path: str, name: str, form: type[F], verb: Callable[[str, F], Verb[Any] | Refused]) -> Route:
    """Returns an operation. verb: of the client's id, which is empty of a new one, and the form."""

    def parse(incoming: Incoming) -> Verb[Any] | Refused:
        given, problems = forms.read(incoming.raw, form)
        if problems:
            return Refused(Kind.INVALID, forms.first_of_each(problems))
        return verb(incoming.path.get("id", ""), given)

    return Route("POST", _CLIENTS + path, name, "institution", parse, Doc("Decided by who administers.", form=form))


def _split(text: str | None) -> tuple[str, ...]:
    return tuple((text or "").split())


async def everybody(user: User) -> list[Client]:
    """Returns the company's clients, revoked ones too."""
    async with company_page.session_of(user) as session:
        return list(await companies.clients(session, company_page.company_of(user)))


async def add(user: User, request: PageRequest) -> Response:
    """POST /console/developers/clients: creates a client; this page alone shows its secret."""
    name, given = request.form.get("name", "").strip(), request.lists.get("permission", ())
    networks = _networks(request)
    status, said = await _decide(user, _CLIENTS, {"name": name, "permissions": " ".join(given), "networks": networks})
    if status < _FEWEST_FAILED:
        return await _one(user, said["clientId"], secret=said["clientSecret"])
    return company_page.render(
        user, "client-new.html", HERE, status=status, **choices(), name=name, networks=networks,
        chosen=frozenset(given), problems=placed(company_page.why(said), _INPUTS),
    )  # fmt: skip


async def new(user: User, request: PageRequest) -> Response:
    """GET /console/developers/clients: the form of a new client."""
    everything = frozenset(companies.PERMISSIONS)
    return company_page.render(
        user, "client-new.html", HERE, **choices(), name="", networks="", chosen=everything, problems=NONE
    )


async def show(user: User, request: PageRequest) -> Response:
    """GET /console/developers/clients/{id}: one client, and its actions."""
    return await _one(user, request.values["id"])


async def ask(user: User, request: PageRequest) -> Response:
    """GET …/secret, …/revoke, …/revoke-tokens: the confirmation page, with the effect on this client."""
    client_id, act = request.values["id"], request.path.rpartition("/")[2]
    found = next((one for one in await everybody(user) if one.id == client_id and one.revoked_at is None), None)
    if found is None:
        return shell.not_found(user)
    say, here = Terms(user.language), f"{HERE}/clients/{quote(client_id, safe='')}"
    name = "new-secret" if act == "secret" else act
    hours = [(str(one), say("dev.overlap-hours", count=one) if one else say("dev.overlap-none")) for one in OVERLAP_HOURS]
    return company_page.sure(
        user, HERE, title=say(f"dev.{name}"), about=say(f"dev.{name}-why"), to=f"{here}/{act}", back=here,
        told=((say("dev.client"), found.name), ("clientId", found.id)), choice="hours", legend=say("dev.overlap"),
        choices=hours if act == "secret" else (),
    )  # fmt: skip


async def change(user: User, request: PageRequest) -> Response:
    """POST …/{act}: changes the client, from its next request on; this page alone shows a new secret."""
    client_id, act = request.values["id"], request.path.rpartition("/")[2]
    try:
        body = BODIES[act](request)
    except (ValueError, InvalidVersion):
        unread = [("certificates", "INVALID", "holds no certificate that can be read")]
        return await _one(user, client_id, status=400, problems=placed(unread, _INPUTS), typed=request.form)
    status, said = await _decide(user, f"{_CLIENTS}/{client_id}/{act}", body)
    if status < _FEWEST_FAILED:
        return await _one(user, client_id, secret=said.get("clientSecret"), done=True)
    problems = placed(company_page.why(said), _INPUTS)
    return await _one(user, client_id, status=status, problems=problems, typed=request.form)


def _certificates(request: PageRequest) -> dict[str, Any]:
    """Returns the certificates of a form: pasted as PEM, or named by thumbprints."""
    added = _thumbprints(request.form.get("add", ""))
    return {"add": " ".join(added), "remove": " ".join(request.lists.get("remove", ())), "isFree": "free" in request.form}


def _limit(request: PageRequest) -> dict[str, Any]:
    text = request.form.get("limit", "").strip()
    return {"requestsPerMinute": _whole(text) if text else None}


def _networks(request: PageRequest) -> str:
    """Returns the typed networks, separated by blanks."""
    return " ".join(request.form.get("networks", "").replace(",", " ").split()[:_MOST_NETWORKS])


def _thumbprints(text: str) -> list[str]:
    """Returns the thumbprints of a PEM text's certificates, or the typed ones.

    Typed ones are left to the rule. ValueError, InvalidVersion: it is PEM and holds none that can be read.
    """
    if "-----BEGIN" not in text:
        return text.replace(",", " ").split()
    return [thumbprint(one) for one in load_pem_x509_certificates(text.encode("ascii", "ignore"))]


def _whole(text: str) -> int:
    """Parses a whole number; -1, which no rule lets pass, where it is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else -1


def choices() -> dict[str, Any]:
    """Returns the choices in the forms of clients."""
    return {"permissions": companies.PERMISSIONS, "overlaps": OVERLAP_HOURS}


async def _one(user: User, client_id: str, *, status: int = 200, **told: Any) -> Response:
    found = next((one for one in await everybody(user) if one.id == client_id), None)
    if found is None:
        return shell.not_found(user)
    given = {"secret": None, "done": False, "problems": NONE, "typed": {}, "may_change": user.may(Role.ADMINISTER), **told}
    return company_page.render(user, "client.html", HERE, status=status, client=found, **choices(), **given)


async def _decide(user: User, path: str, body: dict[str, Any]) -> tuple[int, Any]:
    app_context = user.console_context.app_context
    return await Calls(app_context.runner, routes(user.console_context.entrance.chance)).call(user, "POST", path, {}, body)


# What each form of a client's page has its operation do.
BODIES: Final[Mapping[str, Callable[[PageRequest], dict[str, Any]]]] = {
    "secret": lambda request: {"hours": _whole(request.form.get("hours", ""))},
    "permissions": lambda request: {"permissions": " ".join(request.lists.get("permission", ()))},
    "networks": lambda request: {"networks": _networks(request)},
    "certificates": _certificates,
    "limit": _limit,
    "revoke": lambda _: {},
    "revoke-tokens": lambda _: {},
}

"""The profile pages: account, company, language, password and second factor."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lastro import companies, people
from lastro.api_kit.routes import as_id
from lastro.console import entrance, shell
from lastro.console.terms import LANGUAGES
from lastro.people import Slow
from lastro.standards import qrcode, totp

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.api_kit.http import Response
    from lastro.console.shell import PageRequest, User

_THEMES = ("auto", "light", "dark")
_COMPANIES = 100  # on one page
_ISSUER = "lastro"


@dataclass(frozen=True, slots=True)
class _Chosen:
    number: int
    id: UUID
    name: str


async def show(user: User, request: PageRequest) -> Response:
    """GET /console/me: the user's own account."""
    return _me(user)


async def prefer(user: User, request: PageRequest) -> Response:
    """POST /console/me/preferences: sets language and colours, and goes back to the page of the choice."""
    language, theme = request.form.get("language"), request.form.get("theme")
    async with user.console_context.app_context.database.session() as session:
        await people.prefer(
            session, user.person_id, language if language in LANGUAGES else None, theme if theme in _THEMES else None
        )
    return shell.go("/console/me")


async def password(user: User, request: PageRequest) -> Response:
    """POST /console/me/password: changes the password; every other session of the person ends."""
    now, then = request.form.get("now", ""), request.form.get("then", "")
    answer = await user.console_context.register.change_password(user.presence, now, then, user.network)
    if answer is None:
        return _me(user, done="password-changed")
    return _refused(user, answer)


async def factor(user: User, request: PageRequest) -> Response:
    """GET /console/me/factor: shows a new secret, as a picture and to be typed."""
    return _factor(user, user.console_context.register.new_factor())


async def add_factor(user: User, request: PageRequest) -> Response:
    """POST /console/me/factor: stores the secret, once a code shows that the app has it."""
    try:
        secret = totp.secret_of(request.form.get("secret", ""))
    except ValueError:
        secret = b""
    if len(secret) != totp.SECRET_BYTES:  # it was not ours, and a longer one fits into no picture
        return shell.go("/console/me/factor")
    code, known, before = (request.form.get(name, "") for name in ("code", "password", entrance.PROOF))
    answer = await user.console_context.register.add_factor(user.presence, secret, code, known, user.network, before)
    if isinstance(answer, list):
        return shell.render(user, "recovery.html", codes=answer)
    problem, seconds = _problem(answer)
    return _factor(user, secret, status=429 if seconds else 400, problem=problem, seconds=seconds)


async def sign_out(user: User, request: PageRequest) -> Response:
    """POST /console/sign-out: ends this session, or with `everywhere` every one of the person."""
    async with user.console_context.app_context.database.session() as session:
        await people.end(session, user.presence.hash)
    if request.form.get("everywhere"):
        await user.console_context.register.leave(user.presence, user.network)
    return shell.go("/console/sign-in")


async def companies_list(user: User, request: PageRequest) -> Response:
    """GET /console/company: lists the companies to choose from, by number."""
    after = request.query.get("after", "")
    floor = int(after) if after.isascii() and after.isdigit() and len(after) <= 9 else -1
    found: list[_Chosen] = []
    database, only = user.console_context.app_context.database, user.presence.person.only_company
    async with database.session() as session:
        numbers = [one for one in await companies.numbers(session) if one[0] > floor]
    numbers = [one for one in numbers if only in (None, one[1])]
    for number, company_id in numbers[:_COMPANIES]:
        async with database.session(company_id) as session:
            company = await companies.company(session, company_id)
        found += [] if company is None else [_Chosen(number, company_id, company.name)]
    more = numbers[_COMPANIES - 1][0] if len(numbers) > _COMPANIES else None
    return shell.render(user, "companies.html", companies=found, more=more)


async def choose(user: User, request: PageRequest) -> Response:
    """POST /console/company: chooses the company of the pages from now on."""
    company_id = as_id(request.form.get("company"))
    if company_id is None or user.presence.person.only_company not in (None, company_id):
        return shell.not_found(user)
    database = user.console_context.app_context.database
    async with database.session(company_id) as session:
        if await companies.company(session, company_id) is None:
            return shell.not_found(user)
    async with database.session() as session:
        await people.choose(session, user.presence.hash, company_id)
    return shell.go("/console")


def _me(user: User, *, status: int = 200, **told: Any) -> Response:
    given = {"done": None, "problem": None, "seconds": 0, "themes": _THEMES, **_lengths(), **told}
    return shell.render(user, "me.html", status=status, here="/console/me", **given)


def _refused(user: User, answer: Slow | str) -> Response:
    problem, seconds = _problem(answer)
    return _me(user, status=429 if seconds else 400, problem=problem, seconds=seconds)


def _problem(answer: Slow | str) -> tuple[str, int]:
    """Returns the word of a problem, and the seconds to wait."""
    if isinstance(answer, Slow):
        return "slow", answer.seconds
    words = {"WRONG": "wrong-password", "CODE": "factor-wrong-code", "BEFORE": "factor-wrong-before"}
    return words.get(answer, answer.lower().replace("_", "-")), 0


def _factor(user: User, secret: bytes, *, status: int = 200, problem: str | None = None, seconds: int = 0) -> Response:
    picture = qrcode.png(totp.uri(secret, user.presence.person.email, _ISSUER))
    return shell.render(
        user, "factor.html", status=status, problem=problem, seconds=seconds, secret=totp.shown(secret),
        picture=f"data:image/png;base64,{base64.b64encode(picture).decode()}",
    )  # fmt: skip


def _lengths() -> dict[str, int]:
    return {"shortest": people.SHORTEST_PASSWORD, "longest": people.LONGEST_PASSWORD}

"""What everybody may do who is in: see the own account, choose a company and a language, change what one enters with."""

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


async def show(viewer: User, asked: PageRequest) -> Response:
    """GET /console/me: the own account."""
    return _me(viewer)


async def prefer(viewer: User, asked: PageRequest) -> Response:
    """POST /console/me/preferences: language and colours, and back to the page where they were chosen."""
    language, theme = asked.form.get("language"), asked.form.get("theme")
    async with viewer.premises.house.database.session() as session:
        await people.prefer(
            session, viewer.person_id, language if language in LANGUAGES else None, theme if theme in _THEMES else None
        )
    return shell.go("/console/me")


async def password(viewer: User, asked: PageRequest) -> Response:
    """POST /console/me/password: another password; every other session of the person ends."""
    now, then = asked.form.get("now", ""), asked.form.get("then", "")
    answer = await viewer.premises.register.change_password(viewer.presence, now, then, viewer.network)
    if answer is None:
        return _me(viewer, done="password-changed")
    return _refused(viewer, answer)


async def factor(viewer: User, asked: PageRequest) -> Response:
    """GET /console/me/factor: a new secret, as a picture and to be typed."""
    return _factor(viewer, viewer.premises.register.new_factor())


async def add_factor(viewer: User, asked: PageRequest) -> Response:
    """POST /console/me/factor: the secret is the person's, once a code shows that the app has it."""
    try:
        secret = totp.secret_of(asked.form.get("secret", ""))
    except ValueError:
        secret = b""
    if len(secret) != totp.SECRET_BYTES:  # it was not ours, and a longer one fits into no picture
        return shell.go("/console/me/factor")
    code, known, before = (asked.form.get(name, "") for name in ("code", "password", entrance.PROOF))
    answer = await viewer.premises.register.add_factor(viewer.presence, secret, code, known, viewer.network, before)
    if isinstance(answer, list):
        return shell.render(viewer, "recovery.html", codes=answer)
    problem, seconds = _problem(answer)
    return _factor(viewer, secret, status=429 if seconds else 400, problem=problem, seconds=seconds)


async def sign_out(viewer: User, asked: PageRequest) -> Response:
    """POST /console/sign-out: ends this session, or with `everywhere` every one of the person."""
    async with viewer.premises.house.database.session() as session:
        await people.end(session, viewer.presence.hash)
    if asked.form.get("everywhere"):
        await viewer.premises.register.leave(viewer.presence, viewer.network)
    return shell.go("/console/sign-in")


async def companies_list(viewer: User, asked: PageRequest) -> Response:
    """GET /console/company: the companies, by number, of which one is chosen."""
    after = asked.query.get("after", "")
    floor = int(after) if after.isascii() and after.isdigit() and len(after) <= 9 else -1
    found: list[_Chosen] = []
    async with viewer.premises.house.database.session() as session:
        numbers = [one for one in await companies.numbers(session) if one[0] > floor]
        only = viewer.presence.person.only_company
        numbers = [one for one in numbers if only in (None, one[1])]
        for number, company_id in numbers[:_COMPANIES]:
            await session.enter(company_id)
            company = await companies.company(session, company_id)
            found += [] if company is None else [_Chosen(number, company_id, company.name)]
    more = numbers[_COMPANIES - 1][0] if len(numbers) > _COMPANIES else None
    return shell.render(viewer, "companies.html", companies=found, more=more)


async def choose(viewer: User, asked: PageRequest) -> Response:
    """POST /console/company: the company that the person looks at from now on."""
    company_id = as_id(asked.form.get("company"))
    if company_id is None or viewer.presence.person.only_company not in (None, company_id):
        return shell.not_found(viewer)
    async with viewer.premises.house.database.session(company_id) as session:
        if await companies.company(session, company_id) is None:
            return shell.not_found(viewer)
        await people.choose(session, viewer.presence.hash, company_id)
    return shell.go("/console")


def _me(viewer: User, *, status: int = 200, **told: Any) -> Response:
    given = {"done": None, "problem": None, "seconds": 0, "themes": _THEMES, **_lengths(), **told}
    return shell.render(viewer, "me.html", status=status, here="/console/me", **given)


def _refused(viewer: User, answer: Slow | str) -> Response:
    problem, seconds = _problem(answer)
    return _me(viewer, status=429 if seconds else 400, problem=problem, seconds=seconds)


def _problem(answer: Slow | str) -> tuple[str, int]:
    """The word of what was wrong, and how many seconds are to be waited."""
    if isinstance(answer, Slow):
        return "slow", answer.seconds
    words = {"WRONG": "wrong-password", "CODE": "factor-wrong-code", "BEFORE": "factor-wrong-before"}
    return words.get(answer, answer.lower().replace("_", "-")), 0


def _factor(viewer: User, secret: bytes, *, status: int = 200, problem: str | None = None, seconds: int = 0) -> Response:
    picture = qrcode.png(totp.uri(secret, viewer.presence.person.email, _ISSUER))
    return shell.render(
        viewer, "factor.html", status=status, problem=problem, seconds=seconds, secret=totp.shown(secret),
        picture=f"data:image/png;base64,{base64.b64encode(picture).decode()}",
    )  # fmt: skip


def _lengths() -> dict[str, int]:
    return {"shortest": people.SHORTEST_PASSWORD, "longest": people.LONGEST_PASSWORD}

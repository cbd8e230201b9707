"""Who may enter the console: let in, permitted, turned away, by those who administer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lastro.api_kit.catalogue import Speech
from lastro.api_kit.http import STATUS
from lastro.api_kit.routes import as_id
from lastro.console import company_page, shell
from lastro.console.terms import FRAME
from lastro.core.errors import Kind, Refused
from lastro.people import By, Role, may_administer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from uuid import UUID

    from lastro.api_kit.http import Response
    from lastro.console.shell import PageRequest, User
    from lastro.people import Person


async def everybody(viewer: User, asked: PageRequest) -> Response:
    """GET /console/people: everybody whom the person may administer, who has ended last."""
    return await _everybody(viewer)


async def invite(viewer: User, asked: PageRequest) -> Response:
    """POST /console/people: somebody new, or another link for somebody; the link is shown this once.

    Whoever is of one company lets people into that one. Whoever is the institution's says which, by `scope`: the id that the
    form was made with, since another page of the same session may look at another company by now.
    """
    roles = [role for role in Role if role.value in asked.lists.get("role", ())]
    own = viewer.presence.person.only_company
    scope = asked.form.get("scope", "")
    if own is None and scope not in ("all", str(viewer.company_id)):
        return shell.render(viewer, "refused.html", status=403, why="stale-form")
    company = own or (None if scope == "all" else viewer.company_id)
    email, name = asked.form.get("email", ""), asked.form.get("name", "").strip()
    made = await viewer.premises.register.invite(email, name, roles, company, _by(viewer))
    if isinstance(made, Refused):
        return await _everybody(viewer, status=STATUS[made.kind], problems=made.problems, email=email, name=name)
    link = f"{viewer.premises.house.place.public_url}/console/link/{made[1].reveal()}"
    return await _everybody(viewer, link=link, invited=made[0])


async def show(viewer: User, asked: PageRequest) -> Response:
    """GET /console/people/{id}: one of them, and what may be done."""
    whom = await _whom(viewer, asked)
    return shell.not_found(viewer) if whom is None else _shown(viewer, whom)


async def permit(viewer: User, asked: PageRequest) -> Response:
    """POST /console/people/{id}/roles: what it may do from now on."""
    roles = [role for role in Role if role.value in asked.lists.get("role", ())]

    async def given(whom: Person, by: By) -> Refused | None:
        return await viewer.premises.register.permit(whom, roles, by)

    return await _changed(viewer, asked, given)


async def ask_end(viewer: User, asked: PageRequest) -> Response:
    """GET /console/people/{id}/end: whose access would end, and what that means."""
    whom = await _whom(viewer, asked)
    if whom is None or whom.ended_at is not None:
        return shell.not_found(viewer)
    if not may_administer(viewer.presence.person, whom):
        return shell.forbidden(viewer)
    say = Speech(viewer.language, FRAME)
    here = f"/console/people/{whom.id}"
    return company_page.sure(
        viewer, "/console/people", title=say("end-person"), about=say("end-person-why"), to=f"{here}/end", back=here,
        told=((say("name"), whom.name), (say("email"), whom.email)),
    )  # fmt: skip


async def end(viewer: User, asked: PageRequest) -> Response:
    """POST /console/people/{id}/end: it enters no more."""
    return await _changed(viewer, asked, viewer.premises.register.end)


async def take_factor(viewer: User, asked: PageRequest) -> Response:
    """POST /console/people/{id}/factor: without its second factor."""
    return await _changed(viewer, asked, viewer.premises.register.take_factor)


async def sign_out(viewer: User, asked: PageRequest) -> Response:
    """POST /console/people/{id}/sign-out: out everywhere."""
    return await _changed(viewer, asked, viewer.premises.register.sign_out)


async def _changed(viewer: User, asked: PageRequest, act: Callable[[Person, By], Awaitable[Refused | None]]) -> Response:
    whom = await _whom(viewer, asked)
    if whom is None:
        return shell.not_found(viewer)
    refused = await act(whom, _by(viewer))
    if refused is None:
        return shell.go(f"/console/people/{whom.id}")
    if refused.kind is Kind.FORBIDDEN and not refused.problems:
        return shell.forbidden(viewer)
    problem = {Kind.CONFLICT: "stale", Kind.FORBIDDEN: "by-command-alone"}.get(refused.kind, "refused")
    return _shown(viewer, whom, status=STATUS[refused.kind], problem=problem)


async def _everybody(viewer: User, *, status: int = 200, **told: Any) -> Response:
    found = await viewer.premises.register.everybody(viewer.presence.person.only_company)
    given = {
        "people": found, "all_roles": tuple(Role), "problems": (), "link": None, "invited": None, "email": "", "name": "",
        **told,
    }  # fmt: skip
    return shell.render(viewer, "people.html", status=status, here="/console/people", **given)


def _shown(viewer: User, whom: Person, *, status: int = 200, problem: str | None = None) -> Response:
    may = may_administer(viewer.presence.person, whom) and whom.ended_at is None
    return shell.render(
        viewer, "person.html", status=status, here="/console/people", whom=whom, may_change=may, all_roles=tuple(Role),
        problem=problem,
    )  # fmt: skip


async def _whom(viewer: User, asked: PageRequest) -> Person | None:
    """The person that the path names, where whoever asks may see it."""
    person_id: UUID | None = as_id(asked.values["id"])
    whom = None if person_id is None else await viewer.premises.register.one(person_id)
    only = viewer.presence.person.only_company
    return whom if whom is not None and only in (None, whom.only_company) else None


def _by(viewer: User) -> By:
    return By(viewer.presence.person, viewer.network)

"""The console's users: invite, set roles, turn away, by administrators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lastro.api_kit.catalogue import Speech
from lastro.api_kit.http import STATUS
from lastro.api_kit.routes import as_id
from lastro.console import company_page, naming, shell
from lastro.console.form_problems import NONE, FormProblems, elements, placed
from lastro.console.terms import FRAME
from lastro.core.errors import Kind, Refused
from lastro.people import By, Role, may_administer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from uuid import UUID

    from lastro.api_kit.http import Response
    from lastro.console.shell import PageRequest, User
    from lastro.people import Person


async def everybody(user: User, request: PageRequest) -> Response:
    """GET /console/people: everybody whom the person may administer, people without access last."""
    return await _everybody(user)


async def invite(user: User, request: PageRequest) -> Response:
    """POST /console/people: invites somebody new, or makes another link for somebody.

    The link is shown this once. A person of one company lets people into that one. A person of the institution names the
    company by `scope`: the id that the form was made with, since another page of the same session may look at another
    company by now.
    """
    roles = [role for role in Role if role.value in request.lists.get("role", ())]
    own = user.presence.person.only_company
    scope = request.form.get("scope", "")
    if own is None and scope not in ("all", str(user.company_id)):
        return shell.render(user, "refused.html", status=403, why="stale-form")
    company = own or (None if scope == "all" else user.company_id)
    email, name = request.form.get("email", ""), request.form.get("name", "").strip()
    made = await user.console_context.register.invite(email, name, roles, company, _by(user))
    if isinstance(made, Refused):
        typed = {"email": email, "name": name, "chosen": frozenset(roles), "scope": scope}
        return await _everybody(user, status=STATUS[made.kind], problems=_placed(made), **typed)
    link = f"{user.console_context.app_context.place.public_url}/console/link/{made[1].reveal()}"
    return await _everybody(user, link=link, invited=made[0])


async def show(user: User, request: PageRequest) -> Response:
    """GET /console/people/{id}: one person, and the actions."""
    whom = await _whom(user, request)
    return shell.not_found(user) if whom is None else await _shown(user, whom)


async def permit(user: User, request: PageRequest) -> Response:
    """POST /console/people/{id}/roles: sets the roles from now on."""
    roles = [role for role in Role if role.value in request.lists.get("role", ())]

    async def given(whom: Person, by: By) -> Refused | None:
        return await user.console_context.register.permit(whom, roles, by)

    return await _changed(user, request, given)


async def ask_end(user: User, request: PageRequest) -> Response:
    """GET /console/people/{id}/end: the confirmation page of ending a person's access."""
    whom = await _whom(user, request)
    if whom is None or whom.ended_at is not None:
        return shell.not_found(user)
    if not may_administer(user.presence.person, whom):
        return shell.forbidden(user)
    say = Speech(user.language, FRAME)
    here = f"/console/people/{whom.id}"
    return company_page.sure(
        user, "/console/people", title=say("end-person"), about=say("end-person-why"), to=f"{here}/end", back=here,
        told=((say("name"), whom.name), (say("email"), whom.email)),
    )  # fmt: skip


async def end(user: User, request: PageRequest) -> Response:
    """POST /console/people/{id}/end: ends the person's access."""
    return await _changed(user, request, user.console_context.register.end)


async def take_factor(user: User, request: PageRequest) -> Response:
    """POST /console/people/{id}/factor: removes the second factor."""
    return await _changed(user, request, user.console_context.register.take_factor)


async def sign_out(user: User, request: PageRequest) -> Response:
    """POST /console/people/{id}/sign-out: signs the person out everywhere."""
    return await _changed(user, request, user.console_context.register.sign_out)


async def _changed(user: User, request: PageRequest, act: Callable[[Person, By], Awaitable[Refused | None]]) -> Response:
    whom = await _whom(user, request)
    if whom is None:
        return shell.not_found(user)
    refused = await act(whom, _by(user))
    if refused is None:
        return shell.go(f"/console/people/{whom.id}")
    if refused.kind is Kind.FORBIDDEN and not refused.problems:
        return shell.forbidden(user)
    problem = {Kind.CONFLICT: "stale", Kind.FORBIDDEN: "by-command-alone"}.get(refused.kind, "refused")
    found = _placed(refused) if refused.kind is Kind.INVALID else NONE
    return await _shown(user, whom, status=STATUS[refused.kind], problem=None if found else problem, problems=found)


async def _everybody(user: User, *, status: int = 200, **told: Any) -> Response:
    found = await user.console_context.register.everybody(user.presence.person.only_company)
    given = {
        "names": await naming.of_companies(user, (one.only_company for one in found if one.only_company)),
        "people": found, "all_roles": tuple(Role), "problems": NONE, "link": None, "invited": None, "email": "", "name": "",
        "chosen": frozenset({Role.READ}), "scope": "",
        **told,
    }  # fmt: skip
    return shell.render(user, "people.html", status=status, here="/console/people", **given)


async def _shown(
    user: User, whom: Person, *, status: int = 200, problem: str | None = None, problems: FormProblems = NONE
) -> Response:  # fmt: skip
    may = may_administer(user.presence.person, whom) and whom.ended_at is None
    return shell.render(
        user, "person.html", status=status, here="/console/people", whom=whom, may_change=may, all_roles=tuple(Role),
        problem=problem, problems=problems, chosen=whom.roles,
        names=await naming.of_companies(user, () if whom.only_company is None else (whom.only_company,)),
    )  # fmt: skip


async def _whom(user: User, request: PageRequest) -> Person | None:
    """Returns the person of the path, where the user may see them."""
    person_id: UUID | None = as_id(request.values["id"])
    whom = None if person_id is None else await user.console_context.register.one(person_id)
    only = user.presence.person.only_company
    return whom if whom is not None and only in (None, whom.only_company) else None


def _placed(refused: Refused) -> FormProblems:
    """Returns the problems of the form of a person."""
    return placed(
        ((one.field, one.issue, one.description) for one in refused.problems), elements("", "name", "email", "roles")
    )


def _by(user: User) -> By:
    return By(user.presence.person, user.network)

"""A new plan of payouts from a CSV file.

Sending it is its own trial. A plan's page and a page of its own name the lines that cannot be paid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lastro.api_kit.http import STATUS
from lastro.api_kit.routes import as_id
from lastro.console import choosing, company_page, shell
from lastro.console.api_calls import RawBody
from lastro.console.form_problems import placed
from lastro.console.terms import Terms
from lastro.core.errors import Refused
from lastro.core.media import CSV
from lastro.plans import LARGEST_BYTES, MOST_LINES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.api_kit.http import Response
    from lastro.console.shell import PageRequest, User

HERE: Final = "/console/plan"
LIST: Final = "/console/plans"
LARGEST: Final = LARGEST_BYTES  # of the form with its file
SHOWN: Final = 100  # lines of a page that have problems
_PLANS: Final = "/order/v1/banking/payout-plans"
_FEWEST_FAILED: Final = 300
_NOBODY: Final = "00000000-0000-0000-0000-000000000000"
# Their lines were checked, and are now made to payouts: what is wrong with one was found then.
_MAKING: Final = frozenset({"APPLYING", "APPLIED", "PARTIALLY_APPLIED", "FAILED"})
_COLUMNS: Final = (
    "externalId", "accountId", "paymentMethod", "amount", "description", "pixKey", "ispb", "accountType", "branchNumber",
    "accountNumber", "receiverName", "receiverDocument",
)  # fmt: skip
# Of the sandbox's simulated network; elsewhere a person writes others over them.
_TO: Final = (
    ("10.50", "fabio@fora.example", "", "", "", "", "", ""),
    ("20.25", "98765432100", "", "", "", "", "", ""),
    ("30.00", "", "99999030", "CHECKING_ACCOUNT", "0001", "300001", "Fabio de Fora", "24681357928"),
)


async def new(user: User, request: PageRequest) -> Response:
    """GET /console/plan: the form that takes a CSV file."""
    return _form(user)


async def add(user: User, request: PageRequest) -> Response:
    """POST /console/plan: takes the plan in and shows its page; or the form again with what is wrong with the file."""
    file = request.files.get("file", b"")
    if not file:
        return _form(user, status=400, problems=[("file", "REQUIRED", "is required")])
    status, said = await user.call("POST", _PLANS, body=RawBody(file, CSV))
    if status < _FEWEST_FAILED:
        return shell.go(f"{LIST}/{said['id']}")
    problems = [("file" if field == "body" else field, *rest) for field, *rest in company_page.why(said)]
    return _form(user, status=status, problems=problems)


async def sample(user: User, request: PageRequest) -> Response:
    """GET /console/plan/sample: a CSV file to begin with, from the company's oldest active account."""
    async with company_page.session_of(user) as session:
        rows = await session.search(choosing.FIRST, company_page.company_of(user))
    account = next((str(row["id"]) for row in rows if row["status"] == "ACTIVE"), _NOBODY)
    entrance = user.console_context.entrance
    own = entrance.chance.uuid(entrance.machine_now()).hex[-8:]
    body = sample_of(account, own, Terms(user.language))
    return shell.download(body, f"{CSV}; charset=utf-8", (("content-disposition", 'attachment; filename="plan.csv"'),))


def sample_of(account: str, own: str, say: Terms) -> bytes:
    """Writes a CSV file as spreadsheets of the language's readers do. own: a word that makes its codes new."""
    is_pt = say.language == "pt"
    lines = [_COLUMNS] + [
        (f"{own}-{n}", account, "PIX", amount.replace(".", ",") if is_pt else amount, f"{say('plan.sample')} {n}", *to)
        for n, (amount, *to) in enumerate(_TO, start=1)
    ]
    return "".join((";" if is_pt else ",").join(cells) + "\r\n" for cells in lines).encode("utf-8-sig")


async def problems(user: User, request: PageRequest) -> Response:
    """GET /console/plans/{id}/problems: each line that cannot be paid, with why and what to do; `after` leads on."""
    own = as_id(request.values["id"])
    if own is None:
        return shell.not_found(user)
    status, plan = await user.call("GET", f"{_PLANS}/{own}")
    if status >= _FEWEST_FAILED:
        return shell.refused(user, status, plan)
    after = request.query.get("after", "0")
    status, said = await user.call("GET", f"{_PLANS}/{own}/lines", query_of(plan, after))
    if status >= _FEWEST_FAILED:
        return shell.refused(user, status, said)
    return company_page.render(
        user, "plan-problems.html", LIST, plan=plan, rows=rows_of(said["data"], Terms(user.language)),
        more=said.get("nextCursor"),
    )  # fmt: skip


def query_of(plan: Mapping[str, Any], after: str = "0") -> dict[str, str]:
    """Returns the query of a plan's lines that cannot be paid."""
    return {"limit": str(SHOWN), "cursor": after, "status": "REFUSED" if plan["status"] in _MAKING else "INVALID"}


def rows_of(lines: Any, say: Terms) -> list[dict[str, Any]]:
    """Returns each problem of lines, in words: line, external id, column, why, cure."""
    return [
        {
            "line": line["line"], "externalId": line.get("externalId", ""), "column": one["field"],
            "why": say.refusal(one["issue"], one["description"]), "cure": cure_of(one["field"], one["issue"], say),
        }
        for line in lines for one in line.get("issues", ())
    ]  # fmt: skip


def cure_of(column: str, issue: str, say: Terms) -> str:
    """Returns what to do about a column's problem."""
    return say.known(f"plan.cure.{column}.{issue}", say.known(f"plan.cure.{issue}", say("plan.cure")))


async def result(user: User, request: PageRequest) -> Response:
    """GET /console/plans/{id}/result: downloads all lines with what became of them."""
    found = await user.console_context.calls.download(user, f"{_PLANS}/{request.values['id']}/result")
    if isinstance(found, Refused):
        return shell.refused(user, STATUS[found.kind])
    return shell.download(found.body, found.media, found.headers)


def _form(user: User, *, status: int = 200, problems: Any = ()) -> Response:
    return company_page.render(
        user,
        "plan.html",
        LIST,
        status=status,
        problems=placed(problems, {"file": "p-file"}),
        most=MOST_LINES,
        megabytes=LARGEST // 1024 // 1024,
    )

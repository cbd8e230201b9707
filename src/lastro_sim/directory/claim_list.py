"""The list of a participant's claims (DICT API 2.12.1, listClaims).

It is filtered, in order of modification, 200 at most.
"""

from dataclasses import dataclass, field

from lastro_sim.answers import Asked
from lastro_sim.clock import counted
from lastro_sim.forms import Form
from lastro_sim.network import Network
from lastro_sim.refusals import Problem, malformed
from lastro_sim.settings import LASTRO_ISPB

from .claims import OWNERSHIP, PORTABILITY, Row

FILTERS = frozenset(
    {"Participant", "IncludeIndirectParticipants", "IsDonor", "IsClaimer", "Status", "Type", "ModifiedAfter",
     "ModifiedBefore", "Limit"}
)  # fmt: skip
STATUSES = frozenset({"OPEN", "WAITING_RESOLUTION", "CONFIRMED", "CANCELLED", "COMPLETED"})
DEFAULT_LIMIT, LARGEST_LIMIT = 20, 200


@dataclass
class ClaimFilter:
    """A filter of claims. conditions: SQL of our own, its values beside it. limit: the most to list."""

    limit: int
    conditions: list[str] = field(default_factory=list)
    values: list[str | int] = field(default_factory=list)

    def only(self, condition: str, *values: str | int) -> None:
        """Adds a condition."""
        self.conditions.append(condition)
        self.values.extend(values)


def read(request: Asked) -> ClaimFilter:
    """Reads the query; refuses unknown or invalid filters."""
    given, statuses = _given(request)
    form = Form(dict(given))
    wanted = ClaimFilter(_limit(given))
    if form.text("Participant", 8) not in ("", LASTRO_ISPB):
        form.refuse("Participant", "INVALID", "The ISPB of the participant is expected")
    if not set(statuses) <= STATUSES:
        form.refuse("Status", "INVALID", "A status of a claim is expected")
    _by_role(wanted, given)
    if statuses:
        wanted.only(f"status IN ({', '.join('?' * len(statuses))})", *statuses)
    kind = form.maybe_choice("Type", (PORTABILITY, OWNERSHIP))
    if kind is not None:
        wanted.only("type = ?", kind)
    for name, sign in (("ModifiedAfter", ">="), ("ModifiedBefore", "<=")):
        at = form.moment(name) if name in given else None
        if at is not None:
            wanted.only(f"changed_at {sign} ?", counted(at))
    form.check()
    return wanted


def _given(request: Asked) -> tuple[dict[str, str], list[str]]:
    """Returns the filters; a status may stand more than once."""
    given: dict[str, str] = {}
    statuses = []
    for name, value in request.query_params.multi_items():
        if name not in FILTERS or (name in given and name != "Status"):
            raise malformed(Problem(name[:100], "NOT_ALLOWED", "This parameter is not known, or stands twice"))
        given[name] = str(value)
        if name == "Status":
            statuses.append(str(value))
    return given, statuses


def _by_role(wanted: ClaimFilter, given: dict[str, str]) -> None:
    """Filters by the participant's role. The same value of both asks for either ("disjuntivo")."""
    donor, claimer = (given.get(name, "").lower() == "true" for name in ("IsDonor", "IsClaimer"))
    if donor == claimer:
        wanted.only("(donor = ? OR claimer = ?)", LASTRO_ISPB, LASTRO_ISPB)
    else:
        wanted.only("donor = ?" if donor else "claimer = ?", LASTRO_ISPB)


def found(network: Network, wanted: ClaimFilter) -> tuple[list[Row], bool]:
    """Returns the claims, earliest modified first, and whether more follow."""
    sql = f"SELECT * FROM claim WHERE {' AND '.join(wanted.conditions)} ORDER BY changed_at, seq LIMIT ?"  # noqa: S608 ours
    rows = network.store.rows(sql, *wanted.values, wanted.limit + 1)
    return rows[: wanted.limit], len(rows) > wanted.limit


def _limit(given: dict[str, str]) -> int:
    text = given.get("Limit", str(DEFAULT_LIMIT))
    if not (text.isascii() and text.isdecimal()) or not 1 <= int(text[:9]) <= LARGEST_LIMIT:
        raise malformed(Problem("Limit", "OUT_OF_RANGE", f"From 1 to {LARGEST_LIMIT}"))
    return int(text)

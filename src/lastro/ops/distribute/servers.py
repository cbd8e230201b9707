"""Shows where things are: the servers of a spread database, their shards, a company's."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec

from lastro.core.declined import CommandFailed
from lastro.ops.distribute.spreading import MOST_SERVERS, SEQUENCES

if TYPE_CHECKING:
    import asyncpg

_SERVERS = """
SELECT nodeid, groupid, nodename AS host, nodeport AS port FROM pg_dist_node WHERE noderole = 'primary' ORDER BY groupid
"""
_SHARDS = "SELECT shard, host, port FROM shards.all()"
_COMPANIES = """
SELECT get_shard_id_for_distribution_column('public.companies', company_id) AS shard, count(*) AS companies
  FROM company_numbers GROUP BY 1
"""
# Asked at each server: an answer is one text.
_STATE = f"""
SELECT json_build_object('bytes', pg_database_size(current_database()), 'is_set_up',
  (SELECT count(*) = {len(SEQUENCES)} FROM pg_sequence
    WHERE seqrelid IN ({", ".join(f"to_regclass('public.{name}')" for name in SEQUENCES)}) AND seqincrement = {MOST_SERVERS})
  AND (to_regnamespace('shards') IS NULL OR to_regclass('shards.beats') IS NOT NULL)
  AND EXISTS (SELECT FROM pg_roles r WHERE r.rolname = 'lastro_owner' AND has_database_privilege(r.oid, current_database(), 'CREATE'))
)"""  # noqa: E501, S608 names of our own code
_ASK_ALL = "SELECT nodeid, success, result FROM run_command_on_all_nodes($1)"
_COMPANY = "SELECT company_id, number FROM company_numbers WHERE company_id = $1 OR number = $2"
_OF = "SELECT shard, host, port FROM shards.of($1)"
_MOST_NUMBER = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Server:
    """A server of a spread database. bytes, is_set_up: None where it does not answer."""

    host: str
    port: int
    is_coordinator: bool
    shards: int
    companies: int
    bytes: int | None
    is_set_up: bool | None

    @property
    def place(self) -> str:
        """Returns its address as commands take it."""
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a company: its shard, and the server that has it."""

    company_id: UUID
    number: int
    shard: int
    host: str
    port: int

    def shown(self) -> dict[str, Any]:
        """Returns what a person is shown."""
        return {
            "companyId": self.company_id,
            "number": self.number,
            "shard": self.shard,
            "server": f"{self.host}:{self.port}",
        }


async def servers(connection: asyncpg.Connection, *, is_spread: bool) -> list[Server]:
    """Returns the servers, the coordinator first."""
    shards = await connection.fetch(_SHARDS) if is_spread else []
    companies = {row["shard"]: row["companies"] for row in await connection.fetch(_COMPANIES)} if is_spread else {}
    states = {row["nodeid"]: _state(row) for row in await connection.fetch(_ASK_ALL, _STATE)}
    held: Counter[tuple[str, int]] = Counter()
    for row in shards:
        held[row["host"], row["port"]] += companies.get(row["shard"], 0)
    return [
        Server(
            row["host"],
            row["port"],
            row["groupid"] == 0,
            sum((shard["host"], shard["port"]) == (row["host"], row["port"]) for shard in shards),
            held[row["host"], row["port"]],
            **states.get(row["nodeid"], {"bytes": None, "is_set_up": None}),
        )
        for row in await connection.fetch(_SERVERS)
    ]


def _state(row: asyncpg.Record) -> dict[str, Any]:
    """Returns what a server said of itself."""
    said = msgspec.json.decode(row["result"]) if row["success"] else {}
    return {"bytes": said.get("bytes"), "is_set_up": said.get("is_set_up")}


def as_rows(found: list[Server], *, is_text: bool) -> list[dict[str, Any]]:
    """Returns the servers as they are printed."""
    rows = []
    for server in found:
        said = asdict(server)
        size = said["bytes"] if not is_text or said["bytes"] is None else f"{said['bytes'] / 2**20:,.1f} MB"
        rows.append(
            {
                "server": server.place,
                "isCoordinator": _word(server.is_coordinator, is_text=is_text),
                "shards": server.shards,
                "companies": server.companies,
                "size" if is_text else "bytes": size,
                "isSetUp": _word(server.is_set_up, is_text=is_text),
            }
        )
    return rows


def _word(is_so: bool | None, *, is_text: bool) -> bool | str | None:
    if not is_text:
        return is_so
    return "no answer" if is_so is None else "yes" if is_so else "no"


async def where(connection: asyncpg.Connection, text: str) -> Place:
    """Returns where the company of this number or id is. CommandFailed: there is none."""
    company_id, number = _named(text)
    company = await connection.fetchrow(_COMPANY, company_id, number)
    if company is None:
        raise CommandFailed(f"No such company: {text}. Say lastro company list to see them.")
    shard = await connection.fetchrow(_OF, company["company_id"])
    if shard is None:
        raise CommandFailed("No server of this database has the company's shard: lastro distribute status shows them.")
    return Place(company["company_id"], company["number"], shard["shard"], shard["host"], shard["port"])


def _named(text: str) -> tuple[UUID | None, int | None]:
    """Returns the id or the number that a text is."""
    if text.isdecimal() and int(text) <= _MOST_NUMBER:
        return None, int(text)
    try:
        return UUID(text), None
    except ValueError:
        return None, None

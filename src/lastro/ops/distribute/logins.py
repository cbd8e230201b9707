"""Finds the logins that one server refuses another."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncpg

# The coordinator writes what every server has as lastro_app, a server notes the shard that it has opened as lastro_owner.
_BETWEEN_SERVERS = ("lastro_owner", "lastro_app")
_MOST_NAMED = 3
_CHECK = """
SELECT from_nodename || ':' || from_nodeport AS here, to_nodename || ':' || to_nodeport AS there
  FROM citus_check_cluster_node_health() WHERE result IS NOT TRUE ORDER BY 1, 2
"""


async def refused_logins(connection: asyncpg.Connection) -> list[str]:
    """Returns a sentence for each login that a server refuses another.

    connection: of a superuser, on the coordinator; it tries itself first.
    """
    found = []
    for role in (None, *_BETWEEN_SERVERS):
        async with connection.transaction():
            if role is not None:
                await connection.execute(f"SET LOCAL ROLE {role}")
            login = role or await connection.fetchval("SELECT current_user::text")
            pairs = [(row["here"], row["there"]) for row in await connection.fetch(_CHECK)]
        if pairs:
            found.append(_sentence(login, pairs))
    return found


def _sentence(login: str, pairs: list[tuple[str, str]]) -> str:
    places = ", ".join(f"{here} to {there}" for here, there in pairs[:_MOST_NAMED])
    more = f" and {len(pairs) - _MOST_NAMED} more" if len(pairs) > _MOST_NAMED else ""
    return (
        f"{login} cannot log in from {places}{more}: it needs a line in pg_hba.conf there, and its password in the .pgpass"
        " of the account that PostgreSQL runs as here."
    )

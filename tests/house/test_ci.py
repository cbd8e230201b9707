"""What `.ci/run` leaves out on the second server is named in one list; a name that has gone would leave out nothing."""

import re

from .tree import ROOT

RUN = (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def left_out() -> list[str]:
    found = re.search(r"^one_server=\(\n(.*?)^\)$", RUN, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1].split()


def test_whatever_runs_on_one_server_alone_is_there() -> None:
    named = left_out()
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []
    assert len(named) == len(set(named))


def test_what_speaks_sql_runs_on_both_servers() -> None:
    """Statements, rights, plans and migrations are what a server's version can change."""
    both = {
        "tests/rooms/base", "tests/rooms/laws", "tests/rooms/ledger", "tests/house/test_lists.py", "tests/house/test_migrate.py",
        "tests/house/test_schema.py", "tests/house/test_states.py", "tests/house/test_strangers_rows.py",
        "tests/house/test_watched_by_index.py",
    }  # fmt: skip
    assert not both & set(left_out())
    assert [name for name in sorted(both) if not (ROOT / name).exists()] == []
    assert 'suite "PostgreSQL-15" "tests/rooms tests/journeys tests/house ${one_server[*]/#/--ignore=}"' in RUN

"""Tests that are skipped on a cluster, by the beginning of their name, and the reason for each."""

_NO_TRIGGERS = "a distributed table has no triggers"
# Laws that are not of a shard's rows alone, and what breaks them on a cluster.
OF_COORDINATOR = {
    "law_a_reconciled_day_is_in_the_ledger": "tests/cluster/test_laws.py breaks it",
    "law_every_change_of_a_person_is_told": "people are the coordinator's, as on one server",
    "law_who_has_ended_is_known_everywhere": "people are the coordinator's, as on one server",
}
LEFT_OUT = {
    **{f"tests/rooms/laws/test_laws.py::test_a_broken_law_is_seen[{law}]": why for law, why in OF_COORDINATOR.items()},
    "tests/browser": "pages are the same, whatever is below",
    "tests/fuzz": "what is refused for its form reaches no database",
    "tests/house/test_backups.py": "each node is backed up by itself",
    "tests/house/test_distribution.py": "stand-ins of the engine would meet the engine",
    "tests/house/test_embedded.py": "it is about the embedded server",
    "tests/house/test_migrate": "a database is migrated before it is spread",
    "tests/house/test_run.py": "it is about the embedded server",
    "tests/house/test_schema.py": "the catalogue is that of plain tables",
    "tests/house/test_snapshots.py": "each node is backed up by itself",
    "tests/house/test_watched_by_index.py": "plans are those of plain tables",
    "tests/rooms/orders/test_connections_declared.py::test_a_key_that_cannot_be_declared_is_named": _NO_TRIGGERS,
    "tests/rooms/ledger/test_entries_behind.py::test_mending_takes_as_long_as_it_takes": _NO_TRIGGERS,
    "tests/world/test_failover.py": "each node has a standby by itself",
}


def reason(test: str) -> str | None:
    """None: it runs. test: the name that pytest has for it, a path with what stands in the file."""
    return next((said for beginning, said in LEFT_OUT.items() if test.startswith(beginning)), None)

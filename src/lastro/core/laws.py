"""Reads what breaks a law: a view of the schema that must be empty."""

from __future__ import annotations


def broken_rows(law: str, most: int) -> str:
    """Returns the statement that reads at most `most` violations of a law.

    law: a name from the catalog. The law is planned by itself, as for all of its rows. Planned for the first few, which the
    planner takes to come soon, a law that holds was read by comparing every payment with every question: hours at 200,000 of
    them.
    """
    return f"WITH broken AS MATERIALIZED (SELECT * FROM {law}) SELECT * FROM broken LIMIT {most}"  # noqa: S608

"""The states of a statement, and of a difference from the books."""

from lastro.core.machine import NOT_THERE, Machine

STATEMENTS = Machine(
    "statements",
    "state",
    {
        (NOT_THERE, "begin"): "TAKING",
        ("TAKING", "finish"): "TAKEN",
        ("TAKEN", "again"): "TAKING",  # its partner has issued it anew
    },
)

ITEMS = Machine(
    "statement_items",
    "state",
    {
        (NOT_THERE, "differ"): "OPEN",
        ("OPEN", "explain"): "EXPLAINED",  # by a later statement, or by the same one taken again
        ("OPEN", "book"): "BOOKED",  # the message that only the statement had is booked now
        ("OPEN", "accept"): "ACCEPTED",  # people have settled it outside
    },
)

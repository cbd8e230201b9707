"""Ways to break what laws say of entries. The world has none: each way makes those of all its transfers, and one fault."""

# $1: the company. Of all columns of a row the fault is in one.
_ENTERED = """
WITH cursor AS (INSERT INTO entry_cursors (company_id, entered_until) VALUES ($1, {until}))
INSERT INTO entries (company_id, ledger_account_id, side, created_at, number, transfer_id, type, reference_id, amount_minor,
                     balance_minor, held_minor)
SELECT $1, ledger_account_id, {side}, {created_at}, {number}, transfer_id, type, reference_id, {amount}, {balance}, {held}
  FROM entry_rows($1, '-infinity', 'infinity'{more}) r
"""
_RIGHT = {
    "until": "'infinity'", "side": "side", "created_at": "created_at", "number": "number", "amount": "amount_minor",
    "balance": "balance_minor", "held": "held_minor", "more": "",
}  # fmt: skip
_CREDITS = "ARRAY(SELECT id FROM transfers WHERE company_id = $1 AND kind = 'moved' ORDER BY id)"


def _entered(**fault: str) -> str:
    return _ENTERED.format(**{**_RIGHT, **fault})


ENTRY_LAWS = {
    "law_entries_add_up": [
        _entered(number="number + 1"),
        _entered(balance="balance_minor + number"),
        _entered(held="held_minor + 1"),
        _entered(created_at="'2100-01-01Z'::timestamptz - number * interval '1 second'"),
    ],
    "law_transfers_have_their_entries": [
        "INSERT INTO entry_cursors (company_id, entered_until) VALUES ($1, 'infinity')",
        _entered(until="'-infinity'"),
        _entered(amount="amount_minor + 1"),
        _entered(created_at="created_at - interval '1 day'"),
    ],
    "law_no_entry_below_zero": [
        _entered(more=f", NULL, {_CREDITS}, array_fill('2100-01-01Z'::timestamptz, ARRAY[cardinality({_CREDITS})])"),
        _entered(balance="balance_minor - 100000000"),
    ],
}

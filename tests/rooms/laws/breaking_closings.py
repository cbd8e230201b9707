"""Ways to break what laws say of accounts that are blocked, unblocked and closed."""

_EVENTS = "WHERE company_id = $1 AND reference_id = '{closed_account}'"
_REQUEST = "WHERE company_id = $1 AND id = '{close_request}'"
_OWN = "(SELECT id FROM ledger_accounts WHERE company_id = $1 AND code = 'CUST' AND currency = 'BRL' AND account_id = '{closed_account}')"
_FEE = "(SELECT id FROM ledger_accounts WHERE company_id = $1 AND code = 'FEE' AND currency = 'BRL')"
_CREDIT = f"""
INSERT INTO transfers (company_id, id, kind, debit_id, credit_id, amount_minor, currency, type, reference_id, created_at)
VALUES ($1, gen_random_uuid(), 'moved', {_FEE}, {_OWN}, 1, 'BRL', 'X', gen_random_uuid(), now())
"""

CLOSING_LAWS = {
    "law_a_closed_account_was_asked_to_close": [
        f"UPDATE account_close_requests SET account_id = gen_random_uuid() {_REQUEST}",
        f"DELETE FROM account_close_requests {_REQUEST}",
        "UPDATE accounts SET status = 'ACTIVE' WHERE company_id = $1 AND id = '{closed_account}'",
    ],
    "law_a_closed_account_has_nothing_at_rest": [
        _CREDIT,
        *(
            f"UPDATE {table} SET account_id = '{{closed_account}}' WHERE company_id = $1 AND status = '{status}'"
            for table, status in (
                ("orders", "INITIAL"), ("orders", "PENDING"), ("subscriptions", "ACCEPTED"), ("payouts", "PENDING"),
                ("pix_keys", "ACTIVE"),
            )
        ),
        "UPDATE pix_payments SET account_id = '{closed_account}' WHERE company_id = $1 AND state = 'ACCEPTED'",
    ],
}  # fmt: skip
ALSO_CLOSINGS = {
    "law_each_fact_is_told_once": [f"DELETE FROM events {_EVENTS}"],
    "law_an_event_tells_what_happened": [f"UPDATE events SET body = '{{{{}}}}' {_EVENTS}"],
    "law_nothing_is_overdue_at_rest": [
        f"UPDATE account_close_requests SET status = 'REQUESTED', updated_at = updated_at - interval '1 hour' {_REQUEST}",
    ],
    "law_an_answer_has_its_object": [
        "UPDATE answers SET operation = 'request_account_close' WHERE company_id = $1 AND operation = 'create_order' AND key = 'paid'",
    ],
}

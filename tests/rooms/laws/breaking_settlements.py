"""Ways to break what laws say of settlements."""

_OF = "WHERE company_id = $1 AND reference_id = '{settlement}'"

SETTLEMENT_LAWS = {
    "law_a_settlement_is_booked_and_told": [
        "UPDATE settlements SET account_id = gen_random_uuid() WHERE company_id = $1",
        "UPDATE settlements SET amount_minor = 1 WHERE company_id = $1",
        "UPDATE settlements SET rail = 'card' WHERE company_id = $1",
        f"UPDATE transfers SET amount_minor = 1499 {_OF}",
        f"DELETE FROM transfers {_OF}",
        f"INSERT INTO transfers SELECT company_id, gen_random_uuid(), kind, debit_id, credit_id, 1, currency, type, pending_id, reference_id, created_at, xid FROM transfers {_OF}",
        f"DELETE FROM events {_OF}",
        f"UPDATE events SET body = '{{{{}}}}' {_OF}",
    ],
}
ALSO_SETTLEMENTS = {
    "law_clearing_equals_payments": ["DELETE FROM settlements WHERE company_id = $1"],
    "law_a_transfer_is_what_its_type_says": ["UPDATE settlements SET id = gen_random_uuid() WHERE company_id = $1"],
}

"""Ways to break what laws say of cards."""

_CHARGED = "WHERE company_id = $1 AND order_id = '{charged}'"
_FAILED = "WHERE company_id = $1 AND order_id = '{unauthenticated}'"
_ORDERED = "WHERE company_id = $1 AND reference_id = '{charged}' AND kind = 'card.authorize'"

CARD_LAWS = {
    "law_a_card_is_charged_as_decided": [
        f"UPDATE card_payments SET trans_status = 'N' {_CHARGED}",
        f"DELETE FROM card_payments {_CHARGED}",
        f"UPDATE card_payments SET order_id = gen_random_uuid() {_FAILED}",
        f"UPDATE card_payments SET state = 'DECLINED' {_CHARGED}",
        f"UPDATE card_payments SET state = 'AUTHENTICATED', ask_at = now() {_CHARGED}",
        f"UPDATE card_payments SET state = 'CREATED' {_FAILED}",
        f"UPDATE card_payments SET state = 'CHALLENGE_REQUIRED' {_FAILED}",
        f"DELETE FROM outbox {_ORDERED}",
        (
            "INSERT INTO outbox (company_id, id, rail, kind, network_id, reference_id, body, created_at, due_at)"
            " SELECT company_id, gen_random_uuid(), rail, kind, network_id || 'x', '{unauthenticated}'::uuid, body, created_at,"
            f" due_at FROM outbox {_ORDERED}"
        ),
    ],
    "law_a_chargeback_is_booked_once": [
        "UPDATE transfers SET type = 'TEST' WHERE company_id = $1 AND reference_id = '{charged}' AND type = 'CARD_CHARGEBACK'",
        f"UPDATE chargebacks SET amount_minor = 1 {_CHARGED}",
        f"DELETE FROM chargebacks {_CHARGED}",
    ],
}
ALSO_CARDS = {
    "law_clearing_equals_payments": ["DELETE FROM chargebacks WHERE company_id = $1"],
    "law_refunds_add_up": [f"UPDATE chargebacks SET amount_minor = 344 {_CHARGED}"],
    "law_what_waits_has_its_time": [f"UPDATE card_payments SET ask_at = now() {_CHARGED}"],
    "law_an_order_has_its_instrument": ["UPDATE instruments SET rail = 'oxxo' WHERE company_id = $1 AND rail = 'card'"],
}

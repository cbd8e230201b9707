"""Ways to break what laws say of refunds: of our own accord, and asked for by clients."""

_PAID = "WHERE company_id = $1 AND id = '{paid}'"
_PENDING = "WHERE company_id = $1 AND id = '{back_pending}'"
_NOT_PROVED = "DELETE FROM history WHERE company_id = $1 AND trigger = 'prove' AND reference_id = '{back_proved}'"
_EVENT = "WHERE company_id = $1 AND type = 'ORDER-PAYIN.REFUND"
_SAYS = "UPDATE events SET body = convert_to(replace(convert_from(body, 'UTF8'), '{}', '{}'), 'UTF8') " + _EVENT

REFUND_LAWS = {
    "law_refunds_add_up": [
        f"UPDATE orders SET refunded_minor = 1 {_PAID}",
        f"UPDATE orders SET status = 'REFUNDED' {_PAID}",
        f"UPDATE orders SET status = 'REFUNDED', refunded_minor = 1000 {_PAID}",
        "UPDATE refunds SET payment_id = (SELECT id FROM pix_payments WHERE company_id = $1 AND order_id = '{paid}') WHERE company_id = $1 AND id = '{returned_refund}'",
        f"UPDATE refunds SET state = 'PAID' {_PENDING}",
        "UPDATE refunds SET state = 'PENDING' WHERE company_id = $1 AND id = '{back_all}'",
        "UPDATE orders SET status = 'PAID' WHERE company_id = $1 AND id = '{part_back}'",
        "UPDATE orders SET status = 'PARTIAL_REFUNDED' WHERE company_id = $1 AND id = '{all_back}'",
        "UPDATE orders SET refunded_minor = 399 WHERE company_id = $1 AND id = '{part_back}'",
    ],
    "law_a_refund_is_held_until_it_ends": [
        "UPDATE refunds SET hold_id = '{own_hold}' WHERE company_id = $1 AND id = '{returned_refund}'",
        "UPDATE transfers SET reference_id = '{returned_refund}' WHERE company_id = $1 AND id = '{open_hold}'",
        "UPDATE transfers SET kind = 'posted' WHERE company_id = $1 AND kind = 'voided'",
        "DELETE FROM transfers WHERE company_id = $1 AND kind = 'voided'",
        "UPDATE transfers SET amount_minor = 999 WHERE company_id = $1 AND kind = 'held' AND reference_id = '{returning_refund}'",
        "DELETE FROM transfers WHERE company_id = $1 AND type = 'PIX_REFUND' AND kind = 'posted'",
        "DELETE FROM transfers WHERE company_id = $1 AND type = 'PIX_REFUND' AND kind = 'voided'",
        f"UPDATE refunds SET amount_minor = 111 {_PENDING}",
        _NOT_PROVED,
    ],
    "law_refunds_fit_what_was_paid": [
        "UPDATE quotas SET used_minor = used_minor + 1 WHERE company_id = $1 AND kind = 'refund'",
        "DELETE FROM quotas WHERE company_id = $1 AND kind = 'refund'",
        f"UPDATE refunds SET amount_minor = 601 {_PENDING}",
        "UPDATE orders SET amount_minor = 509 WHERE company_id = $1 AND id = '{part_back}'",
        f"UPDATE refunds SET state = 'ERROR' {_PENDING}",
        "UPDATE refunds SET state = 'PAID' WHERE company_id = $1 AND id = '{back_error}'",
    ],
    "law_a_refund_is_of_its_order": [
        (
            "UPDATE refunds SET payment_id = (SELECT id FROM pix_payments WHERE company_id = $1 AND order_id = '{paid}') "
            + _PENDING
        ),
        f"UPDATE refunds SET order_id = '{{paid}}' {_PENDING}",
        "UPDATE orders SET paid_at = paid_at - interval '91 days' WHERE company_id = $1 AND id = '{part_back}'",
        "UPDATE transfers SET type = 'PIX_RETURN' WHERE company_id = $1 AND type = 'PIX_REFUND'",
        "UPDATE transfers SET type = 'PIX_REFUND' WHERE company_id = $1 AND type = 'PIX_RETURN'",
        "UPDATE pix_payments SET rail = 'book' WHERE company_id = $1 AND order_id = '{part_back}'",
        "UPDATE orders SET account_id = gen_random_uuid() WHERE company_id = $1 AND id = '{part_back}'",
    ],
}
ALSO_REFUNDS = {
    "law_clearing_equals_payments": [
        "UPDATE refunds SET amount_minor = 399 WHERE company_id = $1 AND id = '{back_paid}'",
        "DELETE FROM transfers WHERE company_id = $1 AND type = 'PIX_REFUND' AND kind = 'posted'",
        "DELETE FROM transfers WHERE company_id = $1 AND type = 'PIX_REFUND_PROVED'",
    ],
    "law_a_transfer_is_what_its_type_says": [
        "UPDATE transfers SET type = 'BOOK_REFUND' WHERE company_id = $1 AND type = 'PIX_REFUND'",
        "UPDATE transfers SET reference_id = '{paid}' WHERE company_id = $1 AND type = 'PIX_REFUND'",
        "UPDATE transfers SET type = 'PIX_RETURNED' WHERE company_id = $1 AND type = 'BOOK_RETURNED'",
    ],
    "law_returns_of_payouts_add_up": [
        "DELETE FROM transfers WHERE company_id = $1 AND type = 'BOOK_RETURNED'",
    ],
    "law_what_waits_has_its_time": [
        f"UPDATE refunds SET ask_at = NULL {_PENDING}",
        "UPDATE refunds SET ask_at = now() WHERE company_id = $1 AND id = '{back_error}'",
        "UPDATE refunds SET rail = 'book' WHERE company_id = $1 AND state = 'PENDING'",
    ],
    "law_each_fact_is_told_once": [
        f"UPDATE events SET reference_id = gen_random_uuid() {_EVENT}ED'",
        _NOT_PROVED,
        f"UPDATE events SET type = 'ORDER-PAYIN.REFUNDED' {_EVENT}_ERROR'",
    ],
    "law_an_event_tells_what_happened": [
        f"UPDATE events SET type = 'ORDER-PAYIN.REFUNDED' {_EVENT}_ERROR'",
        _SAYS.format('"refundAmount":{{"currency":"BRL","value":"4.00"', '"refundAmount":{{"currency":"BRL","value":"4.01"') + "ED'",
        _SAYS.format("PARTIAL_REFUNDED", "REFUNDED") + "ED'",
        _NOT_PROVED,
        _SAYS.format("{back_error}", "{back_paid}") + "_ERROR'",
    ],
    "law_a_return_is_sent_as_decided": [
        f"UPDATE refunds SET amount_minor = 111 {_PENDING}",
        "UPDATE outbox SET rail = 'book' WHERE company_id = $1 AND kind = 'return.send' AND reference_id = '{back_pending}'",
    ],
    "law_the_books_say_what_the_network_said": [
        "UPDATE refunds SET state = 'PAID' WHERE company_id = $1 AND id = '{back_error}'",
        f"UPDATE refunds SET state = 'PAID' {_PENDING}",
        _NOT_PROVED,
        "DELETE FROM inbox WHERE company_id = $1 AND network_id = 'proof:{back_proved_return}'",
    ],
    "law_an_answer_has_its_object": [
        "UPDATE answers SET object_id = '{paid}' WHERE company_id = $1 AND operation = 'create_refund'",
        "UPDATE answers SET object_id = '{returned_refund}' WHERE company_id = $1 AND operation = 'create_refund'",
    ],
}  # fmt: skip

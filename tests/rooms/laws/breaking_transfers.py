"""Ways to break what laws say of orders that are paid in parts, of what is too much, and of what nobody took back."""

_EXCESS = "UPDATE pix_payments SET excess_minor = {} WHERE company_id = $1 AND id = '{{{}}}'"
_STATE = "UPDATE pix_payments SET state = '{}' WHERE company_id = $1 AND id = '{{{}}}'"

WORD_LAWS = {
    "law_nothing_settles_before_it_was_created": [
        "UPDATE chargebacks SET taken_at = taken_at - interval '1 day' WHERE company_id = $1",
        "UPDATE orders SET created_at = paid_at + interval '2 minutes' WHERE company_id = $1 AND id = '{paid}'",
        "UPDATE payouts SET created_at = paid_at + interval '2 minutes' WHERE company_id = $1 AND paid_at IS NOT NULL",
        (
            "UPDATE payout_returns SET settled_at = settled_at - interval '1 day'"
            " WHERE company_id = $1 AND NOT is_unfit AND NOT is_paid_out"
        ),
        "UPDATE refunds SET created_at = created_at + interval '2 minutes' WHERE company_id = $1 AND state = 'PAID'",
    ],
    "law_a_reference_is_of_one_company": [
        (
            "INSERT INTO instruments (company_id, order_id, rail, reference)"
            " SELECT '{dora}', gen_random_uuid(), rail, reference FROM instruments WHERE company_id = $1 LIMIT 1"
        ),
        "UPDATE instruments SET company_id = '{dora}' WHERE company_id = $1 AND order_id = '{slip_paid}'",
        "UPDATE inbox SET company_id = '{dora}' WHERE company_id = $1 AND kind = 'collection.announced'",
    ],
}

ALSO_TRANSFERS = {
    "law_a_payment_is_of_one_company": [
        (
            "INSERT INTO pix_payments (company_id, id, end_to_end_id, state, amount_minor, accepted_at, created_at, updated_at,"
            " rail) SELECT '{dora}', gen_random_uuid(), end_to_end_id, 'REFUSED', 1, now(), now(), now(), rail"
            " FROM pix_payments WHERE company_id = $1 AND rail NOT IN ('pix', 'book') LIMIT 1"
        ),
        (  # found by two connections to one account
            "INSERT INTO pix_payments (company_id, id, end_to_end_id, state, amount_minor, accepted_at, created_at, updated_at,"
            " rail) SELECT '{dora}', gen_random_uuid(), end_to_end_id, 'REFUSED', 1, now(), now(), now(), 'efi2'"
            " FROM pix_payments WHERE company_id = $1 AND order_id = '{foreign_order}'"
        ),
    ],
    "law_clearing_equals_payments": [
        "UPDATE pix_payments SET amount_minor = 401 WHERE company_id = $1 AND id = '{parts_waiting_0}'",
        _STATE.format("FAILED", "parts_waiting_0"),
        "UPDATE refunds SET state = 'PAID' WHERE company_id = $1 AND payment_id = '{parts_paid_1}'",
    ],
    "law_suspense_is_explained": [
        _STATE.format("SETTLED", "parts_waiting_0"),
        _EXCESS.format(99, "parts_paid_1"),
        _EXCESS.format(0, "parts_stranded_0"),
        "DELETE FROM transfers WHERE company_id = $1 AND type = 'PART_IN'",
        "DELETE FROM transfers WHERE company_id = $1 AND type = 'SPEI_UNFIT' AND reference_id = '{parts_waiting_0}'",
    ],
    "law_a_paid_order_is_booked_once": [
        _EXCESS.format(99, "parts_paid_1"),
        _STATE.format("FAILED", "parts_paid_0"),
        "UPDATE pix_payments SET rail = 'boleto' WHERE company_id = $1 AND id = '{parts_paid_0}'",
        "DELETE FROM transfers WHERE company_id = $1 AND type = 'PART_IN' AND reference_id = '{parts_paid}'",
        "UPDATE transfers SET amount_minor = amount_minor + 1 WHERE company_id = $1 AND type = 'SPEI_FEE'",
    ],
    "law_a_paid_order_names_its_payment": [
        "UPDATE orders SET paid_at = paid_at - interval '1 second' WHERE company_id = $1 AND id = '{parts_paid}'",
        "UPDATE orders SET end_to_end_id = 'x' WHERE company_id = $1 AND id = '{parts_paid}'",
        "UPDATE orders SET payer_id = gen_random_uuid() WHERE company_id = $1 AND id = '{parts_paid}'",
        "UPDATE pix_payments SET account_id = gen_random_uuid() WHERE company_id = $1 AND id = '{parts_paid_0}'",
        "UPDATE pix_payments SET order_id = NULL WHERE company_id = $1 AND id = '{parts_paid_0}'",
    ],
    "law_a_reserved_order_waits": [
        "UPDATE orders SET status = 'INITIAL' WHERE company_id = $1 AND id = '{parts_waiting}'",
        "UPDATE orders SET status = 'PENDING' WHERE company_id = $1 AND id = '{parts_expired}'",
        "UPDATE orders SET final_amount_minor = 400 WHERE company_id = $1 AND id = '{parts_waiting}'",
        _STATE.format("HELD", "parts_expired_0"),
    ],
    "law_what_fits_nothing_goes_back": [
        _EXCESS.format(99, "parts_paid_1"),
        _EXCESS.format(1, "parts_waiting_0"),
        "DELETE FROM refunds WHERE company_id = $1 AND payment_id = '{parts_stranded_0}'",
        "DELETE FROM transfers WHERE company_id = $1 AND type = 'SPEI_UNFIT' AND reference_id = '{parts_paid_0}'",
        "DELETE FROM history WHERE company_id = $1 AND reference_id = '{parts_waiting_0}'",
    ],
    "law_refunds_fit_what_was_paid": [
        "UPDATE quotas SET used_minor = 199 WHERE company_id = $1 AND kind = 'part refund'",
        "DELETE FROM quotas WHERE company_id = $1 AND kind = 'part refund'",
        "UPDATE quotas SET owner_id = '{parts_refunded_0}' WHERE company_id = $1 AND kind = 'part refund'",
        "UPDATE pix_payments SET amount_minor = 199 WHERE company_id = $1 AND id = '{parts_refunded_1}'",
    ],
    "law_refunds_add_up": ["UPDATE refunds SET amount_minor = 201 WHERE company_id = $1 AND id = '{parts_refund}'"],
    "law_what_waits_has_its_time": [
        "UPDATE orders SET ends_at = NULL WHERE company_id = $1 AND id = '{parts_waiting}'",
    ],
    "law_nothing_is_overdue_at_rest": [
        "UPDATE orders SET ends_at = now() - interval '2 minutes' WHERE company_id = $1 AND id = '{parts_waiting}'",
    ],
    "law_a_transfer_is_what_its_type_says": [
        "UPDATE transfers SET type = 'SPEI_IN' WHERE company_id = $1 AND type = 'PART_IN'",
        "UPDATE transfers SET type = 'PART_IN' WHERE company_id = $1 AND type = 'SPEI_IN'",
    ],
}

_OF_REFUND = "WHERE company_id = $1 AND reference_id = '{{{}_refund}}'"
_REFUND = "UPDATE refunds SET state = '{}' WHERE company_id = $1 AND id = '{{{}_refund}}'"

STRANDED_LAWS = {
    "law_stranded_money_is_booked_as_decided": [
        "UPDATE pix_payments SET account_id = NULL WHERE company_id = $1 AND id = '{second_credited_1}'",
        "UPDATE transfers SET amount_minor = 299 " + _OF_REFUND.format("second_credited_1") + " AND type = 'STRANDED_IN'",
        "UPDATE transfers SET type = 'OXXO_PAID_OUT' "
        + _OF_REFUND.format("excess_paid_out_0")
        + " AND type = 'SPEI_PAID_OUT'",
        "DELETE FROM transfers WHERE company_id = $1 AND type = 'SPEI_PAID_OUT'",
        "DELETE FROM transfers WHERE company_id = $1 AND type = 'STRANDED_IN'",
        _REFUND.format("ERROR", "second_paid_out_1"),
        _REFUND.format("CREDITED", "second_paid_out_1"),
        _REFUND.format("PAID_OUT", "excess_credited_0"),
        (
            "INSERT INTO transfers SELECT company_id, gen_random_uuid(), kind, debit_id, credit_id, 1, currency, type, pending_id,"
            " reference_id, created_at, xid FROM transfers WHERE company_id = $1 AND type = 'STRANDED_IN'"
        ),
    ],
}
ALSO_STRANDED = {
    "law_clearing_equals_payments": [
        _REFUND.format("ERROR", "excess_paid_out_0"),
        "UPDATE pix_payments SET state = 'PAID_OUT' WHERE company_id = $1 AND id = '{second_credited_1}'",
    ],
    "law_suspense_is_explained": [
        _REFUND.format("ERROR", "excess_credited_0"),
        _REFUND.format("ERROR", "excess_paid_out_0"),
        "UPDATE pix_payments SET state = 'STRANDED' WHERE company_id = $1 AND id = '{second_credited_1}'",
    ],
    "law_what_fits_nothing_goes_back": [
        _REFUND.format("PAID_OUT", "second_credited_1"),
        "UPDATE pix_payments SET state = 'CREDITED' WHERE company_id = $1 AND id = '{second_paid_out_1}'",
    ],
    "law_a_refund_is_held_until_it_ends": [
        "UPDATE refunds SET state = 'CREDITED' WHERE company_id = $1 AND id = '{returning_refund}'",
        "DELETE FROM transfers WHERE company_id = $1 AND kind = 'voided' AND type = 'SPEI_RETURN'",
    ],
    "law_the_books_say_what_the_network_said": [
        "UPDATE refunds SET state = 'PAID_OUT' WHERE company_id = $1 AND id = '{returned_refund}'",
    ],
}

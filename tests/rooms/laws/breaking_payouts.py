"""Ways to break the laws of payouts by hand, and ways in which payouts break the other laws. As in breaking.py."""

_SAYS = "body = convert_to(replace(convert_from(body, 'UTF8'), '{}', '{}'), 'UTF8')"
_PAID = "WHERE company_id = $1 AND id = '{out_paid}'"
_FINAL = "WHERE company_id = $1 AND kind = 'payment.final' AND subject = '{out_paid_e2e}'"
_CREDITED = "WHERE company_id = $1 AND payout_id = '{out_too_much_credited}'"
_SENT = "WHERE company_id = $1 AND kind = 'payment.send'"

PAYOUT_LAWS = {
    "law_a_payout_is_held_until_it_ends": [
        "UPDATE payouts SET hold_id = NULL WHERE company_id = $1 AND id = '{out_pending}'",
        "UPDATE payouts SET fee_hold_id = NULL WHERE company_id = $1 AND id = '{out_pending}'",
        "UPDATE payouts SET fee_hold_id = NULL WHERE company_id = $1 AND id = '{batch_pending}'",
        "UPDATE payouts SET hold_id = NULL WHERE company_id = $1 AND id = '{out_review}'",
        "UPDATE payouts SET fee_hold_id = NULL WHERE company_id = $1 AND id = '{batch_review}'",
        "DELETE FROM transfers WHERE company_id = $1 AND kind = 'voided' AND reference_id = '{out_refused}'",
        f"UPDATE payouts SET hold_id = NULL {_PAID}",
        "UPDATE payouts SET hold_id = '{own_hold}' WHERE company_id = $1 AND id = '{out_pending}'",
        "UPDATE transfers SET amount_minor = 999 WHERE company_id = $1 AND kind = 'held' AND reference_id = '{out_pending}'",
        "UPDATE transfers SET kind = 'voided' WHERE company_id = $1 AND kind = 'posted' AND reference_id = '{out_paid}'",
        "UPDATE transfers SET kind = 'posted' WHERE company_id = $1 AND kind = 'voided' AND reference_id = '{out_error}'",
        "DELETE FROM transfers WHERE company_id = $1 AND kind = 'voided' AND reference_id = '{out_expired}'",
        "DELETE FROM transfers WHERE company_id = $1 AND kind = 'posted' AND reference_id = '{batch_paid}'",
    ],
    "law_a_payout_is_sent_as_decided": [
        f"UPDATE outbox SET {_SAYS.format(':1000', ':1001')} {_SENT}",
        f"UPDATE outbox SET network_id = id::text {_SENT} AND reference_id = '{{out_paid}}'",
        f"UPDATE outbox SET rail = 'ted' {_SENT} AND reference_id = '{{out_paid}}'",
        f"UPDATE outbox SET reference_id = gen_random_uuid() {_SENT} AND reference_id = '{{out_paid}}'",
        f"DELETE FROM outbox {_SENT} AND reference_id = '{{out_pending}}'",
        "UPDATE payouts SET message_id = NULL WHERE company_id = $1 AND id = '{out_error}'",
        "UPDATE payouts SET status = 'ANALYSIS' WHERE company_id = $1 AND id = '{out_approved}'",
        "UPDATE payouts SET message_id = gen_random_uuid() WHERE company_id = $1 AND id = '{out_review}'",
        f"UPDATE outbox SET reference_id = '{{out_review}}' {_SENT} AND reference_id = '{{out_approved}}'",
    ],
    "law_a_payout_ends_by_the_networks_word": [
        f"UPDATE inbox SET outcome = 'ignored' {_FINAL}",
        f"UPDATE inbox SET {_SAYS.format(':true', ':false')} {_FINAL}",
        f"UPDATE inbox SET subject = '{{out_pending_e2e}}' {_FINAL}",
        f"UPDATE inbox SET subject = '{{out_expired_e2e}}' {_FINAL}",
        "UPDATE inbox SET outcome = 'ignored' WHERE company_id = $1 AND subject = '{out_error_e2e}'",
        "DELETE FROM inbox WHERE company_id = $1 AND subject = '{own_paid_e2e}'",
    ],
    "law_returns_of_payouts_add_up": [
        "UPDATE payouts SET returned_minor = 401 WHERE company_id = $1 AND id = '{out_partial}'",
        "UPDATE payouts SET returned_minor = 999 WHERE company_id = $1 AND id = '{out_refunded}'",
        "UPDATE payouts SET status = 'PAID' WHERE company_id = $1 AND id = '{out_partial}'",
        "UPDATE payouts SET status = 'PARTIAL_REFUNDED' WHERE company_id = $1 AND id = '{out_refunded}'",
        "UPDATE payout_returns SET amount_minor = 399 WHERE company_id = $1 AND payout_id = '{out_partial}'",
        "UPDATE payout_returns SET is_unfit = true WHERE company_id = $1 AND payout_id = '{batch_partial_1}'",
        "DELETE FROM transfers WHERE company_id = $1 AND type = 'PIX_RETURNED'",
    ],
    "law_what_came_back_is_booked_as_decided": [
        f"UPDATE payout_returns SET decision_id = gen_random_uuid() {_CREDITED}",
        f"UPDATE payout_returns SET decision_id = NULL {_CREDITED}",
        f"UPDATE payout_returns SET is_paid_out = true {_CREDITED}",
        f"UPDATE payout_returns SET is_unfit = false {_CREDITED}",
        f"UPDATE payout_returns SET amount_minor = 1002 {_CREDITED}",
        "UPDATE payout_returns SET is_paid_out = true WHERE company_id = $1 AND payout_id = '{out_too_much}'",
        "UPDATE transfers SET reference_id = '{out_paid}' WHERE company_id = $1 AND type = 'RETURN_CREDITED'",
        "DELETE FROM transfers WHERE company_id = $1 AND type = 'PIX_RETURN_PAID_OUT'",
        "UPDATE history SET trigger = 'return too much' WHERE company_id = $1 AND trigger = 'decide'",
        (
            "INSERT INTO transfers SELECT company_id, gen_random_uuid(), kind, debit_id, credit_id, 1, currency, type, pending_id,"
            " reference_id, created_at, xid FROM transfers WHERE company_id = $1 AND type = 'RETURN_CREDITED'"
        ),
    ],
    "law_a_batch_is_its_children": [
        "UPDATE payouts SET children = 4 WHERE company_id = $1 AND id = '{batch_paid}'",
        "UPDATE payouts SET amount_minor = 2501 WHERE company_id = $1 AND id = '{batch_paid}'",
        "UPDATE payouts SET sequence = 7 WHERE company_id = $1 AND id = '{batch_paid_3}'",
        "UPDATE payouts SET batch_id = '{batch_error}', sequence = 9 WHERE company_id = $1 AND id = '{batch_paid_3}'",
        "UPDATE payouts SET status = 'PAID' WHERE company_id = $1 AND id = '{batch_partly}'",
        "UPDATE payouts SET status = 'PARTIALLY_PAID' WHERE company_id = $1 AND id = '{batch_paid}'",
        "UPDATE payouts SET status = 'ERROR' WHERE company_id = $1 AND id = '{batch_pending}'",
        "UPDATE payouts SET status = 'CANCELED' WHERE company_id = $1 AND id = '{batch_error}'",
        "UPDATE payouts SET status = 'PENDING' WHERE company_id = $1 AND id = '{batch_review}'",
        "UPDATE payouts SET status = 'ANALYSIS' WHERE company_id = $1 AND id = '{batch_pending}'",
        "UPDATE payouts SET status = 'PENDING' WHERE company_id = $1 AND id = '{batch_review_1}'",
        "UPDATE payouts SET batch_id = NULL, sequence = NULL, external_id = 'x', created_at = now() WHERE company_id = $1 AND id = '{batch_paid_3}'",
    ],
    "law_quotas_count_what_was_sent": [
        "UPDATE quotas SET used_minor = used_minor + 1 WHERE company_id = $1 AND kind = 'PIX.day'",
        "DELETE FROM quotas WHERE company_id = $1",
        f"UPDATE payouts SET quota_period = '2020-01-01' {_PAID}",
        f"UPDATE payouts SET quota_period = NULL {_PAID}",
        f"UPDATE payouts SET is_at_night = NOT is_at_night {_PAID}",
        f"UPDATE payouts SET payment_method = 'TED' {_PAID}",
        "UPDATE payouts SET status = 'PENDING' WHERE company_id = $1 AND id = '{out_error}'",
    ],
}  # fmt: skip

# Of laws that were there before: by law, what payouts add to them.
ALSO = {
    "law_clearing_equals_payments": [
        f"UPDATE payouts SET rail = 'ted' {_PAID}",
        "UPDATE payouts SET status = 'ERROR' WHERE company_id = $1 AND id = '{out_paid}'",
        "DELETE FROM payout_returns WHERE company_id = $1 AND payout_id = '{out_refunded}'",
        "UPDATE payout_returns SET is_paid_out = false WHERE company_id = $1 AND is_paid_out",
        f"UPDATE payout_returns SET is_paid_out = true {_CREDITED}",
    ],
    "law_suspense_is_explained": [
        "UPDATE payout_returns SET is_unfit = false WHERE company_id = $1 AND payout_id = '{out_too_much}'",
        "DELETE FROM payout_returns WHERE company_id = $1 AND is_unfit",
        f"UPDATE payout_returns SET decision_id = NULL {_CREDITED}",
        "UPDATE payout_returns SET decision_id = gen_random_uuid() WHERE company_id = $1 AND payout_id = '{out_too_much}'",
    ],
    "law_in_transit_is_zero_at_rest": [
        "DELETE FROM transfers WHERE company_id = $1 AND kind = 'posted' AND type = 'BOOK_OUT'",
        "UPDATE transfers SET amount_minor = 699 WHERE company_id = '{dora}' AND type = 'BOOK_IN' AND $1::uuid IS NOT NULL",
    ],
    "law_a_transfer_is_what_its_type_says": [
        "UPDATE transfers SET reference_id = '{paid}' WHERE company_id = $1 AND type = 'PIX_OUT'",
        "UPDATE transfers SET type = 'TED_OUT' WHERE company_id = $1 AND type = 'PIX_OUT'",
        "UPDATE transfers SET type = 'PIX_OUT' WHERE company_id = $1 AND type = 'BOOK_OUT'",
        "UPDATE transfers SET type = 'PIX_RETURNED' WHERE company_id = $1 AND type = 'PIX_RETURN_UNFIT'",
        "UPDATE transfers SET type = 'STRANDED_IN' WHERE company_id = $1 AND type = 'RETURN_CREDITED'",
    ],
    "law_what_waits_has_its_time": [
        "UPDATE payouts SET ask_at = NULL WHERE company_id = $1 AND id = '{out_pending}'",
        f"UPDATE payouts SET ask_at = now() {_PAID}",
        "UPDATE payouts SET start_at = NULL WHERE company_id = $1 AND id = '{out_scheduled}'",
        "UPDATE payouts SET start_at = now() WHERE company_id = $1 AND id = '{out_canceled}'",
        "UPDATE payouts SET status = 'PENDING' WHERE company_id = $1 AND id = '{out_review}'",
        "UPDATE payouts SET ask_at = now() WHERE company_id = $1 AND id = '{out_review}'",
        "UPDATE payouts SET ask_at = now() WHERE company_id = $1 AND id = '{own_paid}'",
        "UPDATE payouts SET status = 'PENDING' WHERE company_id = $1 AND id = '{own_paid}'",
    ],
    "law_nothing_is_overdue_at_rest": [
        "UPDATE payouts SET ask_at = ask_at - interval '2 days' WHERE company_id = $1 AND id = '{out_pending}'",
        "UPDATE payouts SET start_at = now() - interval '5 minutes' WHERE company_id = $1 AND id = '{out_scheduled}'",
    ],
    "law_each_fact_is_told_once": [
        "UPDATE events SET type = 'ORDER-PAYOUT.ERROR' WHERE company_id = $1 AND reference_id = '{out_paid}'",
        "UPDATE events SET reference_id = gen_random_uuid() WHERE company_id = $1 AND type = 'ORDER-PAYOUT.REFUNDED'",
        "UPDATE events SET reference_id = gen_random_uuid() WHERE company_id = $1 AND type = 'ORDER-PAYOUT.PARTIALLY_PAID'",
        "UPDATE events SET reference_id = gen_random_uuid() WHERE company_id = $1 AND type = 'ORDER-PAYOUT.RETRY_SCHEDULED'",
    ],
    "law_ids_name_their_company": [
        "UPDATE payouts SET end_to_end_id = overlay(end_to_end_id placing 'zzzzz' FROM 22) WHERE company_id = $1",
        f"UPDATE payouts SET control_number = 'Pzzzzz' {_PAID}",
    ],
    "law_numbers_lead_to_their_owner": [
        "UPDATE own_keys SET account_id = gen_random_uuid() WHERE company_id = $1",
        "UPDATE own_keys SET company_id = '{dora}' WHERE company_id = $1",
        "DELETE FROM own_keys WHERE company_id = $1",
        "UPDATE pix_keys SET status = 'DELETED', claim_id = NULL WHERE company_id = $1",
    ],
    "law_an_answer_has_its_object": [
        "UPDATE answers SET object_id = '{out_error}' WHERE company_id = $1 AND operation = 'create_payout' AND key = 'out_paid'",
        "UPDATE answers SET object_id = '{out_paid}' WHERE company_id = $1 AND operation = 'cancel_payout'",
    ],
}  # fmt: skip

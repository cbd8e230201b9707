"""Ways to break what laws say of disputes."""

_NOTICE = "WHERE company_id = $1 AND id = '{blocked_notice}'"
_REQUEST = "WHERE company_id = $1 AND id = '{disputed_request}'"
_TOLD = "WHERE company_id = $1 AND rail = 'med'"

MED_LAWS = {
    "law_what_is_blocked_is_disputed": [
        f"UPDATE med_objects SET blocked_minor = blocked_minor - 1 {_NOTICE}",
        "UPDATE transfers SET amount_minor = 499 WHERE company_id = $1 AND type = 'MED_BLOCK' AND reference_id = '{blocked_notice}'",
        f"DELETE FROM med_objects {_NOTICE}",
    ],
    "law_a_watched_account_keeps_what_is_lacking": [
        "UPDATE balances SET watched = 1 WHERE company_id = $1",
        f"UPDATE med_objects SET amount_minor = amount_minor + 9, lacking_minor = 9, watched_since = now(), watched_until = now() {_REQUEST}",
        f"UPDATE med_objects SET amount_minor = 2000, later_minor = 1, watched_since = now(), watched_until = now() {_REQUEST}",
        f"UPDATE med_objects SET later_refund_id = refund_id, watched_since = now(), watched_until = now() {_REQUEST}",
    ],
    "law_a_dispute_is_answered_as_decided": [
        f"UPDATE med_objects SET refund_id = NULL {_REQUEST}",
        f"UPDATE med_objects SET result = 'PARTIALLY_ACCEPTED' {_REQUEST}",
        f"UPDATE med_objects SET result = 'REJECTED' {_REQUEST}",
        f"UPDATE med_objects SET returned_minor = 499 {_REQUEST}",
        f"UPDATE med_objects SET end_to_end_id = 'E' {_REQUEST}",
        "UPDATE refunds SET state = 'ERROR' WHERE company_id = $1 AND origin = 'MED'",
        "UPDATE refunds SET med_id = gen_random_uuid() WHERE company_id = $1 AND origin = 'MED'",
    ],
    "law_the_directory_hears_what_was_decided": [
        f"DELETE FROM outbox {_TOLD} AND kind = 'med.acknowledge'",
        f"DELETE FROM outbox {_TOLD} AND kind = 'med.answer'",
        f"UPDATE outbox SET reference_id = gen_random_uuid() {_TOLD} AND kind = 'med.verdict'",
        f"UPDATE outbox SET body = convert_to(replace(convert_from(body, 'UTF8'), 'AGREED', 'DISAGREED'), 'UTF8') {_TOLD} AND kind = 'med.verdict'",
        f"UPDATE outbox SET body = convert_to(replace(convert_from(body, 'UTF8'), ':500', ':501'), 'UTF8') {_TOLD} AND kind = 'med.answer'",
    ],
}
ALSO_MED = {
    "law_what_waits_has_its_time": [
        f"UPDATE med_objects SET due_at = NULL {_NOTICE}",
        f"UPDATE med_objects SET due_at = updated_at + interval '61 seconds' {_REQUEST}",
    ],
    "law_nothing_is_overdue_at_rest": [f"UPDATE med_objects SET due_at = now() - interval '1 hour' {_NOTICE}"],
    "law_each_fact_is_told_once": ["DELETE FROM events WHERE company_id = $1 AND type = 'MED.CREATED'"],
    "law_an_event_tells_what_happened": [
        "UPDATE med_objects SET amount_minor = amount_minor + 1 WHERE company_id = $1",
    ],
    "law_a_refund_is_of_its_order": ["UPDATE refunds SET order_id = '{blocked}' WHERE company_id = $1 AND origin = 'MED'"],
    "law_refunds_fit_what_was_paid": ["UPDATE refunds SET amount_minor = 1001 WHERE company_id = $1 AND origin = 'MED'"],
}  # fmt: skip

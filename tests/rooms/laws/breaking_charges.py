"""Ways to break the laws of scheduled payments by hand, and ways in which they break the other laws. As in breaking.py."""

_PAYMENT = "UPDATE subscription_payments SET {} WHERE company_id = $1 AND id = '{{charge_{}}}'"
_ATTEMPT = "UPDATE payment_attempts SET {} WHERE company_id = $1 AND payment_id = '{{charge_{}}}'"
_ORDER = "UPDATE orders SET {} WHERE company_id = $1 AND id = '{{charge_{}_order}}'"
_EVENT = "UPDATE events SET {} WHERE company_id = $1 AND type = 'SUBSCRIPTION-PAYMENT.{}'"
_ANSWER = "UPDATE answers SET object_id = {} WHERE company_id = $1 AND operation = '{}'"
# As if its bank had failed on its day, an hour before the last window closed, and nothing had been sent again.
_FAILED_ON_ITS_DAY = "code = 'AB10', collects_on = (updated_at AT TIME ZONE 'America/Sao_Paulo')::date, closes_at = updated_at + interval '1 hour'"

CHARGES_BESIDE = {
    "law_no_failure_ends_a_charge_before_its_last_window": {
        "law_a_charge_is_sent_as_decided", "law_an_event_tells_what_happened",
    },
}  # fmt: skip
CHARGE_LAWS = {
    "law_a_scheduled_payment_goes_with_its_order": [
        _ORDER.format("notification_url = 'https://ana.example/another'", "waiting"),
        *(
            _ORDER.format(change, "waiting")
            for change in (
                "account_id = gen_random_uuid()", "external_id = 'x'", "customer_id = NULL", "subscription_code = 'x'",
                "subscription_id = '{sub_charged_too}'", "amount_minor = 1", "final_amount_minor = 1", "status = 'PENDING'",
                "scheduled_payment_id = NULL", "scheduled_payment_id = '{charge_paid}'",
            )
        ),
        "DELETE FROM orders WHERE company_id = $1 AND id = '{charge_waiting_order}'",
        _PAYMENT.format("status = 'PENDING'", "asked"),
        _ORDER.format("status = 'CANCELED'", "refused"),
    ],
    "law_a_cycle_is_charged_once": [
        _PAYMENT.format("settles_on = settles_on + 1", "waiting"),
        _PAYMENT.format("cycle_starts_on = cycle_starts_on - 14", "waiting"),
        "UPDATE subscriptions SET starts_on = starts_on + 20 WHERE company_id = $1 AND id = '{sub_charged}'",
        (
            "UPDATE subscriptions SET ends_on = starts_on + 1, ends_at = now() + interval '9 days'"
            " WHERE company_id = $1 AND id = '{sub_charged}'"
        ),
        "UPDATE subscriptions SET fixed_minor = 1 WHERE company_id = $1 AND id = '{sub_charged}'",
    ],
    "law_a_payment_is_its_attempts": [
        _ATTEMPT.format("number = 2", "paid"),
        _ATTEMPT.format("status = 'CANCELED'", "paid"),
        _ATTEMPT.format("end_to_end_id = 'E1'", "paid"),
        _ATTEMPT.format("kind = 'NTAG'", "paid"),
        _ATTEMPT.format("status = 'PAID'", "refused"),
        _ATTEMPT.format("status = 'SCHEDULED'", "refused"),
        "UPDATE subscriptions SET status = 'REJECTED' WHERE company_id = $1 AND id = '{sub_charged}'",
    ],
    "law_a_charge_is_sent_as_decided": [
        _ATTEMPT.format("collects_on = collects_on + 1", "requested"),
        _ATTEMPT.format("message_id = 'M'", "requested"),
        _ATTEMPT.format("kind = 'RIFL'", "requested"),
        "DELETE FROM outbox WHERE company_id = $1 AND kind = 'charge.send'",
        "DELETE FROM payment_attempts WHERE company_id = $1 AND payment_id = '{charge_requested}'",
    ],
    "law_no_failure_ends_a_charge_before_its_last_window": [
        _ATTEMPT.format(_FAILED_ON_ITS_DAY, "refused"),
    ],
    "law_an_attempt_ends_by_the_networks_word": [
        "UPDATE inbox SET outcome = 'known' WHERE company_id = $1 AND kind = 'charge.refused'",
        _ATTEMPT.format("status = 'EXPIRED'", "requested"),
    ],
}  # fmt: skip

# Of laws that were there before: by law, what charges add to them.
ALSO_CHARGES = {
    "law_state_is_the_last_of_history": [
        _PAYMENT.format("version = version + 1", "waiting"),
        _ATTEMPT.format("version = version + 1", "paid"),
    ],
    "law_nothing_is_overdue_at_rest": [
        _PAYMENT.format("due_at = now() - interval '5 minutes'", "waiting"),
        _PAYMENT.format("ask_at = now() - interval '5 minutes'", "asked"),
        _ATTEMPT.format("ask_at = now() - interval '5 minutes'", "requested"),
        "UPDATE subscriptions SET charge_at = now() - interval '5 minutes' WHERE company_id = $1 AND id = '{sub_charged}'",
    ],
    "law_what_waits_has_its_time": [
        _PAYMENT.format("due_at = NULL", "waiting"),
        _PAYMENT.format("due_at = now()", "paid"),
        _PAYMENT.format("due_at = now()", "requested"),
        _PAYMENT.format("ask_at = NULL", "asked"),
        _ATTEMPT.format("ask_at = NULL", "requested"),
        _ATTEMPT.format("ask_at = now()", "paid"),
        _ORDER.format("expires_at = now() + interval '1 day'", "waiting"),
    ],
    "law_each_fact_is_told_once": [
        _EVENT.format("reference_id = gen_random_uuid()", "SCHEDULED"),
        _EVENT.format("type = 'SUBSCRIPTION-PAYMENT.EXPIRED'", "ERROR"),
        _EVENT.format("type = 'SUBSCRIPTION-PAYMENT.EXPIRED'", "ATTEMPT_FAILED"),
    ],
    "law_an_event_tells_what_happened": [
        _EVENT.format("reference_id = '{charge_waiting}'", "CANCELED"),
        _PAYMENT.format("external_id = 'x'", "canceled"),
        _EVENT.format("reference_id = '{charge_waiting}'", "ATTEMPT_FAILED"),
        _ATTEMPT.format("code = 'AM09'", "refused"),
        _ORDER.format("scheduled_payment_id = '{charge_waiting}'", "paid"),
    ],
    "law_an_answer_has_its_object": [
        _ANSWER.format("gen_random_uuid()", "create_subscription_payment"),
        _ANSWER.format("'{charge_waiting}'", "cancel_subscription_payment"),
    ],
}  # fmt: skip

"""Ways to break the laws of subscriptions by hand, and ways in which they break the other laws. As in breaking.py."""

_SUBSCRIPTION = "UPDATE subscriptions SET {} WHERE company_id = $1 AND id = '{{sub_{}}}'"
_ORDER = "UPDATE orders SET {} WHERE company_id = $1 AND id = '{{sub_order}}'"
_RECORD = "UPDATE subscription_cancellations SET {} WHERE company_id = $1 AND id = '{{sub_record}}'"
_WAITING = "UPDATE subscription_cancellations SET {} WHERE company_id = $1 AND subscription_id = '{{sub_asked}}'"
_ANSWER = (
    "UPDATE outbox SET body = replace(convert_from(body, 'UTF8'), '{}', '{}')::text::bytea"
    " WHERE company_id = $1 AND kind = 'authorization.answer' AND reference_id = '{{{}}}'"
)
_ANOTHER = """
INSERT INTO subscription_cancellations (company_id, id, subscription_id, status, idempotency_key, reason, created_at, updated_at)
VALUES ($1, gen_random_uuid(), '{{{}}}', '{}', 'x', 'OTHER', now(), now())
"""

SUBSCRIPTION_LAWS = {
    "law_a_subscription_goes_with_its_order": [
        _ORDER.format("notification_url = 'https://ana.example/another'"),
        *(
            _ORDER.format(change)
            for change in (
                "subscription_id = '{sub_waiting_2}'", "account_id = gen_random_uuid()", "external_id = 'x'",
                "customer_id = NULL", "expires_at = expires_at + interval '1 second'", "status = 'CANCELED'",
                "origin = 'TRANSPARENT', subscription_id = NULL, subscription_code = NULL",
            )
        ),
        "DELETE FROM orders WHERE company_id = $1 AND id = '{sub_order}'",
        _SUBSCRIPTION.format("order_id = NULL", "waiting_3"),
        _SUBSCRIPTION.format("order_id = '{paid}'", "waiting_2"),
        _SUBSCRIPTION.format("accepted_at = now(), payer_id = debtor_id", "waiting_3"),
        _SUBSCRIPTION.format("status = 'REJECTED'", "waiting_3"),
        _SUBSCRIPTION.format("status = 'ERROR'", "waiting_3"),
        _SUBSCRIPTION.format("status = 'REJECTED'", "lapsed_3"),
        _SUBSCRIPTION.format("status = 'PENDING_AUTHORIZATION'", "canceled_3"),
        _SUBSCRIPTION.format("accepted_at = now(), payer_id = debtor_id", "canceled_3"),
        "UPDATE orders SET origin = 'SUBSCRIPTION', subscription_id = '{sub_waiting_2}', subscription_code = 'x', order_token = NULL WHERE company_id = $1 AND id = '{waiting}'",
    ],
    "law_a_subscription_is_canceled_by_a_cancellation": [
        _RECORD.format("subscription_id = '{sub_waiting_2}'"),
        "DELETE FROM subscription_cancellations WHERE company_id = $1 AND id = '{sub_record}'",
        _RECORD.format("status = 'REJECTED'"),
        _ANOTHER.format("sub_waiting_2", "PENDING"),
        _ANOTHER.format("sub_canceled_2", "PENDING"),
        _ANOTHER.format("sub_accepted", "ACCEPTED"),
    ],
    "law_an_authorization_was_given": [
        "DELETE FROM outbox WHERE company_id = $1 AND kind = 'authorization.answer' AND reference_id = '{sub_accepted}'",
        "DELETE FROM inbox WHERE company_id = $1 AND kind = 'authorization.ask'",
        _ANSWER.format('"accept":true', '"accept":false', "sub_accepted"),
        _ANSWER.format('"accept":false', '"accept":true', "sub_declined_2"),
        _SUBSCRIPTION.format("payer_id = debtor_id", "paid_3"),
        _SUBSCRIPTION.format("maximum_minor = 4999", "paid_3"),
        _SUBSCRIPTION.format("payer_ibge_code = '3550308'", "paid_3"),
        "UPDATE pix_payments SET authorizes = 'RR' WHERE company_id = $1 AND authorizes IS NOT NULL AND state = 'SETTLED'",
        "UPDATE pix_payments SET authorizes = 'RR' WHERE company_id = $1 AND order_id = '{paid}' AND state = 'SETTLED'",
    ],
    "law_a_cancellation_is_asked_as_decided": [
        "DELETE FROM outbox WHERE company_id = $1 AND kind = 'cancellation.send'",
        "UPDATE outbox SET network_id = 'M' || network_id WHERE company_id = $1 AND kind = 'cancellation.send'",
        "UPDATE subscription_cancellations SET message_id = NULL WHERE company_id = $1 AND subscription_id = '{sub_refused}'",
        _WAITING.format("message_id = 'M'"),
    ],
}  # fmt: skip

# Of laws that were there before: by law, what subscriptions add to them.
ALSO_SUBSCRIPTIONS = {
    "law_state_is_the_last_of_history": [
        _SUBSCRIPTION.format("version = version + 1", "waiting_2"),
        _RECORD.format("version = version + 1"),
    ],
    "law_nothing_is_overdue_at_rest": [
        _SUBSCRIPTION.format("lapses_at = now() - interval '5 minutes'", "waiting_2"),
        _SUBSCRIPTION.format("ends_on = starts_on + 30, ends_at = now() - interval '5 minutes'", "accepted"),
        _WAITING.format("ask_at = now() - interval '5 minutes'"),
    ],
    "law_what_waits_has_its_time": [_WAITING.format("ask_at = NULL"), _RECORD.format("ask_at = now()")],
    "law_each_fact_is_told_once": [
        "UPDATE events SET reference_id = gen_random_uuid() WHERE company_id = $1 AND type = 'SUBSCRIPTION.ACCEPTED'",
        "UPDATE events SET type = 'SUBSCRIPTION.ERROR' WHERE company_id = $1 AND type = 'SUBSCRIPTION.CANCELED'",
    ],
    "law_an_event_tells_what_happened": [
        "UPDATE events SET reference_id = '{sub_waiting_2}' WHERE company_id = $1 AND type = 'SUBSCRIPTION.CANCELED'",
        "UPDATE events SET type = 'SUBSCRIPTION.CANCELED' WHERE company_id = $1 AND type = 'SUBSCRIPTION.ACCEPTED'",
        _SUBSCRIPTION.format("external_id = 'x'", "canceled_2"),
        _SUBSCRIPTION.format("order_id = NULL", "canceled_3"),
    ],
    "law_ids_name_their_company": [
        "UPDATE subscriptions SET provider_id = overlay(provider_id placing 'zzzzz' FROM 19) WHERE company_id = $1",
        "UPDATE subscriptions SET location_token = overlay(location_token placing 'zzzzz' FROM 1) WHERE company_id = $1",
    ],
    "law_an_order_costs_what_its_plan_says": [_ORDER.format("final_amount_minor = final_amount_minor + 1")],
    "law_an_answer_has_its_object": [
        "UPDATE answers SET object_id = gen_random_uuid() WHERE company_id = $1 AND operation = 'create_subscription'",
        "UPDATE answers SET object_id = '{sub_waiting_2}' WHERE company_id = $1 AND operation = 'cancel_subscription'",
        _RECORD.format("idempotency_key = 'another'"),
    ],
}  # fmt: skip

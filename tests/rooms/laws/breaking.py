"""Ways to break each law by hand. In each statement $1 is Ana's company; {name} is an id of the world.

The first way of a law breaks that law and, beside it, just those of BESIDE: so no law says what another says already.
"""

from tests.rooms.laws.breaking_bodies import BODY_LAWS
from tests.rooms.laws.breaking_cards import ALSO_CARDS, CARD_LAWS
from tests.rooms.laws.breaking_charges import ALSO_CHARGES, CHARGE_LAWS, CHARGES_BESIDE
from tests.rooms.laws.breaking_closings import ALSO_CLOSINGS, CLOSING_LAWS
from tests.rooms.laws.breaking_entries import ENTRY_LAWS
from tests.rooms.laws.breaking_foreign import FOREIGN_LAWS
from tests.rooms.laws.breaking_keys import ALSO_CLAIMS, ALSO_KEYS, KEY_LAWS
from tests.rooms.laws.breaking_med import ALSO_MED, MED_LAWS
from tests.rooms.laws.breaking_openings import ALSO_OPENINGS, OPENING_LAWS
from tests.rooms.laws.breaking_payouts import ALSO, PAYOUT_LAWS
from tests.rooms.laws.breaking_people import PEOPLE_LAWS
from tests.rooms.laws.breaking_plans import ALSO_PLANS, PLAN_LAWS
from tests.rooms.laws.breaking_refunds import ALSO_REFUNDS, REFUND_LAWS
from tests.rooms.laws.breaking_settlements import ALSO_SETTLEMENTS, SETTLEMENT_LAWS
from tests.rooms.laws.breaking_slips import ALSO_SLIPS, SLIP_LAWS
from tests.rooms.laws.breaking_statements import STATEMENT_LAWS
from tests.rooms.laws.breaking_subscriptions import ALSO_SUBSCRIPTIONS, SUBSCRIPTION_LAWS
from tests.rooms.laws.breaking_transfers import ALSO_STRANDED, ALSO_TRANSFERS, STRANDED_LAWS, WORD_LAWS

ORDER = "WHERE company_id = $1 AND id = '{paid}'"
EVENT = "WHERE company_id = $1 AND id = '{paid_event}'"
DELIVERY = "WHERE company_id = $1 AND event_id = '{paid_event}'"
LEDGER = (
    "(SELECT id FROM ledger_accounts WHERE company_id = $1 AND code = '{}' AND currency = 'BRL' ORDER BY account_id LIMIT 1)"
)
OTHER = LEDGER.format("FEE")  # no law adds up what we have earned
MOVED = """
INSERT INTO transfers (company_id, id, kind, debit_id, credit_id, amount_minor, currency, type, reference_id, created_at)
VALUES ($1, gen_random_uuid(), 'moved', {}, {}, 1, 'BRL', 'X', gen_random_uuid(), now())
"""
# A static code of the account that money came to unasked; what is left open is its amount.
PRINTED = (
    "INSERT INTO pix_static_qrcodes SELECT company_id, gen_random_uuid(), account_id, 'k', 'x', {}, NULL, 'x', now()"
    " FROM orders WHERE company_id = $1 AND id = '{{unasked}}'"
)

LEDGER_LAWS = {
    "law_balances_equal_transfers": [
        "UPDATE balances SET debits = debits + 1 WHERE company_id = $1 AND held > 0",
        "UPDATE balances SET held = held + 1 WHERE company_id = $1",
        "UPDATE balances SET credits_folded = credits_folded + 1 WHERE company_id = $1",
        "UPDATE balances SET fold_xid = fold_xid + 1000000, credits_folded = credits_folded - 1 WHERE company_id = $1",
        "UPDATE transfers SET amount_minor = amount_minor + 1 WHERE company_id = $1",
        "DELETE FROM transfers WHERE company_id = $1 AND pending_id = '{own_hold}'",
    ],
    "law_no_account_below_floor": [
        "UPDATE balances SET floor_minor = 4655 WHERE company_id = $1",
        "UPDATE balances SET debits = debits + 4655 WHERE company_id = $1 AND held > 0",
        "UPDATE balances SET held = held + 4655 WHERE company_id = $1 AND held > 0",
    ],
    "law_what_is_owed_lies_on_loss": [
        f"UPDATE balances SET owed = 1 WHERE company_id = $1 AND ledger_account_id = {LEDGER.format('BLOCK')}",
        f"UPDATE balances SET owed = 1 WHERE company_id = $1 AND ledger_account_id = {LEDGER.format('CUST')}",
        MOVED.format(LEDGER.format("LOSS"), OTHER),
        "UPDATE transfers SET amount_minor = amount_minor - 1 WHERE company_id = $1 AND type = 'LOSS_RECOVERED'",
        "DELETE FROM transfers WHERE company_id = $1 AND type = 'LOSS_RECOVERED'",
    ],
    "law_what_is_owed_is_taken_at_rest": [
        (f"WITH lost AS ({MOVED.format(LEDGER.format('LOSS'), OTHER)}),"
        " long_ago AS (UPDATE transfers SET created_at = created_at - interval '1 hour' WHERE company_id = $1)"
        f" UPDATE balances SET owed = 1 WHERE company_id = $1 AND ledger_account_id = {LEDGER.format('CUST')}"),
    ],
    "law_customer_accounts_have_a_floor": [
        "DELETE FROM balances WHERE company_id = $1",
        "INSERT INTO balances (company_id, ledger_account_id) SELECT company_id, id FROM ledger_accounts WHERE company_id = $1 AND code = 'LOSS'",
        "UPDATE ledger_accounts SET code = 'LOSS' WHERE company_id = $1 AND code = 'BLOCK'",
    ],
    "law_the_chart_is_whole": [
        "DELETE FROM ledger_accounts WHERE company_id = $1 AND code = 'LOSS'",
        "DELETE FROM ledger_accounts WHERE company_id = $1 AND code = 'TRANSIT'",
        "UPDATE ledger_accounts SET rail = 'ted' WHERE company_id = $1 AND rail = 'pix'",
        "UPDATE ledger_accounts SET rail = 'pix' WHERE company_id = $1 AND code = 'FEE'",
        "UPDATE ledger_accounts SET account_id = NULL WHERE company_id = $1 AND code = 'BLOCK'",
    ],
    "law_a_ledger_account_has_the_id_of_its_name": [
        "INSERT INTO ledger_accounts (company_id, id, code, currency) VALUES ($1, gen_random_uuid(), 'FEE', 'BRL')",
        "UPDATE ledger_accounts SET currency = 'USD' WHERE company_id = $1 AND code = 'TRANSIT'",
        "UPDATE ledger_accounts SET rail = 'slow' WHERE company_id = $1 AND rail = 'ted'",
    ],
    "law_a_hold_ends_as_it_began": [
        "UPDATE transfers SET reference_id = gen_random_uuid() WHERE company_id = $1 AND pending_id = '{own_hold}'",
        "UPDATE transfers SET amount_minor = 99 WHERE company_id = $1 AND kind = 'posted'",
        "UPDATE transfers SET currency = 'USD' WHERE company_id = $1 AND kind = 'posted'",
        "UPDATE transfers SET debit_id = credit_id, credit_id = debit_id WHERE company_id = $1 AND kind = 'voided'",
        "UPDATE transfers SET kind = 'moved' WHERE company_id = $1 AND id = '{own_hold}'",
    ],
    "law_a_transfer_has_one_currency": [
        "UPDATE transfers SET currency = 'USD' WHERE company_id = $1 AND type = 'PIX_IN'",
        "UPDATE ledger_accounts SET currency = 'USD' WHERE company_id = $1 AND code = 'FEE'",
        "UPDATE ledger_accounts SET currency = 'USD' WHERE company_id = $1 AND code = 'CUST'",
    ],
    "law_a_transfer_is_what_its_type_says": [
        "UPDATE transfers SET type = 'PIX_IN' WHERE company_id = $1 AND id = '{own_hold}'",
        "UPDATE transfers SET type = 'PIX_UNFIT' WHERE company_id = $1 AND type = 'PIX_IN'",
        f"UPDATE transfers SET debit_id = {LEDGER.format('LOSS')} WHERE company_id = $1 AND type = 'FEE'",
        f"UPDATE transfers SET credit_id = {LEDGER.format('SUSP')} WHERE company_id = $1 AND type = 'FEE'",
        "UPDATE transfers SET reference_id = '{paid}' WHERE company_id = $1 AND type = 'PIX_UNFIT'",
        "UPDATE transfers SET reference_id = gen_random_uuid() WHERE company_id = $1 AND type = 'PIX_RETURN'",
        f"UPDATE transfers SET debit_id = {LEDGER.format('TRANSIT')} WHERE company_id = $1 AND type = 'FEE'",
        "UPDATE transfers SET reference_id = '{paid}' WHERE company_id = $1 AND type = 'LOSS_RECOVERED'",
    ],
    "law_horizons_are_in_the_past": [
        "UPDATE event_cursors SET numbered_below_xid = numbered_below_xid + 1000000 WHERE company_id = $1",
        "UPDATE balances SET fold_xid = fold_xid + 1000000 WHERE company_id = $1",
        "UPDATE transfers SET xid = xid + 1000000 WHERE company_id = $1",
        "UPDATE events SET xid = xid + 1000000 WHERE company_id = $1",
    ],
    "law_in_transit_is_zero_at_rest": [MOVED.format(OTHER, LEDGER.format("TRANSIT"))],
}  # fmt: skip

ORDER_LAWS = {
    "law_clearing_equals_payments": [
        MOVED.format("(SELECT id FROM ledger_accounts WHERE company_id = $1 AND rail = 'pix')", OTHER),
        "UPDATE pix_payments SET amount_minor = 1001 WHERE company_id = $1 AND id = '{returning}'",
        "UPDATE pix_payments SET state = 'FAILED' WHERE company_id = $1 AND state = 'SETTLED'",
        "DELETE FROM transfers WHERE company_id = $1 AND type = 'PIX_IN'",
    ],
    "law_suspense_is_explained": [
        MOVED.format(OTHER, LEDGER.format("SUSP")),
        "UPDATE pix_payments SET state = 'RETURNED' WHERE company_id = $1 AND id = '{returning}'",
        "UPDATE pix_payments SET amount_minor = 1001 WHERE company_id = $1 AND id = '{stranded}'",
        "DELETE FROM transfers WHERE company_id = $1 AND type = 'PIX_UNFIT'",
    ],
    "law_an_order_costs_what_its_plan_says": [
        "UPDATE orders SET final_amount_minor = 1001 WHERE company_id = $1 AND id = '{waiting}'",
        "UPDATE orders SET fee_payer = 'CUSTOMER' WHERE company_id = $1 AND id = '{waiting}'",
        "UPDATE orders SET fee_fixed_minor = 986 WHERE company_id = $1 AND id = '{waiting}'",
        "UPDATE orders SET amount_minor = NULL WHERE company_id = $1 AND id = '{waiting}'",
        f"UPDATE orders SET paid_minor = 999 {ORDER}",
    ],
    "law_money_of_a_static_code_names_it": [
        "UPDATE orders SET static_qrcode_id = gen_random_uuid() WHERE company_id = $1 AND id = '{unasked}'",
        (
            f"WITH printed AS ({PRINTED.format('NULL')} RETURNING 1)"
            " UPDATE pix_payments SET txid = 'x' WHERE company_id = $1 AND order_id = '{unasked}'"
        ),
        (
            f"WITH printed AS ({PRINTED.format('999')} RETURNING id), named AS (UPDATE orders"
            " SET static_qrcode_id = (SELECT id FROM printed) WHERE company_id = $1 AND id = '{unasked}')"
            " UPDATE pix_payments SET txid = 'x' WHERE company_id = $1 AND order_id = '{unasked}'"
        ),
    ],
    "law_a_paid_order_is_booked_once": [
        ("WITH less AS (UPDATE transfers SET amount_minor = 974 WHERE company_id = $1 AND type = 'PIX_IN' AND reference_id = '{paid}' RETURNING *)"
        " INSERT INTO transfers SELECT company_id, gen_random_uuid(), kind, debit_id, credit_id, 1, currency, 'X', NULL, reference_id, created_at, xid FROM less"),
        "DELETE FROM transfers WHERE company_id = $1 AND type = 'FEE' AND reference_id = '{unasked}'",
        f"UPDATE orders SET paid_minor = paid_minor + 1 {ORDER}",
        f"UPDATE orders SET status = 'INITIAL' {ORDER}",
        "UPDATE pix_payments SET amount_minor = amount_minor + 1 WHERE company_id = $1 AND state = 'SETTLED'",
        "UPDATE pix_payments SET order_id = NULL WHERE company_id = $1",
        "UPDATE pix_payments SET order_id = '{paid}', state = 'SETTLED' WHERE company_id = $1",
        "UPDATE transfers SET amount_minor = amount_minor - 1 WHERE company_id = $1 AND type = 'PIX_IN'",
    ],
    "law_a_payment_is_split_as_planned": [
        f"UPDATE orders SET fee_fixed_minor = 11 {ORDER}",
        f"UPDATE orders SET fee_variable_basis_points = 160 {ORDER}",
        f"UPDATE orders SET fee_additional_minor = 1 {ORDER}",
        "UPDATE transfers SET amount_minor = CASE type WHEN 'FEE' THEN 24 ELSE 976 END WHERE company_id = $1 AND reference_id = '{paid}'",
        "UPDATE ledger_accounts SET account_id = NULL WHERE company_id = $1 AND code = 'CUST'",
    ],
    "law_a_paid_order_names_its_payment": [
        f"UPDATE orders SET paid_at = paid_at + interval '1 microsecond' {ORDER}",
        f"UPDATE orders SET end_to_end_id = 'E' {ORDER}",
        f"UPDATE orders SET payer_id = NULL {ORDER}",
        "UPDATE pix_payments SET account_id = NULL WHERE company_id = $1 AND order_id = '{paid}'",
        "UPDATE pix_payments SET order_id = '{waiting}' WHERE company_id = $1 AND order_id = '{paid}'",
    ],
    "law_a_payment_is_of_one_company": [
        ("WITH theirs AS (INSERT INTO pix_payments (company_id, id, end_to_end_id, state, amount_minor, accepted_at, created_at, updated_at)"
        " SELECT '{dora}', gen_random_uuid(), end_to_end_id, 'REFUSED', 1, now(), now(), now() FROM pix_payments WHERE company_id = $1 AND id = '{returned}' RETURNING *)"
        " INSERT INTO history (company_id, reference_id, version, machine, from_state, to_state, trigger, created_at)"
        " SELECT company_id, id, 1, 'pix_payments', '', 'REFUSED', 'refuse', created_at FROM theirs"),
    ],
    "law_a_reserved_order_waits": [
        "UPDATE pix_payments SET order_id = '{canceled}' WHERE company_id = $1 AND state = 'ACCEPTED' AND rail = 'pix'",
        "UPDATE orders SET status = 'EXPIRED' WHERE company_id = $1 AND id = '{reserved}'",
    ],
    "law_what_fits_nothing_goes_back": [
        "UPDATE transfers SET reference_id = '{returned}' WHERE company_id = $1 AND type = 'PIX_UNFIT'",
        "UPDATE refunds SET payment_id = '{returned}' WHERE company_id = $1 AND id = '{returning_refund}'",
        "UPDATE refunds SET amount_minor = 999 WHERE company_id = $1 AND id = '{returning_refund}'",
        "UPDATE refunds SET state = 'PAID' WHERE company_id = $1 AND id = '{stranded_refund}'",
        "UPDATE pix_payments SET state = 'REFUSED' WHERE company_id = $1 AND id = '{returning}'",
        "DELETE FROM transfers WHERE company_id = $1 AND reference_id = '{returning}'",
    ],
}  # fmt: skip

STATE_LAWS = {
    "law_every_move_allowed": [
        "UPDATE history SET trigger = 'expire' WHERE company_id = $1 AND trigger = 'pay'",
        "INSERT INTO history (company_id, reference_id, version, machine, from_state, to_state, trigger, created_at) VALUES ($1, '{paid}', 4, 'orders', 'PAID', 'INITIAL', 'reopen', now())",
    ],
    "law_history_is_dense": [
        ("WITH moved AS (UPDATE history SET version = 7 WHERE company_id = $1 AND reference_id = '{paid}' AND version = 3)"
        f" UPDATE orders SET version = 7 {ORDER}"),
        "UPDATE history SET from_state = 'EXPIRED' WHERE company_id = $1 AND reference_id = '{paid}' AND version = 3",
        "DELETE FROM history WHERE company_id = $1 AND reference_id = '{paid}' AND version = 2",
        "UPDATE history SET version = 7 WHERE company_id = $1 AND reference_id = '{paid}' AND version = 3",
    ],
    "law_state_is_the_last_of_history": [
        "UPDATE refunds SET version = version + 1 WHERE company_id = $1",
        "UPDATE orders SET status = 'EXPIRED' WHERE company_id = $1 AND status = 'INITIAL'",
        "UPDATE orders SET version = version + 1 WHERE company_id = $1",
        "UPDATE pix_payments SET state = 'STRANDED' WHERE company_id = $1 AND id = '{returning}'",
        "DELETE FROM history WHERE company_id = $1 AND reference_id = '{returned_refund}'",
        "UPDATE history SET machine = 'orders' WHERE company_id = $1 AND reference_id = '{returning}'",
    ],
    "law_history_has_its_object": [
        "INSERT INTO history (company_id, reference_id, version, machine, from_state, to_state, trigger, created_at) VALUES ($1, gen_random_uuid(), 1, 'orders', '', 'INITIAL', 'create', now())",
        "UPDATE history SET machine = 'refunds' WHERE company_id = $1 AND reference_id = '{returning}'",
    ],
    "law_times_are_those_of_history": [
        "UPDATE orders SET updated_at = updated_at + interval '1 microsecond' WHERE company_id = $1",
        "UPDATE refunds SET created_at = created_at + interval '1 microsecond' WHERE company_id = $1",
    ],
    "law_what_waits_has_its_time": [
        "UPDATE orders SET expires_at = NULL WHERE company_id = $1 AND id = '{waiting}'",
        "UPDATE pix_payments SET ask_at = NULL WHERE company_id = $1 AND state = 'ACCEPTED'",
        "UPDATE pix_payments SET ask_at = now() WHERE company_id = $1 AND state = 'SETTLED'",
        "UPDATE refunds SET ask_at = NULL WHERE company_id = $1 AND state = 'PENDING'",
        "UPDATE refunds SET ask_at = now() WHERE company_id = $1 AND state = 'PAID'",
    ],
    "law_nothing_is_overdue_at_rest": [
        "UPDATE orders SET expires_at = now() - interval '125 seconds' WHERE company_id = $1 AND id = '{waiting}'",
        "UPDATE pix_payments SET ask_at = ask_at - interval '2 days' WHERE company_id = $1 AND state = 'ACCEPTED'",
        "UPDATE refunds SET ask_at = ask_at - interval '2 days' WHERE company_id = $1 AND state = 'PENDING'",
        "UPDATE outbox SET due_at = due_at - interval '2 days' WHERE company_id = $1",
        "UPDATE inbox SET due_at = now() - interval '5 minutes' WHERE company_id = $1",
        "UPDATE deliveries SET due_at = due_at - interval '2 days' WHERE company_id = $1",
        "INSERT INTO events (company_id, id, type, reference_id, body, created_at) VALUES ($1, gen_random_uuid(), 'TEST', '{paid}', '', now() - interval '5 minutes')",
    ],
}  # fmt: skip

EVENT_LAWS = {
    "law_each_fact_is_told_once": [
        "INSERT INTO events (company_id, id, type, reference_id, body, created_at) SELECT company_id, gen_random_uuid(), type, reference_id, body, now() FROM events " + EVENT,
        f"UPDATE events SET type = 'ORDER-PAYIN.EXPIRED' {EVENT}",
        f"UPDATE events SET reference_id = gen_random_uuid() {EVENT}",
    ],
    "law_an_event_tells_what_happened": [
        f"UPDATE events SET body = convert_to(replace(convert_from(body, 'UTF8'), '\"10.00\"', '\"10.01\"'), 'UTF8') {EVENT}",
        f"UPDATE events SET body = '' {EVENT}",
        f"UPDATE events SET body = '\\xff' {EVENT}",
        f"UPDATE orders SET external_id = 'another' {ORDER}",
        f"UPDATE orders SET end_to_end_id = 'E' {ORDER}",
        f"UPDATE events SET reference_id = '{{waiting}}' {EVENT}",
        "INSERT INTO events (company_id, id, type, reference_id, body, created_at) VALUES ($1, gen_random_uuid(), 'ORDER-PAYIN.PAID', '{waiting}', '', now())",
    ],
    "law_feed_is_dense": [
        "UPDATE event_cursors SET last_sequence = 2 WHERE company_id = $1",
        "UPDATE event_cursors SET last_created_at = now() WHERE company_id = $1",
        "UPDATE event_numbers SET sequence = 999 WHERE company_id = $1 AND sequence = 1",
        "DELETE FROM event_numbers WHERE company_id = $1 AND sequence = 1",
    ],
    "law_feed_is_in_order": [
        "UPDATE events SET xid = 3 WHERE company_id = $1 AND id = (SELECT event_id FROM event_numbers WHERE company_id = $1 AND sequence = 4)",
        "UPDATE event_numbers SET created_at = created_at + interval '1 hour' WHERE company_id = $1 AND sequence = 1",
        "UPDATE event_numbers SET created_at = created_at - interval '1 hour' WHERE company_id = $1",
    ],
    "law_no_event_is_passed_over": [
        "INSERT INTO events (company_id, id, type, reference_id, body, created_at, xid) VALUES ($1, gen_random_uuid(), 'TEST', '{paid}', '', now(), 3)",
        "DELETE FROM event_numbers WHERE company_id = $1 AND event_id = '{paid_event}'",
    ],
    "law_each_numbered_event_is_delivered_or_due": [
        "UPDATE deliveries SET due_at = NULL WHERE company_id = $1",
        "DELETE FROM deliveries WHERE company_id = $1",
        "UPDATE deliveries SET status = 'DELIVERED' WHERE company_id = $1 AND id = '{canceled_event}'",
    ],
    "law_a_delivery_is_of_its_event": [
        f"UPDATE deliveries SET url = url || '/' {EVENT}",
        f"UPDATE deliveries SET type = 'TEST' {EVENT}",
        f"UPDATE deliveries SET reference_id = '{{waiting}}' {EVENT}",
        f"UPDATE deliveries SET sequence = 999 {EVENT}",
        f"UPDATE deliveries SET created_at = now() {EVENT}",
    ],
    "law_attempts_are_counted": [
        f"UPDATE delivery_attempts SET number = 0 {DELIVERY} AND number = 1",
        f"UPDATE deliveries SET attempts = 3 {EVENT}",
        f"DELETE FROM delivery_attempts {DELIVERY} AND number = 1",
        f"UPDATE delivery_attempts SET number = 3 {DELIVERY} AND number = 2",
    ],
    "law_a_delivery_stands_where_its_plan_does": [
        "UPDATE deliveries SET plan_attempts = 1 WHERE company_id = $1 AND id = '{canceled_event}'",
        "UPDATE deliveries SET status = 'RETRYING' WHERE company_id = $1 AND id = '{canceled_event}'",
        f"UPDATE deliveries SET plan_attempts = 0 {EVENT}",
        f"UPDATE deliveries SET plan_attempts = 3 {EVENT}",
        f"UPDATE deliveries SET status = 'FAILED' {EVENT}",
        f"UPDATE delivery_attempts SET status_code = 204 {DELIVERY}",
    ],
    "law_events_arrive_in_order": [
        "UPDATE delivery_attempts SET requested_at = requested_at - interval '1 hour' WHERE company_id = $1 AND event_id = '{second}'",
        "UPDATE delivery_attempts SET status_code = 500 WHERE company_id = $1 AND event_id = '{first}'",
        "DELETE FROM delivery_attempts WHERE company_id = $1 AND event_id = '{first}'",
    ],
}  # fmt: skip

MESSAGE_LAWS = {
    "law_a_message_is_open_or_done": [
        "UPDATE outbox SET outcome = 'sent' WHERE company_id = $1",
        "UPDATE outbox SET due_at = NULL WHERE company_id = $1",
        "UPDATE inbox SET outcome = NULL WHERE company_id = $1",
        "UPDATE inbox SET lease_token = gen_random_uuid() WHERE company_id = $1",
        "UPDATE inbox SET done_at = NULL WHERE company_id = $1",
    ],
    "law_the_network_hears_what_was_decided": [
        "UPDATE outbox SET body = convert_to(replace(convert_from(body, 'UTF8'), '\"accept\":false', '\"accept\":true'), 'UTF8') WHERE company_id = $1 AND kind = 'pix.answer'",
        "UPDATE outbox SET body = convert_to(replace(convert_from(body, 'UTF8'), '\"accept\":true', '\"accept\":false'), 'UTF8') WHERE company_id = $1 AND kind = 'pix.answer'",
        "UPDATE outbox SET body = '' WHERE company_id = $1 AND kind = 'pix.answer'",
        "UPDATE outbox SET reference_id = '{returning}' WHERE company_id = $1 AND kind = 'pix.answer'",
        "UPDATE outbox SET reference_id = '{paid}' WHERE company_id = $1 AND kind = 'pix.answer'",
        "DELETE FROM outbox WHERE company_id = $1 AND kind = 'pix.answer'",
        "UPDATE inbox SET outcome = 'handled' WHERE company_id = $1 AND kind = 'pix.ask'",
    ],
    "law_a_return_is_sent_as_decided": [
        "UPDATE outbox SET body = convert_to(replace(convert_from(body, 'UTF8'), ':1000', ':1001'), 'UTF8') WHERE company_id = $1 AND kind = 'return.send'",
        "UPDATE outbox SET network_id = id::text WHERE company_id = $1 AND kind = 'return.send'",
        "UPDATE outbox SET reference_id = '{returned}' WHERE company_id = $1 AND kind = 'return.send'",
        "DELETE FROM outbox WHERE company_id = $1 AND kind = 'return.send'",
        "UPDATE refunds SET reason_code = 'SL02' WHERE company_id = $1",
    ],
    "law_the_books_say_what_the_network_said": [
        "UPDATE inbox SET body = convert_to(replace(convert_from(body, 'UTF8'), '\"settled\":true', '\"settled\":false'), 'UTF8') WHERE company_id = $1 AND kind = 'pix.final'",
        "UPDATE inbox SET body = convert_to(replace(convert_from(body, 'UTF8'), '\"settled\":false', '\"settled\":true'), 'UTF8') WHERE company_id = $1 AND kind = 'pix.final'",
        "UPDATE inbox SET body = convert_to(replace(convert_from(body, 'UTF8'), '\"settled\":false', '\"settled\":true'), 'UTF8') WHERE company_id = $1 AND kind = 'return.final'",
        "UPDATE inbox SET body = convert_to(replace(convert_from(body, 'UTF8'), ':1000', ':1001'), 'UTF8') WHERE company_id = $1 AND kind = 'pix.settled'",
        "UPDATE inbox SET outcome = 'ignored' WHERE company_id = $1 AND kind = 'pix.final'",
        "DELETE FROM inbox WHERE company_id = $1 AND kind = 'return.final'",
        "DELETE FROM inbox WHERE company_id = $1 AND kind = 'pix.settled'",
    ],
}  # fmt: skip

OTHER_LAWS = {
    "law_an_answer_has_its_object": [
        "UPDATE answers SET object_id = gen_random_uuid() WHERE company_id = $1 AND operation = 'create_order' AND key = 'paid'",
        "UPDATE answers SET object_id = '{paid}' WHERE company_id = $1 AND operation = 'cancel_order'",
        (
            "UPDATE answers SET object_id = gen_random_uuid(), operation = 'create_order_payin'"
            " WHERE company_id = $1 AND operation = 'create_order' AND key = 'paid'"
        ),
        *(
            f"UPDATE answers SET object_id = '{{paid}}', operation = '{operation}' WHERE company_id = $1 AND key = 'resend'"
            for operation in (
                "resend_webhook_event", "resend_webhook_events", "test_webhook", "set_webhook", "create_card_token",
                "list_account_closes", "rotate_webhook_secret",
                "create_static_qrcode",
            )
        ),
    ],
    "law_an_answer_is_kept_its_time": [
        "UPDATE answers SET body = NULL WHERE company_id = $1 AND operation = 'create_order'",
        "UPDATE answers SET body = NULL, created_at = created_at - interval '31 days' WHERE company_id = $1 AND operation = 'cancel_order'",
        "UPDATE answers SET body = NULL, keep = 'forever', created_at = created_at - interval '31 days' WHERE company_id = $1",
    ],
    "law_numbers_lead_to_their_owner": [
        "UPDATE account_numbers SET account_id = gen_random_uuid() WHERE company_id = $1",
        "UPDATE account_numbers SET company_id = '{dora}' WHERE company_id = $1",
        "UPDATE company_numbers SET company_id = gen_random_uuid() WHERE company_id = $1",
        "DELETE FROM company_numbers WHERE company_id = $1",
        "INSERT INTO account_numbers VALUES ('x', $1, gen_random_uuid())",
    ],
    "law_ids_name_their_company": [
        "UPDATE clients SET client_id = 'lc_zzzzz' || substr(client_id, 9) WHERE company_id = $1",
        "UPDATE orders SET txid = 'zzzzz' || substr(txid, 6) WHERE company_id = $1 AND id = '{waiting}'",
        "UPDATE orders SET location_token = 'zzzzz' || substr(location_token, 6) WHERE company_id = $1 AND id = '{waiting}'",
        "UPDATE orders SET order_token = 'zzzzz' || substr(md5(id::text), 1, 17) WHERE company_id = $1 AND id = '{waiting}'",
        "UPDATE refunds SET return_id = overlay(return_id placing 'zzzzz' FROM 22) WHERE company_id = $1",
        (
            "INSERT INTO pix_static_qrcodes SELECT company_id, gen_random_uuid(), id, 'k', 'zzzzz', NULL, NULL, 'x', now()"
            " FROM accounts WHERE company_id = $1 ORDER BY created_at LIMIT 1"
        ),
    ],
    "law_an_account_is_the_companys_own": [
        "UPDATE companies SET default_account_id = gen_random_uuid() WHERE company_id = $1",
        "UPDATE pix_payments SET account_id = (SELECT id FROM accounts WHERE company_id = '{dora}') WHERE company_id = $1 AND state = 'ACCEPTED'",
    ],
}  # fmt: skip

_WAYS: dict[str, list[str]] = {
    **LEDGER_LAWS, **ORDER_LAWS, **FOREIGN_LAWS, **PAYOUT_LAWS, **PLAN_LAWS, **SUBSCRIPTION_LAWS, **CHARGE_LAWS, **STATE_LAWS, **EVENT_LAWS, **MESSAGE_LAWS, **STATEMENT_LAWS, **OTHER_LAWS, **REFUND_LAWS, **SLIP_LAWS, **ENTRY_LAWS, **SETTLEMENT_LAWS, **CLOSING_LAWS, **OPENING_LAWS, **CARD_LAWS, **STRANDED_LAWS, **KEY_LAWS, **MED_LAWS, **PEOPLE_LAWS, **BODY_LAWS, **WORD_LAWS,
}  # fmt: skip
_MORE = (
    ALSO, ALSO_CARDS, ALSO_KEYS, ALSO_CLAIMS, ALSO_PLANS, ALSO_SUBSCRIPTIONS, ALSO_CHARGES, ALSO_REFUNDS, ALSO_SLIPS,
    ALSO_SETTLEMENTS, ALSO_MED, ALSO_CLOSINGS, ALSO_OPENINGS, ALSO_TRANSFERS, ALSO_STRANDED,
)  # fmt: skip
BROKEN = {law: [*ways, *(way for more in _MORE for way in more.get(law, ()))] for law, ways in _WAYS.items()}

# What else the first way breaks, since it cannot be broken without.
BESIDE: dict[str, set[str]] = CHARGES_BESIDE | {
    "law_what_is_owed_is_taken_at_rest": {"law_a_reconciled_day_is_in_the_ledger", "law_what_came_back_is_booked_as_decided"},
    "law_a_payment_is_of_one_company": {"law_the_network_hears_what_was_decided"},
    "law_a_refund_is_of_its_order": {"law_a_return_is_sent_as_decided"},
    "law_a_reference_is_of_one_company": {"law_an_order_has_its_instrument"},
    "law_no_key_here_is_elsewhere": {"law_an_event_tells_what_happened"},
}  # fmt: skip

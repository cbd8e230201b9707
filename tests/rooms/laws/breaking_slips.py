"""Ways to break what laws say of slips."""

_OF = "WHERE company_id = $1 AND order_id = '{slip_waiting}'"

SLIP_LAWS = {
    "law_the_books_say_what_the_partner_said": [
        "UPDATE inbox SET outcome = 'ignored' WHERE company_id = $1 AND kind = 'collection.announced'",
        "UPDATE inbox SET outcome = 'ignored' WHERE company_id = $1 AND kind = 'collection.settled'",
        "UPDATE inbox SET outcome = 'ignored' WHERE company_id = $1 AND kind = 'collection.void'",
        "UPDATE pix_payments SET amount_minor = 999 WHERE company_id = $1 AND id = '{slip_announced_payment}'",
        "UPDATE pix_payments SET state = 'ACCEPTED' WHERE company_id = $1 AND id = '{slip_paid_payment}'",
        "UPDATE pix_payments SET state = 'ACCEPTED' WHERE company_id = $1 AND id = '{slip_void_payment}'",
        "UPDATE pix_payments SET end_to_end_id = 'other' WHERE company_id = $1 AND id = '{slip_void_payment}'",
    ],
    "law_an_order_has_its_instrument": [
        f"UPDATE instruments SET code = 'x' {_OF}",
        f"UPDATE instruments SET reference = 'x' {_OF}",
        f"DELETE FROM instruments {_OF}",
        "INSERT INTO instruments SELECT company_id, '{paid}', rail, 'x', code, due, payable_until FROM instruments " + _OF,
        "UPDATE orders SET payment_method = 'PIX' WHERE company_id = $1 AND id = '{slip_waiting}'",
        "UPDATE outbox SET body = '{{}}' WHERE company_id = $1 AND kind = 'collection.send'",
        "DELETE FROM outbox WHERE company_id = $1 AND kind = 'collection.send'",
    ],
}
ALSO_SLIPS = {
    "law_what_waits_has_its_time": [
        "UPDATE orders SET ends_at = NULL WHERE company_id = $1 AND id = '{slip_waiting}'",
        "UPDATE orders SET ends_at = now() WHERE company_id = $1 AND id = '{slip_paid}'",
        "UPDATE pix_payments SET ask_at = now() WHERE company_id = $1 AND id = '{slip_announced_payment}'",
    ],
    "law_nothing_is_overdue_at_rest": [
        "UPDATE orders SET ends_at = now() - interval '2 minutes' WHERE company_id = $1 AND id = '{slip_waiting}'",
    ],
    "law_a_paid_order_names_its_payment": [
        "UPDATE orders SET end_to_end_id = 'x' WHERE company_id = $1 AND id = '{slip_paid}'",
    ],
    "law_what_fits_nothing_goes_back": ["DELETE FROM transfers WHERE company_id = $1 AND type = 'BOLETO_UNFIT'"],
    "law_a_refund_is_of_its_order": [
        "UPDATE refunds SET rail = 'pix' WHERE company_id = $1 AND rail = 'boleto'",
        "UPDATE transfers SET type = 'PIX_RETURN' WHERE company_id = $1 AND type = 'BOLETO_RETURN'",
    ],
    "law_the_chart_is_whole": ["DELETE FROM ledger_accounts WHERE company_id = $1 AND rail = 'boleto'"],
    "law_a_payment_is_split_as_planned": [
        "UPDATE transfers SET amount_minor = amount_minor + 1 WHERE company_id = $1 AND type = 'BOLETO_FEE'",
    ],
}

"""Ways to break what a law says of foreign payments."""

FOREIGN_LAWS = {
    "law_no_foreign_payment_moved_our_books": [
        "UPDATE foreign_payments SET rail = 'pix', payment_id = '{paid_e2e}' WHERE company_id = $1",
        "UPDATE foreign_payments SET state = 'CLAIMED', order_id = '{waiting}' WHERE company_id = $1",
        "UPDATE foreign_payments SET rail = 'pix', payment_id = '{paid_e2e}', state = 'CLAIMED', order_id = '{paid}' WHERE company_id = $1",
        (
            "UPDATE foreign_payments SET rail = 'pix', payment_id = '{paid_e2e}', state = 'CLAIMED', order_id = '{waiting}',"
            " amount_minor = 1000 WHERE company_id = $1"
        ),
    ],
}

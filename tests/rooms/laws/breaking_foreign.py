"""Ways to break what a law says of foreign payments."""

_FOUND, _CLAIMED = ("WHERE company_id = $1 AND id = '{" + name + "}'" for name in ("foreign", "foreignclaimed"))

FOREIGN_LAWS = {
    "law_no_foreign_payment_moved_our_books": [
        f"UPDATE foreign_payments SET rail = 'pix', payment_id = '{{paid_e2e}}' {_FOUND}",
        f"UPDATE foreign_payments SET state = 'CLAIMED', order_id = '{{waiting}}' {_FOUND}",
        f"UPDATE foreign_payments SET amount_minor = 501 {_CLAIMED}",
        f"UPDATE foreign_payments SET order_id = '{{waiting}}' {_CLAIMED}",
        f"UPDATE foreign_payments SET payment_id = 'E' {_CLAIMED}",
        f"UPDATE foreign_payments SET state = 'FOUND', order_id = NULL {_CLAIMED}",
        "UPDATE pix_payments SET state = 'RETURNING' WHERE company_id = $1 AND order_id = '{foreign_order}'",
    ],
}

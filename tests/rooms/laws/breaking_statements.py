"""Ways to break what the law says of days that are reconciled."""

_MORE = "UPDATE statement_lines SET amount_minor = amount_minor + 1 WHERE company_id = $1 AND verdict = 'MATCHED'"

STATEMENT_LAWS = {
    "law_a_reconciled_day_is_in_the_ledger": [
        f"{_MORE} AND network_id = '{{paid_e2e}}'",
        *(f"{_MORE} AND kind = '{kind}'" for kind in ("IN", "OUT", "RETURN_IN", "RETURN_OUT")),
        "UPDATE statement_lines SET network_id = 'another' WHERE company_id = $1 AND network_id = '{paid_e2e}'",
        "UPDATE statement_lines SET kind = 'OUT' WHERE company_id = $1 AND kind = 'RETURN_IN'",
        "UPDATE transfers SET amount_minor = 399 WHERE company_id = $1 AND type = 'PIX_RETURNED' AND amount_minor = 400",
    ],
}

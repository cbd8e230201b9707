"""Ways to break what laws say of requests for accounts."""

_SET = "UPDATE account_requests SET {} WHERE company_id = $1 AND id = '{{{}}}'"
_EVENT = "WHERE company_id = $1 AND reference_id = '{opened}' AND type = 'ACCOUNT.CREATED'"

OPENING_LAWS = {
    "law_an_approved_request_has_its_account": [
        _SET.format("holder_type = 'ORGANIZATION'", "opened"),
        _SET.format("account_id = NULL", "opened"),
        _SET.format("account_id = gen_random_uuid()", "opened"),
        "UPDATE parties SET document_number = '1' WHERE id = (SELECT party_id FROM account_requests WHERE company_id = $1 AND id = '{opened}')",
        _SET.format("account_id = (SELECT account_id FROM account_requests WHERE id = '{opened}')", "analysed"),
    ],
}
ALSO_OPENINGS = {
    "law_what_waits_has_its_time": [
        _SET.format("expires_at = NULL", "asked"), _SET.format("expires_at = NULL", "reproved"),
        _SET.format("expires_at = now() + interval '1 day'", "opened"), _SET.format("ask_at = NULL", "analysed"),
        _SET.format("ask_at = now() + interval '1 day'", "reproved"), _SET.format("key_due_at = now() + interval '1 day'", "asked"),
    ],
    "law_nothing_is_overdue_at_rest": [
        _SET.format("expires_at = business_now() - interval '1 hour'", "asked"),
        _SET.format("ask_at = business_now() - interval '1 hour'", "analysed"),
        _SET.format("key_due_at = business_now() - interval '1 hour'", "opened"),
    ],
    "law_each_fact_is_told_once": [f"DELETE FROM events {_EVENT}"],
    "law_an_event_tells_what_happened": [
        f"UPDATE events SET body = '{{{{}}}}' {_EVENT}",
        "UPDATE events SET body = convert_to(replace(convert_from(body, 'UTF8'), '{opened}', '{asked}'), 'UTF8') " + _EVENT,
    ],
    "law_ids_name_their_company": [_SET.format("analysis_reference = 'zzzzz'", "analysed")],
}  # fmt: skip

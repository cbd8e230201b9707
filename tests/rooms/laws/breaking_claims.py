"""Ways to break what laws say of claims of keys."""

_CLAIMED = "WHERE company_id = $1 AND id = '{claimed}'"
_OWNED = "WHERE company_id = $1 AND id = '{owned}'"
_PORTED = "WHERE company_id = $1 AND id = '{ported}'"

CLAIM_LAWS = {
    "law_a_claim_moves_its_key": [
        "UPDATE pix_keys SET claim_id = NULL WHERE company_id = $1 AND claim_id = '{claimed}'",
        "UPDATE pix_keys SET claim_id = gen_random_uuid() WHERE company_id = $1 AND id = '{proved_key}'",
        "UPDATE pix_keys SET claim_id = '{claimed}' WHERE company_id = $1 AND type = 'RANDOM' AND status = 'ACTIVE'",
        f"UPDATE key_claims SET key = 'b@example.com' {_CLAIMED}",
        f"UPDATE key_claims SET key_id = '{{proved_key}}' {_PORTED}",
    ],
    "law_no_key_here_is_elsewhere": [
        (
            "UPDATE key_claims c SET key_id = k.id, key = k.key, key_type = k.type FROM pix_keys k"
            " WHERE c.company_id = $1 AND c.id = '{lost}' AND k.company_id = $1 AND k.id = '{proved_key}'"
        ),
        "UPDATE key_claims SET status = 'CONFIRMED' WHERE company_id = $1 AND id = '{claimed}'",
        "UPDATE pix_keys SET status = 'ACTIVE' WHERE company_id = $1 AND id = (SELECT key_id FROM key_claims WHERE id = '{lost}')",
    ],
    "law_the_directory_hears_of_claims": [
        "DELETE FROM outbox WHERE company_id = $1 AND reference_id = '{claimed}' AND kind = 'claim.acknowledge'",
        "DELETE FROM outbox WHERE company_id = $1 AND reference_id = '{ported}' AND kind = 'claim.complete'",
        "UPDATE outbox SET reference_id = '{owned}' WHERE company_id = $1 AND reference_id = '{ported}' AND kind = 'claim.complete'",
    ],
}
_OF_PROOFS = ("create_key_claim", "resend_key_claim_code", "request_key_claim_code", "resend_key_claim_answer_code")
_OF_CLAIMS = ("confirm_key_claim", "cancel_key_claim", "answer_key_claim")
ALSO_CLAIMS = {
    "law_what_waits_has_its_time": [
        f"UPDATE key_claims SET due_at = NULL {_CLAIMED}",
        f"UPDATE key_claims SET due_at = NULL {_OWNED}",
        f"UPDATE key_claims SET due_at = now() {_PORTED}",
    ],
    "law_nothing_is_overdue_at_rest": [
        f"UPDATE key_claims SET due_at = now() - interval '1 hour' {_CLAIMED}",
        f"UPDATE key_claims SET ask_at = now() - interval '1 hour' {_CLAIMED}",
    ],
    "law_each_fact_is_told_once": [
        "DELETE FROM events WHERE company_id = $1 AND reference_id = '{ported}' AND convert_from(body, 'UTF8') LIKE '%\"CONFIRMED\"%'"
    ],
    "law_an_event_tells_what_happened": [f"UPDATE key_claims SET claim_type = 'CLAIM_OWNERSHIP' {_PORTED}"],
    "law_an_answer_has_its_object": [
        *(
            f"UPDATE answers SET object_id = '{{paid}}' WHERE company_id = $1 AND operation = '{operation}'"
            for operation in (*_OF_PROOFS, *_OF_CLAIMS)
        ),
        "UPDATE answers SET object_id = '{owned}' WHERE company_id = $1 AND operation = 'cancel_key_claim'",
        "UPDATE answers SET object_id = '{proved}' WHERE company_id = $1 AND operation = 'create_key_claim'",
        "UPDATE answers SET object_id = '{owned_proof}' WHERE company_id = $1 AND operation = 'request_key_claim_code'",
    ],
}

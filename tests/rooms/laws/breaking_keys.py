"""Ways to break what laws say of keys."""

from tests.rooms.laws.breaking_claims import ALSO_CLAIMS as ALSO_CLAIMS  # noqa: PLC0414 told of with those of keys
from tests.rooms.laws.breaking_claims import CLAIM_LAWS

_PROVED = "WHERE company_id = $1 AND id = '{proved}'"
_ORDERED = "WHERE company_id = $1 AND reference_id = '{proved}' AND kind = 'code.send'"

KEY_LAWS = {
    "law_a_code_is_sent_and_counted": [
        f"UPDATE pix_key_validations SET tries = 0 {_PROVED}",
        f"UPDATE pix_key_validations SET number = 3 {_PROVED}",
        f"DELETE FROM outbox {_ORDERED} AND network_id LIKE '%:1'",
        (
            "WITH four AS (UPDATE pix_key_validations SET tries = 5 WHERE company_id = $1 AND id = '{unproved}' RETURNING *)"
            " INSERT INTO history (company_id, reference_id, version, machine, from_state, to_state, trigger, created_at)"
            " SELECT company_id, id, n + 1, 'pix_key_validations', 'PENDING', 'PENDING', 'mistake', created_at"
            " FROM four, generate_series(1, 5) n"
        ),
    ],
    "law_a_proof_makes_its_key": [
        f"UPDATE pix_key_validations SET key = 'b@example.com' {_PROVED}",
        f"UPDATE pix_key_validations SET type = 'PHONE' {_PROVED}",
        "UPDATE pix_keys SET type = 'PHONE' WHERE company_id = $1 AND id = '{proved_key}'",
        "UPDATE pix_keys SET type = 'EMAIL' WHERE company_id = $1 AND type = 'RANDOM'",
    ],
    **CLAIM_LAWS,
}
ALSO_KEYS = {
    "law_an_answer_has_its_object": [
        *(
            f"UPDATE answers SET object_id = '{{paid}}' WHERE company_id = $1 AND operation = '{operation}'"
            for operation in ("create_key", "confirm_key", "resend_key_code")
        ),
        "UPDATE answers SET object_id = '{unproved}' WHERE company_id = $1 AND operation = 'resend_key_code'",
    ],
}

"""Ways to break the laws of plans by hand, and ways in which plans break the other laws. As in breaking.py."""

_OF = "WHERE company_id = $1 AND plan_id = '{{plan_{}}}'"
_LINES = "UPDATE payout_plan_lines SET {} " + _OF
_PLAN = "UPDATE payout_plans SET {} WHERE company_id = $1 AND id = '{{plan_{}}}'"

PLAN_LAWS = {
    "law_a_plan_is_its_lines": [
        _PLAN.format("hash = repeat('0', 64)", "ready"),
        _PLAN.format("lines = 2", "ready"),
        _PLAN.format("lines = 4", "invalid"),
        f"DELETE FROM payout_plan_lines {_OF.format('ready')} AND number = 1",
        f"DELETE FROM payout_plan_lines {_OF.format('ready')} AND number = 3",
        _LINES.format("number = 7", "canceled") + " AND number = 3",
        _LINES.format("digest = sha256('')", "applied") + " AND number = 3",
        "UPDATE payout_plan_bodies SET body = '' WHERE company_id = $1 AND id = '{plan_ready}'",
        _LINES.format("issues = '[]'", "ready"),
        _LINES.format("issues = '[]'", "approved"),
        _LINES.format("issues = '[]'", "expired") + " AND number = 1",
        _LINES.format("issues = NULL", "invalid"),
        _LINES.format("payout_id = NULL", "applied") + " AND number = 2",
        _LINES.format("issues = NULL", "partly"),
        _LINES.format("payout_id = NULL", "partly") + " AND number = 3",
        _LINES.format("issues = NULL", "failed") + " AND number = 1",
        _PLAN.format("status = 'PARTIALLY_APPLIED'", "applied"),
        _PLAN.format("status = 'FAILED'", "partly"),
        _PLAN.format("status = 'APPLIED'", "partly"),
        _PLAN.format("status = 'READY'", "invalid"),
    ],
    "law_a_plan_is_applied_as_approved": [
        "UPDATE payout_plan_approvals SET hash = repeat('0', 64) WHERE company_id = $1",
        f"UPDATE payout_plan_approvals SET approver = (SELECT created_by FROM payout_plans WHERE id = plan_id) {_OF.format('applied')}",
        *(_PLAN.format("approvals_needed = 2", name) for name in ("approved", "applying", "applied", "partly", "failed")),
        f"DELETE FROM payout_plan_approvals {_OF.format('approved')}",
        *(
            _LINES.format(change, "applied") + " AND number = 2"
            for change in (
                "amount_minor = amount_minor + 1", "fee_minor = fee_minor + 1", "transfers = 2", "external_id = 'x'",
                "account_id = gen_random_uuid()", "payment_method = 'TED'", "currency = 'USD'",
            )
        ),
    ],
}  # fmt: skip

# Of laws that were there before: by law, what plans add to them.
ALSO_PLANS = {
    "law_state_is_the_last_of_history": [_PLAN.format("version = version + 1", "ready")],
    "law_every_move_allowed": ["UPDATE history SET trigger = 'pass' WHERE company_id = $1 AND trigger = 'finish in part'"],
    "law_nothing_is_overdue_at_rest": [_PLAN.format("due_at = now() - interval '5 minutes'", "ready")],
    "law_what_waits_has_its_time": [
        *(_PLAN.format("due_at = NULL", name) for name in ("ready", "approved", "applying")),
        _PLAN.format("due_at = now() + interval '1 day'", "applied"),
    ],
    "law_each_fact_is_told_once": [
        "UPDATE events SET type = 'PAYOUT-PLAN.FAILED' WHERE company_id = $1 AND type = 'PAYOUT-PLAN.APPLIED'",
        *(
            f"UPDATE events SET reference_id = gen_random_uuid() WHERE company_id = $1 AND type = 'PAYOUT-PLAN.{turn}'"
            for turn in (
                "INVALID", "READY", "APPROVED", "APPLIED", "PARTIALLY_APPLIED", "FAILED", "CANCELED", "EXPIRED",
            )
        ),
    ],
    "law_an_answer_has_its_object": [
        "UPDATE answers SET object_id = gen_random_uuid() WHERE company_id = $1 AND operation = 'create_payout_plan' AND key = 'plan ready'",
        "UPDATE answers SET object_id = '{plan_ready}' WHERE company_id = $1 AND operation = 'approve_payout_plan'",
        "UPDATE answers SET object_id = '{plan_approved}' WHERE company_id = $1 AND operation = 'apply_payout_plan'",
        "UPDATE answers SET object_id = '{plan_ready}' WHERE company_id = $1 AND operation = 'cancel_payout_plan'",
    ],
}  # fmt: skip

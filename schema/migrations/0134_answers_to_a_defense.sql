-- What a defense answered is kept under its idempotency key: the law looks for its notice.

CREATE OR REPLACE VIEW law_an_answer_has_its_object WITH (security_invoker = true) AS
  SELECT a.company_id, a.operation, a.object_id, a.created_at FROM answers a
   WHERE a.status < 400 AND CASE a.operation
         WHEN 'create_order' THEN NOT EXISTS (
           SELECT 1 FROM orders o WHERE o.company_id = a.company_id AND o.id = a.object_id)
         WHEN 'cancel_order' THEN NOT EXISTS (
           SELECT 1 FROM orders o WHERE o.company_id = a.company_id AND o.id = a.object_id AND o.status = 'CANCELED')
         WHEN 'create_order_payin' THEN NOT EXISTS (
           SELECT 1 FROM orders o WHERE o.company_id = a.company_id AND o.id = a.object_id)
         WHEN 'create_static_qrcode' THEN NOT EXISTS (
           SELECT 1 FROM pix_static_qrcodes q WHERE q.company_id = a.company_id AND q.id = a.object_id)
         WHEN 'create_refund' THEN NOT EXISTS (
           SELECT 1 FROM refunds r WHERE r.company_id = a.company_id AND r.id = a.object_id AND r.origin = 'CLIENT')
         WHEN 'resend_webhook_event' THEN NOT EXISTS (
           SELECT 1 FROM deliveries d WHERE d.company_id = a.company_id AND d.id = a.object_id)
         WHEN 'test_webhook' THEN NOT EXISTS (
           SELECT 1 FROM events e WHERE e.company_id = a.company_id AND e.id = a.object_id)
         WHEN 'resend_webhook_events' THEN a.object_id <> a.company_id
         WHEN 'set_webhook' THEN a.object_id <> a.company_id
         WHEN 'rotate_webhook_secret' THEN a.object_id <> a.company_id
         WHEN 'create_payout' THEN NOT EXISTS (
           SELECT 1 FROM payouts p WHERE p.company_id = a.company_id AND p.id = a.object_id AND p.idempotency_key = a.key)
         WHEN 'cancel_payout' THEN NOT EXISTS (
           SELECT 1 FROM payouts p WHERE p.company_id = a.company_id AND p.id = a.object_id
              AND (p.status = 'CANCELED' OR p.children > 0))
         WHEN 'create_payout_plan' THEN NOT EXISTS (
           SELECT 1 FROM payout_plans p WHERE p.company_id = a.company_id AND p.id = a.object_id)
         WHEN 'approve_payout_plan' THEN NOT EXISTS (
           SELECT 1 FROM payout_plan_approvals p WHERE p.company_id = a.company_id AND p.plan_id = a.object_id)
         WHEN 'apply_payout_plan' THEN NOT EXISTS (
           SELECT 1 FROM history h WHERE h.company_id = a.company_id AND h.reference_id = a.object_id AND h.trigger = 'apply')
         WHEN 'cancel_payout_plan' THEN NOT EXISTS (
           SELECT 1 FROM payout_plans p WHERE p.company_id = a.company_id AND p.id = a.object_id AND p.status = 'CANCELED')
         WHEN 'open_account' THEN NOT EXISTS (
           SELECT 1 FROM account_requests r WHERE r.company_id = a.company_id AND r.id = a.object_id)
         WHEN 'upload_account_document' THEN NOT EXISTS (
           SELECT 1 FROM account_documents d WHERE d.company_id = a.company_id AND d.id = a.object_id)
         WHEN 'request_account_close' THEN NOT EXISTS (
           SELECT 1 FROM account_close_requests r WHERE r.company_id = a.company_id AND r.id = a.object_id)
         WHEN 'create_key' THEN NOT EXISTS (
           SELECT 1 FROM pix_keys k WHERE k.company_id = a.company_id AND k.id = a.object_id
           UNION ALL SELECT 1 FROM pix_key_validations v WHERE v.company_id = a.company_id AND v.id = a.object_id)
         WHEN 'confirm_key' THEN NOT EXISTS (
           SELECT 1 FROM pix_key_validations v WHERE v.company_id = a.company_id AND v.key_id = a.object_id)
         WHEN 'resend_key_code' THEN NOT EXISTS (
           SELECT 1 FROM pix_key_validations v WHERE v.company_id = a.company_id AND v.id = a.object_id AND v.number > 1)
         WHEN 'create_key_claim' THEN NOT EXISTS (
           SELECT 1 FROM key_claims c WHERE c.company_id = a.company_id AND c.id = a.object_id
           UNION ALL SELECT 1 FROM pix_key_validations v WHERE v.company_id = a.company_id AND v.id = a.object_id AND v.purpose = 'CLAIM')
         WHEN 'confirm_key_claim' THEN NOT EXISTS (
           SELECT 1 FROM pix_key_validations v
            WHERE v.company_id = a.company_id AND v.claim_id = a.object_id AND v.purpose = 'CLAIM' AND v.status = 'CONFIRMED')
         WHEN 'resend_key_claim_code' THEN NOT EXISTS (
           SELECT 1 FROM pix_key_validations v
            WHERE v.company_id = a.company_id AND v.id = a.object_id AND v.purpose = 'CLAIM' AND v.number > 1)
         WHEN 'cancel_key_claim' THEN NOT EXISTS (
           SELECT 1 FROM key_claims c WHERE c.company_id = a.company_id AND c.id = a.object_id AND c.status = 'CANCELLED')
         WHEN 'request_key_claim_code' THEN NOT EXISTS (
           SELECT 1 FROM pix_key_validations v WHERE v.company_id = a.company_id AND v.id = a.object_id AND v.purpose = 'ANSWER')
         WHEN 'resend_key_claim_answer_code' THEN NOT EXISTS (
           SELECT 1 FROM pix_key_validations v
            WHERE v.company_id = a.company_id AND v.id = a.object_id AND v.purpose = 'ANSWER' AND v.number > 1)
         WHEN 'answer_key_claim' THEN NOT EXISTS (
           SELECT 1 FROM pix_key_validations v
            WHERE v.company_id = a.company_id AND v.claim_id = a.object_id AND v.purpose = 'ANSWER' AND v.status = 'CONFIRMED')
         WHEN 'contest_med' THEN NOT EXISTS (
           SELECT 1 FROM med_objects m WHERE m.company_id = a.company_id AND m.id = a.object_id)
         WHEN 'cancel_med' THEN NOT EXISTS (
           SELECT 1 FROM med_objects m WHERE m.company_id = a.company_id AND m.id = a.object_id AND m.status = 'CANCELLED')
         WHEN 'defend_med' THEN NOT EXISTS (
           SELECT 1 FROM med_objects m WHERE m.company_id = a.company_id AND m.id = a.object_id AND m.defended_at IS NOT NULL)
         WHEN 'create_subscription' THEN NOT EXISTS (
           SELECT 1 FROM subscriptions s WHERE s.company_id = a.company_id AND s.id = a.object_id)
         WHEN 'cancel_subscription' THEN NOT EXISTS (
           SELECT 1 FROM subscription_cancellations c
            WHERE c.company_id = a.company_id AND c.id = a.object_id AND c.idempotency_key = a.key)
         WHEN 'create_subscription_payment' THEN NOT EXISTS (
           SELECT 1 FROM subscription_payments p WHERE p.company_id = a.company_id AND p.id = a.object_id)
         WHEN 'cancel_subscription_payment' THEN NOT EXISTS (
           SELECT 1 FROM history h WHERE h.company_id = a.company_id AND h.reference_id = a.object_id
              AND h.machine = 'subscription_payments' AND h.trigger IN ('cancel', 'ask to cancel'))
         WHEN 'retry_subscription_payment' THEN NOT EXISTS (
           SELECT 1 FROM history h WHERE h.company_id = a.company_id AND h.reference_id = a.object_id
              AND h.machine = 'subscription_payments' AND h.trigger = 'retry')
         ELSE false END;

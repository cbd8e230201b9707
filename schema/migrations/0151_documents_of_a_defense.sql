-- The holder of an account may give documents with its defense to a notification.

ALTER TABLE med_objects
  ADD COLUMN defense_documents smallint NOT NULL DEFAULT 0 CHECK (defense_documents BETWEEN 0 AND 10);

CREATE TABLE med_documents (                          -- a file that the holder of an account gave with its defense to a notification
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  object_id uuid NOT NULL,
  number smallint NOT NULL CHECK (number BETWEEN 1 AND 10),
  content_type text NOT NULL CHECK (content_type IN ('application/pdf', 'image/png', 'image/jpeg')),
  size integer NOT NULL,                              -- of what is kept, in bytes, before it was sealed
  digest bytea NOT NULL,                              -- SHA-256 of the bytes as they were sent
  kept_digest bytea NOT NULL,                         -- SHA-256 of what is kept
  sealed bytea,                                       -- AES-256-GCM; NULL once it was erased
  created_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, object_id) REFERENCES med_objects
);
CREATE UNIQUE INDEX med_documents_number_key ON med_documents (company_id, object_id, number);
ALTER TABLE med_documents ENABLE ROW LEVEL SECURITY;
ALTER TABLE med_documents FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON med_documents TO lastro_app USING (company_id = tenant()) WITH CHECK (company_id = tenant());
CREATE POLICY audit ON med_documents FOR SELECT TO lastro_audit USING (true);
GRANT SELECT, INSERT ON med_documents TO lastro_app;
GRANT UPDATE (sealed, version) ON med_documents TO lastro_app;
GRANT SELECT ON med_documents TO lastro_audit;

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
         WHEN 'attach_med_document' THEN NOT EXISTS (
           SELECT 1 FROM med_documents d WHERE d.company_id = a.company_id AND d.id = a.object_id)
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

CREATE OR REPLACE VIEW law_a_dispute_is_answered_as_decided WITH (security_invoker = true) AS
  SELECT coalesce(m.company_id, r.company_id) AS company_id, m.id, m.status, m.result, m.returned_minor, r.id AS refund_id,
         r.state, r.amount_minor
    FROM (SELECT * FROM med_objects WHERE object_type = 'REFUND_REQUEST' AND role = 'RECEIVER') m
    FULL JOIN (SELECT r.*, p.end_to_end_id FROM refunds r JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
                WHERE r.origin = 'MED' AND NOT EXISTS ( -- what is given back of later credits answers nothing
                  SELECT 1 FROM med_objects w WHERE w.company_id = r.company_id AND w.id = r.med_id AND r.created_at >= w.watched_since)
                  AND NOT (r.state = 'ERROR' AND r.receiver_id IS NOT NULL AND EXISTS ( -- it was tried again, or asked anew
                      SELECT 1 FROM med_objects t WHERE t.company_id = r.company_id AND t.id = r.med_id
                         AND t.refund_id IS DISTINCT FROM r.id))) r
      ON r.company_id = m.company_id AND r.med_id = m.id
   WHERE m.id IS NULL OR m.refund_id IS DISTINCT FROM r.id
      OR (r.id IS NOT NULL AND r.end_to_end_id <> m.end_to_end_id)
      OR CASE WHEN m.status = 'OPEN' AND r.id IS NULL THEN m.returned_minor <> 0
              WHEN m.status = 'OPEN' THEN (r.state, m.blocked_minor) IS DISTINCT FROM ('PENDING', r.amount_minor)
              WHEN m.result IN ('TOTALLY_ACCEPTED', 'PARTIALLY_ACCEPTED') THEN (r.state, m.returned_minor,
                   CASE WHEN m.watched_since IS NULL THEN m.blocked_minor ELSE 0 END,
                   m.result = 'TOTALLY_ACCEPTED') IS DISTINCT FROM ('PAID', r.amount_minor, 0::bigint, r.amount_minor >= m.amount_minor)
              ELSE coalesce(r.state, 'ERROR') <> 'ERROR' OR m.returned_minor <> 0 OR m.blocked_minor <> 0 AND m.watched_since IS NULL END;

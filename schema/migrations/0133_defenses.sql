-- The holder of an account may say something to a notification about its money before the institution decides.

ALTER TABLE med_objects
  ADD COLUMN defense_due_at timestamptz,
  ADD COLUMN defense text CHECK (length(defense) <= 2000),
  ADD COLUMN defended_at timestamptz,
  ADD CONSTRAINT med_objects_defense CHECK (
    (defense IS NULL) = (defended_at IS NULL) AND (defense IS NULL OR defense_due_at >= defended_at AND object_type = 'INFRINGEMENT_NOTIFICATION'));

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

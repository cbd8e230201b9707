-- Disputes say since when they stand as they do, and lines of a statement name them.

ALTER TABLE med_objects ADD COLUMN occurred_at timestamptz;
-- The owner itself is bound by row-level security, and would find no row.
ALTER TABLE med_objects NO FORCE ROW LEVEL SECURITY;
UPDATE med_objects SET occurred_at = updated_at;
ALTER TABLE med_objects FORCE ROW LEVEL SECURITY;
ALTER TABLE med_objects ALTER COLUMN occurred_at SET NOT NULL;

CREATE OR REPLACE VIEW entry_subjects WITH (security_invoker = true) AS
  SELECT company_id, id AS reference_id, description, id AS order_id, end_to_end_id, coalesce(payer_id, customer_id) AS party_id,
         NULL::uuid AS batch_id FROM orders
  UNION ALL
  SELECT company_id, id, description, NULL, end_to_end_id, receiver_id, batch_id FROM payouts
  UNION ALL
  SELECT r.company_id, r.id, r.description, r.order_id,
         (SELECT p.end_to_end_id FROM pix_payments p WHERE p.company_id = r.company_id AND p.id = r.payment_id),
         (SELECT p.payer_id FROM pix_payments p WHERE p.company_id = r.company_id AND p.id = r.payment_id), NULL FROM refunds r
  UNION ALL
  SELECT m.company_id, m.id, 'MED ' || m.id,
         (SELECT p.order_id FROM pix_payments p WHERE p.company_id = m.company_id AND p.end_to_end_id = m.end_to_end_id AND p.rail = 'pix'),
         m.end_to_end_id, NULL, NULL FROM med_objects m;

CREATE OR REPLACE VIEW entry_names WITH (security_invoker = true) AS
  SELECT company_id, end_to_end_id, order_id AS reference_id FROM pix_payments WHERE order_id IS NOT NULL
  UNION ALL
  SELECT company_id, end_to_end_id, id FROM payouts WHERE end_to_end_id IS NOT NULL
  UNION ALL
  SELECT r.company_id, p.end_to_end_id, r.id FROM pix_payments p
    JOIN refunds r ON r.company_id = p.company_id AND r.payment_id = p.id
  UNION ALL
  SELECT company_id, end_to_end_id, id FROM med_objects;

CREATE OR REPLACE VIEW law_a_dispute_is_answered_as_decided WITH (security_invoker = true) AS
  SELECT coalesce(m.company_id, r.company_id) AS company_id, m.id, m.status, m.result, m.returned_minor, r.id AS refund_id,
         r.state, r.amount_minor
    FROM (SELECT * FROM med_objects WHERE object_type = 'REFUND_REQUEST' AND role = 'RECEIVER') m
    FULL JOIN (SELECT r.*, p.end_to_end_id FROM refunds r JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
                WHERE r.origin = 'MED') r
      ON r.company_id = m.company_id AND r.med_id = m.id
   WHERE m.id IS NULL OR m.refund_id IS DISTINCT FROM r.id
      OR (r.id IS NOT NULL AND r.end_to_end_id <> m.end_to_end_id)
      OR CASE WHEN m.status = 'OPEN' AND r.id IS NULL THEN m.returned_minor <> 0
              WHEN m.status = 'OPEN' THEN (r.state, m.blocked_minor) IS DISTINCT FROM ('PENDING', r.amount_minor)
              WHEN m.result IN ('TOTALLY_ACCEPTED', 'PARTIALLY_ACCEPTED') THEN (r.state, m.returned_minor, m.blocked_minor,
                   m.result = 'TOTALLY_ACCEPTED') IS DISTINCT FROM ('PAID', r.amount_minor, 0::bigint, r.amount_minor >= m.amount_minor)
              ELSE coalesce(r.state, 'ERROR') <> 'ERROR' OR m.returned_minor <> 0 OR m.blocked_minor <> 0 END;
COMMENT ON VIEW law_a_dispute_is_answered_as_decided IS
  'A refund request is accepted with the return that was made for it, of that amount, and rejected or canceled without any.';

-- A line of a TED has the STR's number, by which the other bank's books name it.

CREATE OR REPLACE VIEW entry_subjects WITH (security_invoker = true) AS
  SELECT o.company_id, o.id AS reference_id, o.description, o.id AS order_id, o.end_to_end_id,
         coalesce(o.payer_id, o.customer_id) AS party_id, NULL::uuid AS batch_id,
         (SELECT p.txid FROM pix_payments p -- of a charge whose payer's bank forgot it there is none
           WHERE p.company_id = o.company_id AND p.order_id = o.id AND p.end_to_end_id = o.end_to_end_id AND p.rail IN ('pix', 'book')) AS txid,
         CASE o.payment_method WHEN 'TED' THEN o.external_id END AS control_number -- the STR's, of a TED
    FROM orders o
  UNION ALL
  SELECT company_id, id, description, NULL, end_to_end_id, receiver_id, batch_id, txid, str_control_number FROM payouts
  UNION ALL
  SELECT r.company_id, r.id, r.description, r.order_id,
         (SELECT p.end_to_end_id FROM pix_payments p -- a partner's id of a payment is no endToEndId
           WHERE p.company_id = r.company_id AND p.id = r.payment_id AND p.rail IN ('pix', 'book')),
         (SELECT p.payer_id FROM pix_payments p WHERE p.company_id = r.company_id AND p.id = r.payment_id), NULL,
         (SELECT p.txid FROM pix_payments p
           WHERE p.company_id = r.company_id AND p.id = r.payment_id AND p.rail IN ('pix', 'book')), NULL FROM refunds r
  UNION ALL
  SELECT m.company_id, m.id, 'MED ' || m.id,
         (SELECT p.order_id FROM pix_payments p WHERE p.company_id = m.company_id AND p.end_to_end_id = m.end_to_end_id AND p.rail IN ('pix', 'book')),
         m.end_to_end_id, NULL, NULL,
         (SELECT p.txid FROM pix_payments p WHERE p.company_id = m.company_id AND p.end_to_end_id = m.end_to_end_id AND p.rail IN ('pix', 'book')), NULL
    FROM med_objects m;

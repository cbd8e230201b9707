-- A dispute with accounts of this institution on both sides is handled for both: the receiver's side has an id of its own.

ALTER TABLE med_objects ADD COLUMN directory_id uuid;
ALTER TABLE med_objects ADD CONSTRAINT med_objects_directory_id
  CHECK (directory_id IS NULL OR (role = 'RECEIVER' AND directory_id <> id));
CREATE UNIQUE INDEX med_objects_directory_key ON med_objects (company_id, directory_id) WHERE directory_id IS NOT NULL;

CREATE OR REPLACE VIEW entry_types WITH (security_invoker = true) AS
  SELECT upper(r.rail) || e.suffix AS type, e.at_once, e.debit, e.credit, r.rail, e.machine, e.part
    FROM rails r
   CROSS JOIN (VALUES ('_IN', true, 'NET', 'CUST', 'orders', 'in'), ('_FEE', true, 'NET', 'FEE', 'orders', 'fee'),
                      ('_UNFIT', true, 'NET', 'SUSP', 'pix_payments', 'unfit'),
                      ('_RETURN', false, 'SUSP', 'NET', 'refunds', 'return'),
                      ('_REFUND', false, 'CUST', 'NET', 'refunds', 'refund'),
                      ('_PAID_OUT', true, 'SUSP', 'NET', 'refunds', 'stranded'),
                      ('_SETTLEMENT', true, 'CUST', 'NET', 'settlements', 'settlement')) e(suffix, at_once, debit, credit, machine, part)
   WHERE r.rail <> 'ted' AND NOT (r.rail = 'pix' AND e.part = 'fee') AND NOT (r.currency = 'BRL' AND e.part = 'settlement')
  UNION ALL
  SELECT * FROM (VALUES
    ('FEE', true, 'NET', 'FEE', 'pix', 'orders', 'fee'),
    ('PART_IN', true, 'SUSP', 'CUST', NULL, 'orders', 'in'), ('PART_FEE', true, 'SUSP', 'FEE', NULL, 'orders', 'fee'),
    ('BOOK_IN', true, 'TRANSIT', 'CUST', NULL, 'orders', 'in'), ('BOOK_FEE', true, 'TRANSIT', 'FEE', NULL, 'orders', 'fee'),
    ('BOOK_REFUND', false, 'CUST', 'TRANSIT', NULL, 'refunds', 'refund'),
    ('STRANDED_IN', true, 'SUSP', 'CUST', NULL, 'refunds', 'stranded'),
    ('PIX_OUT', false, 'CUST', 'NET', 'pix', 'payouts', NULL), ('TED_OUT', false, 'CUST', 'NET', 'ted', 'payouts', NULL),
    ('BOOK_OUT', false, 'CUST', 'TRANSIT', NULL, 'payouts', NULL),
    ('PAYOUT_FEE', false, 'CUST', 'FEE', NULL, 'payouts', NULL),
    ('PIX_RETURNED', true, 'NET', 'CUST', 'pix', 'payouts', NULL),
    ('TED_RETURNED', true, 'NET', 'CUST', 'ted', 'payouts', NULL),
    ('BOOK_RETURNED', true, 'TRANSIT', 'CUST', NULL, 'payouts', NULL),
    ('PIX_RETURN_UNFIT', true, 'NET', 'SUSP', 'pix', 'payouts', NULL),
    ('TED_RETURN_UNFIT', true, 'NET', 'SUSP', 'ted', 'payouts', NULL),
    ('BOOK_RETURN_UNFIT', true, 'TRANSIT', 'SUSP', NULL, 'payouts', NULL),
    ('RETURN_CREDITED', true, 'SUSP', 'CUST', NULL, 'payouts', 'decided'),
    ('PIX_RETURN_PAID_OUT', true, 'SUSP', 'NET', 'pix', 'payouts', 'decided'),
    ('TED_RETURN_PAID_OUT', true, 'SUSP', 'NET', 'ted', 'payouts', 'decided'),
    ('PIX_PROVED', true, 'CUST', 'NET', 'pix', 'payouts', NULL), ('PIX_LACK', true, 'LOSS', 'NET', 'pix', 'payouts', NULL),
    ('TED_PROVED', true, 'CUST', 'NET', 'ted', 'payouts', NULL), ('TED_LACK', true, 'LOSS', 'NET', 'ted', 'payouts', NULL),
    ('PIX_REFUND_PROVED', true, 'CUST', 'NET', 'pix', 'refunds', NULL), ('PIX_REFUND_LACK', true, 'LOSS', 'NET', 'pix', 'refunds', NULL),
    ('CARD_CHARGEBACK', true, 'CUST', 'NET', 'card', 'orders', NULL), ('CARD_LACK', true, 'LOSS', 'NET', 'card', 'orders', NULL),
    ('MED_BLOCK', true, 'CUST', 'BLOCK', NULL, 'med_objects', NULL),
    ('MED_RELEASE', true, 'BLOCK', 'CUST', NULL, 'med_objects', NULL),
    ('MED_RETURN', false, 'BLOCK', 'NET', 'pix', 'refunds', 'dispute'),
    ('MED_BOOK_RETURN', false, 'BLOCK', 'TRANSIT', NULL, 'refunds', 'dispute'),
    ('LOSS_RECOVERED', true, 'CUST', 'LOSS', NULL, 'accounts', NULL))
    AS t(type, at_once, debit, credit, rail, machine, part);

CREATE OR REPLACE VIEW law_a_refund_is_of_its_order WITH (security_invoker = true) AS
  SELECT r.company_id, r.id AS refund_id, r.origin, r.order_id, p.order_id AS paid_order_id, p.state AS payment_state,
         h.type AS hold_type, d.account_id AS held_of, o.account_id, o.paid_at, r.created_at
    FROM refunds r
    LEFT JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
    LEFT JOIN orders o ON o.company_id = r.company_id AND o.id = r.order_id
    LEFT JOIN transfers h ON h.company_id = r.company_id AND h.reference_id = r.id AND h.kind = 'held'
    LEFT JOIN ledger_accounts d ON d.company_id = h.company_id AND d.id = h.debit_id
   WHERE CASE r.origin
         WHEN 'CLIENT' THEN (p.state, p.order_id, h.type, d.account_id) IS DISTINCT FROM
              ('SETTLED', r.order_id, upper(p.rail) || '_REFUND', o.account_id)
              OR r.created_at > o.paid_at + interval '90 days'
         WHEN 'MED' THEN (p.state, p.order_id, h.type, d.account_id) IS DISTINCT FROM
              ('SETTLED', r.order_id, CASE p.rail WHEN 'pix' THEN 'MED_RETURN' WHEN 'book' THEN 'MED_BOOK_RETURN' END, o.account_id)
         ELSE h.type IS DISTINCT FROM upper(p.rail) || '_RETURN' END
      OR r.rail <> p.rail;

-- As it was, of the table with its new column.
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

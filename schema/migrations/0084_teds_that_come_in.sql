-- A TED that comes in is credited to the account that it names, or given back to who sent it: an order of its own, as of a Pix
-- that nobody asked for, and a payment of rail ted under the STR's number.

ALTER TABLE orders DROP CONSTRAINT IF EXISTS orders_payment_method_check;
ALTER TABLE orders ADD CONSTRAINT orders_payment_method_check
  CHECK (payment_method ~ '^(PIX|TED|DEPOSIT|BOLETO|CREDIT_CARD|SPEI|OXXO|OXXOPAY|PAYNET|[A-Z0-9]{2,16}_PAY)$') NOT VALID;

CREATE OR REPLACE VIEW entry_types WITH (security_invoker = true) AS
  SELECT upper(r.rail) || e.suffix AS type, e.at_once, e.debit, e.credit, r.rail, e.machine, e.part
    FROM rails r
   CROSS JOIN (VALUES ('_IN', true, 'NET', 'CUST', 'orders', 'in'), ('_FEE', true, 'NET', 'FEE', 'orders', 'fee'),
                      ('_UNFIT', true, 'NET', 'SUSP', 'pix_payments', 'unfit'),
                      ('_RETURN', false, 'SUSP', 'NET', 'refunds', 'return'),
                      ('_REFUND', false, 'CUST', 'NET', 'refunds', 'refund'),
                      ('_PAID_OUT', true, 'SUSP', 'NET', 'refunds', 'stranded'),
                      ('_SETTLEMENT', true, 'CUST', 'NET', 'settlements', 'settlement')) e(suffix, at_once, debit, credit, machine, part)
   WHERE NOT (r.rail = 'ted' AND e.part = 'refund') -- nobody refunds a TED: he pays anew
     AND NOT (r.rail = 'pix' AND e.part = 'fee') AND NOT (r.currency = 'BRL' AND e.part = 'settlement')
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

CREATE OR REPLACE VIEW law_the_books_say_what_the_network_said WITH (security_invoker = true) AS
  WITH said AS MATERIALIZED (
    SELECT i.company_id, i.id, i.kind, i.subject, as_json(i.body) AS body FROM inbox i
     WHERE (i.kind IN ('pix.final', 'pix.settled', 'ted.arrived', 'return.final') AND i.outcome IN ('handled', 'known'))
        OR (i.kind = 'return.never' AND i.outcome = 'handled'))
  SELECT s.company_id, s.id AS message_id, s.kind, s.subject, p.state FROM said s
    LEFT JOIN pix_payments p ON p.company_id = s.company_id AND p.end_to_end_id = s.subject
     AND (p.rail = 'ted') = (s.kind = 'ted.arrived') AND p.rail IN ('pix', 'book', 'ted')
   WHERE s.kind IN ('pix.final', 'pix.settled', 'ted.arrived')
     AND CASE WHEN p.id IS NULL THEN true
              WHEN s.kind = 'pix.final' AND s.body ->> 'settled' = 'false' THEN p.state IN ('ACCEPTED', 'SETTLED')
              ELSE p.state IN ('ACCEPTED', 'REFUSED', 'FAILED')
                OR (s.kind IN ('pix.settled', 'ted.arrived') AND s.body #>> '{amount,minor}' IS DISTINCT FROM p.amount_minor::text) END
  UNION ALL
  SELECT s.company_id, s.id, s.kind, s.subject, r.state FROM said s
    LEFT JOIN refunds r ON r.company_id = s.company_id AND r.return_id = s.subject
   WHERE s.kind IN ('return.final', 'return.never')
     AND CASE WHEN r.state IN ('CREDITED', 'PAID_OUT') THEN 'ERROR' ELSE r.state END -- people decide after a refusal alone
         IS DISTINCT FROM CASE WHEN s.kind = 'return.never' OR s.body ->> 'settled' = 'false' THEN 'ERROR'
                               WHEN s.body ->> 'settled' = 'true' THEN 'PAID' END
     AND NOT (r.state = 'PAID' AND (s.kind = 'return.never' OR s.body ->> 'settled' = 'false') AND EXISTS ( -- a statement knew better
              SELECT 1 FROM history p WHERE p.company_id = r.company_id AND p.reference_id = r.id AND p.trigger = 'prove'))
  UNION ALL
  SELECT p.company_id, p.id, 'nothing', p.end_to_end_id, p.state FROM pix_payments p
   WHERE p.rail IN ('pix', 'book', 'ted') AND p.state NOT IN ('ACCEPTED', 'REFUSED')
     AND NOT EXISTS (SELECT 1 FROM said s WHERE s.company_id = p.company_id AND s.subject = p.end_to_end_id)
  UNION ALL
  SELECT r.company_id, r.id, 'nothing', r.return_id, r.state FROM refunds r
   WHERE r.state <> 'PENDING'
     AND NOT EXISTS (SELECT 1 FROM said s WHERE s.company_id = r.company_id AND s.subject = r.return_id
                        AND (r.state <> 'PAID' OR s.body ->> 'settled' = 'true'))
     AND NOT ((r.state, r.error_code) = ('ERROR', 'CALLED_OFF') AND EXISTS ( -- nothing of it was sent when nobody wanted it any more
              SELECT 1 FROM outbox o WHERE o.company_id = r.company_id AND o.reference_id = r.id AND o.kind = 'return.send'
                 AND (o.outcome, o.sends) = ('withdrawn', 0)));

CREATE OR REPLACE VIEW law_the_books_say_what_the_partner_said WITH (security_invoker = true) AS
  WITH said AS MATERIALIZED (
    SELECT i.company_id, i.id, i.rail, i.kind, as_json(i.body) AS body FROM inbox i
     WHERE i.kind IN ('collection.announced', 'collection.settled', 'collection.void') AND i.outcome IN ('handled', 'known'))
  SELECT s.company_id, s.id AS message_id, s.kind, s.body ->> 'payment_id' AS payment, p.state FROM said s
    LEFT JOIN pix_payments p ON p.company_id = s.company_id AND p.rail = s.rail AND p.end_to_end_id = s.body ->> 'payment_id'
   WHERE p.id IS NULL
      OR ((s.kind = 'collection.settled' OR (s.kind = 'collection.announced' AND p.state = 'ACCEPTED'))
          AND s.body #>> '{amount,minor}' IS DISTINCT FROM p.amount_minor::text)
      OR (s.kind = 'collection.settled' AND p.state IN ('ACCEPTED', 'REFUSED', 'FAILED'))
      OR (s.kind = 'collection.void' AND p.state = 'ACCEPTED')
  UNION ALL
  SELECT p.company_id, p.id, 'nothing', p.end_to_end_id, p.state FROM pix_payments p
   WHERE p.rail NOT IN ('pix', 'book', 'ted')
     AND NOT EXISTS (SELECT 1 FROM said s WHERE s.company_id = p.company_id AND s.rail = p.rail
                        AND s.body ->> 'payment_id' = p.end_to_end_id
                        AND s.kind = CASE p.state WHEN 'ACCEPTED' THEN 'collection.announced' WHEN 'FAILED' THEN 'collection.void'
                                                  ELSE 'collection.settled' END);

CREATE OR REPLACE VIEW law_an_order_has_its_instrument WITH (security_invoker = true) AS
  SELECT o.company_id, o.id, o.payment_method, i.rail, i.reference, sent.reference AS registered FROM orders o
    FULL JOIN instruments i ON i.company_id = o.company_id AND i.order_id = o.id
    LEFT JOIN LATERAL (
      SELECT m.network_id AS reference, as_json(m.body) AS body FROM outbox m
       WHERE m.company_id = i.company_id AND m.reference_id = i.order_id AND m.rail = i.rail AND m.kind = 'collection.send') sent ON true
   WHERE (o.payment_method IN ('PIX', 'TED') AND i.order_id IS NOT NULL) OR (o.payment_method = 'TED' AND o.origin <> 'UNASKED')
      OR (coalesce(o.payment_method, '') NOT IN ('PIX', 'TED')
          AND (CASE WHEN o.payment_method LIKE '%\_PAY' THEN 'crypto' WHEN o.payment_method = 'CREDIT_CARD' THEN 'card'
                ELSE lower(o.payment_method) END, i.reference, o.final_amount_minor::text, i.code) IS DISTINCT FROM
              (CASE i.rail WHEN 'crypto2' THEN 'crypto' WHEN 'paynet2' THEN 'paynet' ELSE i.rail END, sent.reference, sent.body #>> '{amount,minor}',
               sent.body ->> 'code'));

CREATE OR REPLACE VIEW law_ids_name_their_company WITH (security_invoker = true) AS
  WITH named AS MATERIALIZED (SELECT company_id, base62(number, 5) AS digits FROM companies)
  SELECT n.company_id, 'clients' AS place, c.client_id AS name FROM named n
    JOIN clients c ON c.company_id = n.company_id AND c.client_id NOT LIKE 'outside:%' AND substr(c.client_id, 4, 5) <> n.digits
  UNION ALL
  SELECT n.company_id, 'orders', o.id::text FROM named n
    JOIN orders o ON o.company_id = n.company_id
     AND (substr(o.txid, 1, 5) <> n.digits OR substr(o.location_token, 1, 5) <> n.digits
          OR substr(o.order_token, 1, 5) <> n.digits)
  UNION ALL
  SELECT n.company_id, 'pix_static_qrcodes', q.id::text FROM named n
    JOIN pix_static_qrcodes q ON q.company_id = n.company_id AND substr(q.txid, 1, 5) <> n.digits
  UNION ALL
  SELECT n.company_id, 'refunds', r.id::text FROM named n
    JOIN refunds r ON r.company_id = n.company_id
     AND CASE r.rail WHEN 'ted' THEN substr(r.return_id, 2, 5) ELSE substr(r.return_id, 22, 5) END <> n.digits
  UNION ALL
  SELECT n.company_id, 'payouts', p.id::text FROM named n
    JOIN payouts p ON p.company_id = n.company_id
     AND (substr(p.end_to_end_id, 22, 5) <> n.digits OR substr(p.control_number, 2, 5) <> n.digits)
  UNION ALL
  SELECT n.company_id, 'subscriptions', s.id::text FROM named n
    JOIN subscriptions s ON s.company_id = n.company_id
     AND (substr(s.provider_id, 19, 5) <> n.digits OR substr(s.location_token, 1, 5) <> n.digits)
  UNION ALL
  SELECT n.company_id, 'account_requests', r.id::text FROM named n
    JOIN account_requests r ON r.company_id = n.company_id AND substr(r.analysis_reference, 1, 5) <> n.digits;

-- A TED from one account here to another is known on both sides by its control number, and its receiver's order is no Pix.

ALTER TABLE orders DROP CONSTRAINT IF EXISTS orders_payment_method_check;
ALTER TABLE orders ADD CONSTRAINT orders_payment_method_check
  CHECK (payment_method ~ '^(PIX|TED|DEPOSIT|BOLETO|CREDIT_CARD|SPEI|OXXO|OXXOPAY|PAYNET|[A-Z0-9]{2,16}_PAY)$') NOT VALID;

CREATE OR REPLACE VIEW law_a_paid_order_names_its_payment WITH (security_invoker = true) AS
  SELECT p.company_id, p.id AS payment_id, p.order_id, p.end_to_end_id, o.end_to_end_id AS named,
         p.settled_at, o.paid_at, p.account_id, o.account_id AS credited
    FROM pix_payments p LEFT JOIN orders o ON o.company_id = p.company_id AND o.id = p.order_id
   WHERE p.state = 'SETTLED' AND p.rail NOT IN (SELECT rail FROM rails WHERE takes_parts)
     AND (CASE WHEN p.rail IN ('pix', 'book') AND o.payment_method IS DISTINCT FROM 'TED' THEN p.end_to_end_id END, p.amount_minor, p.settled_at, p.account_id, p.payer_id)
         IS DISTINCT FROM (o.end_to_end_id, o.paid_minor, o.paid_at, o.account_id, o.payer_id)
  UNION ALL
  SELECT p.company_id, p.id, p.order_id, p.end_to_end_id, o.end_to_end_id, p.settled_at, o.paid_at, p.account_id, o.account_id
    FROM pix_payments p
    JOIN rails q ON q.rail = p.rail AND q.takes_parts
    LEFT JOIN orders o ON o.company_id = p.company_id AND o.id = p.order_id
    LEFT JOIN LATERAL (
      SELECT max(s.settled_at) AS last_at, bool_or(s.payer_id IS NOT DISTINCT FROM o.payer_id) AS is_payer FROM pix_payments s
       WHERE s.company_id = p.company_id AND s.order_id = p.order_id AND s.state = 'SETTLED') m ON true
   WHERE p.state = 'SETTLED'
     AND (o.end_to_end_id IS NOT NULL OR (p.account_id, m.last_at, m.is_payer) IS DISTINCT FROM (o.account_id, o.paid_at, true));

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

-- Payments of two partners may have one id.

DROP INDEX pix_payments_end_to_end_id_key;
CREATE UNIQUE INDEX pix_payments_end_to_end_id_key ON pix_payments (company_id, end_to_end_id, (CASE rail WHEN 'book' THEN 'pix' ELSE rail END));

CREATE OR REPLACE VIEW law_a_payment_is_of_one_company WITH (security_invoker = true) AS
  SELECT p.company_id, p.id AS payment_id, p.end_to_end_id FROM pix_payments p
   WHERE (p.end_to_end_id, CASE p.rail WHEN 'book' THEN 'pix' ELSE p.rail END) IN
         (SELECT end_to_end_id, CASE rail WHEN 'book' THEN 'pix' ELSE rail END FROM pix_payments GROUP BY 1, 2 HAVING count(*) > 1);
COMMENT ON VIEW law_a_payment_is_of_one_company IS
  'No two companies know a payment of the same endToEndId, or of the same id at one partner.';

CREATE OR REPLACE VIEW law_the_books_say_what_the_network_said WITH (security_invoker = true) AS
  WITH said AS MATERIALIZED (
    SELECT i.company_id, i.id, i.kind, i.subject, as_json(i.body) AS body FROM inbox i
     WHERE i.kind IN ('pix.final', 'pix.settled', 'return.final') AND i.outcome IN ('handled', 'known'))
  SELECT s.company_id, s.id AS message_id, s.kind, s.subject, p.state FROM said s
    LEFT JOIN pix_payments p ON p.company_id = s.company_id AND p.end_to_end_id = s.subject AND p.rail IN ('pix', 'book')
   WHERE s.kind IN ('pix.final', 'pix.settled')
     AND CASE WHEN p.id IS NULL THEN true
              WHEN s.kind = 'pix.final' AND s.body ->> 'settled' = 'false' THEN p.state IN ('ACCEPTED', 'SETTLED')
              ELSE p.state IN ('ACCEPTED', 'REFUSED', 'FAILED')
                OR (s.kind = 'pix.settled' AND s.body #>> '{amount,minor}' IS DISTINCT FROM p.amount_minor::text) END
  UNION ALL
  SELECT s.company_id, s.id, s.kind, s.subject, r.state FROM said s
    LEFT JOIN refunds r ON r.company_id = s.company_id AND r.return_id = s.subject
   WHERE s.kind = 'return.final'
     AND r.state IS DISTINCT FROM CASE s.body ->> 'settled' WHEN 'true' THEN 'PAID' WHEN 'false' THEN 'ERROR' END
  UNION ALL
  SELECT p.company_id, p.id, 'nothing', p.end_to_end_id, p.state FROM pix_payments p
   WHERE p.rail IN ('pix', 'book') AND p.state NOT IN ('ACCEPTED', 'REFUSED')
     AND NOT EXISTS (SELECT 1 FROM said s WHERE s.company_id = p.company_id AND s.subject = p.end_to_end_id)
  UNION ALL
  SELECT r.company_id, r.id, 'nothing', r.return_id, r.state FROM refunds r
   WHERE r.state <> 'PENDING'
     AND NOT EXISTS (SELECT 1 FROM said s WHERE s.company_id = r.company_id AND s.subject = r.return_id);
COMMENT ON VIEW law_the_books_say_what_the_network_said IS
  'Payments and refunds ended as the network said that they did, and none ended without its word.';

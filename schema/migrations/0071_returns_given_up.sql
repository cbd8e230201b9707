-- A return that its network does not know a day after it was ordered is given up: that, too, is a word of the network.

CREATE OR REPLACE VIEW law_the_books_say_what_the_network_said WITH (security_invoker = true) AS
  WITH said AS MATERIALIZED (
    SELECT i.company_id, i.id, i.kind, i.subject, as_json(i.body) AS body FROM inbox i
     WHERE (i.kind IN ('pix.final', 'pix.settled', 'return.final') AND i.outcome IN ('handled', 'known'))
        OR (i.kind = 'return.never' AND i.outcome = 'handled'))
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
   WHERE s.kind IN ('return.final', 'return.never')
     AND CASE WHEN r.state IN ('CREDITED', 'PAID_OUT') THEN 'ERROR' ELSE r.state END -- people decide after a refusal alone
         IS DISTINCT FROM CASE WHEN s.kind = 'return.never' OR s.body ->> 'settled' = 'false' THEN 'ERROR'
                               WHEN s.body ->> 'settled' = 'true' THEN 'PAID' END
  UNION ALL
  SELECT p.company_id, p.id, 'nothing', p.end_to_end_id, p.state FROM pix_payments p
   WHERE p.rail IN ('pix', 'book') AND p.state NOT IN ('ACCEPTED', 'REFUSED')
     AND NOT EXISTS (SELECT 1 FROM said s WHERE s.company_id = p.company_id AND s.subject = p.end_to_end_id)
  UNION ALL
  SELECT r.company_id, r.id, 'nothing', r.return_id, r.state FROM refunds r
   WHERE r.state <> 'PENDING'
     AND NOT EXISTS (SELECT 1 FROM said s WHERE s.company_id = r.company_id AND s.subject = r.return_id);

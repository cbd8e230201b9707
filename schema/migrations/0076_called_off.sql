-- A return whose dispute was called off is not sent; and of a message's copies it is known which cannot arrive any more.

ALTER TABLE refunds ADD COLUMN called_off_at timestamptz;
ALTER TABLE outbox ADD COLUMN answered integer NOT NULL DEFAULT 0;

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
     AND NOT (r.state = 'PAID' AND (s.kind = 'return.never' OR s.body ->> 'settled' = 'false') AND EXISTS ( -- a statement knew better
              SELECT 1 FROM history p WHERE p.company_id = r.company_id AND p.reference_id = r.id AND p.trigger = 'prove'))
  UNION ALL
  SELECT p.company_id, p.id, 'nothing', p.end_to_end_id, p.state FROM pix_payments p
   WHERE p.rail IN ('pix', 'book') AND p.state NOT IN ('ACCEPTED', 'REFUSED')
     AND NOT EXISTS (SELECT 1 FROM said s WHERE s.company_id = p.company_id AND s.subject = p.end_to_end_id)
  UNION ALL
  SELECT r.company_id, r.id, 'nothing', r.return_id, r.state FROM refunds r
   WHERE r.state <> 'PENDING'
     AND NOT EXISTS (SELECT 1 FROM said s WHERE s.company_id = r.company_id AND s.subject = r.return_id
                        AND (r.state <> 'PAID' OR s.body ->> 'settled' = 'true'))
     AND NOT ((r.state, r.error_code) = ('ERROR', 'CALLED_OFF') AND EXISTS ( -- nothing of it was sent when nobody wanted it any more
              SELECT 1 FROM outbox o WHERE o.company_id = r.company_id AND o.reference_id = r.id AND o.kind = 'return.send'
                 AND (o.outcome, o.sends) = ('withdrawn', 0)));

CREATE OR REPLACE VIEW law_stranded_money_is_booked_as_decided WITH (security_invoker = true) AS
  SELECT coalesce(r.company_id, t.company_id) AS company_id, coalesce(r.id, t.reference_id) AS refund_id, r.state, r.amount_minor,
         t.transfers, t.booked_minor
    FROM (SELECT r.*, p.account_id FROM refunds r JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
           WHERE r.state IN ('CREDITED', 'PAID_OUT')) r
    FULL JOIN (SELECT t.company_id, t.reference_id, count(*) AS transfers, sum(t.amount_minor) AS booked_minor,
                      min(t.type) AS type, min(c.account_id::text)::uuid AS account_id
                 FROM transfers t JOIN ledger_accounts c ON c.company_id = t.company_id AND c.id = t.credit_id
                WHERE t.type IN (SELECT type FROM entry_types WHERE part = 'stranded') GROUP BY t.company_id, t.reference_id) t
      ON t.company_id = r.company_id AND t.reference_id = r.id
   WHERE (r.origin, t.transfers, t.booked_minor, t.type, t.account_id) IS DISTINCT FROM
         ('AUTOMATIC', 1, r.amount_minor, CASE r.state WHEN 'CREDITED' THEN 'STRANDED_IN' ELSE upper(r.rail) || '_PAID_OUT' END,
          CASE r.state WHEN 'CREDITED' THEN r.account_id END);

CREATE OR REPLACE VIEW law_a_return_is_sent_as_decided WITH (security_invoker = true) AS
  SELECT coalesce(r.company_id, o.company_id) AS company_id, r.id AS refund_id, o.id AS message_id, r.return_id,
         o.network_id, r.amount_minor
    FROM (SELECT r.*, p.end_to_end_id, p.rail AS paid_by FROM refunds r
            JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id) r
    FULL JOIN (SELECT company_id, id, rail, reference_id, network_id, as_json(body) AS body FROM outbox
                WHERE kind = 'return.send') o
      ON o.company_id = r.company_id AND o.reference_id = r.id
   WHERE (r.paid_by, r.return_id, r.return_id, r.end_to_end_id, r.amount_minor::text, r.reason_code) IS DISTINCT FROM
         (o.rail, o.network_id, o.body ->> 'return_id', o.body ->> 'end_to_end_id', o.body #>> '{amount,minor}',
          o.body ->> 'reason');

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

-- A payout above its company's line waits in ANALYSIS, held and unsent, until a person approves it.

ALTER TABLE companies ADD COLUMN review_above_minor bigint CHECK (review_above_minor > 0);
CREATE INDEX payouts_to_review ON payouts (updated_at, company_id) WHERE status = 'ANALYSIS' AND batch_id IS NULL;

CREATE OR REPLACE VIEW law_a_payout_is_held_until_it_ends WITH (security_invoker = true) AS
  WITH due AS (
    SELECT p.company_id, p.id, p.status, 'amount' AS what, p.amount_minor AS minor, p.hold_id AS hold_id,
           CASE WHEN p.status IN ('PAID', 'PARTIAL_REFUNDED', 'REFUNDED') THEN 'posted'
                WHEN p.status IN ('ERROR', 'EXPIRED', 'CANCELED') THEN 'voided' END AS ends,
           p.message_id IS NOT NULL OR p.status = 'ANALYSIS' OR (p.status = 'PENDING' AND p.start_at IS NULL) AS has_begun
      FROM payouts p WHERE p.children = 0
    UNION ALL
    SELECT p.company_id, p.id, p.status, 'fee', p.fee_minor, p.fee_hold_id,
           CASE WHEN p.status IN ('PAID', 'PARTIAL_REFUNDED', 'REFUNDED', 'PARTIALLY_PAID') THEN 'posted'
                WHEN p.status IN ('ERROR', 'EXPIRED', 'CANCELED') THEN 'voided' END,
           p.message_id IS NOT NULL OR p.status = 'ANALYSIS' OR (p.status = 'PENDING' AND p.start_at IS NULL)
      FROM payouts p WHERE p.batch_id IS NULL AND p.fee_minor > 0)
  SELECT d.company_id, d.id AS payout_id, d.status, d.what, d.minor, h.amount_minor AS held_minor, d.ends, e.kind AS ended
    FROM due d
    LEFT JOIN transfers h ON h.company_id = d.company_id AND h.id = d.hold_id
    LEFT JOIN transfers e ON e.company_id = d.company_id AND e.pending_id = d.hold_id
   WHERE CASE WHEN d.hold_id IS NULL -- a scheduled one that has not begun, or never could
              THEN d.has_begun OR d.status NOT IN ('PENDING', 'ERROR', 'CANCELED', 'EXPIRED')
              ELSE (h.kind, h.amount_minor, h.reference_id) IS DISTINCT FROM ('held', d.minor, d.id)
                OR (e.kind IS DISTINCT FROM d.ends
                    AND NOT (d.what = 'fee' AND d.status = 'PENDING' AND e.kind = 'posted') -- a batch's, with its first child paid
                    AND NOT (d.status IN ('PAID', 'PARTIAL_REFUNDED', 'REFUNDED') AND e.kind = 'voided' AND EXISTS (
                         SELECT 1 FROM history p WHERE p.company_id = d.company_id AND p.reference_id = d.id
                            AND p.trigger = 'prove'))) END;

CREATE OR REPLACE VIEW law_a_payout_is_sent_as_decided WITH (security_invoker = true) AS
  SELECT coalesce(p.company_id, o.company_id) AS company_id, p.id AS payout_id, o.id AS message_id, p.end_to_end_id,
         p.control_number, o.network_id, p.amount_minor
    FROM (SELECT company_id, id, status, rail, amount_minor, message_id, end_to_end_id, control_number FROM payouts
           WHERE message_id IS NOT NULL) p
    FULL JOIN (SELECT company_id, id, rail, reference_id, network_id, as_json(body) AS body FROM outbox
                WHERE kind IN ('payment.send', 'ted.send')) o
      ON o.company_id = p.company_id AND o.reference_id = p.id
   WHERE (p.message_id, p.rail, coalesce(p.control_number, p.end_to_end_id), p.amount_minor::text) IS DISTINCT FROM
         (o.id, o.rail, o.network_id, o.body #>> '{amount,minor}')
      OR p.status = 'ANALYSIS';
COMMENT ON VIEW law_a_payout_is_sent_as_decided IS
  'Every payout that was begun, and none that is in review, has its one order to its network, of its id and amount; no order is stray.';

CREATE OR REPLACE VIEW law_a_batch_is_its_children WITH (security_invoker = true) AS
  SELECT p.company_id, p.id AS payout_id, p.status, p.amount_minor, p.children, c.count, c.sum_minor, c.lasting
    FROM payouts p CROSS JOIN LATERAL (
      SELECT count(*) AS count, coalesce(sum(k.amount_minor), 0) AS sum_minor, coalesce(max(k.sequence), 0) AS lasting,
             count(*) FILTER (WHERE k.status IN ('INITIAL', 'PENDING', 'ANALYSIS')) AS open,
             count(*) FILTER (WHERE k.status = 'ANALYSIS') AS in_review,
             count(*) FILTER (WHERE k.status = 'PAID') AS paid,
             count(*) FILTER (WHERE k.status = 'REFUNDED') AS refunded,
             count(*) FILTER (WHERE k.status = 'PARTIAL_REFUNDED') AS partly,
             count(*) FILTER (WHERE k.status = 'CANCELED') AS canceled,
             count(*) FILTER (WHERE k.status = 'EXPIRED') AS expired
        FROM payouts k WHERE k.company_id = p.company_id AND k.batch_id = p.id) c
   WHERE p.batch_id IS NULL
     AND (c.count <> p.children OR (p.children > 0 AND (c.sum_minor <> p.amount_minor OR c.lasting <> p.children
          OR p.status <> CASE WHEN c.in_review = c.count THEN 'ANALYSIS'
                              WHEN c.open > 0 THEN 'PENDING'
                              WHEN c.refunded = c.count THEN 'REFUNDED'
                              WHEN c.refunded + c.partly > 0 THEN 'PARTIAL_REFUNDED'
                              WHEN c.paid = c.count THEN 'PAID'
                              WHEN c.paid > 0 THEN 'PARTIALLY_PAID'
                              WHEN c.canceled = c.count THEN 'CANCELED'
                              WHEN c.expired = c.count THEN 'EXPIRED' ELSE 'ERROR' END)));

GRANT SELECT (updated_at) ON payouts TO lastro_work;

-- A scheduled payout that left in a time which a restore has lost is PAID by its statement, without ever having been held.

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
              THEN d.has_begun OR (d.status NOT IN ('PENDING', 'ERROR', 'CANCELED', 'EXPIRED') AND NOT EXISTS ( -- or left in a time that is lost
                     SELECT 1 FROM history p WHERE p.company_id = d.company_id AND p.trigger = 'prove'
                        AND p.reference_id IN (SELECT d.id UNION ALL SELECT c.id FROM payouts c WHERE c.company_id = d.company_id AND c.batch_id = d.id)))
              ELSE (h.kind, h.amount_minor, h.reference_id) IS DISTINCT FROM ('held', d.minor, d.id)
                OR (e.kind IS DISTINCT FROM d.ends
                    AND NOT (d.what = 'fee' AND d.status = 'PENDING' AND e.kind = 'posted') -- a batch's, with its first child paid
                    AND NOT (d.status IN ('PAID', 'PARTIAL_REFUNDED', 'REFUNDED') AND e.kind = 'voided' AND EXISTS (
                         SELECT 1 FROM history p WHERE p.company_id = d.company_id AND p.reference_id = d.id
                            AND p.trigger = 'prove'))) END;

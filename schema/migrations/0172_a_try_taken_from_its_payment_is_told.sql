-- A try that its bank dropped as if its receiver had asked, while the payment goes on, is told like any other.

CREATE OR REPLACE VIEW law_each_fact_is_told_once WITH (security_invoker = true) AS
  WITH ends AS (
    SELECT h.company_id, h.reference_id, 'ORDER-PAYIN.' || h.to_state AS type, 1 AS facts FROM history h -- of a scheduled payment's: PAID alone
     WHERE h.machine = 'orders' AND h.to_state IN ('PAID', 'EXPIRED', 'CANCELED', 'ERROR')
       AND (h.to_state = 'PAID' OR NOT EXISTS (SELECT 1 FROM orders o WHERE o.company_id = h.company_id AND o.id = h.reference_id
                                                  AND o.scheduled_payment_id IS NOT NULL))
    UNION ALL
    SELECT company_id, reference_id, 'ORDER-PAYIN.REFUNDED', count(*) FROM history
     WHERE machine = 'orders' AND trigger IN ('refund part', 'refund rest') GROUP BY company_id, reference_id
    UNION ALL
    SELECT company_id, order_id, 'ORDER-PAYIN.REFUND_ERROR', count(*) FROM refunds r
     WHERE origin = 'CLIENT' AND (state = 'ERROR' OR (state = 'PAID' AND EXISTS ( -- proved to have left after that
           SELECT 1 FROM history p WHERE p.company_id = r.company_id AND p.reference_id = r.id AND p.trigger = 'prove')))
     GROUP BY company_id, order_id
    UNION ALL
    SELECT company_id, reference_id, 'PAYOUT-PLAN.' || to_state, 1 FROM history
     WHERE machine = 'payout_plans' AND trigger NOT IN ('create', 'approve', 'apply')
    UNION ALL
    SELECT company_id, reference_id, 'ACCOUNT.' || CASE to_state WHEN 'APPROVED' THEN 'CREATED' WHEN 'REPROVED' THEN 'REJECTED'
           ELSE to_state END, count(*) FROM history
     WHERE machine = 'account_requests' AND trigger IN ('ask', 'approve', 'reprove', 'expire') GROUP BY company_id, reference_id, to_state
    UNION ALL
    SELECT company_id, reference_id, 'ACCOUNT.STATUS_CHANGED', count(*) FROM history
     WHERE machine = 'accounts' AND trigger NOT IN ('open', 'limit') GROUP BY company_id, reference_id
    UNION ALL
    SELECT company_id, reference_id, CASE WHEN version = 1 THEN 'MED.CREATED' WHEN trigger = 'notice remind' THEN 'MED.DEFENSE_DUE'
           ELSE 'MED.STATUS_CHANGED' END, count(*) FROM history
     WHERE machine = 'med_objects' AND (from_state <> to_state OR trigger = 'notice remind') GROUP BY company_id, reference_id, 3
    UNION ALL
    SELECT company_id, reference_id, 'KEY-CLAIM.STATUS_CHANGED', count(*) FROM history
     WHERE machine = 'key_claims' GROUP BY company_id, reference_id
    UNION ALL
    SELECT company_id, reference_id, 'SUBSCRIPTION.' || to_state, 1 FROM history
     WHERE machine = 'subscriptions' AND from_state <> to_state AND to_state IN ('ACCEPTED', 'REJECTED', 'CANCELED', 'ERROR')
    UNION ALL
    SELECT company_id, reference_id, 'SUBSCRIPTION-PAYMENT.' || to_state, 1 FROM history
     WHERE machine = 'subscription_payments' AND from_state <> to_state AND to_state IN ('SCHEDULED', 'CANCELED', 'EXPIRED', 'ERROR')
    UNION ALL
    SELECT a.company_id, a.payment_id, 'SUBSCRIPTION-PAYMENT.ATTEMPT_FAILED', count(*) FROM history h -- a try each, that its bank ended
      JOIN payment_attempts a ON a.company_id = h.company_id AND a.id = h.reference_id
     WHERE h.machine = 'payment_attempts' AND NOT EXISTS ( -- of a payment that was tried before these were told
           SELECT 1 FROM payment_attempts b WHERE b.company_id = a.company_id AND b.payment_id = a.payment_id AND b.closes_at IS NULL)
       AND (h.to_state IN ('REJECTED', 'EXPIRED') OR (h.to_state = 'CANCELED' AND (h.reason NOT IN ('CCLD', 'SLBD', 'SLCR') OR NOT EXISTS (
           SELECT 1 FROM history p WHERE p.company_id = a.company_id AND p.reference_id = a.payment_id AND p.machine = 'subscription_payments'
              AND p.to_state = 'CANCELED' AND p.created_at = h.created_at)))) -- what ended the payment is told by its own event
     GROUP BY a.company_id, a.payment_id
    UNION ALL
    SELECT h.company_id, h.reference_id, 'ORDER-PAYOUT.' || h.to_state, count(*) FROM history h -- a return each, where parts come back
      JOIN payouts p ON p.company_id = h.company_id AND p.id = h.reference_id AND p.batch_id IS NULL
     WHERE h.machine = 'payouts' AND h.to_state NOT IN ('INITIAL', 'PENDING', 'ANALYSIS')
       AND h.trigger NOT IN ('return too much', 'decide', 'charge', 'drop charge')
     GROUP BY h.company_id, h.reference_id, h.to_state
    UNION ALL
    SELECT h.company_id, h.reference_id, 'ORDER-PAYOUT.RETRY_SCHEDULED', count(*) FROM history h -- once, however often it is tried
     WHERE h.machine = 'payouts' AND h.trigger = 'fall short' GROUP BY h.company_id, h.reference_id)
  SELECT n.company_id, n.reference_id, n.type, n.facts, count(e.id) AS events FROM ends n
    LEFT JOIN events e ON e.company_id = n.company_id AND e.reference_id = n.reference_id AND e.type = n.type
   GROUP BY n.company_id, n.reference_id, n.type, n.facts HAVING count(e.id) <> n.facts;

-- The holder of an account is told once that its time for a defense to a notification is nearly over.

ALTER TABLE med_objects
  ADD COLUMN reminded_at timestamptz,
  ADD CONSTRAINT med_objects_reminded CHECK (reminded_at IS NULL OR defense_due_at >= reminded_at AND object_type = 'INFRINGEMENT_NOTIFICATION');

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
     WHERE machine = 'accounts' AND trigger <> 'open' GROUP BY company_id, reference_id
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
       AND (h.to_state IN ('REJECTED', 'EXPIRED') OR (h.to_state = 'CANCELED' AND h.reason NOT IN ('CCLD', 'SLBD', 'SLCR')))
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

CREATE OR REPLACE VIEW law_an_event_tells_what_happened WITH (security_invoker = true) AS
  SELECT e.company_id, e.id AS event_id, e.type, e.reference_id, o.id IS NOT NULL AS has_object,
         h.version IS NOT NULL AS has_happened
    FROM events e
    LEFT JOIN orders o ON o.company_id = e.company_id AND o.id = e.reference_id
    LEFT JOIN history h ON h.company_id = e.company_id AND h.reference_id = e.reference_id AND h.machine = 'orders'
                       AND h.to_state <> 'INITIAL' AND 'ORDER-PAYIN.' || h.to_state = e.type
   CROSS JOIN LATERAL (SELECT as_json(e.body) AS body OFFSET 0) says
   WHERE e.type LIKE 'ORDER-PAYIN.%' AND e.type NOT LIKE 'ORDER-PAYIN.REFUND%'
     AND (h.version IS NULL
          OR e.body IS NOT NULL AND (says.body ->> 'event', 'ORDER-PAYIN.' || (says.body ->> 'status'), says.body ->> 'id', says.body ->> 'code',
              says.body #>> '{amount,currency}', says.body #>> '{amount,value}', says.body ->> 'endToEndId',
              says.body #>> '{subscription,id}', says.body #>> '{subscription,code}', says.body #>> '{subscription,scheduledPayment,id}')
             IS DISTINCT FROM (e.type, e.type, o.id::text, o.external_id, o.currency,
                               printed(coalesce(o.amount_minor, o.paid_minor, 0)), o.end_to_end_id,
                               o.subscription_id::text, o.subscription_code, o.scheduled_payment_id::text))
  UNION ALL
  SELECT e.company_id, e.id, e.type, e.reference_id, o.id IS NOT NULL, r.id IS NOT NULL
    FROM events e
   CROSS JOIN LATERAL (SELECT as_json(e.body) AS body OFFSET 0) says
    LEFT JOIN orders o ON o.company_id = e.company_id AND o.id = e.reference_id
    LEFT JOIN (SELECT company_id, coalesce(med_id, id) AS id, order_id, external_id, amount_minor, state,
                      med_id IS NOT NULL AND EXISTS (SELECT 1 FROM med_objects w WHERE w.company_id = refunds.company_id
                         AND w.id = refunds.med_id AND w.watched_since IS NOT NULL) AS is_one_of_several FROM refunds
               UNION ALL SELECT company_id, id, order_id, NULL, amount_minor, 'PAID', false FROM chargebacks) r
                        ON r.company_id = o.company_id AND r.order_id = o.id AND r.id::text = says.body ->> 'refundId'
                       AND (NOT r.is_one_of_several OR printed(r.amount_minor) = says.body #>> '{refundAmount,value}')
                       AND (r.state = CASE e.type WHEN 'ORDER-PAYIN.REFUNDED' THEN 'PAID' ELSE 'ERROR' END
                            OR (e.type = 'ORDER-PAYIN.REFUND_ERROR' AND EXISTS ( -- and proved to have left after that
                                SELECT 1 FROM history p WHERE p.company_id = r.company_id AND p.reference_id = r.id
                                   AND p.trigger = 'prove')))
   WHERE e.type LIKE 'ORDER-PAYIN.REFUND%' AND e.body IS NOT NULL
     AND (r.id IS NULL
          OR (says.body ->> 'event', says.body ->> 'id', says.body ->> 'code', says.body ->> 'refundExternalId',
              says.body #>> '{refundAmount,value}', says.body #>> '{amount,value}', says.body ->> 'endToEndId')
             IS DISTINCT FROM (e.type, o.id::text, o.external_id, r.external_id, printed(r.amount_minor),
                               printed(coalesce(o.amount_minor, o.paid_minor)), o.end_to_end_id)
          OR says.body ->> 'status' <> CASE
                WHEN (says.body #>> '{refundedAmount,value}')::numeric >= printed(coalesce(o.amount_minor, o.paid_minor))::numeric
                THEN 'REFUNDED' WHEN says.body #>> '{refundedAmount,value}' = printed(0) THEN 'PAID'
                ELSE 'PARTIAL_REFUNDED' END)
  UNION ALL
  SELECT e.company_id, e.id, e.type, e.reference_id, s.id IS NOT NULL, h.version IS NOT NULL
    FROM events e
    LEFT JOIN subscriptions s ON s.company_id = e.company_id AND s.id = e.reference_id
    LEFT JOIN history h ON h.company_id = e.company_id AND h.reference_id = e.reference_id AND h.machine = 'subscriptions'
                       AND 'SUBSCRIPTION.' || h.to_state = e.type
   CROSS JOIN LATERAL (SELECT as_json(e.body) AS body OFFSET 0) says
   WHERE e.type LIKE 'SUBSCRIPTION.%'
     AND (h.version IS NULL
          OR e.body IS NOT NULL AND (says.body ->> 'event', 'SUBSCRIPTION.' || (says.body #>> '{data,status}'),
              says.body #>> '{data,id}', says.body #>> '{data,externalId}', says.body #>> '{data,initialCharge,id}')
             IS DISTINCT FROM (e.type, e.type, s.id::text, s.external_id, s.order_id::text))
  UNION ALL
  SELECT e.company_id, e.id, e.type, e.reference_id, p.id IS NOT NULL, h.version IS NOT NULL
    FROM events e
    LEFT JOIN subscription_payments p ON p.company_id = e.company_id AND p.id = e.reference_id
    LEFT JOIN history h ON h.company_id = e.company_id AND h.reference_id = e.reference_id AND h.machine = 'subscription_payments'
                       AND h.from_state <> h.to_state AND 'SUBSCRIPTION-PAYMENT.' || h.to_state = e.type
   CROSS JOIN LATERAL (SELECT as_json(e.body) AS body OFFSET 0) says
   WHERE e.type LIKE 'SUBSCRIPTION-PAYMENT.%' AND e.type <> 'SUBSCRIPTION-PAYMENT.ATTEMPT_FAILED'
     AND (h.version IS NULL
          OR e.body IS NOT NULL AND (says.body ->> 'event', 'SUBSCRIPTION-PAYMENT.' || (says.body #>> '{data,status}'),
              says.body #>> '{data,id}', says.body #>> '{data,externalId}', says.body #>> '{data,orderId}',
              says.body #>> '{data,subscription,id}', says.body #>> '{data,amount,value}')
             IS DISTINCT FROM (e.type, e.type, p.id::text, p.external_id, p.order_id::text, p.subscription_id::text,
                               printed(p.amount_minor)))
  UNION ALL
  SELECT e.company_id, e.id, e.type, e.reference_id, p.id IS NOT NULL, a.id IS NOT NULL
    FROM events e
   CROSS JOIN LATERAL (SELECT as_json(e.body) AS body OFFSET 0) says
    LEFT JOIN subscription_payments p ON p.company_id = e.company_id AND p.id = e.reference_id
    LEFT JOIN payment_attempts a ON a.company_id = p.company_id AND a.payment_id = p.id AND a.updated_at = e.created_at
                                AND a.status IN ('REJECTED', 'EXPIRED', 'CANCELED')
   WHERE e.type = 'SUBSCRIPTION-PAYMENT.ATTEMPT_FAILED'
     AND (a.id IS NULL
          OR e.body IS NOT NULL AND (says.body ->> 'event', says.body #>> '{data,id}', says.body #>> '{data,externalId}',
              says.body #>> '{data,subscription,id}', says.body #>> '{data,amount,value}', says.body #>> '{data,attempt,kind}',
              says.body #>> '{data,attempt,date}', says.body #>> '{data,attempt,status}', says.body #>> '{data,attempt,errorCode}',
              says.body #>> '{data,attempt,endToEndId}')
             IS DISTINCT FROM (e.type, p.id::text, p.external_id, p.subscription_id::text, printed(p.amount_minor), a.kind,
                               a.collects_on::text, a.status, a.code, a.end_to_end_id))
  UNION ALL
  SELECT e.company_id, e.id, e.type, e.reference_id, r.id IS NOT NULL, h.version IS NOT NULL
    FROM events e
    LEFT JOIN account_requests r ON r.company_id = e.company_id AND r.id = e.reference_id
    LEFT JOIN history h ON h.company_id = e.company_id AND h.reference_id = e.reference_id AND h.machine = 'account_requests'
                       AND h.created_at = e.created_at AND e.type = 'ACCOUNT.' || CASE h.trigger
                         WHEN 'approve' THEN 'CREATED' WHEN 'ask' THEN 'PENDING_DOCUMENTS' ELSE 'REJECTED' END
   CROSS JOIN LATERAL (SELECT as_json(e.body) AS body OFFSET 0) says
   WHERE e.type IN ('ACCOUNT.CREATED', 'ACCOUNT.PENDING_DOCUMENTS', 'ACCOUNT.REJECTED')
     AND (h.version IS NULL
          OR e.body IS NOT NULL AND (says.body ->> 'event', says.body ->> 'requestId', says.body ->> 'accountId')
             IS DISTINCT FROM (e.type, r.id::text, CASE e.type WHEN 'ACCOUNT.CREATED' THEN r.account_id::text END))
  UNION ALL
  SELECT e.company_id, e.id, e.type, e.reference_id, true, h.version IS NOT NULL
    FROM events e
   CROSS JOIN LATERAL (SELECT as_json(e.body) AS body OFFSET 0) says
    LEFT JOIN history h ON h.company_id = e.company_id AND h.reference_id = e.reference_id AND h.machine = 'accounts'
                       AND h.from_state <> '' AND h.created_at = e.created_at
   WHERE e.type = 'ACCOUNT.STATUS_CHANGED'
     AND (h.version IS NULL
          OR e.body IS NOT NULL AND (says.body ->> 'event', says.body ->> 'accountId', says.body ->> 'previousStatus', says.body ->> 'status')
             IS DISTINCT FROM (e.type, e.reference_id::text, h.from_state, h.to_state))
  UNION ALL
  SELECT e.company_id, e.id, e.type, e.reference_id, m.id IS NOT NULL, h.version IS NOT NULL
    FROM events e
   CROSS JOIN LATERAL (SELECT as_json(e.body) AS body OFFSET 0) says
    LEFT JOIN med_objects m ON m.company_id = e.company_id AND m.id = e.reference_id
    LEFT JOIN history h ON h.company_id = e.company_id AND h.reference_id = e.reference_id AND h.machine = 'med_objects'
                       AND h.created_at = e.created_at AND h.to_state = says.body ->> 'status'
                       AND CASE e.type WHEN 'MED.DEFENSE_DUE' THEN h.trigger = 'notice remind' AND NOT says.body ? 'previousStatus'
                           ELSE h.from_state = coalesce(says.body ->> 'previousStatus', '') AND (h.version = 1) = (e.type = 'MED.CREATED') END
   WHERE e.type LIKE 'MED.%' AND e.body IS NOT NULL
     AND (h.version IS NULL
          OR ('MED.' || (says.body ->> 'eventType'), says.body ->> 'referenceId', says.body ->> 'accountId',
              says.body ->> 'objectType', says.body ->> 'endToEndId', says.body ->> 'amount', says.body ->> 'role')
             IS DISTINCT FROM (e.type, m.id::text, m.account_id::text, m.object_type, m.end_to_end_id, printed(m.amount_minor), m.role))
  UNION ALL
  SELECT e.company_id, e.id, e.type, e.reference_id, c.id IS NOT NULL, h.version IS NOT NULL
    FROM events e
   CROSS JOIN LATERAL (SELECT as_json(e.body) AS body OFFSET 0) says
    LEFT JOIN key_claims c ON c.company_id = e.company_id AND c.id = e.reference_id
    LEFT JOIN history h ON h.company_id = e.company_id AND h.reference_id = e.reference_id AND h.machine = 'key_claims'
                       AND h.created_at = e.created_at AND h.to_state = says.body ->> 'status'
                       AND h.from_state = coalesce(says.body ->> 'previousStatus', '')
   WHERE e.type = 'KEY-CLAIM.STATUS_CHANGED' AND e.body IS NOT NULL
     AND (h.version IS NULL
          OR (says.body ->> 'event', says.body ->> 'claimId', says.body ->> 'accountId', says.body ->> 'claimType', says.body ->> 'key',
              says.body ->> 'role')
             IS DISTINCT FROM (e.type, c.id::text, c.account_id::text, c.claim_type, c.key, c.role));

CREATE OR REPLACE VIEW law_a_dispute_is_answered_as_decided WITH (security_invoker = true) AS
  SELECT coalesce(m.company_id, r.company_id) AS company_id, m.id, m.status, m.result, m.returned_minor, r.id AS refund_id,
         r.state, r.amount_minor
    FROM (SELECT * FROM med_objects WHERE object_type = 'REFUND_REQUEST' AND role = 'RECEIVER') m
    FULL JOIN (SELECT r.*, p.end_to_end_id FROM refunds r JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
                WHERE r.origin = 'MED' AND NOT EXISTS ( -- what is given back of later credits answers nothing
                  SELECT 1 FROM med_objects w WHERE w.company_id = r.company_id AND w.id = r.med_id AND r.created_at >= w.watched_since)
                  AND NOT (r.state = 'ERROR' AND r.receiver_id IS NOT NULL AND EXISTS ( -- it was tried again, or asked anew
                      SELECT 1 FROM med_objects t WHERE t.company_id = r.company_id AND t.id = r.med_id
                         AND t.refund_id IS DISTINCT FROM r.id))) r
      ON r.company_id = m.company_id AND r.med_id = m.id
   WHERE m.id IS NULL OR m.refund_id IS DISTINCT FROM r.id
      OR (r.id IS NOT NULL AND r.end_to_end_id <> m.end_to_end_id)
      OR CASE WHEN m.status = 'OPEN' AND r.id IS NULL THEN m.returned_minor <> 0
              WHEN m.status = 'OPEN' THEN (r.state, m.blocked_minor) IS DISTINCT FROM ('PENDING', r.amount_minor)
              WHEN m.result IN ('TOTALLY_ACCEPTED', 'PARTIALLY_ACCEPTED') THEN (r.state, m.returned_minor,
                   CASE WHEN m.watched_since IS NULL THEN m.blocked_minor ELSE 0 END,
                   m.result = 'TOTALLY_ACCEPTED') IS DISTINCT FROM ('PAID', r.amount_minor, 0::bigint, r.amount_minor >= m.amount_minor)
              ELSE coalesce(r.state, 'ERROR') <> 'ERROR' OR m.returned_minor <> 0 OR m.blocked_minor <> 0 AND m.watched_since IS NULL END;

-- A notice of a dispute may block more than its payment brought (InfractionAmount): what a later layer pays the victim anew of that
-- came beside the payment, and is counted neither on it nor on its order.

ALTER TABLE refunds ADD COLUMN beside_minor bigint NOT NULL DEFAULT 0;
ALTER TABLE refunds ADD CONSTRAINT refunds_beside CHECK (beside_minor = 0 OR (beside_minor BETWEEN 1 AND amount_minor AND reason_code = 'IPRT')) NOT VALID;

CREATE OR REPLACE VIEW law_refunds_add_up WITH (security_invoker = true) AS
  SELECT o.company_id, o.id, o.status, o.paid_minor, o.refunded_minor, coalesce(g.given_minor, 0) AS given_minor
    FROM orders o
    LEFT JOIN (SELECT b.company_id, b.order_id, sum(b.amount_minor) AS given_minor FROM (
                 SELECT p.company_id, p.order_id, r.amount_minor - r.beside_minor AS amount_minor FROM refunds r
                   JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
                  WHERE r.state = 'PAID' AND p.state = 'SETTLED' AND (r.origin <> 'AUTOMATIC' OR p.excess_minor = 0)
                  UNION ALL SELECT company_id, order_id, amount_minor FROM chargebacks) b GROUP BY b.company_id, b.order_id) g
      ON g.company_id = o.company_id AND g.order_id = o.id
   WHERE o.refunded_minor <> coalesce(g.given_minor, 0)
      OR CASE WHEN o.refunded_minor = 0 THEN o.status IN ('REFUNDED', 'PARTIAL_REFUNDED')
              WHEN o.refunded_minor >= coalesce(o.amount_minor, o.paid_minor) THEN o.status <> 'REFUNDED'
              ELSE o.status <> 'PARTIAL_REFUNDED' END;

CREATE OR REPLACE VIEW law_refunds_fit_what_was_paid WITH (security_invoker = true) AS
  SELECT coalesce(g.company_id, q.company_id) AS company_id, coalesce(g.order_id, q.owner_id) AS order_id, g.asked_minor,
         q.used_minor, coalesce(o.amount_minor, o.paid_minor) AS most_minor
    FROM (SELECT company_id, order_id, sum(amount_minor - beside_minor) AS asked_minor FROM refunds
           WHERE origin <> 'AUTOMATIC' AND state IN ('PENDING', 'PAID') GROUP BY company_id, order_id) g
    FULL JOIN (SELECT company_id, owner_id, used_minor FROM quotas WHERE kind = 'refund') q
      ON q.company_id = g.company_id AND q.owner_id = g.order_id
    LEFT JOIN orders o ON o.company_id = coalesce(g.company_id, q.company_id) AND o.id = coalesce(g.order_id, q.owner_id)
   WHERE coalesce(g.asked_minor, 0) <> coalesce(q.used_minor, 0)
      OR coalesce(g.asked_minor, 0) > coalesce(o.amount_minor, o.paid_minor, 0)
  UNION ALL
  SELECT coalesce(g.company_id, q.company_id), coalesce(g.order_id, p.order_id), g.asked_minor, q.used_minor,
         coalesce(g.whole_minor, p.amount_minor - p.excess_minor)
    FROM (SELECT p.company_id, p.id, p.order_id, p.amount_minor - p.excess_minor AS whole_minor, s.takes_parts,
                 sum(r.amount_minor - r.beside_minor) AS asked_minor
            FROM refunds r
            JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
            LEFT JOIN rails s ON s.rail = p.rail
           WHERE r.origin <> 'AUTOMATIC' AND r.state IN ('PENDING', 'PAID')
           GROUP BY p.company_id, p.id, p.order_id, whole_minor, s.takes_parts) g
    FULL JOIN (SELECT company_id, owner_id, used_minor FROM quotas WHERE kind = 'part refund') q
      ON q.company_id = g.company_id AND q.owner_id = g.id
    LEFT JOIN pix_payments p ON p.company_id = q.company_id AND p.id = q.owner_id
   WHERE coalesce(q.used_minor, 0) <> CASE WHEN g.takes_parts THEN g.asked_minor ELSE 0 END
      OR g.asked_minor > g.whole_minor;

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
    LEFT JOIN (SELECT company_id, coalesce(med_id, id) AS id, order_id, external_id, amount_minor - beside_minor AS amount_minor, state,
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
    FROM (SELECT r.*, p.end_to_end_id FROM refunds r
            JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id) r
    FULL JOIN (SELECT company_id, id, rail, reference_id, network_id, as_json(body) AS body FROM outbox
                WHERE kind = 'return.send') o
      ON o.company_id = r.company_id AND o.reference_id = r.id
   WHERE (r.rail, r.return_id, r.return_id, r.end_to_end_id, r.amount_minor::text, r.reason_code) IS DISTINCT FROM
         (o.rail, o.network_id, o.body ->> 'return_id', o.body ->> 'end_to_end_id', o.body #>> '{amount,minor}',
          o.body ->> 'reason')
      OR (r.receiver_id IS NULL) <> ((o.body #> '{anew,receiver}') IS NULL)
      OR (substr(r.return_id, 1, 1) = 'E') <> (r.receiver_id IS NOT NULL);

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

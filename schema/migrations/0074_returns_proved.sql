-- A refund by Pix that had ended with ERROR and that a statement proves to have left: PAID after all, and its client is told.

CREATE OR REPLACE VIEW entry_types WITH (security_invoker = true) AS
  SELECT upper(r.rail) || e.suffix AS type, e.at_once, e.debit, e.credit, r.rail, e.machine, e.part
    FROM rails r
   CROSS JOIN (VALUES ('_IN', true, 'NET', 'CUST', 'orders', 'in'), ('_FEE', true, 'NET', 'FEE', 'orders', 'fee'),
                      ('_UNFIT', true, 'NET', 'SUSP', 'pix_payments', 'unfit'),
                      ('_RETURN', false, 'SUSP', 'NET', 'refunds', 'return'),
                      ('_REFUND', false, 'CUST', 'NET', 'refunds', 'refund'),
                      ('_PAID_OUT', true, 'SUSP', 'NET', 'refunds', 'stranded'),
                      ('_SETTLEMENT', true, 'CUST', 'NET', 'settlements', 'settlement')) e(suffix, at_once, debit, credit, machine, part)
   WHERE r.rail <> 'ted' AND NOT (r.rail = 'pix' AND e.part = 'fee') AND NOT (r.currency = 'BRL' AND e.part = 'settlement')
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
    ('LOSS_RECOVERED', true, 'CUST', 'LOSS', NULL, 'accounts', NULL))
    AS t(type, at_once, debit, credit, rail, machine, part);

CREATE OR REPLACE VIEW law_a_refund_is_held_until_it_ends WITH (security_invoker = true) AS
  SELECT r.company_id, r.id AS refund_id, r.state, r.amount_minor, h.id AS hold_id, h.amount_minor AS held_minor,
         e.kind AS ended, n.holds
    FROM refunds r
    LEFT JOIN transfers h ON h.company_id = r.company_id AND h.id = r.hold_id
    LEFT JOIN transfers e ON e.company_id = r.company_id AND e.pending_id = r.hold_id
   CROSS JOIN LATERAL (SELECT count(*) AS holds FROM transfers x
                        WHERE x.company_id = r.company_id AND x.reference_id = r.id AND x.kind = 'held') n
   WHERE (h.kind, h.amount_minor, h.reference_id, n.holds) IS DISTINCT FROM ('held', r.amount_minor, r.id, 1)
      OR (e.kind IS DISTINCT FROM CASE r.state WHEN 'PAID' THEN 'posted' WHEN 'PENDING' THEN NULL ELSE 'voided' END
          AND NOT ((r.state, e.kind) IS NOT DISTINCT FROM ('PAID', 'voided') AND EXISTS (
               SELECT 1 FROM history p WHERE p.company_id = r.company_id AND p.reference_id = r.id AND p.trigger = 'prove')));

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
    SELECT company_id, reference_id, CASE version WHEN 1 THEN 'MED.CREATED' ELSE 'MED.STATUS_CHANGED' END, count(*) FROM history
     WHERE machine = 'med_objects' AND from_state <> to_state GROUP BY company_id, reference_id, 3
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
    SELECT h.company_id, h.reference_id, 'ORDER-PAYOUT.' || h.to_state, count(*) FROM history h -- a return each, where parts come back
      JOIN payouts p ON p.company_id = h.company_id AND p.id = h.reference_id AND p.batch_id IS NULL
     WHERE h.machine = 'payouts' AND h.to_state NOT IN ('INITIAL', 'PENDING', 'ANALYSIS')
       AND h.trigger NOT IN ('return too much', 'decide', 'charge', 'drop charge')
     GROUP BY h.company_id, h.reference_id, h.to_state)
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
    LEFT JOIN (SELECT company_id, coalesce(med_id, id) AS id, order_id, external_id, amount_minor, state FROM refunds
               UNION ALL SELECT company_id, id, order_id, NULL, amount_minor, 'PAID' FROM chargebacks) r
                        ON r.company_id = o.company_id AND r.order_id = o.id AND r.id::text = says.body ->> 'refundId'
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
   WHERE e.type LIKE 'SUBSCRIPTION-PAYMENT.%'
     AND (h.version IS NULL
          OR e.body IS NOT NULL AND (says.body ->> 'event', 'SUBSCRIPTION-PAYMENT.' || (says.body #>> '{data,status}'),
              says.body #>> '{data,id}', says.body #>> '{data,externalId}', says.body #>> '{data,orderId}',
              says.body #>> '{data,subscription,id}', says.body #>> '{data,amount,value}')
             IS DISTINCT FROM (e.type, e.type, p.id::text, p.external_id, p.order_id::text, p.subscription_id::text,
                               printed(p.amount_minor)))
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
                       AND h.from_state = coalesce(says.body ->> 'previousStatus', '')
                       AND (h.version = 1) = (e.type = 'MED.CREATED')
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
                        AND (r.state <> 'PAID' OR s.body ->> 'settled' = 'true'));

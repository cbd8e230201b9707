-- Refunds of orders that clients ask for.

ALTER TABLE refunds ADD COLUMN order_id uuid;
ALTER TABLE refunds ADD COLUMN external_id text;
ALTER TABLE refunds ADD COLUMN refund_reason text;
ALTER TABLE refunds ADD COLUMN description text;
ALTER TABLE refunds ADD COLUMN error_code text;
ALTER TABLE refunds DROP CONSTRAINT refunds_origin_check;
ALTER TABLE refunds ADD CONSTRAINT refunds_origin_check CHECK (origin IN ('AUTOMATIC', 'CLIENT'));
ALTER TABLE refunds ADD FOREIGN KEY (company_id, order_id) REFERENCES orders;
ALTER TABLE refunds ADD CHECK ((origin = 'CLIENT') = (order_id IS NOT NULL));
ALTER TABLE refunds ADD CHECK ((external_id IS NULL) = (order_id IS NULL));
CREATE UNIQUE INDEX refunds_external_id_key ON refunds (company_id, external_id);
CREATE INDEX refunds_of_clients ON refunds (company_id, created_at) WHERE origin = 'CLIENT';
CREATE INDEX refunds_of_state ON refunds (company_id, state, created_at) WHERE origin = 'CLIENT';
CREATE INDEX refunds_of_order ON refunds (company_id, order_id, created_at) WHERE origin = 'CLIENT';

CREATE OR REPLACE VIEW law_a_transfer_is_what_its_type_says WITH (security_invoker = true) AS
  SELECT t.company_id, t.id AS transfer_id, t.type, t.kind, d.code AS debit, c.code AS credit, t.reference_id
    FROM transfers t
    JOIN (VALUES ('PIX_IN', true, 'NET', 'CUST', 'pix', 'orders'), ('BOOK_IN', true, 'TRANSIT', 'CUST', NULL, 'orders'),
                 ('FEE', true, 'NET', 'FEE', 'pix', 'orders'), ('BOOK_FEE', true, 'TRANSIT', 'FEE', NULL, 'orders'),
                 ('PIX_UNFIT', true, 'NET', 'SUSP', 'pix', 'pix_payments'),
                 ('PIX_RETURN', false, 'SUSP', 'NET', 'pix', 'refunds'),
                 ('PIX_REFUND', false, 'CUST', 'NET', 'pix', 'refunds'), ('BOOK_REFUND', false, 'CUST', 'TRANSIT', NULL, 'refunds'),
                 ('PIX_OUT', false, 'CUST', 'NET', 'pix', 'payouts'), ('TED_OUT', false, 'CUST', 'NET', 'ted', 'payouts'),
                 ('BOOK_OUT', false, 'CUST', 'TRANSIT', NULL, 'payouts'),
                 ('PAYOUT_FEE', false, 'CUST', 'FEE', NULL, 'payouts'),
                 ('PIX_RETURNED', true, 'NET', 'CUST', 'pix', 'payouts'),
                 ('TED_RETURNED', true, 'NET', 'CUST', 'ted', 'payouts'),
                 ('BOOK_RETURNED', true, 'TRANSIT', 'CUST', NULL, 'payouts'),
                 ('PIX_RETURN_UNFIT', true, 'NET', 'SUSP', 'pix', 'payouts'),
                 ('TED_RETURN_UNFIT', true, 'NET', 'SUSP', 'ted', 'payouts'),
                 ('BOOK_RETURN_UNFIT', true, 'TRANSIT', 'SUSP', NULL, 'payouts'),
                 ('TED_PROVED', true, 'CUST', 'NET', 'ted', 'payouts'), ('TED_LACK', true, 'LOSS', 'NET', 'ted', 'payouts'),
                 ('LOSS_RECOVERED', true, 'CUST', 'LOSS', NULL, 'accounts'))
         AS says(type, at_once, debit, credit, rail, machine) ON says.type = t.type
    JOIN ledger_accounts d ON d.company_id = t.company_id AND d.id = t.debit_id
    JOIN ledger_accounts c ON c.company_id = t.company_id AND c.id = t.credit_id
   WHERE (t.kind = 'moved', d.code, c.code, coalesce(d.rail, c.rail))
         IS DISTINCT FROM (says.at_once, says.debit, says.credit, says.rail)
      OR CASE WHEN says.machine = 'accounts' THEN (d.account_id, c.account_id) IS DISTINCT FROM (t.reference_id, t.reference_id)
              ELSE NOT EXISTS (SELECT 1 FROM objects o WHERE o.company_id = t.company_id AND o.id = t.reference_id
                                  AND o.machine = says.machine) END;
COMMENT ON VIEW law_a_transfer_is_what_its_type_says IS
  'A transfer moves between the accounts that its type names, at once or by a hold, for an object of the kind that books so.';

CREATE OR REPLACE VIEW law_clearing_equals_payments WITH (security_invoker = true) AS
  SELECT l.company_id, l.id AS ledger_account_id, s.booked_minor, s.settled_minor FROM ledger_accounts l
   CROSS JOIN LATERAL (
     SELECT (SELECT coalesce(-sum(change_minor), 0) FROM ledger_sides x
              WHERE x.company_id = l.company_id AND x.ledger_account_id = l.id) AS booked_minor,
            (SELECT coalesce(sum(amount_minor), 0) FROM pix_payments p WHERE p.company_id = l.company_id
                AND p.rail = l.rail AND p.state IN ('SETTLED', 'RETURNING', 'STRANDED'))
          - (SELECT coalesce(sum(r.amount_minor), 0) FROM refunds r
               JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
              WHERE r.company_id = l.company_id AND p.rail = l.rail AND r.origin = 'CLIENT' AND r.state = 'PAID')
          - (SELECT coalesce(sum(amount_minor), 0) FROM payouts o WHERE o.company_id = l.company_id AND o.rail = l.rail
                AND o.children = 0 AND o.status IN ('PAID', 'PARTIAL_REFUNDED', 'REFUNDED'))
          + (SELECT coalesce(sum(r.amount_minor), 0) FROM payout_returns r
               JOIN payouts o ON o.company_id = r.company_id AND o.id = r.payout_id
              WHERE r.company_id = l.company_id AND o.rail = l.rail) AS settled_minor) s
   WHERE l.code = 'NET' AND s.booked_minor <> s.settled_minor;
COMMENT ON VIEW law_clearing_equals_payments IS
  'What a NET account says came in is what settled there: payments kept, less refunds and payouts, plus what came back of these.';

CREATE OR REPLACE VIEW law_refunds_add_up WITH (security_invoker = true) AS
  SELECT o.company_id, o.id, o.status, o.paid_minor, o.refunded_minor, coalesce(g.given_minor, 0) AS given_minor
    FROM orders o
    LEFT JOIN (SELECT p.company_id, p.order_id, sum(r.amount_minor) AS given_minor FROM refunds r
                 JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
                WHERE r.state = 'PAID' AND p.state = 'SETTLED' GROUP BY p.company_id, p.order_id) g
      ON g.company_id = o.company_id AND g.order_id = o.id
   WHERE o.refunded_minor <> coalesce(g.given_minor, 0)
      OR CASE WHEN o.refunded_minor = 0 THEN o.status IN ('REFUNDED', 'PARTIAL_REFUNDED')
              WHEN o.refunded_minor = coalesce(o.amount_minor, o.paid_minor) THEN o.status <> 'REFUNDED'
              ELSE o.status <> 'PARTIAL_REFUNDED' END;
COMMENT ON VIEW law_refunds_add_up IS
  'What an order has given back is the sum of its paid refunds, and its status says how much that is.';

CREATE OR REPLACE VIEW law_returns_of_payouts_add_up WITH (security_invoker = true) AS
  SELECT p.company_id, p.id AS payout_id, p.status, p.amount_minor, p.returned_minor, r.minor AS came_back_minor,
         r.booked_minor
    FROM payouts p CROSS JOIN LATERAL (
      SELECT coalesce(sum(x.amount_minor) FILTER (WHERE NOT x.is_unfit), 0) AS minor,
             (SELECT coalesce(sum(t.amount_minor), 0) FROM transfers t WHERE t.company_id = p.company_id
                 AND t.reference_id = p.id AND t.type IN ('PIX_RETURNED', 'TED_RETURNED', 'BOOK_RETURNED')) AS booked_minor
        FROM payout_returns x WHERE x.company_id = p.company_id AND x.payout_id = p.id) r
   WHERE p.children = 0
     AND (p.returned_minor <> r.minor OR r.booked_minor <> r.minor
          OR (p.status = 'REFUNDED') <> (p.returned_minor = p.amount_minor)
          OR (p.status = 'PARTIAL_REFUNDED') <> (p.returned_minor > 0 AND p.returned_minor < p.amount_minor));
COMMENT ON VIEW law_returns_of_payouts_add_up IS
  'What came back of a payout is the sum of its returns and of their bookings, and its status says how much that is.';

CREATE OR REPLACE VIEW law_what_waits_has_its_time WITH (security_invoker = true) AS
  SELECT company_id, id, 'orders' AS machine, status AS state, expires_at AS time FROM orders
   WHERE status = 'INITIAL' AND (expires_at IS NULL) <> (scheduled_payment_id IS NOT NULL)
  UNION ALL
  SELECT company_id, id, 'pix_payments', state, ask_at FROM pix_payments
   WHERE (state = 'ACCEPTED' AND rail <> 'book') <> (ask_at IS NOT NULL)
  UNION ALL
  SELECT r.company_id, r.id, 'refunds', r.state, r.ask_at FROM refunds r
    JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
   WHERE (r.state = 'PENDING' AND p.rail <> 'book') <> (r.ask_at IS NOT NULL)
  UNION ALL
  SELECT company_id, id, 'payouts', status, ask_at FROM payouts
   WHERE (status = 'PENDING' AND message_id IS NOT NULL AND rail <> 'book') <> (ask_at IS NOT NULL)
      OR (status = 'PENDING' AND children = 0 AND message_id IS NULL AND start_at IS NULL)
      OR (start_at IS NOT NULL AND (status <> 'PENDING' OR message_id IS NOT NULL))
  UNION ALL
  SELECT company_id, id, 'payout_plans', status, due_at FROM payout_plans
   WHERE (status IN ('VALIDATING', 'READY', 'APPROVED', 'APPLYING')) <> (due_at IS NOT NULL)
  UNION ALL
  SELECT company_id, id, 'subscription_cancellations', status, ask_at FROM subscription_cancellations
   WHERE (status = 'PENDING') <> (ask_at IS NOT NULL)
  UNION ALL
  SELECT company_id, id, 'payment_attempts', status, ask_at FROM payment_attempts
   WHERE (status IN ('REQUESTED', 'SCHEDULED')) <> (ask_at IS NOT NULL)
  UNION ALL
  SELECT p.company_id, p.id, 'subscription_payments', p.status, p.due_at FROM subscription_payments p
    LEFT JOIN payment_attempts a ON a.company_id = p.company_id AND a.payment_id = p.id AND a.status IN ('REQUESTED', 'SCHEDULED')
   WHERE (p.ask_at IS NOT NULL) <> (p.cancel_message_id IS NOT NULL) OR (p.ask_at IS NOT NULL AND p.status <> 'SCHEDULED')
      OR (p.due_at IS NOT NULL) <> (p.cancel_message_id IS NULL
            AND CASE p.status WHEN 'SCHEDULED' THEN a.status IS DISTINCT FROM 'REQUESTED' WHEN 'PENDING' THEN a.id IS NULL ELSE false END);
COMMENT ON VIEW law_what_waits_has_its_time IS
  'What is open, and nothing else, has its next time: orders, plans, and payments, refunds, payouts, charges, cancellations at a network.';

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
    SELECT company_id, order_id, 'ORDER-PAYIN.REFUND_ERROR', count(*) FROM refunds
     WHERE origin = 'CLIENT' AND state = 'ERROR' GROUP BY company_id, order_id
    UNION ALL
    SELECT company_id, reference_id, 'PAYOUT-PLAN.' || to_state, 1 FROM history
     WHERE machine = 'payout_plans' AND trigger NOT IN ('create', 'approve', 'apply')
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
       AND h.trigger NOT IN ('return too much', 'charge', 'drop charge')
     GROUP BY h.company_id, h.reference_id, h.to_state)
  SELECT n.company_id, n.reference_id, n.type, n.facts, count(e.id) AS events FROM ends n
    LEFT JOIN events e ON e.company_id = n.company_id AND e.reference_id = n.reference_id AND e.type = n.type
   GROUP BY n.company_id, n.reference_id, n.type, n.facts HAVING count(e.id) <> n.facts;
COMMENT ON VIEW law_each_fact_is_told_once IS
  'Each end of an order or payout, turn of a subscription, its payments and a plan, return and client''s refund has exactly one event.';

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
    LEFT JOIN refunds r ON r.company_id = o.company_id AND r.order_id = o.id AND r.id::text = says.body ->> 'refundId'
                       AND r.state = CASE e.type WHEN 'ORDER-PAYIN.REFUNDED' THEN 'PAID' ELSE 'ERROR' END
   WHERE e.type LIKE 'ORDER-PAYIN.REFUND%' AND e.body IS NOT NULL
     AND (r.id IS NULL
          OR (says.body ->> 'event', says.body ->> 'id', says.body ->> 'code', says.body ->> 'refundExternalId',
              says.body #>> '{refundAmount,value}', says.body #>> '{amount,value}', says.body ->> 'endToEndId')
             IS DISTINCT FROM (e.type, o.id::text, o.external_id, r.external_id, printed(r.amount_minor),
                               printed(coalesce(o.amount_minor, o.paid_minor)), o.end_to_end_id)
          OR says.body ->> 'status' <> CASE says.body #>> '{refundedAmount,value}'
                WHEN printed(coalesce(o.amount_minor, o.paid_minor)) THEN 'REFUNDED' WHEN printed(0) THEN 'PAID'
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
                               printed(p.amount_minor)));
COMMENT ON VIEW law_an_event_tells_what_happened IS
  'An event of an order, its refund, a subscription or a payment of one tells a move that was made, and its body names it and its amount.';

CREATE OR REPLACE VIEW law_a_return_is_sent_as_decided WITH (security_invoker = true) AS
  SELECT coalesce(r.company_id, o.company_id) AS company_id, r.id AS refund_id, o.id AS message_id, r.return_id,
         o.network_id, r.amount_minor
    FROM (SELECT r.*, p.end_to_end_id, p.rail FROM refunds r
            JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id) r
    FULL JOIN (SELECT company_id, id, rail, reference_id, network_id, as_json(body) AS body FROM outbox
                WHERE kind = 'return.send') o
      ON o.company_id = r.company_id AND o.reference_id = r.id
   WHERE (r.rail, r.return_id, r.return_id, r.end_to_end_id, r.amount_minor::text, r.reason_code) IS DISTINCT FROM
         (o.rail, o.network_id, o.body ->> 'return_id', o.body ->> 'end_to_end_id', o.body #>> '{amount,minor}',
          o.body ->> 'reason');
COMMENT ON VIEW law_a_return_is_sent_as_decided IS
  'Every refund has its one order to the network, of its id, payment, amount and reason, and no such order is without its refund.';

CREATE OR REPLACE VIEW law_an_answer_has_its_object WITH (security_invoker = true) AS
  SELECT a.company_id, a.operation, a.object_id, a.created_at FROM answers a
   WHERE CASE a.operation
         WHEN 'create_order' THEN NOT EXISTS (
           SELECT 1 FROM orders o WHERE o.company_id = a.company_id AND o.id = a.object_id)
         WHEN 'cancel_order' THEN NOT EXISTS (
           SELECT 1 FROM orders o WHERE o.company_id = a.company_id AND o.id = a.object_id AND o.status = 'CANCELED')
         WHEN 'create_order_payin' THEN NOT EXISTS (
           SELECT 1 FROM orders o WHERE o.company_id = a.company_id AND o.id = a.object_id)
         WHEN 'create_refund' THEN NOT EXISTS (
           SELECT 1 FROM refunds r WHERE r.company_id = a.company_id AND r.id = a.object_id AND r.origin = 'CLIENT')
         WHEN 'resend_webhook_event' THEN NOT EXISTS (
           SELECT 1 FROM deliveries d WHERE d.company_id = a.company_id AND d.id = a.object_id)
         WHEN 'test_webhook' THEN NOT EXISTS (
           SELECT 1 FROM events e WHERE e.company_id = a.company_id AND e.id = a.object_id)
         WHEN 'resend_webhook_events' THEN a.object_id <> a.company_id
         WHEN 'set_webhook' THEN a.object_id <> a.company_id
         WHEN 'rotate_webhook_secret' THEN a.object_id <> a.company_id
         WHEN 'create_payout' THEN NOT EXISTS (
           SELECT 1 FROM payouts p WHERE p.company_id = a.company_id AND p.id = a.object_id AND p.idempotency_key = a.key)
         WHEN 'cancel_payout' THEN NOT EXISTS (
           SELECT 1 FROM payouts p WHERE p.company_id = a.company_id AND p.id = a.object_id
              AND (p.status = 'CANCELED' OR p.children > 0))
         WHEN 'create_payout_plan' THEN NOT EXISTS (
           SELECT 1 FROM payout_plans p WHERE p.company_id = a.company_id AND p.id = a.object_id)
         WHEN 'approve_payout_plan' THEN NOT EXISTS (
           SELECT 1 FROM payout_plan_approvals p WHERE p.company_id = a.company_id AND p.plan_id = a.object_id)
         WHEN 'apply_payout_plan' THEN NOT EXISTS (
           SELECT 1 FROM history h WHERE h.company_id = a.company_id AND h.reference_id = a.object_id AND h.trigger = 'apply')
         WHEN 'cancel_payout_plan' THEN NOT EXISTS (
           SELECT 1 FROM payout_plans p WHERE p.company_id = a.company_id AND p.id = a.object_id AND p.status = 'CANCELED')
         WHEN 'create_subscription' THEN NOT EXISTS (
           SELECT 1 FROM subscriptions s WHERE s.company_id = a.company_id AND s.id = a.object_id)
         WHEN 'cancel_subscription' THEN NOT EXISTS (
           SELECT 1 FROM subscription_cancellations c
            WHERE c.company_id = a.company_id AND c.id = a.object_id AND c.idempotency_key = a.key)
         WHEN 'create_subscription_payment' THEN NOT EXISTS (
           SELECT 1 FROM subscription_payments p WHERE p.company_id = a.company_id AND p.id = a.object_id)
         WHEN 'cancel_subscription_payment' THEN NOT EXISTS (
           SELECT 1 FROM history h WHERE h.company_id = a.company_id AND h.reference_id = a.object_id
              AND h.machine = 'subscription_payments' AND h.trigger IN ('cancel', 'ask to cancel'))
         WHEN 'retry_subscription_payment' THEN NOT EXISTS (
           SELECT 1 FROM history h WHERE h.company_id = a.company_id AND h.reference_id = a.object_id
              AND h.machine = 'subscription_payments' AND h.trigger = 'retry')
         ELSE false END;
COMMENT ON VIEW law_an_answer_has_its_object IS
  'What a stored answer speaks of is there; the order of a cancellation is CANCELED.';

CREATE VIEW law_refunds_fit_what_was_paid WITH (security_invoker = true) AS
  SELECT coalesce(g.company_id, q.company_id) AS company_id, coalesce(g.order_id, q.owner_id) AS order_id, g.asked_minor,
         q.used_minor, coalesce(o.amount_minor, o.paid_minor) AS most_minor
    FROM (SELECT company_id, order_id, sum(amount_minor) AS asked_minor FROM refunds
           WHERE origin = 'CLIENT' AND state IN ('PENDING', 'PAID') GROUP BY company_id, order_id) g
    FULL JOIN (SELECT company_id, owner_id, used_minor FROM quotas WHERE kind = 'refund') q
      ON q.company_id = g.company_id AND q.owner_id = g.order_id
    LEFT JOIN orders o ON o.company_id = coalesce(g.company_id, q.company_id) AND o.id = coalesce(g.order_id, q.owner_id)
   WHERE coalesce(g.asked_minor, 0) <> coalesce(q.used_minor, 0)
      OR coalesce(g.asked_minor, 0) > coalesce(o.amount_minor, o.paid_minor, 0);
COMMENT ON VIEW law_refunds_fit_what_was_paid IS
  'What clients have asked to give back of an order, and has not failed, is what is counted, and never more than was asked of its payer.';

CREATE VIEW law_a_refund_is_of_its_order WITH (security_invoker = true) AS
  SELECT r.company_id, r.id AS refund_id, r.origin, r.order_id, p.order_id AS paid_order_id, p.state AS payment_state,
         h.type AS hold_type, d.account_id AS held_of, o.account_id, o.paid_at, r.created_at
    FROM refunds r
    LEFT JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
    LEFT JOIN orders o ON o.company_id = r.company_id AND o.id = r.order_id
    LEFT JOIN transfers h ON h.company_id = r.company_id AND h.reference_id = r.id AND h.kind = 'held'
    LEFT JOIN ledger_accounts d ON d.company_id = h.company_id AND d.id = h.debit_id
   WHERE CASE r.origin
         WHEN 'CLIENT' THEN (p.state, p.order_id, h.type, d.account_id) IS DISTINCT FROM
              ('SETTLED', r.order_id, CASE p.rail WHEN 'book' THEN 'BOOK_REFUND' ELSE 'PIX_REFUND' END, o.account_id)
              OR r.created_at > o.paid_at + interval '90 days'
         ELSE h.type IS DISTINCT FROM 'PIX_RETURN' END;
COMMENT ON VIEW law_a_refund_is_of_its_order IS
  'A refund that a client asked for gives back the payment of its order, in 90 days, from its account; any other takes from suspense.';

GRANT SELECT ON law_refunds_fit_what_was_paid, law_a_refund_is_of_its_order TO lastro_app, lastro_audit;
GRANT INSERT ON law_refunds_fit_what_was_paid, law_a_refund_is_of_its_order TO lastro_app; -- as a whole schema is granted: nothing can be inserted into these views

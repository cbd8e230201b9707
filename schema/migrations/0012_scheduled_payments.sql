-- Scheduled payments of subscriptions: the charge of each cycle, its attempts, and the order that it pays.

ALTER TABLE orders ADD COLUMN subscription_code text;
ALTER TABLE orders ADD COLUMN scheduled_payment_id uuid;
ALTER TABLE orders ADD CHECK ((subscription_code IS NULL) = (subscription_id IS NULL));
ALTER TABLE orders ADD CHECK (subscription_id IS NOT NULL OR scheduled_payment_id IS NULL);

ALTER TABLE subscriptions ADD COLUMN covered integer NOT NULL DEFAULT -1;
ALTER TABLE subscriptions ADD COLUMN charge_at timestamptz;
CREATE INDEX subscriptions_to_charge ON subscriptions (charge_at, company_id) WHERE status = 'ACCEPTED' AND charge_at IS NOT NULL;

CREATE TABLE subscription_payments (                  -- the charge of one cycle of a subscription
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  subscription_id uuid NOT NULL,
  external_id text NOT NULL,                          -- the client's code
  status text NOT NULL CHECK (status IN ('SCHEDULED', 'PENDING', 'PAID', 'CANCELED', 'EXPIRED', 'ERROR')),
  order_id uuid NOT NULL,                             -- what is paid when it is settled
  currency text NOT NULL,
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  due_on date NOT NULL,                               -- decides the cycle
  settles_on date NOT NULL,                           -- decides the settlement: due_on, or the Monday after
  cycle integer NOT NULL CHECK (cycle >= 0),          -- its number, from 0
  cycle_starts_on date NOT NULL,
  next_cycle_starts_on date NOT NULL,
  auto_retry boolean NOT NULL,                        -- whether the service itself tries again after an unpaid day
  description text,
  code text,                                          -- why it ended without money, as the network said it
  due_at timestamptz,                                 -- when time does something to it next
  cancel_message_id text,                             -- of our question whether the payer's bank drops it, while that is open
  cancel_asked_at timestamptz,
  asked integer NOT NULL DEFAULT 0,                   -- how often the network was asked what became of that question
  ask_at timestamptz,                                 -- when next
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, subscription_id) REFERENCES subscriptions,
  FOREIGN KEY (company_id, order_id) REFERENCES orders,
  CHECK (cycle_starts_on <= due_on AND due_on < next_cycle_starts_on AND due_on <= settles_on),
  CHECK ((cancel_message_id IS NULL) = (cancel_asked_at IS NULL))
) WITH (fillfactor = 85);
-- Two that are in each other's way have the same code or the same cycle, and the code is told first: its index is the older.
CREATE UNIQUE INDEX subscription_payments_external_id_key ON subscription_payments (company_id, subscription_id, external_id);
CREATE UNIQUE INDEX subscription_payments_cycle_key ON subscription_payments (company_id, subscription_id, cycle)
  WHERE status NOT IN ('CANCELED', 'ERROR');
CREATE UNIQUE INDEX subscription_payments_created_at_key ON subscription_payments (company_id, subscription_id, created_at);
CREATE UNIQUE INDEX subscription_payments_order_id_key ON subscription_payments (company_id, order_id);
CREATE INDEX subscription_payments_due ON subscription_payments (due_at, company_id) WHERE due_at IS NOT NULL;
CREATE INDEX subscription_payments_to_ask ON subscription_payments (ask_at, company_id) WHERE status = 'SCHEDULED' AND ask_at IS NOT NULL;
ALTER TABLE orders ADD FOREIGN KEY (company_id, scheduled_payment_id) REFERENCES subscription_payments;

CREATE TABLE payment_attempts (                       -- a try to collect a scheduled payment on a day
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  payment_id uuid NOT NULL,
  number integer NOT NULL CHECK (number > 0),         -- 1 for the first
  status text NOT NULL CHECK (status IN ('REQUESTED', 'SCHEDULED', 'PAID', 'REJECTED', 'CANCELED', 'EXPIRED')),
  kind text NOT NULL CHECK (kind IN ('AGND', 'NTAG', 'RIFL')), -- the first; after the due date; the same again after a failure
  collects_on date NOT NULL,
  message_id text NOT NULL,                           -- of the instruction, which is its name in the network
  end_to_end_id text,                                 -- given by the payer's bank when it schedules
  code text,                                          -- why it collected nothing, as the network said it
  asked integer NOT NULL DEFAULT 0,                   -- how often the network was asked what became of it
  ask_at timestamptz,                                 -- when next
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, payment_id) REFERENCES subscription_payments
) WITH (fillfactor = 85);
CREATE UNIQUE INDEX payment_attempts_number_key ON payment_attempts (company_id, payment_id, number);
CREATE UNIQUE INDEX payment_attempts_message_id_key ON payment_attempts (company_id, message_id);
CREATE UNIQUE INDEX payment_attempts_one_open ON payment_attempts (company_id, payment_id) WHERE status IN ('REQUESTED', 'SCHEDULED');
CREATE INDEX payment_attempts_to_ask ON payment_attempts (ask_at, company_id) WHERE status IN ('REQUESTED', 'SCHEDULED');

CREATE OR REPLACE VIEW objects WITH (security_invoker = true) AS      -- everything that has a state
  SELECT company_id, id, 'orders' AS machine, status AS state, version, created_at, updated_at FROM orders
  UNION ALL SELECT company_id, id, 'pix_payments', state, version, created_at, updated_at FROM pix_payments
  UNION ALL SELECT company_id, id, 'refunds', state, version, created_at, updated_at FROM refunds
  UNION ALL SELECT company_id, id, 'payouts', status, version, created_at, updated_at FROM payouts
  UNION ALL SELECT company_id, id, 'payout_plans', status, version, created_at, updated_at FROM payout_plans
  UNION ALL SELECT company_id, id, 'subscriptions', status, version, created_at, updated_at FROM subscriptions
  UNION ALL SELECT company_id, id, 'subscription_cancellations', status, version, created_at, updated_at FROM subscription_cancellations
  UNION ALL SELECT company_id, id, 'subscription_payments', status, version, created_at, updated_at FROM subscription_payments
  UNION ALL SELECT company_id, id, 'payment_attempts', status, version, created_at, updated_at FROM payment_attempts;

CREATE OR REPLACE VIEW law_a_reserved_order_waits WITH (security_invoker = true) AS
  SELECT p.company_id, p.id AS payment_id, p.order_id, o.status FROM pix_payments p
    JOIN orders o ON o.company_id = p.company_id AND o.id = p.order_id
   WHERE p.state = 'ACCEPTED' AND o.status NOT IN ('INITIAL', 'PENDING');
COMMENT ON VIEW law_a_reserved_order_waits IS
  'An order for which a payment is accepted is open until that payment ends.';

CREATE OR REPLACE VIEW law_what_waits_has_its_time WITH (security_invoker = true) AS
  SELECT company_id, id, 'orders' AS machine, status AS state, expires_at AS time FROM orders
   WHERE status = 'INITIAL' AND (expires_at IS NULL) <> (scheduled_payment_id IS NOT NULL)
  UNION ALL
  SELECT company_id, id, 'pix_payments', state, ask_at FROM pix_payments
   WHERE (state = 'ACCEPTED' AND rail <> 'book') <> (ask_at IS NOT NULL)
  UNION ALL
  SELECT company_id, id, 'refunds', state, ask_at FROM refunds WHERE (state = 'PENDING') <> (ask_at IS NOT NULL)
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

CREATE OR REPLACE VIEW law_nothing_is_overdue_at_rest WITH (security_invoker = true) AS
  WITH late AS MATERIALIZED (SELECT business_now() - interval '1 minute' AS at)
  SELECT company_id, 'outbox' AS place, id, due_at AS since FROM outbox WHERE due_at < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'inbox', id, due_at FROM inbox WHERE due_at < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'deliveries', id, due_at FROM deliveries d WHERE due_at < (SELECT at FROM late)
     AND NOT EXISTS (SELECT 1 FROM held_deliveries h WHERE h.company_id = d.company_id AND h.id = d.id)
     AND NOT EXISTS (SELECT 1 FROM deliveries e WHERE e.company_id = d.company_id AND e.reference_id = d.reference_id
                        AND e.url = d.url AND e.sequence < d.sequence AND e.status IN ('PENDING', 'RETRYING') OFFSET 0)
  UNION ALL
  SELECT company_id, 'pix_payments', id, ask_at FROM pix_payments
   WHERE state = 'ACCEPTED' AND ask_at < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'refunds', id, ask_at FROM refunds WHERE state = 'PENDING' AND ask_at < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'payouts', id, least(ask_at, start_at) FROM payouts
   WHERE status = 'PENDING' AND least(ask_at, start_at) < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'payout_plans', id, due_at FROM payout_plans WHERE due_at < (SELECT at FROM late)
  UNION ALL
  SELECT e.company_id, 'events', e.id, e.created_at FROM event_cursors c
    JOIN events e ON e.company_id = c.company_id AND e.xid >= c.numbered_below_xid
   WHERE e.created_at < (SELECT at FROM late)
     AND NOT EXISTS (SELECT 1 FROM event_numbers n WHERE n.company_id = e.company_id AND n.event_id = e.id)
  UNION ALL
  SELECT o.company_id, 'orders', o.id, o.expires_at FROM orders o -- a late message of the network is given another minute
   WHERE o.status = 'INITIAL' AND o.expires_at < (SELECT at FROM late) - interval '1 minute'
     AND NOT EXISTS (SELECT 1 FROM pix_payments p WHERE p.company_id = o.company_id AND p.order_id = o.id
                        AND p.state = 'ACCEPTED')
     AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.company_id = o.company_id AND i.txid = o.txid AND i.due_at IS NOT NULL)
  UNION ALL
  SELECT s.company_id, 'subscriptions', s.id, s.lapses_at FROM subscriptions s -- with an order: as that is
   WHERE s.status = 'PENDING_AUTHORIZATION' AND s.order_id IS NULL AND s.lapses_at < (SELECT at FROM late) - interval '1 minute'
  UNION ALL
  SELECT s.company_id, 'subscriptions', s.id, s.ends_at FROM subscriptions s
   WHERE s.status = 'ACCEPTED' AND s.ends_at < (SELECT at FROM late)
     AND NOT EXISTS (SELECT 1 FROM subscription_payments p WHERE p.company_id = s.company_id AND p.subscription_id = s.id
                        AND p.status IN ('SCHEDULED', 'PENDING'))
  UNION ALL
  SELECT company_id, 'subscription_cancellations', id, ask_at FROM subscription_cancellations
   WHERE status = 'PENDING' AND ask_at < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'subscriptions', id, charge_at FROM subscriptions WHERE status = 'ACCEPTED' AND charge_at < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'subscription_payments', id, least(due_at, ask_at) FROM subscription_payments
   WHERE least(due_at, ask_at) < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'payment_attempts', id, ask_at FROM payment_attempts
   WHERE status IN ('REQUESTED', 'SCHEDULED') AND ask_at < (SELECT at FROM late);
COMMENT ON VIEW law_nothing_is_overdue_at_rest IS
  'What was due more than a minute ago is done, when nothing is on its way.';

CREATE OR REPLACE VIEW law_each_fact_is_told_once WITH (security_invoker = true) AS
  WITH ends AS (
    SELECT h.company_id, h.reference_id, 'ORDER-PAYIN.' || h.to_state AS type, 1 AS facts FROM history h -- of a scheduled payment's: PAID alone
     WHERE h.machine = 'orders' AND h.to_state IN ('PAID', 'EXPIRED', 'CANCELED', 'ERROR')
       AND (h.to_state = 'PAID' OR NOT EXISTS (SELECT 1 FROM orders o WHERE o.company_id = h.company_id AND o.id = h.reference_id
                                                  AND o.scheduled_payment_id IS NOT NULL))
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
  'Each end of an order or payout, each turn of a subscription, its payments and a plan, and each return has exactly one event.';

CREATE OR REPLACE VIEW law_an_event_tells_what_happened WITH (security_invoker = true) AS
  SELECT e.company_id, e.id AS event_id, e.type, e.reference_id, o.id IS NOT NULL AS has_object,
         h.version IS NOT NULL AS has_happened
    FROM events e
    LEFT JOIN orders o ON o.company_id = e.company_id AND o.id = e.reference_id
    LEFT JOIN history h ON h.company_id = e.company_id AND h.reference_id = e.reference_id AND h.machine = 'orders'
                       AND h.to_state <> 'INITIAL' AND 'ORDER-PAYIN.' || h.to_state = e.type
   CROSS JOIN LATERAL (SELECT as_json(e.body) AS body OFFSET 0) says
   WHERE e.type LIKE 'ORDER-PAYIN.%'
     AND (h.version IS NULL
          OR e.body IS NOT NULL AND (says.body ->> 'event', 'ORDER-PAYIN.' || (says.body ->> 'status'), says.body ->> 'id', says.body ->> 'code',
              says.body #>> '{amount,currency}', says.body #>> '{amount,value}', says.body ->> 'endToEndId',
              says.body #>> '{subscription,id}', says.body #>> '{subscription,code}', says.body #>> '{subscription,scheduledPayment,id}')
             IS DISTINCT FROM (e.type, e.type, o.id::text, o.external_id, o.currency,
                               printed(coalesce(o.amount_minor, o.paid_minor, 0)), o.end_to_end_id,
                               o.subscription_id::text, o.subscription_code, o.scheduled_payment_id::text))
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
  'An event of an order, a subscription or a payment of one tells a move that it made, and its body names it, its code, and its amount.';

CREATE OR REPLACE VIEW law_a_subscription_goes_with_its_order WITH (security_invoker = true) AS
  SELECT s.company_id, s.id, s.status, o.id AS order_id, o.status AS order_status FROM subscriptions s
    LEFT JOIN orders o ON o.company_id = s.company_id AND o.id = s.order_id
   WHERE CASE WHEN s.type = 'AUTHORIZATION_QRCODE' OR (s.order_id IS NULL AND s.status = 'ERROR') THEN s.order_id IS NOT NULL
              ELSE o.id IS NULL
                OR (o.subscription_id, o.account_id, o.external_id, o.notification_url, o.customer_id, o.expires_at,
                    o.subscription_code)
                   IS DISTINCT FROM (s.id, s.account_id, s.external_id, s.webhook_url, s.debtor_id, s.lapses_at, s.external_id)
                OR CASE WHEN s.accepted_at IS NOT NULL THEN o.status NOT IN ('PAID', 'REFUNDED', 'PARTIAL_REFUNDED')
                        WHEN s.status = 'REJECTED' THEN o.status <> 'CANCELED'
                        WHEN s.status = 'CANCELED' THEN o.status NOT IN ('CANCELED', 'EXPIRED')
                        WHEN s.status = 'ERROR' THEN o.status <> 'ERROR' ELSE o.status <> 'INITIAL' END END
  UNION ALL
  SELECT o.company_id, o.subscription_id, s.status, o.id, o.status FROM orders o
    LEFT JOIN subscriptions s ON s.company_id = o.company_id AND s.id = o.subscription_id
   WHERE o.subscription_id IS NOT NULL AND o.scheduled_payment_id IS NULL AND s.order_id IS DISTINCT FROM o.id;
COMMENT ON VIEW law_a_subscription_goes_with_its_order IS
  'A subscription with a first charge has its order, of the same terms: open until it is authorized, then paid, else ended with it.';

CREATE OR REPLACE VIEW law_an_answer_has_its_object WITH (security_invoker = true) AS
  SELECT a.company_id, a.operation, a.object_id, a.created_at FROM answers a
   WHERE CASE a.operation
         WHEN 'create_order' THEN NOT EXISTS (
           SELECT 1 FROM orders o WHERE o.company_id = a.company_id AND o.id = a.object_id)
         WHEN 'cancel_order' THEN NOT EXISTS (
           SELECT 1 FROM orders o WHERE o.company_id = a.company_id AND o.id = a.object_id AND o.status = 'CANCELED')
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

CREATE VIEW law_a_scheduled_payment_goes_with_its_order WITH (security_invoker = true) AS
  SELECT p.company_id, p.id, p.status, o.id AS order_id, o.status AS order_status FROM subscription_payments p
    JOIN subscriptions s ON s.company_id = p.company_id AND s.id = p.subscription_id
    LEFT JOIN orders o ON o.company_id = p.company_id AND o.id = p.order_id
   WHERE (o.scheduled_payment_id, o.subscription_id, o.subscription_code, o.account_id, o.external_id, o.notification_url,
          o.customer_id, o.amount_minor, o.final_amount_minor)
         IS DISTINCT FROM (p.id, p.subscription_id, s.external_id, s.account_id, p.external_id, s.webhook_url, s.debtor_id,
                           p.amount_minor, p.amount_minor)
      OR CASE p.status WHEN 'SCHEDULED' THEN o.status <> 'INITIAL'
                       WHEN 'PAID' THEN o.status NOT IN ('PAID', 'REFUNDED', 'PARTIAL_REFUNDED') ELSE o.status <> p.status END
  UNION ALL
  SELECT o.company_id, o.scheduled_payment_id, p.status, o.id, o.status FROM orders o
    LEFT JOIN subscription_payments p ON p.company_id = o.company_id AND p.id = o.scheduled_payment_id
   WHERE o.scheduled_payment_id IS NOT NULL AND p.order_id IS DISTINCT FROM o.id;
COMMENT ON VIEW law_a_scheduled_payment_goes_with_its_order IS
  'A scheduled payment and its order stand alike, and have one code and amount and the terms of their subscription.';

CREATE VIEW law_a_cycle_is_charged_once WITH (security_invoker = true) AS
  SELECT p.company_id, p.id, p.subscription_id, p.cycle, p.due_on, p.settles_on FROM subscription_payments p
    JOIN subscriptions s ON s.company_id = p.company_id AND s.id = p.subscription_id
   WHERE p.due_on < p.cycle_starts_on OR p.due_on >= p.next_cycle_starts_on OR p.due_on < s.starts_on OR p.due_on > s.ends_on
      OR p.settles_on <> p.due_on + CASE WHEN s.adjusts AND extract(isodow FROM p.due_on) > 5
                                         THEN 8 - extract(isodow FROM p.due_on)::integer ELSE 0 END
      OR p.amount_minor <> s.fixed_minor
      OR (p.status NOT IN ('CANCELED', 'ERROR')
          AND EXISTS (SELECT 1 FROM subscription_payments q WHERE q.company_id = p.company_id AND q.subscription_id = p.subscription_id
                         AND q.id <> p.id AND q.status NOT IN ('CANCELED', 'ERROR')
                         AND q.due_on >= p.cycle_starts_on AND q.due_on < p.next_cycle_starts_on));
COMMENT ON VIEW law_a_cycle_is_charged_once IS
  'A payment lies in its cycle, is settled on its day or the Monday after, and shares its cycle with ended ones alone.';

CREATE VIEW law_a_payment_is_its_attempts WITH (security_invoker = true) AS
  SELECT p.company_id, p.id, p.status, s.status AS subscription_status, a.* FROM subscription_payments p
    JOIN subscriptions s ON s.company_id = p.company_id AND s.id = p.subscription_id
    JOIN orders o ON o.company_id = p.company_id AND o.id = p.order_id
   CROSS JOIN LATERAL (
      SELECT count(*) AS attempts, coalesce(max(a.number), 0) AS last, count(*) FILTER (WHERE a.status IN ('REQUESTED', 'SCHEDULED')) AS open,
             count(*) FILTER (WHERE a.status = 'PAID') AS paid, max(a.end_to_end_id) FILTER (WHERE a.status = 'PAID') AS paid_by,
             count(*) FILTER (WHERE a.kind = 'NTAG') AS retries
        FROM payment_attempts a WHERE a.company_id = p.company_id AND a.payment_id = p.id) a
   WHERE a.last <> a.attempts OR a.open > 1 OR (a.paid = 1) <> (p.status = 'PAID') OR a.paid > 1
      OR (a.open > 0 AND p.status NOT IN ('SCHEDULED', 'PENDING'))
      OR (p.status = 'PAID' AND a.paid_by IS DISTINCT FROM o.end_to_end_id)
      OR (s.status <> 'ACCEPTED' AND (p.status = 'SCHEDULED' OR (p.status = 'PENDING' AND a.open = 0)))
      OR (a.retries > 0 AND NOT s.charges_after_due);
COMMENT ON VIEW law_a_payment_is_its_attempts IS
  'A payment is PAID by one attempt, that of its order; an open one has one open attempt at most, and a subscription that is ACCEPTED.';

CREATE VIEW law_a_charge_is_sent_as_decided WITH (security_invoker = true) AS
  SELECT coalesce(a.company_id, m.company_id) AS company_id, a.id AS attempt_id, m.id AS outbox_id, a.message_id, m.network_id
    FROM (SELECT a.*, p.amount_minor, p.due_on, o.txid, s.provider_id FROM payment_attempts a
            JOIN subscription_payments p ON p.company_id = a.company_id AND p.id = a.payment_id
            JOIN orders o ON o.company_id = p.company_id AND o.id = p.order_id
            JOIN subscriptions s ON s.company_id = p.company_id AND s.id = p.subscription_id) a
    FULL JOIN (SELECT company_id, id, reference_id, network_id, as_json(body) AS body FROM outbox
                WHERE rail = 'pix' AND kind = 'charge.send') m
      ON m.company_id = a.company_id AND m.reference_id = a.id
   WHERE (a.message_id, a.message_id, a.provider_id, a.txid, a.kind, a.amount_minor::text, a.due_on::text, a.collects_on::text)
         IS DISTINCT FROM (m.network_id, m.body ->> 'message_id', m.body ->> 'recurrence_id', m.body ->> 'txid', m.body ->> 'kind',
                           m.body #>> '{amount,minor}', m.body ->> 'due_on', m.body ->> 'collect_on');
COMMENT ON VIEW law_a_charge_is_sent_as_decided IS
  'Every attempt has its one instruction to the payer''s bank, of its charge, days and amount, and no instruction is stray.';

CREATE VIEW law_an_attempt_ends_by_the_networks_word WITH (security_invoker = true) AS
  WITH said AS MATERIALIZED (
    SELECT i.company_id, coalesce(b.body ->> 'original_message_id', b.body ->> 'message_id') AS message_id
      FROM inbox i CROSS JOIN LATERAL (SELECT as_json(i.body) AS body OFFSET 0) b
     WHERE i.kind IN ('charge.refused', 'charge.canceled') AND i.outcome = 'handled')
  SELECT a.company_id, a.id, a.payment_id, a.status, a.code FROM payment_attempts a
   WHERE a.status IN ('REJECTED', 'EXPIRED')
     AND NOT EXISTS (SELECT 1 FROM said s WHERE s.company_id = a.company_id AND s.message_id = a.message_id);
COMMENT ON VIEW law_an_attempt_ends_by_the_networks_word IS
  'No attempt is REJECTED or EXPIRED but because its network said so.';

DO $$
DECLARE
  t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['subscription_payments', 'payment_attempts'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON %I TO lastro_app USING (company_id = tenant()) WITH CHECK (company_id = tenant())', t);
    EXECUTE format('CREATE POLICY audit ON %I FOR SELECT TO lastro_audit USING (true)', t);
    EXECUTE format('CREATE POLICY work ON %I FOR SELECT TO lastro_work USING (true)', t);
  END LOOP;
END $$;
GRANT SELECT ON subscription_payments, payment_attempts TO lastro_app, lastro_audit;
GRANT SELECT ON law_a_scheduled_payment_goes_with_its_order, law_a_cycle_is_charged_once, law_a_payment_is_its_attempts, law_a_charge_is_sent_as_decided, law_an_attempt_ends_by_the_networks_word
  TO lastro_app, lastro_audit;
GRANT INSERT, UPDATE ON subscription_payments, payment_attempts TO lastro_app;
GRANT INSERT ON law_a_scheduled_payment_goes_with_its_order, law_a_cycle_is_charged_once, law_a_payment_is_its_attempts, law_a_charge_is_sent_as_decided, law_an_attempt_ends_by_the_networks_word
  TO lastro_app; -- as a whole schema is granted: nothing can be inserted into these views
GRANT SELECT (charge_at) ON subscriptions TO lastro_work;
GRANT SELECT (company_id, id, subscription_id, due_at, ask_at, cancel_message_id, status) ON subscription_payments TO lastro_work;
GRANT SELECT (company_id, id, ask_at, status) ON payment_attempts TO lastro_work;

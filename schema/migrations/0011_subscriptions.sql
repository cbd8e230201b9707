-- Subscriptions by Pix Automático, and the order that is a subscription's first charge.

ALTER TABLE orders ADD COLUMN subscription_id uuid;
ALTER TABLE orders DROP CONSTRAINT orders_origin_check;
ALTER TABLE orders ADD CONSTRAINT orders_origin_check CHECK (origin IN ('TRANSPARENT', 'SUBSCRIPTION', 'UNASKED'));
ALTER TABLE orders ADD CHECK ((origin = 'SUBSCRIPTION') = (subscription_id IS NOT NULL));

-- What a payer authorizes by a first payment is kept with it, since its end does not say it again.
ALTER TABLE pix_payments ADD COLUMN authorizes text;
ALTER TABLE pix_payments ADD COLUMN maximum_minor bigint CHECK (maximum_minor > 0);
ALTER TABLE pix_payments ADD COLUMN payer_ibge_code text;

CREATE TABLE subscriptions (                          -- a recurring charge that its payer authorizes once (Pix Automático)
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  account_id uuid NOT NULL,                           -- credited by its charges
  external_id text NOT NULL,                          -- the client's code
  provider_id text NOT NULL,                          -- idRec: what the network knows it by
  type text NOT NULL CHECK (type IN ('AUTHORIZATION_QRCODE', 'AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT')),
  status text NOT NULL CHECK (status IN ('INITIAL', 'PENDING_AUTHORIZATION', 'ACCEPTED', 'REJECTED', 'CANCELED', 'ERROR')),
  frequency text NOT NULL CHECK (frequency IN ('WEEKLY', 'MONTHLY', 'QUARTERLY', 'SEMIANNUAL', 'ANNUAL')),
  starts_on date NOT NULL,                            -- the first day of its first cycle
  ends_on date,                                       -- the last day on which a charge may be due; NULL: open-ended
  currency text NOT NULL,
  fixed_minor bigint CHECK (fixed_minor > 0),         -- what each charge is of
  floor_minor bigint CHECK (floor_minor > 0),         -- the least maximum that the payer may set
  charges_after_due boolean NOT NULL,                 -- whether an unpaid charge may be tried again
  adjusts boolean NOT NULL,                           -- whether a due date on a weekend moves to Monday
  auto_schedule boolean NOT NULL,                     -- whether the service itself schedules each cycle's charge
  description text,
  webhook_url text NOT NULL,
  debtor_id uuid NOT NULL,                            -- whom the contract is with
  named_payer_id uuid,                                -- whom the client expects to pay
  order_id uuid,                                      -- its first charge, of journey 3 alone
  location_token text NOT NULL,                       -- the unguessable part of the recurrence's location
  lapses_at timestamptz NOT NULL,                     -- the first instant at which it cannot be authorized any more
  ends_at timestamptz,                                -- when ends_on is over in Brasilia
  payer_id uuid,                                      -- who authorized it
  payer_ibge_code text,                               -- of his city
  maximum_minor bigint CHECK (maximum_minor > 0),     -- of a charge, as the payer set it
  accepted_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, account_id) REFERENCES accounts,
  FOREIGN KEY (company_id, debtor_id) REFERENCES parties,
  FOREIGN KEY (company_id, named_payer_id) REFERENCES parties,
  FOREIGN KEY (company_id, payer_id) REFERENCES parties,
  FOREIGN KEY (company_id, order_id) REFERENCES orders,
  CHECK (ends_on > starts_on),
  CHECK ((ends_on IS NULL) = (ends_at IS NULL)),
  CHECK (fixed_minor IS NULL OR floor_minor IS NULL),
  CHECK (fixed_minor IS NOT NULL OR NOT auto_schedule),
  CHECK ((payer_id IS NULL) = (accepted_at IS NULL)),
  CHECK (accepted_at IS NOT NULL OR status <> 'ACCEPTED')
) WITH (fillfactor = 85);
CREATE UNIQUE INDEX subscriptions_created_at_key ON subscriptions (company_id, created_at);
CREATE UNIQUE INDEX subscriptions_external_id_key ON subscriptions (company_id, external_id);
CREATE UNIQUE INDEX subscriptions_provider_id_key ON subscriptions (company_id, provider_id);
CREATE UNIQUE INDEX subscriptions_location_key ON subscriptions (company_id, location_token);
CREATE UNIQUE INDEX subscriptions_order_id_key ON subscriptions (company_id, order_id) WHERE order_id IS NOT NULL;
CREATE INDEX subscriptions_of_status ON subscriptions (company_id, status, created_at);
CREATE INDEX subscriptions_of_account ON subscriptions (company_id, account_id, created_at);
CREATE INDEX subscriptions_of_start ON subscriptions (company_id, starts_on, created_at);
CREATE INDEX subscriptions_of_end ON subscriptions (company_id, ends_on, created_at) WHERE ends_on IS NOT NULL;
CREATE INDEX subscriptions_lapsing ON subscriptions (lapses_at, company_id) WHERE status = 'PENDING_AUTHORIZATION';
CREATE INDEX subscriptions_ending ON subscriptions (ends_at, company_id) WHERE status = 'ACCEPTED' AND ends_at IS NOT NULL;
ALTER TABLE orders ADD FOREIGN KEY (company_id, subscription_id) REFERENCES subscriptions;

CREATE TABLE subscription_cancellations (             -- who wanted a subscription to end, and what became of it
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  subscription_id uuid NOT NULL,
  status text NOT NULL CHECK (status IN ('PENDING', 'ACCEPTED', 'REJECTED', 'ERROR')),
  idempotency_key text NOT NULL,                      -- as it was sent; a message's id in the network; else the id of this row
  reason text NOT NULL CHECK (reason IN ('REQUESTED_BY_RECEIVER', 'FRAUD_SUSPECTED', 'OTHER', 'REQUESTED_BY_PAYER',
                                         'ACCOUNT_CLOSED', 'AUTHORIZATION_EXPIRED', 'RECURRENCE_ENDED')),
  raw_reason text,                                    -- the network's code, as it came
  requested_by_id uuid,                               -- NULL: the holder of the account
  message_id text,                                    -- by which the payer's bank was asked; NULL: nobody had to be
  ask_at timestamptz,                                 -- PENDING: when the network is asked what became of it
  asked integer NOT NULL DEFAULT 0,                   -- how often it was asked
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, subscription_id) REFERENCES subscriptions,
  FOREIGN KEY (company_id, requested_by_id) REFERENCES parties
);
CREATE INDEX subscription_cancellations_of_subscription ON subscription_cancellations (company_id, subscription_id, created_at);
CREATE UNIQUE INDEX subscription_cancellations_one_open ON subscription_cancellations (company_id, subscription_id)
  WHERE status = 'PENDING';
CREATE UNIQUE INDEX subscription_cancellations_message_key ON subscription_cancellations (company_id, message_id)
  WHERE message_id IS NOT NULL;
CREATE INDEX subscription_cancellations_to_ask ON subscription_cancellations (ask_at, company_id) WHERE status = 'PENDING';

CREATE OR REPLACE VIEW objects WITH (security_invoker = true) AS      -- everything that has a state
  SELECT company_id, id, 'orders' AS machine, status AS state, version, created_at, updated_at FROM orders
  UNION ALL SELECT company_id, id, 'pix_payments', state, version, created_at, updated_at FROM pix_payments
  UNION ALL SELECT company_id, id, 'refunds', state, version, created_at, updated_at FROM refunds
  UNION ALL SELECT company_id, id, 'payouts', status, version, created_at, updated_at FROM payouts
  UNION ALL SELECT company_id, id, 'payout_plans', status, version, created_at, updated_at FROM payout_plans
  UNION ALL SELECT company_id, id, 'subscriptions', status, version, created_at, updated_at FROM subscriptions
  UNION ALL SELECT company_id, id, 'subscription_cancellations', status, version, created_at, updated_at FROM subscription_cancellations;

CREATE OR REPLACE VIEW law_an_order_costs_what_its_plan_says WITH (security_invoker = true) AS
  SELECT o.company_id, o.id, o.amount_minor, f.fee_minor, o.final_amount_minor, o.paid_minor FROM orders o
   CROSS JOIN LATERAL (SELECT o.fee_fixed_minor + share(o.amount_minor, o.fee_variable_basis_points)
                              + o.fee_additional_minor AS fee_minor) f
   WHERE o.final_amount_minor IS DISTINCT FROM CASE WHEN o.origin <> 'UNASKED' AND o.fee_payer = 'CUSTOMER'
                                                    THEN o.amount_minor + f.fee_minor ELSE o.amount_minor END
      OR (o.origin <> 'UNASKED' AND o.fee_payer = 'RECEIVER' AND f.fee_minor > o.amount_minor)
      OR o.paid_minor <> o.final_amount_minor;
COMMENT ON VIEW law_an_order_costs_what_its_plan_says IS
  'An order''s final amount is its amount and the fees its customer bears, and just that is what was paid.';

CREATE OR REPLACE VIEW law_a_payment_is_split_as_planned WITH (security_invoker = true) AS
  SELECT o.company_id, o.id, o.paid_minor,
         CASE WHEN o.origin <> 'UNASKED' AND o.fee_payer = 'CUSTOMER' AND o.amount_minor IS NOT NULL
              THEN o.paid_minor - o.amount_minor
              ELSE least(o.paid_minor, o.fee_fixed_minor + share(o.paid_minor, o.fee_variable_basis_points)
                                       + o.fee_additional_minor) END AS fee_minor,
         coalesce(sum(t.amount_minor) FILTER (WHERE t.type IN ('FEE', 'BOOK_FEE')), 0) AS booked_fee_minor,
         count(*) FILTER (WHERE t.type IN ('PIX_IN', 'BOOK_IN') AND c.account_id IS DISTINCT FROM o.account_id) AS astray
    FROM orders o
    JOIN transfers t ON t.company_id = o.company_id AND t.reference_id = o.id
                    AND t.type IN ('PIX_IN', 'BOOK_IN', 'FEE', 'BOOK_FEE')
    JOIN ledger_accounts c ON c.company_id = t.company_id AND c.id = t.credit_id
   WHERE o.paid_minor IS NOT NULL GROUP BY o.company_id, o.id
  HAVING count(*) FILTER (WHERE t.type IN ('PIX_IN', 'BOOK_IN') AND c.account_id IS DISTINCT FROM o.account_id) > 0
      OR coalesce(sum(t.amount_minor) FILTER (WHERE t.type IN ('FEE', 'BOOK_FEE')), 0)
         <> CASE WHEN o.origin <> 'UNASKED' AND o.fee_payer = 'CUSTOMER' AND o.amount_minor IS NOT NULL
                 THEN o.paid_minor - o.amount_minor
                 ELSE least(o.paid_minor, o.fee_fixed_minor + share(o.paid_minor, o.fee_variable_basis_points)
                                          + o.fee_additional_minor) END;
COMMENT ON VIEW law_a_payment_is_split_as_planned IS
  'Of what was paid we keep the planned fee, and the rest is credited to the order''s account.';

CREATE OR REPLACE VIEW law_what_waits_has_its_time WITH (security_invoker = true) AS
  SELECT company_id, id, 'orders' AS machine, status AS state, expires_at AS time FROM orders
   WHERE status = 'INITIAL' AND expires_at IS NULL
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
   WHERE (status = 'PENDING') <> (ask_at IS NOT NULL);
COMMENT ON VIEW law_what_waits_has_its_time IS
  'What is open, and nothing else, has the time when it is looked at next: an order, a payment, refund, payout or cancellation at a network, a plan.';

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
  UNION ALL
  SELECT company_id, 'subscription_cancellations', id, ask_at FROM subscription_cancellations
   WHERE status = 'PENDING' AND ask_at < (SELECT at FROM late);
COMMENT ON VIEW law_nothing_is_overdue_at_rest IS
  'What was due more than a minute ago is done, when nothing is on its way.';

CREATE OR REPLACE VIEW law_each_fact_is_told_once WITH (security_invoker = true) AS
  WITH ends AS (
    SELECT company_id, reference_id, 'ORDER-PAYIN.' || to_state AS type, 1 AS facts FROM history
     WHERE machine = 'orders' AND to_state IN ('PAID', 'EXPIRED', 'CANCELED', 'ERROR')
    UNION ALL
    SELECT company_id, reference_id, 'PAYOUT-PLAN.' || to_state, 1 FROM history
     WHERE machine = 'payout_plans' AND trigger NOT IN ('create', 'approve', 'apply')
    UNION ALL
    SELECT company_id, reference_id, 'SUBSCRIPTION.' || to_state, 1 FROM history
     WHERE machine = 'subscriptions' AND from_state <> to_state AND to_state IN ('ACCEPTED', 'REJECTED', 'CANCELED', 'ERROR')
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
  'Each end of an order or payout, each turn of a subscription or plan, and each return of a payout has exactly one event.';

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
              says.body #>> '{amount,currency}', says.body #>> '{amount,value}', says.body ->> 'endToEndId')
             IS DISTINCT FROM (e.type, e.type, o.id::text, o.external_id, o.currency,
                               printed(coalesce(o.amount_minor, o.paid_minor, 0)), o.end_to_end_id))
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
             IS DISTINCT FROM (e.type, e.type, s.id::text, s.external_id, s.order_id::text));
COMMENT ON VIEW law_an_event_tells_what_happened IS
  'An event of an order or subscription tells a move that it made, and its body names it, its code, and what was to be paid.';

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
         ELSE false END;
COMMENT ON VIEW law_an_answer_has_its_object IS
  'What a stored answer speaks of is there; the order of a cancellation is CANCELED.';

CREATE OR REPLACE VIEW law_ids_name_their_company WITH (security_invoker = true) AS
  WITH named AS MATERIALIZED (SELECT company_id, base62(number, 5) AS digits FROM companies)
  SELECT n.company_id, 'clients' AS place, c.client_id AS name FROM named n
    JOIN clients c ON c.company_id = n.company_id AND c.client_id NOT LIKE 'outside:%' AND substr(c.client_id, 4, 5) <> n.digits
  UNION ALL
  SELECT n.company_id, 'orders', o.id::text FROM named n
    JOIN orders o ON o.company_id = n.company_id
     AND (substr(o.txid, 1, 5) <> n.digits OR substr(o.location_token, 1, 5) <> n.digits)
  UNION ALL
  SELECT n.company_id, 'refunds', r.id::text FROM named n
    JOIN refunds r ON r.company_id = n.company_id AND substr(r.return_id, 22, 5) <> n.digits
  UNION ALL
  SELECT n.company_id, 'payouts', p.id::text FROM named n
    JOIN payouts p ON p.company_id = n.company_id
     AND (substr(p.end_to_end_id, 22, 5) <> n.digits OR substr(p.control_number, 2, 5) <> n.digits)
  UNION ALL
  SELECT n.company_id, 'subscriptions', s.id::text FROM named n
    JOIN subscriptions s ON s.company_id = n.company_id
     AND (substr(s.provider_id, 19, 5) <> n.digits OR substr(s.location_token, 1, 5) <> n.digits);
COMMENT ON VIEW law_ids_name_their_company IS
  'Our client ids, txids, locations, endToEndIds, idRecs, TED control numbers and return ids carry the number of their company.';

CREATE VIEW law_a_subscription_goes_with_its_order WITH (security_invoker = true) AS
  SELECT s.company_id, s.id, s.status, o.id AS order_id, o.status AS order_status FROM subscriptions s
    LEFT JOIN orders o ON o.company_id = s.company_id AND o.id = s.order_id
   WHERE CASE WHEN s.type = 'AUTHORIZATION_QRCODE' OR (s.order_id IS NULL AND s.status = 'ERROR') THEN s.order_id IS NOT NULL
              ELSE o.id IS NULL
                OR (o.subscription_id, o.account_id, o.external_id, o.notification_url, o.customer_id, o.expires_at)
                   IS DISTINCT FROM (s.id, s.account_id, s.external_id, s.webhook_url, s.debtor_id, s.lapses_at)
                OR CASE WHEN s.accepted_at IS NOT NULL THEN o.status NOT IN ('PAID', 'REFUNDED', 'PARTIAL_REFUNDED')
                        WHEN s.status = 'REJECTED' THEN o.status <> 'CANCELED'
                        WHEN s.status = 'CANCELED' THEN o.status NOT IN ('CANCELED', 'EXPIRED')
                        WHEN s.status = 'ERROR' THEN o.status <> 'ERROR' ELSE o.status <> 'INITIAL' END END
  UNION ALL
  SELECT o.company_id, o.subscription_id, s.status, o.id, o.status FROM orders o
    LEFT JOIN subscriptions s ON s.company_id = o.company_id AND s.id = o.subscription_id
   WHERE o.subscription_id IS NOT NULL AND s.order_id IS DISTINCT FROM o.id;
COMMENT ON VIEW law_a_subscription_goes_with_its_order IS
  'A subscription with a first charge has its order, of the same terms: open until it is authorized, then paid, else ended with it.';

CREATE VIEW law_a_subscription_is_canceled_by_a_cancellation WITH (security_invoker = true) AS
  SELECT s.company_id, s.id, s.status, c.accepted, c.waiting FROM subscriptions s CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE c.status = 'ACCEPTED') AS accepted, count(*) FILTER (WHERE c.status = 'PENDING') AS waiting
        FROM subscription_cancellations c WHERE c.company_id = s.company_id AND c.subscription_id = s.id) c
   WHERE (s.status = 'CANCELED') <> (c.accepted > 0) OR (c.waiting > 0 AND s.status <> 'ACCEPTED');
COMMENT ON VIEW law_a_subscription_is_canceled_by_a_cancellation IS
  'A subscription is CANCELED just where a cancellation of it was accepted, and only an ACCEPTED one waits for an answer to one.';

CREATE VIEW law_an_authorization_was_given WITH (security_invoker = true) AS
  WITH asked AS (
    SELECT company_id, subject, count(*) AS questions FROM inbox
     WHERE kind = 'authorization.ask' AND outcome = 'answered' GROUP BY company_id, subject),
  answered AS (
    SELECT o.company_id, says.body ->> 'recurrence_id' AS subject, count(*) AS answers,
           bool_or(says.body ->> 'accept' = 'true') AS yes
      FROM outbox o CROSS JOIN LATERAL (SELECT as_json(o.body) AS body OFFSET 0) says
     WHERE o.kind = 'authorization.answer' GROUP BY o.company_id, says.body ->> 'recurrence_id')
  SELECT coalesce(q.company_id, a.company_id) AS company_id, s.id, coalesce(q.subject, a.subject) AS provider_id,
         q.questions, a.answers, a.yes, NULL::uuid AS payment_id
    FROM asked q FULL JOIN answered a ON a.company_id = q.company_id AND a.subject = q.subject
    LEFT JOIN subscriptions s ON s.company_id = coalesce(q.company_id, a.company_id)
                             AND s.provider_id = coalesce(q.subject, a.subject)
   WHERE q.questions IS DISTINCT FROM a.answers OR (a.yes AND (s.accepted_at IS NULL OR s.order_id IS NOT NULL))
  UNION ALL
  SELECT s.company_id, s.id, s.provider_id, NULL, a.answers, a.yes, NULL FROM subscriptions s
    LEFT JOIN answered a ON a.company_id = s.company_id AND a.subject = s.provider_id
   WHERE s.accepted_at IS NOT NULL AND s.order_id IS NULL AND a.yes IS NOT TRUE
  UNION ALL
  SELECT coalesce(s.company_id, p.company_id), s.id, coalesce(s.provider_id, p.authorizes), NULL, NULL, NULL, p.id
    FROM (SELECT company_id, id, provider_id, order_id, payer_id, maximum_minor, payer_ibge_code FROM subscriptions
           WHERE accepted_at IS NOT NULL AND order_id IS NOT NULL) s
    FULL JOIN (SELECT company_id, id, authorizes, order_id, payer_id, maximum_minor, payer_ibge_code FROM pix_payments
                WHERE state = 'SETTLED' AND authorizes IS NOT NULL) p
      ON p.company_id = s.company_id AND p.order_id = s.order_id
   WHERE (s.provider_id, s.payer_id, s.maximum_minor, s.payer_ibge_code)
         IS DISTINCT FROM (p.authorizes, p.payer_id, p.maximum_minor, p.payer_ibge_code);
COMMENT ON VIEW law_an_authorization_was_given IS
  'Every question about an authorization has one answer, and what is authorized was said yes to, or paid by whom it says, just so.';

CREATE VIEW law_a_cancellation_is_asked_as_decided WITH (security_invoker = true) AS
  SELECT coalesce(c.company_id, o.company_id) AS company_id, c.id, c.status, o.id AS message_id, o.network_id
    FROM (SELECT c.company_id, c.id, c.status, c.message_id, s.provider_id FROM subscription_cancellations c
            JOIN subscriptions s ON s.company_id = c.company_id AND s.id = c.subscription_id
           WHERE c.message_id IS NOT NULL OR c.status = 'PENDING') c
    FULL JOIN (SELECT company_id, id, reference_id, network_id, as_json(body) AS body FROM outbox
                WHERE kind = 'cancellation.send') o
      ON o.company_id = c.company_id AND o.reference_id = c.id
   WHERE (c.message_id, c.message_id, c.provider_id)
         IS DISTINCT FROM (o.network_id, o.body ->> 'message_id', o.body ->> 'recurrence_id');
COMMENT ON VIEW law_a_cancellation_is_asked_as_decided IS
  'What waits for the payer''s bank was asked of it, once, by its own name; and nothing is asked that was not decided.';

DO $$
DECLARE
  t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['subscriptions', 'subscription_cancellations'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON %I TO lastro_app USING (company_id = tenant()) WITH CHECK (company_id = tenant())', t);
    EXECUTE format('CREATE POLICY audit ON %I FOR SELECT TO lastro_audit USING (true)', t);
  END LOOP;
END $$;
GRANT SELECT ON subscriptions, subscription_cancellations TO lastro_app, lastro_audit;
GRANT SELECT ON law_a_subscription_goes_with_its_order, law_a_subscription_is_canceled_by_a_cancellation, law_an_authorization_was_given,
  law_a_cancellation_is_asked_as_decided TO lastro_app, lastro_audit;
GRANT INSERT, UPDATE ON subscriptions, subscription_cancellations TO lastro_app;
GRANT INSERT ON law_a_subscription_goes_with_its_order, law_a_subscription_is_canceled_by_a_cancellation, law_an_authorization_was_given,
  law_a_cancellation_is_asked_as_decided TO lastro_app; -- as a whole schema is granted: nothing can be inserted into these views
GRANT SELECT (company_id, id, lapses_at, ends_at, status) ON subscriptions TO lastro_work;
GRANT SELECT (company_id, id, ask_at, status) ON subscription_cancellations TO lastro_work;
GRANT SELECT (subscription_id) ON orders TO lastro_work;
CREATE POLICY work ON subscriptions FOR SELECT TO lastro_work USING (true);
CREATE POLICY work ON subscription_cancellations FOR SELECT TO lastro_work USING (true);

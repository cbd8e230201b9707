-- Orders paid by card: how each is authenticated and charged, tokens of cards, and what issuers take back.

ALTER TABLE companies ADD COLUMN takes_unauthenticated_cards boolean NOT NULL DEFAULT false;

CREATE TABLE card_payments (                          -- how an order is paid by card: who pays is asked, then it is charged; no number of it
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  order_id uuid NOT NULL,
  state text NOT NULL CHECK (state IN ('CREATED', 'CHALLENGE_REQUIRED', 'AUTHENTICATED', 'CAPTURED', 'DECLINED', 'FAILED', 'TIMEOUT',
                                       'CANCELED')),
  charge_id text NOT NULL,                            -- how the charge is called in the outbox, beside the payment itself
  skips_3ds boolean NOT NULL DEFAULT false,           -- nobody is authenticated: the client wishes it
  flow text CHECK (flow IN ('FRICTIONLESS', 'CHALLENGE', 'DECOUPLED', 'SKIPPED')),
  trans_status text,                                  -- what came of it last: transStatus of 3-D Secure, raw
  eci text,
  ds_transaction_id text,                             -- dsTransID
  three_ds_version text,                              -- messageVersion
  challenge_url text,                                 -- the issuer's page, while it waits for the payer
  ask_at timestamptz,                                 -- AUTHENTICATED: when the acquirer is asked what became of the charge
  asked integer NOT NULL DEFAULT 0,                   -- how often it was asked
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, order_id) REFERENCES orders,
  CHECK (challenge_url IS NULL OR state = 'CHALLENGE_REQUIRED')
);
CREATE UNIQUE INDEX card_payments_order_key ON card_payments (company_id, order_id);
CREATE INDEX card_payments_to_ask ON card_payments (ask_at, company_id) WHERE state = 'AUTHENTICATED';

CREATE TABLE card_tokens (                            -- cards that a company may charge again; no row of it ever changes
  company_id uuid NOT NULL,
  name text NOT NULL,                                 -- the client's token: cardToken
  token text NOT NULL,                                -- the acquirer's, which only it can use
  brand text NOT NULL,
  last_four text NOT NULL CHECK (last_four ~ '^[0-9]{4}$'),
  expiry text NOT NULL CHECK (expiry ~ '^[0-9]{2}/[0-9]{2}$'),
  order_id uuid NOT NULL,                             -- with which it was made
  created_at timestamptz NOT NULL,
  PRIMARY KEY (company_id, name),
  FOREIGN KEY (company_id, order_id) REFERENCES orders
);

CREATE TABLE chargebacks (                            -- money of cards that issuers took back; no row of it ever changes
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  order_id uuid NOT NULL,
  payment_id uuid NOT NULL,                           -- the charge that it takes back
  chargeback_id text NOT NULL,                        -- the acquirer's own id
  code text,                                          -- why, raw
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  taken_at timestamptz NOT NULL,                      -- when it left us
  created_at timestamptz NOT NULL,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, order_id) REFERENCES orders,
  FOREIGN KEY (company_id, payment_id) REFERENCES pix_payments
);
CREATE UNIQUE INDEX chargebacks_key ON chargebacks (company_id, chargeback_id);
CREATE INDEX chargebacks_of_order ON chargebacks (company_id, order_id);

ALTER TABLE card_payments ENABLE ROW LEVEL SECURITY;
ALTER TABLE card_payments FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON card_payments TO lastro_app USING (company_id = tenant()) WITH CHECK (company_id = tenant());
CREATE POLICY audit ON card_payments FOR SELECT TO lastro_audit USING (true);
ALTER TABLE card_tokens ENABLE ROW LEVEL SECURITY;
ALTER TABLE card_tokens FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON card_tokens TO lastro_app USING (company_id = tenant()) WITH CHECK (company_id = tenant());
CREATE POLICY audit ON card_tokens FOR SELECT TO lastro_audit USING (true);
ALTER TABLE chargebacks ENABLE ROW LEVEL SECURITY;
ALTER TABLE chargebacks FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON chargebacks TO lastro_app USING (company_id = tenant()) WITH CHECK (company_id = tenant());
CREATE POLICY audit ON chargebacks FOR SELECT TO lastro_audit USING (true);
CREATE POLICY work ON card_payments FOR SELECT TO lastro_work USING (true);
GRANT SELECT, INSERT ON card_payments, card_tokens, chargebacks TO lastro_app;
GRANT UPDATE ON card_payments TO lastro_app;
GRANT SELECT ON card_payments, card_tokens, chargebacks TO lastro_audit;
GRANT SELECT (company_id, id, ask_at, state) ON card_payments TO lastro_work;

CREATE OR REPLACE VIEW objects WITH (security_invoker = true) AS      -- everything that has a state
  SELECT company_id, id, 'orders' AS machine, status AS state, version, created_at, updated_at FROM orders
  UNION ALL SELECT company_id, id, 'pix_payments', state, version, created_at, updated_at FROM pix_payments
  UNION ALL SELECT company_id, id, 'refunds', state, version, created_at, updated_at FROM refunds
  UNION ALL SELECT company_id, id, 'payouts', status, version, created_at, updated_at FROM payouts
  UNION ALL SELECT company_id, id, 'payout_plans', status, version, created_at, updated_at FROM payout_plans
  UNION ALL SELECT company_id, id, 'subscriptions', status, version, created_at, updated_at FROM subscriptions
  UNION ALL SELECT company_id, id, 'subscription_cancellations', status, version, created_at, updated_at FROM subscription_cancellations
  UNION ALL SELECT company_id, id, 'subscription_payments', status, version, created_at, updated_at FROM subscription_payments
  UNION ALL SELECT company_id, id, 'payment_attempts', status, version, created_at, updated_at FROM payment_attempts
  UNION ALL SELECT company_id, id, 'card_payments', state, version, created_at, updated_at FROM card_payments
  UNION ALL SELECT company_id, id, 'statements', state, version, created_at, updated_at FROM statements
  UNION ALL SELECT company_id, id, 'statement_items', state, version, created_at, updated_at FROM statement_items;

CREATE OR REPLACE VIEW entry_types WITH (security_invoker = true) AS
  SELECT upper(r.rail) || e.suffix AS type, e.at_once, e.debit, e.credit, r.rail, e.machine, e.part
    FROM rails r
   CROSS JOIN (VALUES ('_IN', true, 'NET', 'CUST', 'orders', 'in'), ('_FEE', true, 'NET', 'FEE', 'orders', 'fee'),
                      ('_UNFIT', true, 'NET', 'SUSP', 'pix_payments', 'unfit'),
                      ('_RETURN', false, 'SUSP', 'NET', 'refunds', 'return'),
                      ('_REFUND', false, 'CUST', 'NET', 'refunds', 'refund'),
                      ('_SETTLEMENT', true, 'CUST', 'NET', 'settlements', 'settlement')) e(suffix, at_once, debit, credit, machine, part)
   WHERE r.rail <> 'ted' AND NOT (r.rail = 'pix' AND e.part = 'fee') AND NOT (r.currency = 'BRL' AND e.part = 'settlement')
  UNION ALL
  SELECT * FROM (VALUES
    ('FEE', true, 'NET', 'FEE', 'pix', 'orders', 'fee'),
    ('PART_IN', true, 'SUSP', 'CUST', NULL, 'orders', 'in'), ('PART_FEE', true, 'SUSP', 'FEE', NULL, 'orders', 'fee'),
    ('BOOK_IN', true, 'TRANSIT', 'CUST', NULL, 'orders', 'in'), ('BOOK_FEE', true, 'TRANSIT', 'FEE', NULL, 'orders', 'fee'),
    ('BOOK_REFUND', false, 'CUST', 'TRANSIT', NULL, 'refunds', 'refund'),
    ('PIX_OUT', false, 'CUST', 'NET', 'pix', 'payouts', NULL), ('TED_OUT', false, 'CUST', 'NET', 'ted', 'payouts', NULL),
    ('BOOK_OUT', false, 'CUST', 'TRANSIT', NULL, 'payouts', NULL),
    ('PAYOUT_FEE', false, 'CUST', 'FEE', NULL, 'payouts', NULL),
    ('PIX_RETURNED', true, 'NET', 'CUST', 'pix', 'payouts', NULL),
    ('TED_RETURNED', true, 'NET', 'CUST', 'ted', 'payouts', NULL),
    ('BOOK_RETURNED', true, 'TRANSIT', 'CUST', NULL, 'payouts', NULL),
    ('PIX_RETURN_UNFIT', true, 'NET', 'SUSP', 'pix', 'payouts', NULL),
    ('TED_RETURN_UNFIT', true, 'NET', 'SUSP', 'ted', 'payouts', NULL),
    ('BOOK_RETURN_UNFIT', true, 'TRANSIT', 'SUSP', NULL, 'payouts', NULL),
    ('TED_PROVED', true, 'CUST', 'NET', 'ted', 'payouts', NULL), ('TED_LACK', true, 'LOSS', 'NET', 'ted', 'payouts', NULL),
    ('CARD_CHARGEBACK', true, 'CUST', 'NET', 'card', 'orders', NULL), ('CARD_LACK', true, 'LOSS', 'NET', 'card', 'orders', NULL),
    ('LOSS_RECOVERED', true, 'CUST', 'LOSS', NULL, 'accounts', NULL))
    AS t(type, at_once, debit, credit, rail, machine, part);

CREATE OR REPLACE VIEW law_clearing_equals_payments WITH (security_invoker = true) AS
  SELECT l.company_id, l.id AS ledger_account_id, s.booked_minor, s.settled_minor FROM ledger_accounts l
   CROSS JOIN LATERAL (
     SELECT (SELECT coalesce(-sum(change_minor), 0) FROM ledger_sides x
              WHERE x.company_id = l.company_id AND x.ledger_account_id = l.id) AS booked_minor,
            (SELECT coalesce(sum(amount_minor), 0) FROM pix_payments p WHERE p.company_id = l.company_id
                AND p.rail = l.rail AND p.state IN ('SETTLED', 'HELD', 'RETURNING', 'STRANDED'))
          - (SELECT coalesce(sum(r.amount_minor), 0) FROM refunds r
               JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
              WHERE r.company_id = l.company_id AND p.rail = l.rail AND p.state = 'SETTLED' AND r.state = 'PAID')
          - (SELECT coalesce(sum(amount_minor), 0) FROM payouts o WHERE o.company_id = l.company_id AND o.rail = l.rail
                AND o.children = 0 AND o.status IN ('PAID', 'PARTIAL_REFUNDED', 'REFUNDED'))
          + (SELECT coalesce(sum(r.amount_minor), 0) FROM payout_returns r
               JOIN payouts o ON o.company_id = r.company_id AND o.id = r.payout_id
              WHERE r.company_id = l.company_id AND o.rail = l.rail)
          - (SELECT coalesce(sum(amount_minor), 0) FROM settlements x
              WHERE x.company_id = l.company_id AND x.rail = l.rail)
          - (SELECT coalesce(sum(b.amount_minor), 0) FROM chargebacks b
              WHERE b.company_id = l.company_id AND l.rail = 'card') AS settled_minor) s
   WHERE l.code = 'NET' AND s.booked_minor <> s.settled_minor;
COMMENT ON VIEW law_clearing_equals_payments IS
  'What a NET account says came in is what settled there: payments kept, less refunds, payouts, settlements, chargebacks, plus what came back.';

CREATE OR REPLACE VIEW law_refunds_add_up WITH (security_invoker = true) AS
  SELECT o.company_id, o.id, o.status, o.paid_minor, o.refunded_minor, coalesce(g.given_minor, 0) AS given_minor
    FROM orders o
    LEFT JOIN (SELECT b.company_id, b.order_id, sum(b.amount_minor) AS given_minor FROM (
                 SELECT p.company_id, p.order_id, r.amount_minor FROM refunds r
                   JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
                  WHERE r.state = 'PAID' AND p.state = 'SETTLED' AND (r.origin = 'CLIENT' OR p.excess_minor = 0)
                  UNION ALL SELECT company_id, order_id, amount_minor FROM chargebacks) b GROUP BY b.company_id, b.order_id) g
      ON g.company_id = o.company_id AND g.order_id = o.id
   WHERE o.refunded_minor <> coalesce(g.given_minor, 0)
      OR CASE WHEN o.refunded_minor = 0 THEN o.status IN ('REFUNDED', 'PARTIAL_REFUNDED')
              WHEN o.refunded_minor >= coalesce(o.amount_minor, o.paid_minor) THEN o.status <> 'REFUNDED'
              ELSE o.status <> 'PARTIAL_REFUNDED' END;
COMMENT ON VIEW law_refunds_add_up IS
  'What an order has given back is the sum of its paid refunds and chargebacks, and its status says how much that is.';

CREATE OR REPLACE VIEW law_what_waits_has_its_time WITH (security_invoker = true) AS
  SELECT company_id, id, 'orders' AS machine, status AS state, expires_at AS time FROM orders
   WHERE status = 'INITIAL' AND (expires_at IS NULL) <> (scheduled_payment_id IS NOT NULL)
  UNION ALL
  SELECT company_id, id, 'orders', status, ends_at FROM orders
   WHERE (ends_at IS NOT NULL) <> (payment_method <> 'PIX' AND (status IN ('INITIAL', 'AUTHENTICATING')
           OR (status = 'PENDING' AND EXISTS (SELECT 1 FROM pix_payments p WHERE p.company_id = orders.company_id
                                                 AND p.order_id = orders.id AND p.state = 'HELD'))))
  UNION ALL
  SELECT company_id, id, 'pix_payments', state, ask_at FROM pix_payments
   WHERE (state = 'ACCEPTED' AND rail = 'pix') <> (ask_at IS NOT NULL)
  UNION ALL
  SELECT company_id, id, 'card_payments', state, ask_at FROM card_payments WHERE (state = 'AUTHENTICATED') <> (ask_at IS NOT NULL)
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
  SELECT company_id, 'card_payments', id, ask_at FROM card_payments WHERE state = 'AUTHENTICATED' AND ask_at < (SELECT at FROM late)
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
   WHERE o.status = 'INITIAL' AND o.payment_method = 'PIX' AND o.expires_at < (SELECT at FROM late) - interval '1 minute'
     AND NOT EXISTS (SELECT 1 FROM pix_payments p WHERE p.company_id = o.company_id AND p.order_id = o.id
                        AND p.state = 'ACCEPTED')
     AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.company_id = o.company_id AND i.txid = o.txid AND i.due_at IS NOT NULL)
  UNION ALL
  SELECT o.company_id, 'orders', o.id, o.ends_at FROM orders o WHERE o.ends_at < (SELECT at FROM late)
     AND NOT EXISTS (SELECT 1 FROM pix_payments p WHERE p.company_id = o.company_id AND p.order_id = o.id
                        AND p.state = 'ACCEPTED')
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
    LEFT JOIN (SELECT company_id, id, order_id, external_id, amount_minor, state FROM refunds
               UNION ALL SELECT company_id, id, order_id, NULL, amount_minor, 'PAID' FROM chargebacks) r
                        ON r.company_id = o.company_id AND r.order_id = o.id AND r.id::text = says.body ->> 'refundId'
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

CREATE OR REPLACE VIEW law_an_order_has_its_instrument WITH (security_invoker = true) AS
  SELECT o.company_id, o.id, o.payment_method, i.rail, i.reference, sent.reference AS registered FROM orders o
    FULL JOIN instruments i ON i.company_id = o.company_id AND i.order_id = o.id
    LEFT JOIN LATERAL (
      SELECT m.network_id AS reference, as_json(m.body) AS body FROM outbox m
       WHERE m.company_id = i.company_id AND m.reference_id = i.order_id AND m.rail = i.rail AND m.kind = 'collection.send') sent ON true
   WHERE (o.payment_method = 'PIX' AND i.order_id IS NOT NULL)
      OR (coalesce(o.payment_method, '') <> 'PIX'
          AND (CASE WHEN o.payment_method LIKE '%\_PAY' THEN 'crypto' WHEN o.payment_method = 'CREDIT_CARD' THEN 'card'
                ELSE lower(o.payment_method) END, i.reference, o.final_amount_minor::text, i.code) IS DISTINCT FROM
              (CASE i.rail WHEN 'crypto2' THEN 'crypto' ELSE i.rail END, sent.reference, sent.body #>> '{amount,minor}',
               sent.body ->> 'code'));
COMMENT ON VIEW law_an_order_has_its_instrument IS
  'An order of a method that a partner collects has its one instrument, made payable there once, for the final amount.';

CREATE VIEW law_a_card_is_charged_as_decided WITH (security_invoker = true) AS
  SELECT coalesce(o.company_id, k.company_id) AS company_id, coalesce(o.id, k.order_id) AS order_id, o.status, k.state,
         k.trans_status, s.orders AS charges_ordered
    FROM (SELECT * FROM orders WHERE payment_method = 'CREDIT_CARD') o
    FULL JOIN card_payments k ON k.company_id = o.company_id AND k.order_id = o.id
   CROSS JOIN LATERAL (SELECT count(*) AS orders FROM outbox m WHERE m.company_id = k.company_id AND m.reference_id = k.order_id
                          AND m.rail = 'card' AND m.kind = 'card.authorize') s
   WHERE (o.id IS NULL) OR (k.id IS NULL)
      OR s.orders <> CASE WHEN k.state IN ('AUTHENTICATED', 'CAPTURED', 'DECLINED')
                          THEN 1 ELSE 0 END
      OR (s.orders > 0 AND k.trans_status NOT IN ('Y', 'A', 'U', 'I', 'S'))
      OR (k.state = 'CAPTURED') <> (o.status IN ('PAID', 'REFUNDED', 'PARTIAL_REFUNDED'))
      OR (k.state IN ('DECLINED', 'FAILED', 'TIMEOUT')) <> (o.status = 'ERROR')
      OR (k.state = 'CHALLENGE_REQUIRED' AND o.status <> 'AUTHENTICATING');
COMMENT ON VIEW law_a_card_is_charged_as_decided IS
  'An order by card has its one payment, which stands where the order does and is charged once, never after N or R.';

CREATE VIEW law_a_chargeback_is_booked_once WITH (security_invoker = true) AS
  SELECT coalesce(b.company_id, t.company_id) AS company_id, coalesce(b.order_id, t.reference_id) AS order_id, b.taken_minor,
         t.booked_minor
    FROM (SELECT company_id, order_id, sum(amount_minor) AS taken_minor FROM chargebacks GROUP BY company_id, order_id) b
    FULL JOIN (SELECT company_id, reference_id, sum(amount_minor) AS booked_minor FROM transfers
                WHERE type IN ('CARD_CHARGEBACK', 'CARD_LACK') GROUP BY company_id, reference_id) t
      ON t.company_id = b.company_id AND t.reference_id = b.order_id
   WHERE b.taken_minor IS DISTINCT FROM t.booked_minor;
COMMENT ON VIEW law_a_chargeback_is_booked_once IS
  'What issuers took back of an order left its account, or is owed, to the cent.';

GRANT SELECT ON law_a_card_is_charged_as_decided, law_a_chargeback_is_booked_once TO lastro_app, lastro_audit;
GRANT INSERT ON law_a_card_is_charged_as_decided, law_a_chargeback_is_booked_once TO lastro_app; -- as a whole schema is granted: nothing can be inserted into them

-- Claims of Pix keys: by other banks, of keys here, and ours of keys that are elsewhere.

CREATE TABLE key_claims (                             -- a claim of a Pix key: that it come to an account here, or leave one
  company_id uuid NOT NULL,
  id uuid NOT NULL,                                   -- the directory's own
  account_id uuid NOT NULL,                           -- which wants the key, or has it
  role text NOT NULL CHECK (role IN ('CLAIMER', 'DONOR')),
  claim_type text NOT NULL CHECK (claim_type IN ('PORTABILITY', 'CLAIM_OWNERSHIP')),
  key_type text NOT NULL CHECK (key_type IN ('CPF', 'CNPJ', 'EMAIL', 'PHONE')),
  key text NOT NULL CHECK (length(key) <= 77),
  key_id uuid,                                        -- the key it is about (DONOR), or that it made (CLAIMER)
  status text NOT NULL CHECK (status IN ('OPEN', 'WAITING_RESOLUTION', 'CONFIRMED', 'CANCELLED', 'COMPLETED')),
  other_bank text NOT NULL CHECK (length(other_bank) = 8), -- ISPB
  reason text,                                        -- why it was confirmed or canceled, the directory's word
  resolution_at timestamptz NOT NULL,                 -- until when the donor may answer
  completion_at timestamptz,                          -- until when the claimer may prove possession again
  due_at timestamptz,                                 -- when its default is told to the directory, where that is for us to tell
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, account_id) REFERENCES accounts,
  FOREIGN KEY (company_id, key_id) REFERENCES pix_keys,
  CONSTRAINT key_claims_key CHECK ((key_id IS NOT NULL) = (role = 'DONOR' OR status = 'COMPLETED')),
  CONSTRAINT key_claims_phone CHECK (claim_type = 'PORTABILITY' OR key_type = 'PHONE')
);
CREATE UNIQUE INDEX key_claims_one_open ON key_claims (company_id, key) WHERE status IN ('OPEN', 'WAITING_RESOLUTION', 'CONFIRMED');
CREATE UNIQUE INDEX key_claims_created_at_key ON key_claims (company_id, created_at);
CREATE INDEX key_claims_of_account ON key_claims (company_id, account_id, created_at);
CREATE INDEX key_claims_of_status ON key_claims (company_id, account_id, status, created_at);
CREATE INDEX key_claims_of_key ON key_claims (company_id, key_id) WHERE key_id IS NOT NULL;
CREATE INDEX key_claims_due ON key_claims (due_at, company_id) WHERE due_at IS NOT NULL;
ALTER TABLE key_claims ENABLE ROW LEVEL SECURITY;
ALTER TABLE key_claims FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON key_claims TO lastro_app USING (company_id = tenant()) WITH CHECK (company_id = tenant());
CREATE POLICY audit ON key_claims FOR SELECT TO lastro_audit USING (true);
CREATE POLICY work ON key_claims FOR SELECT TO lastro_work USING (true);
GRANT SELECT, INSERT, UPDATE ON key_claims TO lastro_app;
GRANT SELECT ON key_claims TO lastro_audit;
GRANT SELECT (company_id, id, account_id, due_at, status) ON key_claims TO lastro_work;
GRANT SELECT (account_id) ON account_close_requests TO lastro_work;

ALTER TABLE pix_keys ADD COLUMN claim_id uuid;
ALTER TABLE pix_keys ADD CONSTRAINT pix_keys_claimed CHECK (claim_id IS NULL OR status = 'ACTIVE');

ALTER TABLE pix_key_validations ADD COLUMN purpose text NOT NULL DEFAULT 'KEY' CHECK (purpose IN ('KEY', 'CLAIM', 'ANSWER'));
ALTER TABLE pix_key_validations ADD COLUMN claim_type text CHECK (claim_type IN ('PORTABILITY', 'CLAIM_OWNERSHIP'));
ALTER TABLE pix_key_validations ADD COLUMN claim_id uuid;
ALTER TABLE pix_key_validations DROP CONSTRAINT pix_key_validations_check;
ALTER TABLE pix_key_validations ADD CONSTRAINT pix_key_validations_made CHECK ((key_id IS NOT NULL) = (status = 'CONFIRMED' AND purpose = 'KEY'));
ALTER TABLE pix_key_validations ADD CONSTRAINT pix_key_validations_of_claim CHECK (
    CASE purpose WHEN 'KEY' THEN claim_id IS NULL WHEN 'CLAIM' THEN (claim_id IS NOT NULL) = (status = 'CONFIRMED') ELSE claim_id IS NOT NULL END);
ALTER TABLE pix_key_validations ADD CONSTRAINT pix_key_validations_claims CHECK ((purpose = 'CLAIM') = (claim_type IS NOT NULL));
CREATE INDEX pix_key_validations_proved ON pix_key_validations (company_id, account_id, key, updated_at) WHERE status = 'CONFLICT';
CREATE INDEX pix_key_validations_of_claim ON pix_key_validations (company_id, claim_id) WHERE claim_id IS NOT NULL;

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
  UNION ALL SELECT company_id, id, 'account_requests', status, version, created_at, updated_at FROM account_requests
  UNION ALL SELECT company_id, id, 'pix_keys', status, version, created_at, updated_at FROM pix_keys
  UNION ALL SELECT company_id, id, 'pix_key_validations', status, version, created_at, updated_at FROM pix_key_validations
  UNION ALL SELECT company_id, id, 'key_claims', status, version, created_at, updated_at FROM key_claims
  UNION ALL SELECT company_id, id, 'accounts', status, version, created_at, updated_at FROM accounts
  UNION ALL SELECT company_id, id, 'account_close_requests', status, version, created_at, updated_at FROM account_close_requests
  UNION ALL SELECT company_id, id, 'med_objects', status, version, created_at, updated_at FROM med_objects
  UNION ALL SELECT company_id, id, 'statements', state, version, created_at, updated_at FROM statements
  UNION ALL SELECT company_id, id, 'statement_items', state, version, created_at, updated_at FROM statement_items;

CREATE OR REPLACE VIEW law_numbers_lead_to_their_owner WITH (security_invoker = true) AS
  SELECT coalesce(c.company_id, n.company_id) AS company_id, n.number::text, 'company_numbers' AS place,
         n.company_id AS leads_to
    FROM company_numbers n FULL JOIN companies c ON c.number = n.number WHERE c.company_id IS DISTINCT FROM n.company_id
  UNION ALL
  SELECT coalesce(a.company_id, n.company_id), n.number, 'account_numbers', n.account_id
    FROM account_numbers n FULL JOIN accounts a ON a.number = n.number
   WHERE (a.company_id, a.id) IS DISTINCT FROM (n.company_id, n.account_id)
  UNION ALL
  SELECT coalesce(k.company_id, o.company_id), coalesce(k.key, o.key), 'own_keys', o.account_id
    FROM own_keys o FULL JOIN (SELECT * FROM pix_keys WHERE status = 'ACTIVE') k ON k.key = o.key
   WHERE (k.company_id, k.account_id) IS DISTINCT FROM (o.company_id, o.account_id);
COMMENT ON VIEW law_numbers_lead_to_their_owner IS
  'A company''s number, an account''s number and an active key lead to their owner, and none leads nowhere.';

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
  SELECT company_id, id, 'account_requests', status, coalesce(expires_at, ask_at, key_due_at) FROM account_requests
   WHERE (expires_at IS NOT NULL) <> (status = 'PENDING_DOCUMENTS' OR (status = 'REPROVED' AND cardinality(reproved_fields) > 0))
      OR (ask_at IS NOT NULL) <> (status = 'ANALYSIS' AND analysis_reference IS NOT NULL)
      OR (key_due_at IS NOT NULL AND status <> 'APPROVED')
  UNION ALL
  SELECT company_id, id, 'med_objects', status, due_at FROM med_objects
   WHERE (due_at IS NOT NULL) <> (role = 'RECEIVER' AND (status = 'RECEIVED' OR (status = 'OPEN' AND refund_id IS NULL)
           OR (object_type = 'INFRINGEMENT_NOTIFICATION' AND status = 'ANALYSED' AND blocked_minor > 0)))
  UNION ALL -- our default of a claim, until the directory is told by us how it ends
  SELECT c.company_id, c.id, 'key_claims', c.status, c.due_at FROM key_claims c
   WHERE (c.due_at IS NOT NULL) <> ((c.role, c.status) = ('DONOR', 'WAITING_RESOLUTION')
           OR (c.role, c.status, c.claim_type) = ('CLAIMER', 'CONFIRMED', 'CLAIM_OWNERSHIP'))
     AND (c.due_at IS NOT NULL OR NOT EXISTS (SELECT 1 FROM outbox m WHERE m.company_id = c.company_id AND m.reference_id = c.id
                                                 AND m.kind IN ('claim.confirm', 'claim.cancel') OFFSET 0))
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
  SELECT company_id, 'account_requests', id, coalesce(ask_at, key_due_at, expires_at) FROM account_requests
   WHERE coalesce(ask_at, key_due_at) < (SELECT at FROM late)
      OR (status = 'PENDING_DOCUMENTS' AND expires_at < (SELECT at FROM late))
  UNION ALL
  SELECT r.company_id, 'account_close_requests', r.id, r.updated_at FROM account_close_requests r
   WHERE r.status = 'REQUESTED' AND r.updated_at < (SELECT at FROM late)
     AND NOT EXISTS (SELECT 1 FROM key_claims c WHERE c.company_id = r.company_id AND c.account_id = r.account_id
                        AND c.status IN ('OPEN', 'WAITING_RESOLUTION', 'CONFIRMED'))
  UNION ALL
  SELECT company_id, 'med_objects', id, due_at FROM med_objects WHERE due_at < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'key_claims', id, due_at FROM key_claims WHERE due_at < (SELECT at FROM late)
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
  SELECT company_id, 'pix_key_validations', id, expires_at FROM pix_key_validations
   WHERE status = 'PENDING' AND expires_at < (SELECT at FROM late)
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
    SELECT company_id, reference_id, 'ORDER-PAYIN.REFUNDED', count(*) FROM history
     WHERE machine = 'orders' AND trigger IN ('refund part', 'refund rest') GROUP BY company_id, reference_id
    UNION ALL
    SELECT company_id, order_id, 'ORDER-PAYIN.REFUND_ERROR', count(*) FROM refunds
     WHERE origin = 'CLIENT' AND state = 'ERROR' GROUP BY company_id, order_id
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
       AND h.trigger NOT IN ('return too much', 'charge', 'drop charge')
     GROUP BY h.company_id, h.reference_id, h.to_state)
  SELECT n.company_id, n.reference_id, n.type, n.facts, count(e.id) AS events FROM ends n
    LEFT JOIN events e ON e.company_id = n.company_id AND e.reference_id = n.reference_id AND e.type = n.type
   GROUP BY n.company_id, n.reference_id, n.type, n.facts HAVING count(e.id) <> n.facts;
COMMENT ON VIEW law_each_fact_is_told_once IS
  'Each end of an order or payout, turn of a subscription, its payments, a plan and an account request, return and refund has one event.';

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
COMMENT ON VIEW law_an_event_tells_what_happened IS
  'An event of an order, its refund, a subscription or a payment of one tells a move that was made, and its body names it and its amount.';

CREATE OR REPLACE VIEW law_an_answer_has_its_object WITH (security_invoker = true) AS
  SELECT a.company_id, a.operation, a.object_id, a.created_at FROM answers a
   WHERE CASE a.operation
         WHEN 'create_order' THEN NOT EXISTS (
           SELECT 1 FROM orders o WHERE o.company_id = a.company_id AND o.id = a.object_id)
         WHEN 'cancel_order' THEN NOT EXISTS (
           SELECT 1 FROM orders o WHERE o.company_id = a.company_id AND o.id = a.object_id AND o.status = 'CANCELED')
         WHEN 'create_order_payin' THEN NOT EXISTS (
           SELECT 1 FROM orders o WHERE o.company_id = a.company_id AND o.id = a.object_id)
         WHEN 'create_static_qrcode' THEN NOT EXISTS (
           SELECT 1 FROM pix_static_qrcodes q WHERE q.company_id = a.company_id AND q.id = a.object_id)
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
         WHEN 'open_account' THEN NOT EXISTS (
           SELECT 1 FROM account_requests r WHERE r.company_id = a.company_id AND r.id = a.object_id)
         WHEN 'upload_account_document' THEN NOT EXISTS (
           SELECT 1 FROM account_documents d WHERE d.company_id = a.company_id AND d.id = a.object_id)
         WHEN 'request_account_close' THEN NOT EXISTS (
           SELECT 1 FROM account_close_requests r WHERE r.company_id = a.company_id AND r.id = a.object_id)
         WHEN 'create_key' THEN NOT EXISTS (
           SELECT 1 FROM pix_keys k WHERE k.company_id = a.company_id AND k.id = a.object_id
           UNION ALL SELECT 1 FROM pix_key_validations v WHERE v.company_id = a.company_id AND v.id = a.object_id)
         WHEN 'confirm_key' THEN NOT EXISTS (
           SELECT 1 FROM pix_key_validations v WHERE v.company_id = a.company_id AND v.key_id = a.object_id)
         WHEN 'resend_key_code' THEN NOT EXISTS (
           SELECT 1 FROM pix_key_validations v WHERE v.company_id = a.company_id AND v.id = a.object_id AND v.number > 1)
         WHEN 'create_key_claim' THEN NOT EXISTS (
           SELECT 1 FROM key_claims c WHERE c.company_id = a.company_id AND c.id = a.object_id
           UNION ALL SELECT 1 FROM pix_key_validations v WHERE v.company_id = a.company_id AND v.id = a.object_id AND v.purpose = 'CLAIM')
         WHEN 'confirm_key_claim' THEN NOT EXISTS (
           SELECT 1 FROM pix_key_validations v
            WHERE v.company_id = a.company_id AND v.claim_id = a.object_id AND v.purpose = 'CLAIM' AND v.status = 'CONFIRMED')
         WHEN 'resend_key_claim_code' THEN NOT EXISTS (
           SELECT 1 FROM pix_key_validations v
            WHERE v.company_id = a.company_id AND v.id = a.object_id AND v.purpose = 'CLAIM' AND v.number > 1)
         WHEN 'cancel_key_claim' THEN NOT EXISTS (
           SELECT 1 FROM key_claims c WHERE c.company_id = a.company_id AND c.id = a.object_id AND c.status = 'CANCELLED')
         WHEN 'request_key_claim_code' THEN NOT EXISTS (
           SELECT 1 FROM pix_key_validations v WHERE v.company_id = a.company_id AND v.id = a.object_id AND v.purpose = 'ANSWER')
         WHEN 'resend_key_claim_answer_code' THEN NOT EXISTS (
           SELECT 1 FROM pix_key_validations v
            WHERE v.company_id = a.company_id AND v.id = a.object_id AND v.purpose = 'ANSWER' AND v.number > 1)
         WHEN 'answer_key_claim' THEN NOT EXISTS (
           SELECT 1 FROM pix_key_validations v
            WHERE v.company_id = a.company_id AND v.claim_id = a.object_id AND v.purpose = 'ANSWER' AND v.status = 'CONFIRMED')
         WHEN 'contest_med' THEN NOT EXISTS (
           SELECT 1 FROM med_objects m WHERE m.company_id = a.company_id AND m.id = a.object_id)
         WHEN 'cancel_med' THEN NOT EXISTS (
           SELECT 1 FROM med_objects m WHERE m.company_id = a.company_id AND m.id = a.object_id AND m.status = 'CANCELLED')
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

CREATE OR REPLACE VIEW law_a_closed_account_has_nothing_at_rest WITH (security_invoker = true) AS
  WITH closed AS (SELECT company_id, id FROM accounts WHERE status = 'CLOSED')
  SELECT c.company_id, c.id AS account_id, o.kind, o.currency, o.minor, o.items FROM closed c
   CROSS JOIN LATERAL account_obstacles(c.company_id, c.id) o
   WHERE o.kind NOT IN ('OWED', 'DISPUTES') -- a chargeback, a TED that has left after all, a dispute may come later
  UNION ALL
  SELECT c.company_id, c.id, 'ORDER ' || o.id, NULL, NULL, NULL FROM closed c
    JOIN orders o ON o.company_id = c.company_id AND o.account_id = c.id AND o.status = 'INITIAL'
  UNION ALL
  SELECT c.company_id, c.id, 'SUBSCRIPTION ' || s.id, NULL, NULL, NULL FROM closed c
    JOIN subscriptions s ON s.company_id = c.company_id AND s.account_id = c.id
     AND s.status IN ('INITIAL', 'PENDING_AUTHORIZATION', 'ACCEPTED')
  UNION ALL
  SELECT c.company_id, c.id, 'KEY ' || k.id, NULL, NULL, NULL FROM closed c
    JOIN pix_keys k ON k.company_id = c.company_id AND k.account_id = c.id AND k.status = 'ACTIVE' AND k.claim_id IS NULL;
COMMENT ON VIEW law_a_closed_account_has_nothing_at_rest IS
  'A CLOSED account has no money, nothing unfinished, no open order or subscription and no key, when nothing is on its way.';

CREATE OR REPLACE VIEW law_a_proof_makes_its_key WITH (security_invoker = true) AS
  SELECT v.company_id, v.id AS validation_id, k.id AS key_id, v.status, k.type FROM pix_key_validations v
    FULL JOIN (SELECT company_id, id, account_id, type, key FROM pix_keys WHERE type IN ('EMAIL', 'PHONE')) k ON k.company_id = v.company_id AND k.id = v.key_id
   WHERE v.status = 'CONFIRMED' AND v.purpose = 'KEY' AND (k.account_id, k.type, k.key) IS DISTINCT FROM (v.account_id, v.type, v.key)
      OR v.id IS NULL AND NOT EXISTS (
         SELECT 1 FROM key_claims c WHERE c.company_id = k.company_id AND c.key_id = k.id AND c.role = 'CLAIMER');
COMMENT ON VIEW law_a_proof_makes_its_key IS
  'A key that is an e-mail address or a phone was made by one validation, of the same account, or won by a claim.';

CREATE VIEW law_a_claim_moves_its_key WITH (security_invoker = true) AS
  SELECT c.company_id, c.id AS claim_id, k.id AS key_id, c.role, c.status, k.status AS key_status, k.claim_id AS flag FROM key_claims c
    LEFT JOIN pix_keys k ON k.company_id = c.company_id AND k.id = c.key_id
   WHERE c.key_id IS NOT NULL AND (k.account_id, k.type, k.key) IS DISTINCT FROM (c.account_id, c.key_type, c.key)
      OR c.role = 'DONOR' AND CASE c.status WHEN 'COMPLETED' THEN k.status = 'ACTIVE' WHEN 'CANCELLED' THEN k.claim_id = c.id
                              ELSE k.claim_id IS DISTINCT FROM c.id END
  UNION ALL
  SELECT k.company_id, k.claim_id, k.id, c.role, c.status, k.status, k.claim_id FROM pix_keys k
    LEFT JOIN key_claims c ON c.company_id = k.company_id AND c.id = k.claim_id AND c.key_id = k.id
   WHERE k.claim_id IS NOT NULL AND c.id IS NULL;
COMMENT ON VIEW law_a_claim_moves_its_key IS
  'An open claim by another bank stands on its key, a completed one has taken it; one completed for us has made ours.';

CREATE VIEW law_the_directory_hears_of_claims WITH (security_invoker = true) AS
  SELECT c.company_id, c.id, c.role, c.status, m.acknowledged, m.completed, m.canceled FROM key_claims c
   CROSS JOIN LATERAL (
     SELECT count(*) FILTER (WHERE o.kind = 'claim.acknowledge') AS acknowledged, count(*) FILTER (WHERE o.kind = 'claim.complete') AS completed,
            count(*) FILTER (WHERE o.kind = 'claim.cancel') AS canceled
       FROM outbox o WHERE o.company_id = c.company_id AND o.reference_id = c.id AND o.rail = 'claims') m
   CROSS JOIN LATERAL (
     SELECT count(*) AS confirmed FROM history h WHERE h.company_id = c.company_id AND h.reference_id = c.id AND h.to_state = 'CONFIRMED') h
   WHERE (m.acknowledged, m.completed) IS DISTINCT FROM
         (CASE c.role WHEN 'DONOR' THEN 1 ELSE 0 END::bigint,
          CASE WHEN (c.role, c.claim_type) <> ('CLAIMER', 'PORTABILITY') THEN 0 WHEN m.canceled > 0 THEN m.completed
          ELSE least(h.confirmed, 1) END);
COMMENT ON VIEW law_the_directory_hears_of_claims IS
  'Each claim of a key here is acknowledged once, and each portability that was confirmed to us is completed once.';

GRANT SELECT ON law_a_claim_moves_its_key TO lastro_app, lastro_audit;
GRANT INSERT ON law_a_claim_moves_its_key TO lastro_app; -- as a whole schema is granted: nothing can be inserted into it
GRANT SELECT ON law_the_directory_hears_of_claims TO lastro_app, lastro_audit;
GRANT INSERT ON law_the_directory_hears_of_claims TO lastro_app; -- as a whole schema is granted: nothing can be inserted into it

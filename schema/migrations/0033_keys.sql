-- Keys that clients make, prove and delete, and the codes that prove them.

ALTER TABLE pix_keys ADD COLUMN updated_at timestamptz;
CREATE TABLE pix_key_validations (                    -- the proof that an e-mail address or a phone is its holder's: a code sent there, never kept
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  type text NOT NULL CHECK (type IN ('EMAIL', 'PHONE')),
  key text NOT NULL CHECK (length(key) <= 77),
  status text NOT NULL CHECK (status IN ('PENDING', 'CONFIRMED', 'CONFLICT', 'EXPIRED')),
  request_id uuid NOT NULL,                           -- what the directory is asked under, however often
  number smallint NOT NULL DEFAULT 1 CHECK (number BETWEEN 1 AND 5), -- of the code that holds
  tries smallint NOT NULL DEFAULT 0 CHECK (tries BETWEEN 0 AND 5), -- wrong codes so far, of all numbers
  sealed_by text NOT NULL,                            -- which key of the key file the code is derived from
  sent_at timestamptz NOT NULL,                       -- when the code that holds was asked for
  expires_at timestamptz NOT NULL,
  key_id uuid,                                        -- the key that it made
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, account_id) REFERENCES accounts,
  CHECK ((status = 'CONFIRMED') = (key_id IS NOT NULL))
);
CREATE INDEX pix_key_validations_of_key ON pix_key_validations (company_id, key_id) WHERE key_id IS NOT NULL;
CREATE INDEX pix_key_validations_due ON pix_key_validations (expires_at, company_id) WHERE status = 'PENDING';

ALTER TABLE pix_key_validations ENABLE ROW LEVEL SECURITY;
ALTER TABLE pix_key_validations FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON pix_key_validations TO lastro_app USING (company_id = tenant()) WITH CHECK (company_id = tenant());
CREATE POLICY audit ON pix_key_validations FOR SELECT TO lastro_audit USING (true);
CREATE POLICY work ON pix_key_validations FOR SELECT TO lastro_work USING (true);
GRANT SELECT, INSERT, UPDATE ON pix_key_validations TO lastro_app;
GRANT SELECT ON pix_key_validations TO lastro_audit;
GRANT SELECT (company_id, id, expires_at, status) ON pix_key_validations TO lastro_work;

-- The owner itself is bound by row-level security, and would find no row.
ALTER TABLE pix_keys NO FORCE ROW LEVEL SECURITY;
ALTER TABLE history NO FORCE ROW LEVEL SECURITY;

-- Keys get their history: until now each was made, and none was moved.
UPDATE pix_keys SET updated_at = created_at;
INSERT INTO history (company_id, reference_id, version, machine, from_state, to_state, trigger, created_at)
SELECT company_id, id, version, 'pix_keys', '', status, 'create', created_at FROM pix_keys;

ALTER TABLE pix_keys FORCE ROW LEVEL SECURITY;
ALTER TABLE history FORCE ROW LEVEL SECURITY;
ALTER TABLE pix_keys ALTER COLUMN updated_at SET NOT NULL;
CREATE UNIQUE INDEX pix_keys_created_at_key ON pix_keys (company_id, created_at);

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
  UNION ALL SELECT company_id, id, 'statements', state, version, created_at, updated_at FROM statements
  UNION ALL SELECT company_id, id, 'statement_items', state, version, created_at, updated_at FROM statement_items;

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
         WHEN 'create_key' THEN NOT EXISTS (
           SELECT 1 FROM pix_keys k WHERE k.company_id = a.company_id AND k.id = a.object_id
           UNION ALL SELECT 1 FROM pix_key_validations v WHERE v.company_id = a.company_id AND v.id = a.object_id)
         WHEN 'confirm_key' THEN NOT EXISTS (
           SELECT 1 FROM pix_key_validations v WHERE v.company_id = a.company_id AND v.key_id = a.object_id)
         WHEN 'resend_key_code' THEN NOT EXISTS (
           SELECT 1 FROM pix_key_validations v WHERE v.company_id = a.company_id AND v.id = a.object_id AND v.number > 1)
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

CREATE VIEW law_a_code_is_sent_and_counted WITH (security_invoker = true) AS
  SELECT v.company_id, v.id, v.number, m.sent, v.tries, h.mistakes FROM pix_key_validations v
   CROSS JOIN LATERAL (
     SELECT count(*) AS sent FROM outbox m WHERE m.company_id = v.company_id AND m.reference_id = v.id AND m.kind = 'code.send') m
   CROSS JOIN LATERAL (
     SELECT count(*) AS mistakes FROM history h WHERE h.company_id = v.company_id AND h.reference_id = v.id
        AND h.trigger IN ('mistake', 'mistake last')) h
   WHERE (m.sent, h.mistakes) IS DISTINCT FROM (v.number::bigint, v.tries::bigint) OR (v.tries = 5 AND v.status <> 'EXPIRED');
COMMENT ON VIEW law_a_code_is_sent_and_counted IS
  'Each code of a validation is ordered once, each wrong one that came back is counted, and the fifth has ended it.';

CREATE VIEW law_a_proof_makes_its_key WITH (security_invoker = true) AS
  SELECT v.company_id, v.id AS validation_id, k.id AS key_id, v.status, k.type FROM pix_key_validations v
    FULL JOIN (SELECT company_id, id, account_id, type, key FROM pix_keys WHERE type IN ('EMAIL', 'PHONE')) k ON k.company_id = v.company_id AND k.id = v.key_id
   WHERE v.status = 'CONFIRMED' AND (k.account_id, k.type, k.key) IS DISTINCT FROM (v.account_id, v.type, v.key)
      OR v.id IS NULL;
COMMENT ON VIEW law_a_proof_makes_its_key IS
  'A key that is an e-mail address or a phone was made by one validation, of the same account.';

GRANT SELECT ON law_a_code_is_sent_and_counted TO lastro_app, lastro_audit;
GRANT INSERT ON law_a_code_is_sent_and_counted TO lastro_app; -- as a whole schema is granted: nothing can be inserted into it
GRANT SELECT ON law_a_proof_makes_its_key TO lastro_app, lastro_audit;
GRANT INSERT ON law_a_proof_makes_its_key TO lastro_app; -- as a whole schema is granted: nothing can be inserted into it

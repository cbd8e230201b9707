-- The opening of accounts: requests, and their documents.

CREATE TABLE account_requests (                       -- what a company wants an account opened by
  company_id uuid NOT NULL REFERENCES companies,
  id uuid NOT NULL,
  status text NOT NULL CHECK (status IN ('PENDING', 'PENDING_DOCUMENTS', 'ANALYSIS', 'APPROVED', 'REPROVED')),
  external_id text NOT NULL,
  holder_type text NOT NULL CHECK (holder_type IN ('INDIVIDUAL', 'ORGANIZATION')),
  party_id uuid NOT NULL,                             -- the holder; who represents an organization stands beside it
  representative_ids uuid[] NOT NULL DEFAULT '{}',    -- parties, too
  trade_name text,
  open_document text,                                 -- the holder's, while this may still become an account: one such request at a time
  terms_version text NOT NULL,
  terms_accepted_at timestamptz NOT NULL,
  missing text[] NOT NULL,                            -- slots that wait for a document
  reproved_code text,
  reproved_description text,
  reproved_fields text[] NOT NULL DEFAULT '{}',       -- slots that may be uploaded again; none: the refusal is definitive
  expires_at timestamptz,                             -- PENDING_DOCUMENTS, or REPROVED and not definitive: until when uploads are taken
  submissions integer NOT NULL DEFAULT 0,             -- how often it was handed over to be looked at
  analysis_reference text,                            -- how the partner knows the last of these; NULL: people look at it
  ask_at timestamptz,                                 -- ANALYSIS at a partner: when it is asked what became of it
  asked integer NOT NULL DEFAULT 0,                   -- how often it was asked
  account_id uuid,                                    -- APPROVED: the account that was opened
  key_due_at timestamptz,                             -- APPROVED: when its account is given a Pix key; NULL: it has one
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, party_id) REFERENCES parties,
  FOREIGN KEY (company_id, account_id) REFERENCES accounts,
  CHECK ((status IN ('PENDING', 'PENDING_DOCUMENTS')) = (cardinality(missing) > 0)),
  CHECK ((status IN ('PENDING', 'PENDING_DOCUMENTS', 'ANALYSIS')) OR open_document IS NULL)
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX account_requests_created_at_key ON account_requests (company_id, created_at);
CREATE UNIQUE INDEX account_requests_external_id_key ON account_requests (company_id, external_id);
CREATE UNIQUE INDEX account_requests_one_open ON account_requests (company_id, open_document) WHERE open_document IS NOT NULL;
CREATE INDEX account_requests_expiring ON account_requests (expires_at, company_id) WHERE status = 'PENDING_DOCUMENTS';
CREATE INDEX account_requests_to_ask ON account_requests (ask_at, company_id) WHERE status = 'ANALYSIS' AND ask_at IS NOT NULL;
CREATE INDEX account_requests_without_key ON account_requests (key_due_at, company_id) WHERE key_due_at IS NOT NULL;

CREATE TABLE account_documents (                      -- a page that was uploaded for a slot of such a request
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  request_id uuid NOT NULL,
  slot text NOT NULL,
  page integer NOT NULL,                              -- counts the slot's pages, those that were replaced too
  content_type text NOT NULL CHECK (content_type IN ('application/pdf', 'image/png', 'image/jpeg')),
  size integer NOT NULL,                              -- of what is kept, in bytes, before it was sealed
  digest bytea NOT NULL,                              -- SHA-256 of the bytes as they were sent
  kept_digest bytea NOT NULL,                         -- SHA-256 of what is kept
  sealed bytea,                                       -- AES-256-GCM; NULL once another took its place
  replaced_at timestamptz,
  created_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, request_id) REFERENCES account_requests
);
CREATE UNIQUE INDEX account_documents_page_key ON account_documents (company_id, request_id, slot, page);

ALTER TABLE account_requests ENABLE ROW LEVEL SECURITY;
ALTER TABLE account_requests FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON account_requests TO lastro_app USING (company_id = tenant()) WITH CHECK (company_id = tenant());
CREATE POLICY audit ON account_requests FOR SELECT TO lastro_audit USING (true);
GRANT SELECT, INSERT, UPDATE ON account_requests TO lastro_app;
GRANT SELECT ON account_requests TO lastro_audit;
ALTER TABLE account_documents ENABLE ROW LEVEL SECURITY;
ALTER TABLE account_documents FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON account_documents TO lastro_app USING (company_id = tenant()) WITH CHECK (company_id = tenant());
CREATE POLICY audit ON account_documents FOR SELECT TO lastro_audit USING (true);
GRANT SELECT, INSERT, UPDATE ON account_documents TO lastro_app;
GRANT SELECT ON account_documents TO lastro_audit;
CREATE POLICY work ON account_requests FOR SELECT TO lastro_work USING (true);
GRANT SELECT (company_id, id, status, expires_at, ask_at, key_due_at) ON account_requests TO lastro_work;

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
  UNION ALL SELECT company_id, id, 'statements', state, version, created_at, updated_at FROM statements
  UNION ALL SELECT company_id, id, 'statement_items', state, version, created_at, updated_at FROM statement_items;

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
             IS DISTINCT FROM (e.type, r.id::text, CASE e.type WHEN 'ACCOUNT.CREATED' THEN r.account_id::text END));
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

CREATE OR REPLACE VIEW law_ids_name_their_company WITH (security_invoker = true) AS
  WITH named AS MATERIALIZED (SELECT company_id, base62(number, 5) AS digits FROM companies)
  SELECT n.company_id, 'clients' AS place, c.client_id AS name FROM named n
    JOIN clients c ON c.company_id = n.company_id AND c.client_id NOT LIKE 'outside:%' AND substr(c.client_id, 4, 5) <> n.digits
  UNION ALL
  SELECT n.company_id, 'orders', o.id::text FROM named n
    JOIN orders o ON o.company_id = n.company_id
     AND (substr(o.txid, 1, 5) <> n.digits OR substr(o.location_token, 1, 5) <> n.digits
          OR substr(o.order_token, 1, 5) <> n.digits)
  UNION ALL
  SELECT n.company_id, 'pix_static_qrcodes', q.id::text FROM named n
    JOIN pix_static_qrcodes q ON q.company_id = n.company_id AND substr(q.txid, 1, 5) <> n.digits
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
     AND (substr(s.provider_id, 19, 5) <> n.digits OR substr(s.location_token, 1, 5) <> n.digits)
  UNION ALL
  SELECT n.company_id, 'account_requests', r.id::text FROM named n
    JOIN account_requests r ON r.company_id = n.company_id AND substr(r.analysis_reference, 1, 5) <> n.digits;
COMMENT ON VIEW law_ids_name_their_company IS
  'Our client ids, txids, locations, order tokens, endToEndIds, idRecs, TED control numbers and return ids carry the number of their company.';

CREATE VIEW law_an_approved_request_has_its_account WITH (security_invoker = true) AS
  SELECT r.company_id, r.id, r.status, r.account_id FROM account_requests r
    JOIN parties p ON p.company_id = r.company_id AND p.id = r.party_id
    LEFT JOIN accounts a ON a.company_id = r.company_id AND a.id = r.account_id
   WHERE (r.status = 'APPROVED') <> (a.id IS NOT NULL)
      OR (a.id IS NOT NULL AND p.document_number IS NOT NULL
          AND (a.holder_type, a.document_number) IS DISTINCT FROM (r.holder_type, p.document_number));
COMMENT ON VIEW law_an_approved_request_has_its_account IS
  'A request for an account has one exactly when it is approved, and that is of the holder it was made for.';
GRANT SELECT ON law_an_approved_request_has_its_account TO lastro_app, lastro_audit;
GRANT INSERT ON law_an_approved_request_has_its_account TO lastro_app; -- as a whole schema is granted: nothing can be inserted into it

-- What may happen to an account: it is blocked, unblocked and closed.

CREATE TABLE account_close_requests (                 -- that an account be closed, and what came of it
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  status text NOT NULL CHECK (status IN ('REQUESTED', 'COMPLETED', 'REFUSED')), -- REQUESTED: closed, what hangs on the account is being ended
  reason_code text NOT NULL,
  reason text,                                        -- in the words of who asked
  obstacles jsonb NOT NULL DEFAULT '[]',              -- REFUSED: what stood in the way
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, account_id) REFERENCES accounts,
  CHECK ((status = 'REFUSED') = (jsonb_array_length(obstacles) > 0))
);
CREATE UNIQUE INDEX account_close_requests_once ON account_close_requests (company_id, account_id) WHERE status <> 'REFUSED';
CREATE INDEX account_close_requests_open ON account_close_requests (created_at, company_id) WHERE status = 'REQUESTED';

ALTER TABLE account_close_requests ENABLE ROW LEVEL SECURITY;
ALTER TABLE account_close_requests FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON account_close_requests TO lastro_app USING (company_id = tenant()) WITH CHECK (company_id = tenant());
CREATE POLICY audit ON account_close_requests FOR SELECT TO lastro_audit USING (true);
CREATE POLICY work ON account_close_requests FOR SELECT TO lastro_work USING (true);
GRANT SELECT, INSERT, UPDATE ON account_close_requests TO lastro_app;
GRANT SELECT ON account_close_requests TO lastro_audit;
GRANT SELECT (company_id, id, status, created_at) ON account_close_requests TO lastro_work;

-- The owner itself is bound by row-level security, and would find no row.
ALTER TABLE accounts NO FORCE ROW LEVEL SECURITY;
ALTER TABLE history NO FORCE ROW LEVEL SECURITY;
ALTER TABLE events NO FORCE ROW LEVEL SECURITY;
ALTER TABLE account_close_requests NO FORCE ROW LEVEL SECURITY;

-- Accounts get their history. One that was blocked or closed by hand did so in one move, when the row says that it changed;
-- its company finds that in its feed. No process runs that remembers an account by an older version.
UPDATE accounts SET version = CASE status WHEN 'ACTIVE' THEN 1 ELSE 2 END,
                    updated_at = CASE status WHEN 'ACTIVE' THEN created_at ELSE updated_at END;
INSERT INTO history (company_id, reference_id, version, machine, from_state, to_state, trigger, created_at)
SELECT company_id, id, 1, 'accounts', '', 'ACTIVE', 'open', created_at FROM accounts;
INSERT INTO history (company_id, reference_id, version, machine, from_state, to_state, trigger, reason, created_at)
SELECT company_id, id, 2, 'accounts', 'ACTIVE', status, CASE status WHEN 'CLOSED' THEN 'close' ELSE 'block' END,
       'OPERATOR_DECISION', updated_at
  FROM accounts WHERE status <> 'ACTIVE';
INSERT INTO events (company_id, id, type, reference_id, url, body, created_at)
SELECT company_id, gen_random_uuid(), 'ACCOUNT.STATUS_CHANGED', id, NULL,
       convert_to(format('{"accountId":"%s","event":"ACCOUNT.STATUS_CHANGED","occurredAt":"%s","status":"%s","previousStatus":"ACTIVE",'
                         '"reason":{"code":"OPERATOR_DECISION","description":"OPERATOR_DECISION"}}', id,
                         to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), status), 'UTF8'),
       updated_at
  FROM accounts WHERE status <> 'ACTIVE';
-- What still hangs on one that was closed by hand is ended by the worker.
INSERT INTO account_close_requests (company_id, id, account_id, status, reason_code, created_at, updated_at)
SELECT company_id, gen_random_uuid(), id, 'REQUESTED', 'OPERATOR_DECISION', updated_at, updated_at
  FROM accounts WHERE status = 'CLOSED';
INSERT INTO history (company_id, reference_id, version, machine, from_state, to_state, trigger, reason, created_at)
SELECT company_id, id, 1, 'account_close_requests', '', 'REQUESTED', 'request', 'OPERATOR_DECISION', created_at FROM account_close_requests;

ALTER TABLE accounts FORCE ROW LEVEL SECURITY;
ALTER TABLE history FORCE ROW LEVEL SECURITY;
ALTER TABLE events FORCE ROW LEVEL SECURITY;
ALTER TABLE account_close_requests FORCE ROW LEVEL SECURITY;

-- Disputes have their table from a later migration on.
SET LOCAL check_function_bodies = off;
-- What stands in the way of closing an account (states.md 8): money in any currency, and what is unfinished. One statement, so
-- one snapshot: what ends meanwhile is seen with its money or without it, never neither. No row: it may be closed.
CREATE FUNCTION account_obstacles(company uuid, account uuid)
RETURNS TABLE (kind text, currency text, minor bigint, items bigint) LANGUAGE sql STABLE AS $$
  WITH has AS (
    SELECT l.code, l.currency, b.held, b.owed,
           b.credits_folded + credit_tail(b.company_id, b.ledger_account_id, b.fold_xid, NULL) - b.debits - b.held AS free
      FROM ledger_accounts l JOIN balances b ON b.company_id = l.company_id AND b.ledger_account_id = l.id
     WHERE l.company_id = company AND l.account_id = account AND l.code IN ('CUST', 'BLOCK')),
  money AS (
    SELECT 'AVAILABLE' AS kind, h.currency, h.free AS minor FROM has h WHERE h.code = 'CUST'
    UNION ALL SELECT 'HELD', h.currency, h.held FROM has h WHERE h.code = 'CUST'
    UNION ALL SELECT 'BLOCKED', h.currency, h.free + h.held FROM has h WHERE h.code = 'BLOCK'
    UNION ALL SELECT 'OWED', h.currency, h.owed FROM has h WHERE h.code = 'CUST'),
  work AS (
    SELECT 'PAYOUTS' AS kind, count(*) AS items FROM payouts p
     WHERE p.company_id = company AND p.account_id = account AND p.batch_id IS NULL AND p.status IN ('INITIAL', 'PENDING', 'ANALYSIS')
    UNION ALL
    SELECT 'PLANS', count(DISTINCT p.id) FROM payout_plans p
      JOIN payout_plan_lines l ON l.company_id = p.company_id AND l.plan_id = p.id AND l.payout_id IS NULL AND l.issues IS NULL
     WHERE p.company_id = company AND p.status = 'APPLYING' AND l.account_id = account
    UNION ALL
    SELECT 'REFUNDS', count(*) FROM refunds r JOIN orders o ON o.company_id = r.company_id AND o.id = r.order_id
     WHERE r.company_id = company AND r.state = 'PENDING' AND r.origin = 'CLIENT' AND o.account_id = account
    UNION ALL
    SELECT 'PAYMENTS', count(*) FROM pix_payments p
     WHERE p.company_id = company AND p.state = 'ACCEPTED' AND p.account_id = account
    UNION ALL -- part of it is in, its payer is being asked, or its card charged
    SELECT 'ORDERS', count(*) FROM orders o
     WHERE o.company_id = company AND o.account_id = account AND o.scheduled_payment_id IS NULL
       AND (o.status IN ('PENDING', 'AUTHENTICATING')
            OR o.status = 'INITIAL' AND EXISTS (SELECT 1 FROM card_payments c WHERE c.company_id = o.company_id AND c.order_id = o.id
                                                   AND c.state = 'AUTHENTICATED'))
    UNION ALL
    SELECT 'SCHEDULED_PAYMENTS', count(*) FROM subscriptions s
      JOIN subscription_payments p ON p.company_id = s.company_id AND p.subscription_id = s.id AND p.status IN ('SCHEDULED', 'PENDING')
     WHERE s.company_id = company AND s.account_id = account
    UNION ALL
    SELECT 'DISPUTES', count(*) FROM med_objects d
     WHERE d.company_id = company AND d.account_id = account
       AND (d.status IN ('CREATED', 'TRACED', 'WAITING_ANALYSIS', 'WAITING_REFUND', 'OPEN', 'RECEIVED') OR d.blocked_minor > 0
            OR d.object_type = 'RECOVERY_VALUE' AND d.status = 'ANALYSED'))
  SELECT m.kind, m.currency, m.minor, NULL::bigint FROM money m WHERE m.minor <> 0
  UNION ALL
  SELECT w.kind, NULL, NULL, w.items FROM work w WHERE w.items > 0
$$;
SET LOCAL check_function_bodies = on;
REVOKE EXECUTE ON FUNCTION account_obstacles FROM PUBLIC;
GRANT EXECUTE ON FUNCTION account_obstacles TO lastro_app, lastro_work, lastro_audit;

CREATE OR REPLACE FUNCTION door_commit(company uuid, client text, client_version bigint, clock_version bigint,
                            kinds text[], ids uuid[], versions bigint[]) RETURNS uuid
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  i integer;
BEGIN
  PERFORM set_config('lastro.company', company::text, false);
  IF client_version IS NOT NULL THEN
    PERFORM 1 FROM clients WHERE company_id = company AND client_id = client AND version = client_version
        AND (revoked_at IS NULL OR revoked_at > machine_now()) FOR SHARE;
    IF NOT FOUND THEN PERFORM demand('clients', 1, 0); END IF;
  END IF;
  IF clock_version IS NOT NULL THEN
    PERFORM 1 FROM clock c WHERE c.version = clock_version;
    IF NOT FOUND THEN PERFORM demand('clock', 1, 0); END IF;
  END IF;
  FOR i IN 1 .. cardinality(kinds) LOOP
    CASE kinds[i]
      WHEN 'accounts' THEN
        PERFORM 1 FROM accounts WHERE company_id = company AND id = ids[i] AND version = versions[i] FOR SHARE;
      WHEN 'pix_keys' THEN
        PERFORM 1 FROM pix_keys WHERE company_id = company AND id = ids[i] AND version = versions[i] FOR SHARE;
      WHEN 'orders' THEN
        PERFORM 1 FROM orders WHERE company_id = company AND id = ids[i] AND version = versions[i] FOR SHARE;
      WHEN 'payout_plans' THEN
        PERFORM 1 FROM payout_plans WHERE company_id = company AND id = ids[i] AND version = versions[i] FOR SHARE;
      WHEN 'companies' THEN
        PERFORM 1 FROM companies WHERE company_id = company AND version = versions[i] FOR SHARE;
      WHEN 'closing' THEN -- nothing stands in its way, looked at once nobody else who relies on the account can still commit
        PERFORM 1 FROM accounts WHERE company_id = company AND id = ids[i] AND version = versions[i] FOR NO KEY UPDATE;
        IF FOUND THEN PERFORM 1 WHERE NOT EXISTS (SELECT 1 FROM account_obstacles(company, ids[i])); END IF;
      WHEN 'company_fees' THEN -- all of a company's rows together, so that none of them means version 0
        PERFORM 1 FROM (SELECT coalesce(sum(f.version), 0) AS version FROM company_fees f WHERE f.company_id = company) f
          WHERE f.version = versions[i];
    END CASE;
    IF NOT FOUND THEN PERFORM demand(kinds[i], 1, 0); END IF;
  END LOOP;
  RETURN company;
END $$;

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
  UNION ALL SELECT company_id, id, 'accounts', status, version, created_at, updated_at FROM accounts
  UNION ALL SELECT company_id, id, 'account_close_requests', status, version, created_at, updated_at FROM account_close_requests
  UNION ALL SELECT company_id, id, 'statements', state, version, created_at, updated_at FROM statements
  UNION ALL SELECT company_id, id, 'statement_items', state, version, created_at, updated_at FROM statement_items;

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
             IS DISTINCT FROM (e.type, e.reference_id::text, h.from_state, h.to_state));
COMMENT ON VIEW law_an_event_tells_what_happened IS
  'An event of an order, its refund, a subscription or a payment of one tells a move that was made, and its body names it and its amount.';

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
  SELECT company_id, 'account_close_requests', id, updated_at FROM account_close_requests
   WHERE status = 'REQUESTED' AND updated_at < (SELECT at FROM late)
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
         WHEN 'request_account_close' THEN NOT EXISTS (
           SELECT 1 FROM account_close_requests r WHERE r.company_id = a.company_id AND r.id = a.object_id)
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

CREATE VIEW law_a_closed_account_was_asked_to_close WITH (security_invoker = true) AS
  SELECT coalesce(a.company_id, r.company_id) AS company_id, coalesce(a.id, r.account_id) AS account_id, a.status, r.status AS request
    FROM (SELECT * FROM accounts WHERE status = 'CLOSED') a
    FULL JOIN (SELECT * FROM account_close_requests WHERE status <> 'REFUSED') r ON r.company_id = a.company_id AND r.account_id = a.id
   WHERE a.id IS NULL OR r.id IS NULL;
COMMENT ON VIEW law_a_closed_account_was_asked_to_close IS
  'An account is CLOSED exactly when one request to close it was granted.';

CREATE VIEW law_a_closed_account_has_nothing_at_rest WITH (security_invoker = true) AS
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
    JOIN pix_keys k ON k.company_id = c.company_id AND k.account_id = c.id AND k.status = 'ACTIVE';
COMMENT ON VIEW law_a_closed_account_has_nothing_at_rest IS
  'A CLOSED account has no money, nothing unfinished, no open order or subscription and no key, when nothing is on its way.';

GRANT SELECT ON law_a_closed_account_was_asked_to_close TO lastro_app, lastro_audit;
GRANT INSERT ON law_a_closed_account_was_asked_to_close TO lastro_app; -- as a whole schema is granted: nothing can be inserted into it
GRANT SELECT ON law_a_closed_account_has_nothing_at_rest TO lastro_app, lastro_audit;
GRANT INSERT ON law_a_closed_account_has_nothing_at_rest TO lastro_app; -- as a whole schema is granted: nothing can be inserted into it

-- Disputes (MED): objects of the directory, what they block, and the returns that they want.

CREATE TABLE med_objects (                            -- an object of a dispute at the directory (MED): recovery, notification, refund request
  company_id uuid NOT NULL,
  id uuid NOT NULL,                                   -- the directory's own
  object_type text NOT NULL,
  role text NOT NULL CHECK (role IN ('PAYER', 'RECEIVER')),
  account_id uuid NOT NULL,                           -- debited (PAYER) or credited (RECEIVER)
  status text NOT NULL CHECK (status IN ('CREATED', 'TRACED', 'WAITING_ANALYSIS', 'ANALYSED', 'WAITING_REFUND', 'COMPLETED', 'CANCELLED', 'OPEN', 'RECEIVED')),
  end_to_end_id text NOT NULL,                        -- the contested transaction; of a recovery that with which its case began
  recovery_id uuid,                                   -- of the others: the recovery that it belongs to, where there is one
  situation text,                                     -- what happened, as who contests it says
  reason text,                                        -- of a notification or refund request
  amount_minor bigint NOT NULL CHECK (amount_minor > 0), -- contested, or asked back
  blocked_minor bigint NOT NULL DEFAULT 0 CHECK (blocked_minor BETWEEN 0 AND amount_minor), -- of it in BLOCK now
  returned_minor bigint NOT NULL DEFAULT 0 CHECK (returned_minor >= 0), -- what came back, or was given back
  result text,                                        -- how it was decided
  rejection text,                                     -- why a refund request was rejected
  path bytea,                                         -- of a recovery that is traced: its transactions, JSON
  refund_id uuid,                                     -- the return that answers a refund request
  deadline timestamptz NOT NULL,                      -- by when it has to have ended
  due_at timestamptz,                                 -- when time does something to it: RECEIVER alone
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, account_id) REFERENCES accounts,
  FOREIGN KEY (company_id, refund_id) REFERENCES refunds,
  CONSTRAINT med_objects_status_of_type CHECK (
    CASE object_type
    WHEN 'RECOVERY_VALUE' THEN status IN ('CREATED', 'TRACED', 'WAITING_ANALYSIS', 'ANALYSED', 'WAITING_REFUND', 'COMPLETED', 'CANCELLED')
    WHEN 'INFRINGEMENT_NOTIFICATION' THEN status IN ('OPEN', 'RECEIVED', 'ANALYSED', 'CANCELLED')
    WHEN 'REFUND_REQUEST' THEN status IN ('OPEN', 'ANALYSED', 'CANCELLED') ELSE false END),
  CHECK (object_type <> 'RECOVERY_VALUE' OR (role = 'PAYER' AND recovery_id IS NULL)),
  CHECK (role = 'RECEIVER' OR (blocked_minor = 0 AND due_at IS NULL AND refund_id IS NULL))
);
CREATE UNIQUE INDEX med_objects_one_recovery ON med_objects (company_id, end_to_end_id) WHERE object_type = 'RECOVERY_VALUE';
CREATE UNIQUE INDEX med_objects_refund_key ON med_objects (company_id, refund_id) WHERE refund_id IS NOT NULL;
CREATE INDEX med_objects_of_company ON med_objects (company_id, created_at, id);
CREATE INDEX med_objects_of_account ON med_objects (company_id, account_id, created_at, id);
CREATE INDEX med_objects_of_recovery ON med_objects (company_id, recovery_id) WHERE recovery_id IS NOT NULL;
CREATE INDEX med_objects_of_transaction ON med_objects (company_id, end_to_end_id);
CREATE INDEX med_objects_pending ON med_objects (company_id, created_at, id)
 WHERE status NOT IN ('COMPLETED', 'CANCELLED') AND (status <> 'ANALYSED' OR object_type = 'RECOVERY_VALUE');
CREATE INDEX med_objects_due ON med_objects (due_at, company_id) WHERE due_at IS NOT NULL;
ALTER TABLE med_objects ENABLE ROW LEVEL SECURITY;
ALTER TABLE med_objects FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON med_objects TO lastro_app USING (company_id = tenant()) WITH CHECK (company_id = tenant());
CREATE POLICY audit ON med_objects FOR SELECT TO lastro_audit USING (true);
CREATE POLICY work ON med_objects FOR SELECT TO lastro_work USING (true);
GRANT SELECT, INSERT, UPDATE ON med_objects TO lastro_app;
GRANT SELECT ON med_objects TO lastro_audit;
GRANT SELECT (company_id, id, due_at, object_type, role, status) ON med_objects TO lastro_work;

ALTER TABLE refunds ADD COLUMN med_id uuid;
ALTER TABLE refunds DROP CONSTRAINT refunds_origin_check;
ALTER TABLE refunds ADD CONSTRAINT refunds_origin_check CHECK (origin IN ('AUTOMATIC', 'CLIENT', 'MED'));
ALTER TABLE refunds DROP CONSTRAINT refunds_check;
ALTER TABLE refunds DROP CONSTRAINT refunds_check1;
ALTER TABLE refunds ADD CONSTRAINT refunds_of_order CHECK ((origin = 'AUTOMATIC') = (order_id IS NULL));
ALTER TABLE refunds ADD CONSTRAINT refunds_of_client CHECK ((origin = 'CLIENT') = (external_id IS NOT NULL));
ALTER TABLE refunds ADD CONSTRAINT refunds_of_med CHECK ((origin = 'MED') = (med_id IS NOT NULL));

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
    ('MED_BLOCK', true, 'CUST', 'BLOCK', NULL, 'med_objects', NULL),
    ('MED_RELEASE', true, 'BLOCK', 'CUST', NULL, 'med_objects', NULL),
    ('MED_RETURN', false, 'BLOCK', 'NET', 'pix', 'refunds', 'dispute'),
    ('LOSS_RECOVERED', true, 'CUST', 'LOSS', NULL, 'accounts', NULL))
    AS t(type, at_once, debit, credit, rail, machine, part);

CREATE OR REPLACE VIEW entry_subjects WITH (security_invoker = true) AS
  SELECT company_id, id AS reference_id, description, id AS order_id, end_to_end_id, coalesce(payer_id, customer_id) AS party_id,
         NULL::uuid AS batch_id FROM orders
  UNION ALL
  SELECT company_id, id, description, NULL, end_to_end_id, receiver_id, batch_id FROM payouts
  UNION ALL
  SELECT r.company_id, r.id, r.description, r.order_id,
         (SELECT p.end_to_end_id FROM pix_payments p WHERE p.company_id = r.company_id AND p.id = r.payment_id),
         (SELECT p.payer_id FROM pix_payments p WHERE p.company_id = r.company_id AND p.id = r.payment_id), NULL FROM refunds r
  UNION ALL
  SELECT company_id, id, NULL, NULL, end_to_end_id, NULL, NULL FROM med_objects;

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
  UNION ALL SELECT company_id, id, 'med_objects', status, version, created_at, updated_at FROM med_objects
  UNION ALL SELECT company_id, id, 'statements', state, version, created_at, updated_at FROM statements
  UNION ALL SELECT company_id, id, 'statement_items', state, version, created_at, updated_at FROM statement_items;

CREATE OR REPLACE VIEW law_refunds_add_up WITH (security_invoker = true) AS
  SELECT o.company_id, o.id, o.status, o.paid_minor, o.refunded_minor, coalesce(g.given_minor, 0) AS given_minor
    FROM orders o
    LEFT JOIN (SELECT b.company_id, b.order_id, sum(b.amount_minor) AS given_minor FROM (
                 SELECT p.company_id, p.order_id, r.amount_minor FROM refunds r
                   JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
                  WHERE r.state = 'PAID' AND p.state = 'SETTLED' AND (r.origin <> 'AUTOMATIC' OR p.excess_minor = 0)
                  UNION ALL SELECT company_id, order_id, amount_minor FROM chargebacks) b GROUP BY b.company_id, b.order_id) g
      ON g.company_id = o.company_id AND g.order_id = o.id
   WHERE o.refunded_minor <> coalesce(g.given_minor, 0)
      OR CASE WHEN o.refunded_minor = 0 THEN o.status IN ('REFUNDED', 'PARTIAL_REFUNDED')
              WHEN o.refunded_minor >= coalesce(o.amount_minor, o.paid_minor) THEN o.status <> 'REFUNDED'
              ELSE o.status <> 'PARTIAL_REFUNDED' END;
COMMENT ON VIEW law_refunds_add_up IS
  'What an order has given back is the sum of its paid refunds and chargebacks, and its status says how much that is.';

CREATE OR REPLACE VIEW law_refunds_fit_what_was_paid WITH (security_invoker = true) AS
  SELECT coalesce(g.company_id, q.company_id) AS company_id, coalesce(g.order_id, q.owner_id) AS order_id, g.asked_minor,
         q.used_minor, coalesce(o.amount_minor, o.paid_minor) AS most_minor
    FROM (SELECT company_id, order_id, sum(amount_minor) AS asked_minor FROM refunds
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
                 sum(r.amount_minor) AS asked_minor
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
COMMENT ON VIEW law_refunds_fit_what_was_paid IS
  'What clients and disputes want back, and has not failed, is counted, and is never more than an order, or its payment, brought.';

CREATE OR REPLACE VIEW law_a_refund_is_of_its_order WITH (security_invoker = true) AS
  SELECT r.company_id, r.id AS refund_id, r.origin, r.order_id, p.order_id AS paid_order_id, p.state AS payment_state,
         h.type AS hold_type, d.account_id AS held_of, o.account_id, o.paid_at, r.created_at
    FROM refunds r
    LEFT JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
    LEFT JOIN orders o ON o.company_id = r.company_id AND o.id = r.order_id
    LEFT JOIN transfers h ON h.company_id = r.company_id AND h.reference_id = r.id AND h.kind = 'held'
    LEFT JOIN ledger_accounts d ON d.company_id = h.company_id AND d.id = h.debit_id
   WHERE CASE r.origin
         WHEN 'CLIENT' THEN (p.state, p.order_id, h.type, d.account_id) IS DISTINCT FROM
              ('SETTLED', r.order_id, upper(p.rail) || '_REFUND', o.account_id)
              OR r.created_at > o.paid_at + interval '90 days'
         WHEN 'MED' THEN (p.state, p.rail, p.order_id, h.type, d.account_id) IS DISTINCT FROM
              ('SETTLED', 'pix', r.order_id, 'MED_RETURN', o.account_id)
         ELSE h.type IS DISTINCT FROM upper(p.rail) || '_RETURN' END
      OR r.rail <> p.rail;
COMMENT ON VIEW law_a_refund_is_of_its_order IS
  'A client''s refund, or a dispute''s, gives back its order''s payment, from its account or its blocked part; any other takes from suspense.';

CREATE OR REPLACE VIEW law_a_return_is_sent_as_decided WITH (security_invoker = true) AS
  SELECT coalesce(r.company_id, o.company_id) AS company_id, r.id AS refund_id, o.id AS message_id, r.return_id,
         o.network_id, r.amount_minor
    FROM (SELECT r.*, p.end_to_end_id, p.rail AS paid_by FROM refunds r
            JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id) r
    FULL JOIN (SELECT company_id, id, rail, reference_id, network_id, as_json(body) AS body FROM outbox
                WHERE kind = 'return.send') o
      ON o.company_id = r.company_id AND o.reference_id = r.id
   WHERE (r.paid_by, r.return_id, r.return_id, r.end_to_end_id, r.amount_minor::text, r.reason_code) IS DISTINCT FROM
         (o.rail, o.network_id, o.body ->> 'return_id', o.body ->> 'end_to_end_id', o.body #>> '{amount,minor}',
          o.body ->> 'reason');
COMMENT ON VIEW law_a_return_is_sent_as_decided IS
  'Every refund has its one order to the network, of its id, payment, amount and reason, and no such order is without its refund.';

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
  SELECT company_id, 'account_close_requests', id, updated_at FROM account_close_requests
   WHERE status = 'REQUESTED' AND updated_at < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'med_objects', id, due_at FROM med_objects WHERE due_at < (SELECT at FROM late)
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
             IS DISTINCT FROM (e.type, m.id::text, m.account_id::text, m.object_type, m.end_to_end_id, printed(m.amount_minor), m.role));
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

CREATE VIEW law_what_is_blocked_is_disputed WITH (security_invoker = true) AS
  SELECT l.company_id, l.account_id, b.booked_minor, d.disputed_minor FROM ledger_accounts l
   CROSS JOIN LATERAL (SELECT coalesce(sum(change_minor), 0) AS booked_minor FROM ledger_sides x
                        WHERE x.company_id = l.company_id AND x.ledger_account_id = l.id) b
   CROSS JOIN LATERAL (SELECT coalesce(sum(blocked_minor), 0) AS disputed_minor FROM med_objects m
                        WHERE m.company_id = l.company_id AND m.account_id = l.account_id AND l.currency = 'BRL') d
   WHERE l.code = 'BLOCK' AND b.booked_minor <> d.disputed_minor;
COMMENT ON VIEW law_what_is_blocked_is_disputed IS
  'What is blocked of an account is what the disputes about it block, together.';

CREATE VIEW law_a_dispute_is_answered_as_decided WITH (security_invoker = true) AS
  SELECT coalesce(m.company_id, r.company_id) AS company_id, m.id, m.status, m.result, m.returned_minor, r.id AS refund_id,
         r.state, r.amount_minor
    FROM (SELECT * FROM med_objects WHERE object_type = 'REFUND_REQUEST' AND role = 'RECEIVER') m
    FULL JOIN (SELECT r.*, p.end_to_end_id FROM refunds r JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
                WHERE r.origin = 'MED') r
      ON r.company_id = m.company_id AND r.med_id = m.id
   WHERE m.id IS NULL OR m.refund_id IS DISTINCT FROM r.id
      OR (r.id IS NOT NULL AND r.end_to_end_id <> m.end_to_end_id)
      OR CASE WHEN m.status = 'OPEN' AND r.id IS NULL THEN m.returned_minor <> 0
              WHEN m.status = 'OPEN' THEN (r.state, m.blocked_minor) IS DISTINCT FROM ('PENDING', r.amount_minor)
              WHEN m.result IN ('TOTALLY_ACCEPTED', 'PARTIALLY_ACCEPTED') THEN (r.state, m.returned_minor, m.blocked_minor,
                   m.result = 'TOTALLY_ACCEPTED') IS DISTINCT FROM ('PAID', r.amount_minor, 0::bigint, r.amount_minor >= m.amount_minor)
              ELSE coalesce(r.state, 'ERROR') <> 'ERROR' OR m.returned_minor <> 0 OR m.blocked_minor <> 0 END;
COMMENT ON VIEW law_a_dispute_is_answered_as_decided IS
  'A refund request is accepted with the return that was made for it, of that amount, and rejected or canceled without any.';

CREATE VIEW law_the_directory_hears_what_was_decided WITH (security_invoker = true) AS
  WITH said AS (SELECT company_id, reference_id, kind, as_json(body) AS body FROM outbox WHERE rail = 'med')
  SELECT m.company_id, m.id, m.object_type, m.status, m.result, a.body AS said FROM med_objects m
    LEFT JOIN said a ON a.company_id = m.company_id AND a.reference_id = m.id AND a.kind = 'med.answer'
   WHERE m.object_type = 'REFUND_REQUEST' AND m.role = 'RECEIVER'
     AND (a.body ->> 'result', coalesce((a.body #>> '{returned,minor}')::bigint, 0)) IS DISTINCT FROM
         (CASE m.status WHEN 'ANALYSED' THEN m.result END, m.returned_minor)
  UNION ALL
  SELECT m.company_id, m.id, m.object_type, m.status, m.result, v.body FROM med_objects m
    JOIN said v ON v.company_id = m.company_id AND v.reference_id = m.id AND v.kind = 'med.verdict'
   WHERE (m.object_type, m.role, m.status, m.result) IS DISTINCT FROM
         ('INFRINGEMENT_NOTIFICATION', 'RECEIVER', 'ANALYSED', v.body ->> 'result')
  UNION ALL
  SELECT s.company_id, s.reference_id, NULL, NULL, NULL, s.body FROM said s
   WHERE NOT EXISTS (SELECT 1 FROM med_objects m WHERE m.company_id = s.company_id AND m.id = s.reference_id)
  UNION ALL
  SELECT m.company_id, m.id, m.object_type, m.status, m.result, NULL FROM med_objects m
   WHERE (m.object_type, m.role) = ('INFRINGEMENT_NOTIFICATION', 'RECEIVER')
     AND NOT EXISTS (SELECT 1 FROM said s WHERE s.company_id = m.company_id AND s.reference_id = m.id AND s.kind = 'med.acknowledge');
COMMENT ON VIEW law_the_directory_hears_what_was_decided IS
  'The directory is told that a notice came, what was decided of it, and how each refund request was answered, and nothing else.';

GRANT SELECT ON law_what_is_blocked_is_disputed TO lastro_app, lastro_audit;
GRANT INSERT ON law_what_is_blocked_is_disputed TO lastro_app; -- as a whole schema is granted: nothing can be inserted into it
GRANT SELECT ON law_a_dispute_is_answered_as_decided TO lastro_app, lastro_audit;
GRANT INSERT ON law_a_dispute_is_answered_as_decided TO lastro_app; -- as a whole schema is granted: nothing can be inserted into it
GRANT SELECT ON law_the_directory_hears_what_was_decided TO lastro_app, lastro_audit;
GRANT INSERT ON law_the_directory_hears_what_was_decided TO lastro_app; -- as a whole schema is granted: nothing can be inserted into it

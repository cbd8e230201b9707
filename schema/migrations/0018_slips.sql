-- Orders that a partner collects: slips.

ALTER TABLE orders DROP CONSTRAINT orders_payment_method_check;
ALTER TABLE orders ADD CONSTRAINT orders_payment_method_check CHECK (payment_method IN ('PIX', 'BOLETO'));
ALTER TABLE orders ADD COLUMN ends_at timestamptz;
DROP INDEX orders_expiring;
CREATE INDEX orders_expiring ON orders (expires_at, company_id) WHERE status = 'INITIAL' AND payment_method = 'PIX';
CREATE INDEX orders_ending ON orders (ends_at, company_id) WHERE ends_at IS NOT NULL;

CREATE TABLE instruments (                            -- what an order is paid with at a partner that collects: a slip
  company_id uuid NOT NULL,
  order_id uuid NOT NULL,
  rail text NOT NULL CHECK (rail IN ('boleto')),      -- whose partner collects
  reference text NOT NULL,                            -- ours, by which the partner tells of it: nosso número
  code text NOT NULL,                                 -- what its bars say: 44 digits
  due date NOT NULL,
  payable_until date NOT NULL,                        -- the last day on which it is taken
  PRIMARY KEY (company_id, order_id),
  FOREIGN KEY (company_id, order_id) REFERENCES orders,
  CHECK (payable_until >= due)
);
CREATE UNIQUE INDEX instruments_reference_key ON instruments (company_id, rail, reference);
ALTER TABLE instruments ENABLE ROW LEVEL SECURITY;
ALTER TABLE instruments FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON instruments TO lastro_app USING (company_id = tenant()) WITH CHECK (company_id = tenant());
CREATE POLICY audit ON instruments FOR SELECT TO lastro_audit USING (true);
GRANT SELECT, INSERT ON instruments TO lastro_app;
GRANT SELECT ON instruments TO lastro_audit;

ALTER TABLE pix_payments DROP CONSTRAINT pix_payments_rail_check;
ALTER TABLE pix_payments ADD CONSTRAINT pix_payments_rail_check CHECK (rail IN ('pix', 'book', 'boleto'));
ALTER TABLE refunds ADD COLUMN rail text NOT NULL DEFAULT 'pix';
-- The owner itself is bound by row-level security, and would find no row.
ALTER TABLE companies NO FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger_accounts NO FORCE ROW LEVEL SECURITY;
ALTER TABLE pix_payments NO FORCE ROW LEVEL SECURITY;
ALTER TABLE refunds NO FORCE ROW LEVEL SECURITY;

UPDATE refunds r SET rail = p.rail FROM pix_payments p
 WHERE p.company_id = r.company_id AND p.id = r.payment_id AND p.rail <> 'pix';

GRANT SELECT (ends_at, payment_method) ON orders TO lastro_work;
GRANT SELECT (rail) ON pix_payments, refunds TO lastro_work;

-- Each company's position at the partner that collects slips; the id is derived from the account's name.
INSERT INTO ledger_accounts (company_id, id, code, rail, currency)
SELECT company_id, encode(substr(sha256(convert_to(format('%s:NET:BRL:boleto:', company_id), 'UTF8')), 1, 16), 'hex')::uuid,
       'NET', 'boleto', 'BRL' FROM companies;

ALTER TABLE companies FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger_accounts FORCE ROW LEVEL SECURITY;
ALTER TABLE pix_payments FORCE ROW LEVEL SECURITY;
ALTER TABLE refunds FORCE ROW LEVEL SECURITY;

CREATE OR REPLACE VIEW law_the_chart_is_whole WITH (security_invoker = true) AS
  SELECT c.company_id, NULL::uuid AS account_id, w.code, w.rail FROM companies c
   CROSS JOIN (VALUES ('FEE', NULL), ('SUSP', NULL), ('TRANSIT', NULL), ('NET', 'pix'), ('NET', 'ted'),
                      ('NET', 'boleto')) w(code, rail)
   WHERE NOT EXISTS (SELECT 1 FROM ledger_accounts l WHERE l.company_id = c.company_id AND l.code = w.code
                        AND coalesce(l.rail, '') = coalesce(w.rail, ''))
  UNION ALL
  SELECT a.company_id, a.id, w.code, NULL FROM accounts a CROSS JOIN (VALUES ('CUST'), ('BLOCK'), ('LOSS')) w(code)
   WHERE NOT EXISTS (SELECT 1 FROM ledger_accounts l WHERE l.company_id = a.company_id AND l.account_id = a.id
                        AND l.code = w.code)
  UNION ALL
  SELECT company_id, account_id, code, rail FROM ledger_accounts
   WHERE (rail IS NOT NULL) <> (code = 'NET') OR (account_id IS NOT NULL) <> (code IN ('CUST', 'BLOCK', 'LOSS'));
COMMENT ON VIEW law_the_chart_is_whole IS
  'Every company has its FEE, SUSP, TRANSIT and NET accounts, every account its CUST, BLOCK and LOSS, and none is of another shape.';

CREATE OR REPLACE VIEW law_a_transfer_is_what_its_type_says WITH (security_invoker = true) AS
  SELECT t.company_id, t.id AS transfer_id, t.type, t.kind, d.code AS debit, c.code AS credit, t.reference_id
    FROM transfers t
    JOIN (VALUES ('PIX_IN', true, 'NET', 'CUST', 'pix', 'orders'), ('BOOK_IN', true, 'TRANSIT', 'CUST', NULL, 'orders'),
                 ('FEE', true, 'NET', 'FEE', 'pix', 'orders'), ('BOOK_FEE', true, 'TRANSIT', 'FEE', NULL, 'orders'),
                 ('PIX_UNFIT', true, 'NET', 'SUSP', 'pix', 'pix_payments'),
                 ('PIX_RETURN', false, 'SUSP', 'NET', 'pix', 'refunds'),
                 ('BOLETO_IN', true, 'NET', 'CUST', 'boleto', 'orders'), ('BOLETO_FEE', true, 'NET', 'FEE', 'boleto', 'orders'),
                 ('BOLETO_UNFIT', true, 'NET', 'SUSP', 'boleto', 'pix_payments'),
                 ('BOLETO_RETURN', false, 'SUSP', 'NET', 'boleto', 'refunds'),
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

CREATE OR REPLACE VIEW law_a_paid_order_is_booked_once WITH (security_invoker = true) AS
  SELECT o.company_id, o.id, o.status, o.paid_minor, m.payments, m.received_minor, m.booked_minor FROM orders o
   CROSS JOIN LATERAL (
     SELECT (SELECT count(*) FROM pix_payments p WHERE p.company_id = o.company_id AND p.order_id = o.id
                AND p.state = 'SETTLED') AS payments,
            (SELECT coalesce(sum(p.amount_minor), 0) FROM pix_payments p WHERE p.company_id = o.company_id
                AND p.order_id = o.id AND p.state = 'SETTLED') AS received_minor,
            (SELECT coalesce(sum(t.amount_minor), 0) FROM transfers t WHERE t.company_id = o.company_id
                AND t.reference_id = o.id AND t.type IN ('PIX_IN', 'BOOK_IN', 'BOLETO_IN', 'FEE', 'BOOK_FEE', 'BOLETO_FEE')) AS booked_minor) m
   WHERE CASE WHEN o.status IN ('PAID', 'REFUNDED', 'PARTIAL_REFUNDED')
              THEN m.payments <> 1 OR m.received_minor <> o.paid_minor OR m.booked_minor <> o.paid_minor
              ELSE m.payments <> 0 OR m.booked_minor <> 0 END;
COMMENT ON VIEW law_a_paid_order_is_booked_once IS
  'A paid order has one settled payment, and its bookings add up to it; any other order has none.';

CREATE OR REPLACE VIEW law_a_payment_is_split_as_planned WITH (security_invoker = true) AS
  SELECT o.company_id, o.id, o.paid_minor,
         CASE WHEN o.origin <> 'UNASKED' AND o.fee_payer = 'CUSTOMER' AND o.amount_minor IS NOT NULL
              THEN o.paid_minor - o.amount_minor
              ELSE least(o.paid_minor, o.fee_fixed_minor + share(o.paid_minor, o.fee_variable_basis_points)
                                       + o.fee_additional_minor) END AS fee_minor,
         coalesce(sum(t.amount_minor) FILTER (WHERE t.type IN ('FEE', 'BOOK_FEE', 'BOLETO_FEE')), 0) AS booked_fee_minor,
         count(*) FILTER (WHERE t.type IN ('PIX_IN', 'BOOK_IN', 'BOLETO_IN') AND c.account_id IS DISTINCT FROM o.account_id) AS astray
    FROM orders o
    JOIN transfers t ON t.company_id = o.company_id AND t.reference_id = o.id
                    AND t.type IN ('PIX_IN', 'BOOK_IN', 'BOLETO_IN', 'FEE', 'BOOK_FEE', 'BOLETO_FEE')
    JOIN ledger_accounts c ON c.company_id = t.company_id AND c.id = t.credit_id
   WHERE o.paid_minor IS NOT NULL GROUP BY o.company_id, o.id
  HAVING count(*) FILTER (WHERE t.type IN ('PIX_IN', 'BOOK_IN', 'BOLETO_IN') AND c.account_id IS DISTINCT FROM o.account_id) > 0
      OR coalesce(sum(t.amount_minor) FILTER (WHERE t.type IN ('FEE', 'BOOK_FEE', 'BOLETO_FEE')), 0)
         <> CASE WHEN o.origin <> 'UNASKED' AND o.fee_payer = 'CUSTOMER' AND o.amount_minor IS NOT NULL
                 THEN o.paid_minor - o.amount_minor
                 ELSE least(o.paid_minor, o.fee_fixed_minor + share(o.paid_minor, o.fee_variable_basis_points)
                                          + o.fee_additional_minor) END;
COMMENT ON VIEW law_a_payment_is_split_as_planned IS
  'Of what was paid we keep the planned fee, and the rest is credited to the order''s account.';

CREATE OR REPLACE VIEW law_a_paid_order_names_its_payment WITH (security_invoker = true) AS
  SELECT p.company_id, p.id AS payment_id, p.order_id, p.end_to_end_id, o.end_to_end_id AS named,
         p.settled_at, o.paid_at, p.account_id, o.account_id AS credited
    FROM pix_payments p LEFT JOIN orders o ON o.company_id = p.company_id AND o.id = p.order_id
   WHERE p.state = 'SETTLED'
     AND (CASE WHEN p.rail IN ('pix', 'book') THEN p.end_to_end_id END, p.amount_minor, p.settled_at, p.account_id, p.payer_id)
         IS DISTINCT FROM (o.end_to_end_id, o.paid_minor, o.paid_at, o.account_id, o.payer_id);
COMMENT ON VIEW law_a_paid_order_names_its_payment IS
  'A settled payment has its order, which names its id, amount, time, account and payer.';

CREATE OR REPLACE VIEW law_what_fits_nothing_goes_back WITH (security_invoker = true) AS
  SELECT p.company_id, p.id AS payment_id, p.state, p.amount_minor, r.refunds, r.state AS refund_state, r.refunded_minor,
         t.suspended_minor
    FROM pix_payments p
    LEFT JOIN (SELECT company_id, payment_id, count(*) AS refunds, min(state) AS state, sum(amount_minor) AS refunded_minor
                 FROM refunds WHERE origin = 'AUTOMATIC' GROUP BY company_id, payment_id) r
      ON r.company_id = p.company_id AND r.payment_id = p.id
    LEFT JOIN (SELECT company_id, reference_id, sum(amount_minor) AS suspended_minor FROM transfers
                WHERE type IN ('PIX_UNFIT', 'BOLETO_UNFIT') GROUP BY company_id, reference_id) t
      ON t.company_id = p.company_id AND t.reference_id = p.id
   WHERE (r.refunds, r.state, r.refunded_minor, t.suspended_minor) IS DISTINCT FROM
         (CASE WHEN p.state IN ('RETURNING', 'RETURNED', 'STRANDED') THEN 1 END,
          CASE p.state WHEN 'RETURNING' THEN 'PENDING' WHEN 'RETURNED' THEN 'PAID' WHEN 'STRANDED' THEN 'ERROR' END,
          CASE WHEN p.state IN ('RETURNING', 'RETURNED', 'STRANDED') THEN p.amount_minor END,
          CASE WHEN p.state IN ('RETURNING', 'RETURNED', 'STRANDED') THEN p.amount_minor END);
COMMENT ON VIEW law_what_fits_nothing_goes_back IS
  'A payment that goes back lies in suspense whole and has one refund of all of it that stands where it does; any other has none.';

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
              ('SETTLED', r.order_id, CASE p.rail WHEN 'book' THEN 'BOOK_REFUND' ELSE 'PIX_REFUND' END, o.account_id)
              OR r.created_at > o.paid_at + interval '90 days'
         ELSE h.type IS DISTINCT FROM CASE p.rail WHEN 'boleto' THEN 'BOLETO_RETURN' ELSE 'PIX_RETURN' END END
      OR r.rail <> p.rail;
COMMENT ON VIEW law_a_refund_is_of_its_order IS
  'A refund that a client asked for gives back the payment of its order, in 90 days, from its account; any other takes from suspense.';

CREATE OR REPLACE VIEW law_what_waits_has_its_time WITH (security_invoker = true) AS
  SELECT company_id, id, 'orders' AS machine, status AS state, expires_at AS time FROM orders
   WHERE status = 'INITIAL' AND (expires_at IS NULL) <> (scheduled_payment_id IS NOT NULL)
  UNION ALL
  SELECT company_id, id, 'orders', status, ends_at FROM orders
   WHERE (ends_at IS NOT NULL) <> (status = 'INITIAL' AND payment_method <> 'PIX')
  UNION ALL
  SELECT company_id, id, 'pix_payments', state, ask_at FROM pix_payments
   WHERE (state = 'ACCEPTED' AND rail = 'pix') <> (ask_at IS NOT NULL)
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

CREATE OR REPLACE VIEW law_the_network_hears_what_was_decided WITH (security_invoker = true) AS
  WITH decided AS (
    SELECT p.company_id, p.id, p.end_to_end_id, h.trigger FROM pix_payments p
      JOIN history h ON h.company_id = p.company_id AND h.reference_id = p.id AND h.version = 1
     WHERE p.rail IN ('pix', 'book')),
  answered AS (
    SELECT o.company_id, o.reference_id, count(*) AS answers, bool_or(says.body ->> 'accept' = 'true') AS yes,
           min(says.body ->> 'end_to_end_id') AS about, count(DISTINCT says.body ->> 'end_to_end_id') AS abouts
      FROM outbox o CROSS JOIN LATERAL (SELECT as_json(o.body) AS body OFFSET 0) says
     WHERE o.rail IN ('pix', 'book') AND o.kind = 'pix.answer' GROUP BY o.company_id, o.reference_id),
  asked AS (
    SELECT company_id, subject, count(*) AS questions FROM inbox
     WHERE rail IN ('pix', 'book') AND kind = 'pix.ask' AND outcome = 'answered' GROUP BY company_id, subject)
  SELECT coalesce(d.company_id, a.company_id) AS company_id, coalesce(d.id, a.reference_id) AS payment_id, d.trigger,
         q.questions, a.answers, a.yes
    FROM decided d
    FULL JOIN answered a ON a.company_id = d.company_id AND a.reference_id = d.id
    LEFT JOIN asked q ON q.company_id = d.company_id AND q.subject = d.end_to_end_id
   WHERE d.id IS NULL OR coalesce(a.answers, 0) <> coalesce(q.questions, 0)
      OR (d.trigger IN ('accept', 'refuse') AND a.answers IS NULL)
      OR (a.yes AND d.trigger NOT IN ('accept', 'settle')) OR (d.trigger = 'accept' AND a.yes IS NOT TRUE)
      OR (a.answers IS NOT NULL AND (a.about, a.abouts) IS DISTINCT FROM (d.end_to_end_id, 1));
COMMENT ON VIEW law_the_network_hears_what_was_decided IS
  'Every question of the network has one answer, about its payment, and yes is said only to a payment that was let in.';

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

CREATE OR REPLACE VIEW law_the_books_say_what_the_network_said WITH (security_invoker = true) AS
  WITH said AS MATERIALIZED (
    SELECT i.company_id, i.id, i.kind, i.subject, as_json(i.body) AS body FROM inbox i
     WHERE i.kind IN ('pix.final', 'pix.settled', 'return.final') AND i.outcome IN ('handled', 'known'))
  SELECT s.company_id, s.id AS message_id, s.kind, s.subject, p.state FROM said s
    LEFT JOIN pix_payments p ON p.company_id = s.company_id AND p.end_to_end_id = s.subject
   WHERE s.kind IN ('pix.final', 'pix.settled')
     AND CASE WHEN p.id IS NULL THEN true
              WHEN s.kind = 'pix.final' AND s.body ->> 'settled' = 'false' THEN p.state IN ('ACCEPTED', 'SETTLED')
              ELSE p.state IN ('ACCEPTED', 'REFUSED', 'FAILED')
                OR (s.kind = 'pix.settled' AND s.body #>> '{amount,minor}' IS DISTINCT FROM p.amount_minor::text) END
  UNION ALL
  SELECT s.company_id, s.id, s.kind, s.subject, r.state FROM said s
    LEFT JOIN refunds r ON r.company_id = s.company_id AND r.return_id = s.subject
   WHERE s.kind = 'return.final'
     AND r.state IS DISTINCT FROM CASE s.body ->> 'settled' WHEN 'true' THEN 'PAID' WHEN 'false' THEN 'ERROR' END
  UNION ALL
  SELECT p.company_id, p.id, 'nothing', p.end_to_end_id, p.state FROM pix_payments p
   WHERE p.rail IN ('pix', 'book') AND p.state NOT IN ('ACCEPTED', 'REFUSED')
     AND NOT EXISTS (SELECT 1 FROM said s WHERE s.company_id = p.company_id AND s.subject = p.end_to_end_id)
  UNION ALL
  SELECT r.company_id, r.id, 'nothing', r.return_id, r.state FROM refunds r
   WHERE r.state <> 'PENDING'
     AND NOT EXISTS (SELECT 1 FROM said s WHERE s.company_id = r.company_id AND s.subject = r.return_id);
COMMENT ON VIEW law_the_books_say_what_the_network_said IS
  'Payments and refunds ended as the network said that they did, and none ended without its word.';

CREATE VIEW law_the_books_say_what_the_partner_said WITH (security_invoker = true) AS
  WITH said AS MATERIALIZED (
    SELECT i.company_id, i.id, i.rail, i.kind, as_json(i.body) AS body FROM inbox i
     WHERE i.kind IN ('collection.announced', 'collection.settled', 'collection.void') AND i.outcome IN ('handled', 'known'))
  SELECT s.company_id, s.id AS message_id, s.kind, s.body ->> 'payment_id' AS payment, p.state FROM said s
    LEFT JOIN pix_payments p ON p.company_id = s.company_id AND p.rail = s.rail AND p.end_to_end_id = s.body ->> 'payment_id'
   WHERE p.id IS NULL
      OR ((s.kind = 'collection.settled' OR (s.kind = 'collection.announced' AND p.state = 'ACCEPTED'))
          AND s.body #>> '{amount,minor}' IS DISTINCT FROM p.amount_minor::text)
      OR (s.kind = 'collection.settled' AND p.state IN ('ACCEPTED', 'REFUSED', 'FAILED'))
      OR (s.kind = 'collection.void' AND p.state = 'ACCEPTED')
  UNION ALL
  SELECT p.company_id, p.id, 'nothing', p.end_to_end_id, p.state FROM pix_payments p
   WHERE p.rail NOT IN ('pix', 'book')
     AND NOT EXISTS (SELECT 1 FROM said s WHERE s.company_id = p.company_id AND s.rail = p.rail
                        AND s.body ->> 'payment_id' = p.end_to_end_id
                        AND s.kind = CASE p.state WHEN 'ACCEPTED' THEN 'collection.announced' WHEN 'FAILED' THEN 'collection.void'
                                                  ELSE 'collection.settled' END);
COMMENT ON VIEW law_the_books_say_what_the_partner_said IS
  'Payments at a partner that collects are announced, settled and void as it said, of the amount that it said.';

CREATE VIEW law_an_order_has_its_instrument WITH (security_invoker = true) AS
  SELECT o.company_id, o.id, o.payment_method, i.rail, i.reference, sent.reference AS registered FROM orders o
    FULL JOIN instruments i ON i.company_id = o.company_id AND i.order_id = o.id
    LEFT JOIN LATERAL (
      SELECT m.network_id AS reference, as_json(m.body) AS body FROM outbox m
       WHERE m.company_id = i.company_id AND m.reference_id = i.order_id AND m.rail = i.rail AND m.kind = 'collection.send') sent ON true
   WHERE (o.payment_method = 'PIX' AND i.order_id IS NOT NULL)
      OR (coalesce(o.payment_method, '') <> 'PIX'
          AND (lower(o.payment_method), i.reference, o.final_amount_minor::text, i.code) IS DISTINCT FROM
              (i.rail, sent.reference, sent.body #>> '{amount,minor}', sent.body ->> 'code'));
COMMENT ON VIEW law_an_order_has_its_instrument IS
  'An order of a method that a partner collects has its one instrument, made payable there once, for the final amount.';

GRANT SELECT ON law_an_order_has_its_instrument TO lastro_app, lastro_audit;
GRANT INSERT ON law_an_order_has_its_instrument TO lastro_app; -- as a whole schema is granted: nothing can be inserted into it
GRANT SELECT ON law_the_books_say_what_the_partner_said TO lastro_app, lastro_audit;
GRANT INSERT ON law_the_books_say_what_the_partner_said TO lastro_app; -- as a whole schema is granted: nothing can be inserted into it

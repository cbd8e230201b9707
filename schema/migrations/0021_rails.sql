-- Orders in pesos, and every rail that collects: one list of them, of which chart and laws are made.

CREATE VIEW rails WITH (security_invoker = true) AS -- where our clearing has a position, and in which currency
  SELECT * FROM (VALUES ('pix', 'BRL'), ('ted', 'BRL'), ('boleto', 'BRL'), ('deposit', 'BRL'), ('crypto', 'BRL'),
                        ('card', 'MXN'), ('spei', 'MXN'), ('oxxo', 'MXN'), ('oxxopay', 'MXN'), ('paynet', 'MXN'))
    AS r(rail, currency);

-- What a transfer of each type moves, whether at once or by a hold, and for which objects. part: what pays an order is
-- credited (in) and kept (fee), what fits none waits (unfit) to go back (return), a client gives back (refund).
CREATE VIEW entry_types WITH (security_invoker = true) AS
  SELECT upper(r.rail) || e.suffix AS type, e.at_once, e.debit, e.credit, r.rail, e.machine, e.part
    FROM rails r
   CROSS JOIN (VALUES ('_IN', true, 'NET', 'CUST', 'orders', 'in'), ('_FEE', true, 'NET', 'FEE', 'orders', 'fee'),
                      ('_UNFIT', true, 'NET', 'SUSP', 'pix_payments', 'unfit'),
                      ('_RETURN', false, 'SUSP', 'NET', 'refunds', 'return'),
                      ('_REFUND', false, 'CUST', 'NET', 'refunds', 'refund')) e(suffix, at_once, debit, credit, machine, part)
   WHERE r.rail <> 'ted' AND NOT (r.rail = 'pix' AND e.part = 'fee')
  UNION ALL
  SELECT * FROM (VALUES
    ('FEE', true, 'NET', 'FEE', 'pix', 'orders', 'fee'),
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
    ('LOSS_RECOVERED', true, 'CUST', 'LOSS', NULL, 'accounts', NULL))
    AS t(type, at_once, debit, credit, rail, machine, part);
GRANT SELECT ON rails, entry_types TO lastro_app, lastro_audit;
GRANT INSERT ON rails, entry_types TO lastro_app; -- as a whole schema is granted: nothing can be inserted into them

ALTER TABLE orders DROP CONSTRAINT orders_payment_method_check;
ALTER TABLE orders ADD CONSTRAINT orders_payment_method_check
  CHECK (payment_method ~ '^(PIX|DEPOSIT|BOLETO|CREDIT_CARD|SPEI|OXXO|OXXOPAY|PAYNET|[A-Z0-9]{2,16}_PAY)$');
ALTER TABLE instruments DROP CONSTRAINT instruments_rail_check;
ALTER TABLE instruments ADD CONSTRAINT instruments_rail_check CHECK (rail ~ '^[a-z][a-z0-9]{1,15}$');
ALTER TABLE instruments ALTER COLUMN code DROP NOT NULL, ALTER COLUMN due DROP NOT NULL,
  ALTER COLUMN payable_until DROP NOT NULL, ADD COLUMN details jsonb;
ALTER TABLE pix_payments DROP CONSTRAINT pix_payments_rail_check;
ALTER TABLE pix_payments ADD CONSTRAINT pix_payments_rail_check CHECK (rail ~ '^[a-z][a-z0-9]{1,15}$');

-- The owner itself is bound by row-level security, and would find no row.
ALTER TABLE companies NO FORCE ROW LEVEL SECURITY;
ALTER TABLE accounts NO FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger_accounts NO FORCE ROW LEVEL SECURITY;
ALTER TABLE balances NO FORCE ROW LEVEL SECURITY;

-- What every company and account lacks of the chart; the id is derived from the account's name.
INSERT INTO ledger_accounts (company_id, id, code, rail, currency, account_id)
SELECT company_id, encode(substr(sha256(convert_to(format('%s:%s:%s:%s:%s', company_id, code, currency, rail, account_id), 'UTF8')),
                                 1, 16), 'hex')::uuid, code, rail, currency, account_id
  FROM (SELECT c.company_id, 'NET' AS code, r.rail, r.currency, NULL::uuid AS account_id FROM companies c CROSS JOIN rails r
        UNION ALL
        SELECT c.company_id, w.code, NULL, 'MXN', NULL FROM companies c, (VALUES ('FEE'), ('SUSP'), ('TRANSIT')) w(code)
        UNION ALL
        SELECT a.company_id, w.code, NULL, 'MXN', a.id FROM accounts a, (VALUES ('CUST'), ('BLOCK'), ('LOSS')) w(code)) n
    ON CONFLICT DO NOTHING;
INSERT INTO balances (company_id, ledger_account_id)
SELECT company_id, id FROM ledger_accounts WHERE currency = 'MXN' AND code IN ('CUST', 'BLOCK');

ALTER TABLE companies FORCE ROW LEVEL SECURITY;
ALTER TABLE accounts FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger_accounts FORCE ROW LEVEL SECURITY;
ALTER TABLE balances FORCE ROW LEVEL SECURITY;

DROP VIEW law_the_chart_is_whole;
CREATE VIEW law_the_chart_is_whole WITH (security_invoker = true) AS
  WITH currencies AS (SELECT DISTINCT currency FROM rails)
  SELECT c.company_id, NULL::uuid AS account_id, w.code, w.rail, w.currency FROM companies c
   CROSS JOIN (SELECT 'NET' AS code, rail, currency FROM rails
               UNION ALL SELECT o.code, NULL, currency FROM currencies, (VALUES ('FEE'), ('SUSP'), ('TRANSIT')) o(code)) w
   WHERE NOT EXISTS (SELECT 1 FROM ledger_accounts l WHERE l.company_id = c.company_id AND l.code = w.code
                        AND l.currency = w.currency AND coalesce(l.rail, '') = coalesce(w.rail, ''))
  UNION ALL
  SELECT a.company_id, a.id, w.code, NULL, c.currency FROM accounts a
   CROSS JOIN (VALUES ('CUST'), ('BLOCK'), ('LOSS')) w(code) CROSS JOIN currencies c
   WHERE NOT EXISTS (SELECT 1 FROM ledger_accounts l WHERE l.company_id = a.company_id AND l.account_id = a.id
                        AND l.code = w.code AND l.currency = c.currency)
  UNION ALL
  SELECT company_id, account_id, code, rail, currency FROM ledger_accounts l
   WHERE (rail IS NOT NULL) <> (code = 'NET') OR (account_id IS NOT NULL) <> (code IN ('CUST', 'BLOCK', 'LOSS'))
      OR NOT EXISTS (SELECT 1 FROM rails r WHERE r.currency = l.currency AND r.rail = coalesce(l.rail, r.rail));
COMMENT ON VIEW law_the_chart_is_whole IS
  'Every company has its FEE, SUSP, TRANSIT and NET accounts, every account CUST, BLOCK and LOSS, in each currency; none has another shape.';
GRANT SELECT ON law_the_chart_is_whole TO lastro_app, lastro_audit;
GRANT INSERT ON law_the_chart_is_whole TO lastro_app; -- as a whole schema is granted: nothing can be inserted into it

CREATE OR REPLACE VIEW law_a_transfer_is_what_its_type_says WITH (security_invoker = true) AS
  SELECT t.company_id, t.id AS transfer_id, t.type, t.kind, d.code AS debit, c.code AS credit, t.reference_id
    FROM transfers t
    JOIN entry_types says ON says.type = t.type
    JOIN ledger_accounts d ON d.company_id = t.company_id AND d.id = t.debit_id
    JOIN ledger_accounts c ON c.company_id = t.company_id AND c.id = t.credit_id
   WHERE (t.kind = 'moved', d.code, c.code, coalesce(d.rail, c.rail))
         IS DISTINCT FROM (says.at_once, says.debit, says.credit, says.rail)
      OR CASE WHEN says.machine = 'accounts' THEN (d.account_id, c.account_id) IS DISTINCT FROM (t.reference_id, t.reference_id)
              ELSE NOT EXISTS (SELECT 1 FROM objects o WHERE o.company_id = t.company_id AND o.id = t.reference_id
                                  AND o.machine = says.machine) END;
COMMENT ON VIEW law_a_transfer_is_what_its_type_says IS
  'A transfer moves between the accounts that its type names, at once or by a hold, for an object of the kind that books so.';

CREATE OR REPLACE VIEW law_suspense_is_explained WITH (security_invoker = true) AS
  SELECT l.company_id, l.id AS ledger_account_id, s.in_suspense_minor, s.explained_minor FROM ledger_accounts l
   CROSS JOIN LATERAL (
     SELECT (SELECT coalesce(sum(change_minor), 0) FROM ledger_sides x
              WHERE x.company_id = l.company_id AND x.ledger_account_id = l.id) AS in_suspense_minor,
            (SELECT coalesce(sum(amount_minor), 0) FROM pix_payments p LEFT JOIN rails q ON q.rail = p.rail
              WHERE p.company_id = l.company_id AND p.state IN ('RETURNING', 'STRANDED')
                AND coalesce(q.currency, 'BRL') = l.currency)
          + (SELECT coalesce(sum(amount_minor), 0) FROM payout_returns r
              WHERE r.company_id = l.company_id AND r.is_unfit AND l.currency = 'BRL') AS explained_minor) s
   WHERE l.code = 'SUSP' AND s.in_suspense_minor <> s.explained_minor;
COMMENT ON VIEW law_suspense_is_explained IS
  'What lies in SUSP is the sum of the payments RETURNING or STRANDED, and of what came back above what was sent.';

CREATE OR REPLACE VIEW law_a_paid_order_is_booked_once WITH (security_invoker = true) AS
  SELECT o.company_id, o.id, o.status, o.paid_minor, m.payments, m.received_minor, m.booked_minor FROM orders o
   CROSS JOIN LATERAL (
     SELECT (SELECT count(*) FROM pix_payments p WHERE p.company_id = o.company_id AND p.order_id = o.id
                AND p.state = 'SETTLED') AS payments,
            (SELECT coalesce(sum(p.amount_minor), 0) FROM pix_payments p WHERE p.company_id = o.company_id
                AND p.order_id = o.id AND p.state = 'SETTLED') AS received_minor,
            (SELECT coalesce(sum(t.amount_minor), 0) FROM transfers t WHERE t.company_id = o.company_id
                AND t.reference_id = o.id AND t.type IN (SELECT type FROM entry_types WHERE part IN ('in', 'fee'))) AS booked_minor) m
   WHERE CASE WHEN o.status IN ('PAID', 'REFUNDED', 'PARTIAL_REFUNDED')
              THEN m.payments <> 1 OR m.received_minor <> o.paid_minor OR m.booked_minor <> o.paid_minor
              ELSE m.payments <> 0 OR m.booked_minor <> 0 END;
COMMENT ON VIEW law_a_paid_order_is_booked_once IS
  'A paid order has one settled payment, and its bookings add up to it; any other order has none.';

DROP VIEW law_a_payment_is_split_as_planned;
CREATE VIEW law_a_payment_is_split_as_planned WITH (security_invoker = true) AS
  SELECT o.company_id, o.id, o.paid_minor, f.fee_minor,
         coalesce(sum(t.amount_minor) FILTER (WHERE e.part = 'fee'), 0) AS booked_fee_minor,
         count(*) FILTER (WHERE e.part = 'in' AND c.account_id IS DISTINCT FROM o.account_id) AS astray
    FROM orders o
   CROSS JOIN LATERAL (
     SELECT CASE WHEN o.origin <> 'UNASKED' AND o.fee_payer = 'CUSTOMER' AND o.amount_minor IS NOT NULL
                 THEN o.paid_minor - o.amount_minor
                 ELSE least(o.paid_minor, o.fee_fixed_minor + share(o.paid_minor, o.fee_variable_basis_points)
                                          + o.fee_additional_minor) END AS fee_minor) f
    JOIN transfers t ON t.company_id = o.company_id AND t.reference_id = o.id
    JOIN entry_types e ON e.type = t.type AND e.part IN ('in', 'fee')
    JOIN ledger_accounts c ON c.company_id = t.company_id AND c.id = t.credit_id
   WHERE o.paid_minor IS NOT NULL GROUP BY o.company_id, o.id, o.paid_minor, f.fee_minor
  HAVING count(*) FILTER (WHERE e.part = 'in' AND c.account_id IS DISTINCT FROM o.account_id) > 0
      OR coalesce(sum(t.amount_minor) FILTER (WHERE e.part = 'fee'), 0) <> f.fee_minor;
COMMENT ON VIEW law_a_payment_is_split_as_planned IS
  'Of what was paid we keep the planned fee, and the rest is credited to the order''s account.';
GRANT SELECT ON law_a_payment_is_split_as_planned TO lastro_app, lastro_audit;
GRANT INSERT ON law_a_payment_is_split_as_planned TO lastro_app; -- as a whole schema is granted: nothing can be inserted into it

CREATE OR REPLACE VIEW law_what_fits_nothing_goes_back WITH (security_invoker = true) AS
  SELECT p.company_id, p.id AS payment_id, p.state, p.amount_minor, r.refunds, r.state AS refund_state, r.refunded_minor,
         t.suspended_minor
    FROM pix_payments p
    LEFT JOIN (SELECT company_id, payment_id, count(*) AS refunds, min(state) AS state, sum(amount_minor) AS refunded_minor
                 FROM refunds WHERE origin = 'AUTOMATIC' GROUP BY company_id, payment_id) r
      ON r.company_id = p.company_id AND r.payment_id = p.id
    LEFT JOIN (SELECT company_id, reference_id, sum(amount_minor) AS suspended_minor FROM transfers
                WHERE type IN (SELECT type FROM entry_types WHERE part = 'unfit') GROUP BY company_id, reference_id) t
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
              ('SETTLED', r.order_id, upper(p.rail) || '_REFUND', o.account_id)
              OR r.created_at > o.paid_at + interval '90 days'
         ELSE h.type IS DISTINCT FROM upper(p.rail) || '_RETURN' END
      OR r.rail <> p.rail;
COMMENT ON VIEW law_a_refund_is_of_its_order IS
  'A refund that a client asked for gives back the payment of its order, in 90 days, from its account; any other takes from suspense.';

CREATE OR REPLACE VIEW law_an_order_has_its_instrument WITH (security_invoker = true) AS
  SELECT o.company_id, o.id, o.payment_method, i.rail, i.reference, sent.reference AS registered FROM orders o
    FULL JOIN instruments i ON i.company_id = o.company_id AND i.order_id = o.id
    LEFT JOIN LATERAL (
      SELECT m.network_id AS reference, as_json(m.body) AS body FROM outbox m
       WHERE m.company_id = i.company_id AND m.reference_id = i.order_id AND m.rail = i.rail AND m.kind = 'collection.send') sent ON true
   WHERE (o.payment_method = 'PIX' AND i.order_id IS NOT NULL)
      OR (coalesce(o.payment_method, '') <> 'PIX'
          AND (CASE WHEN o.payment_method LIKE '%\_PAY' THEN 'crypto' ELSE lower(o.payment_method) END, i.reference, o.final_amount_minor::text, i.code) IS DISTINCT FROM
              (i.rail, sent.reference, sent.body #>> '{amount,minor}', sent.body ->> 'code'));
COMMENT ON VIEW law_an_order_has_its_instrument IS
  'An order of a method that a partner collects has its one instrument, made payable there once, for the final amount.';

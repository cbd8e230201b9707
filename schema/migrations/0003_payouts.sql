-- Payouts: what they are, their limits, their laws; a second rail's clearing; the directory of our own keys.

CREATE TABLE own_keys (                               -- reference table: finds the owner of a Pix key that leads to one of our accounts
  key text PRIMARY KEY,
  company_id uuid NOT NULL,
  account_id uuid NOT NULL
);

CREATE TABLE account_limits (                         -- how much an account may send; without a row the defaults of the code hold
  company_id uuid NOT NULL,
  account_id uuid NOT NULL,
  payment_method text NOT NULL CHECK (payment_method IN ('PIX', 'TED')),
  transaction_minor bigint NOT NULL CHECK (transaction_minor > 0), -- above it a payout is split
  day_minor bigint CHECK (day_minor >= 0),            -- from 06:00 to 06:00 in Brasilia; NULL: no limit
  night_minor bigint CHECK (night_minor >= 0),        -- from 20:00 to 06:00 in Brasilia; NULL: no limit
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, account_id, payment_method),
  FOREIGN KEY (company_id, account_id) REFERENCES accounts
);

CREATE TABLE quotas (                                 -- how much of a limit is used
  company_id uuid NOT NULL REFERENCES companies,
  owner_id uuid NOT NULL,                             -- whose limit: an account
  kind text NOT NULL,                                 -- PIX.day, TED.night, …
  period text NOT NULL,                               -- the day it is counted in
  used_minor bigint NOT NULL CHECK (used_minor >= 0),
  PRIMARY KEY (company_id, owner_id, kind, period)
) WITH (fillfactor = 70);

CREATE TABLE payouts (                                -- money sent out: a transfer, a batch of transfers, or one of a batch
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  batch_id uuid,                                      -- of a batch's child: the batch
  sequence integer CHECK (sequence > 0),              -- of a batch's child: its place, from 1
  children integer NOT NULL DEFAULT 0 CHECK (children <> 1), -- of a batch: how many transfers it was split into; 0: it is one
  account_id uuid NOT NULL,                           -- who pays
  external_id text,                                   -- the client's code; NULL for a child
  idempotency_key text NOT NULL,                      -- of a child: the batch's, with its number from the second on
  payment_method text NOT NULL CHECK (payment_method IN ('PIX', 'TED')),
  rail text NOT NULL CHECK (rail IN ('pix', 'ted', 'book')), -- book: the receiver has an account here
  initiation text NOT NULL CHECK (initiation IN ('KEY', 'STATIC_QR', 'DYNAMIC_QR', 'MANUAL')),
  status text NOT NULL CHECK (status IN ('INITIAL', 'PENDING', 'PAID', 'EXPIRED', 'ANALYSIS', 'REFUNDED', 'PARTIAL_REFUNDED',
                                         'PARTIALLY_PAID', 'CANCELED', 'ERROR')),
  currency text NOT NULL,
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  fee_minor bigint NOT NULL DEFAULT 0 CHECK (fee_minor >= 0),
  returned_minor bigint NOT NULL DEFAULT 0 CHECK (returned_minor >= 0),
  description text NOT NULL,
  receiver_id uuid NOT NULL,
  pix_key text,                                       -- the key paid to
  pix_key_type text,
  txid text,                                          -- of the QR that was paid
  end_to_end_id text,                                 -- Pix; fixed before anything is sent
  control_number text,                                -- TED: ours (NumCtrlIF); fixed before anything is sent
  str_control_number text,                            -- TED: the STR's, once it has given it
  message_id uuid,                                    -- the outbox row that sends it; NULL for a batch, and until it is sent
  hold_id uuid,                                       -- the amount, held
  fee_hold_id uuid,                                   -- the fee, held; of a batch: the batch's alone
  quota_period text,                                  -- the day its amount counts in, for giving it back
  is_at_night boolean NOT NULL DEFAULT false,         -- whether it counts for the night, too
  scheduled_on date,                                  -- the day in Brasilia on which it was asked to be sent
  start_at timestamptz,                               -- when it is to be begun; NULL: it is, or ended before
  send_until timestamptz,                             -- what is proven unsent by then expires
  error_code text,                                    -- the network's, raw
  error_message text,
  paid_at timestamptz,                                -- the network's settlement
  ask_at timestamptz,                                 -- sent and PENDING: when the network is asked what became of it
  asked integer NOT NULL DEFAULT 0,                   -- how often it was asked
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, batch_id) REFERENCES payouts,
  FOREIGN KEY (company_id, account_id) REFERENCES accounts,
  FOREIGN KEY (company_id, receiver_id) REFERENCES parties,
  CHECK ((batch_id IS NULL) = (sequence IS NULL)),
  CHECK (batch_id IS NULL OR children = 0),
  CHECK ((batch_id IS NULL) = (external_id IS NOT NULL)),
  CHECK (status NOT IN ('PAID', 'REFUNDED', 'PARTIAL_REFUNDED', 'PARTIALLY_PAID') OR paid_at IS NOT NULL),
  CHECK (returned_minor <= amount_minor)
) WITH (fillfactor = 85);
CREATE UNIQUE INDEX payouts_created_at_key ON payouts (company_id, created_at) WHERE batch_id IS NULL;
CREATE UNIQUE INDEX payouts_external_id_key ON payouts (company_id, external_id);
CREATE UNIQUE INDEX payouts_end_to_end_id_key ON payouts (company_id, end_to_end_id);
CREATE UNIQUE INDEX payouts_control_number_key ON payouts (company_id, control_number);
CREATE UNIQUE INDEX payouts_of_batch ON payouts (company_id, batch_id, sequence) WHERE batch_id IS NOT NULL;
CREATE INDEX payouts_of_status ON payouts (company_id, status, created_at) WHERE batch_id IS NULL;
CREATE INDEX payouts_of_account ON payouts (company_id, account_id, created_at) WHERE batch_id IS NULL;
CREATE INDEX payouts_to_ask ON payouts (ask_at, company_id) WHERE status = 'PENDING' AND ask_at IS NOT NULL;
CREATE INDEX payouts_to_start ON payouts (start_at, company_id) WHERE status = 'PENDING' AND start_at IS NOT NULL;

CREATE TABLE payout_returns (                         -- what a receiver has given back
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  payout_id uuid NOT NULL,
  return_id text NOT NULL,                            -- the network's: D…, or the STR's number of the TED that brings it back
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  reason_code text NOT NULL,                          -- raw
  details text,
  is_unfit boolean NOT NULL DEFAULT false,            -- more than was left to return: it lies in suspense
  settled_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, payout_id) REFERENCES payouts
);
CREATE UNIQUE INDEX payout_returns_return_id_key ON payout_returns (company_id, return_id);
CREATE INDEX payout_returns_of_payout ON payout_returns (company_id, payout_id);

-- Uses limits, or gives back: each is looked at and written under the lock of its row. mosts: above it nothing is written.
CREATE FUNCTION use_quotas(company uuid, owners uuid[], kinds text[], periods text[], amounts bigint[], mosts bigint[])
RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  q record;
  used bigint;
BEGIN
  FOR q IN SELECT * FROM unnest(owners, kinds, periods, amounts, mosts) AS u(owner, kind, period, amount, most) LOOP
    INSERT INTO quotas AS t (company_id, owner_id, kind, period, used_minor)
    VALUES (company, q.owner, q.kind, q.period, greatest(q.amount, 0))
        ON CONFLICT (company_id, owner_id, kind, period) DO UPDATE SET used_minor = t.used_minor + q.amount
    RETURNING used_minor INTO used;
    IF q.amount > 0 AND used > q.most THEN
      RAISE EXCEPTION '%', q.kind USING ERRCODE = 'LA403', DETAIL = greatest(q.most - used + q.amount, 0)::text;
    END IF;
  END LOOP;
  RETURN true;
END $$;

ALTER TABLE companies ADD COLUMN refuses_duplicates boolean NOT NULL DEFAULT false;
ALTER TABLE pix_payments ADD COLUMN rail text NOT NULL DEFAULT 'pix' CHECK (rail IN ('pix', 'book'));
ALTER TABLE company_fees ADD COLUMN direction text NOT NULL DEFAULT 'IN' CHECK (direction IN ('IN', 'OUT'));
ALTER TABLE company_fees DROP CONSTRAINT company_fees_pkey, ADD PRIMARY KEY (company_id, direction, payment_method);

-- Whoever is there already: the owner of the tables sees their rows only while row-level security does not bind him.
ALTER TABLE pix_keys NO FORCE ROW LEVEL SECURITY;
ALTER TABLE companies NO FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger_accounts NO FORCE ROW LEVEL SECURITY;
INSERT INTO own_keys (key, company_id, account_id) SELECT key, company_id, account_id FROM pix_keys WHERE status = 'ACTIVE';
INSERT INTO ledger_accounts (company_id, id, code, rail, currency)
SELECT company_id, encode(substr(sha256(convert_to(format('%s:NET:BRL:ted:', company_id), 'UTF8')), 1, 16), 'hex')::uuid,
       'NET', 'ted', 'BRL' FROM companies;
ALTER TABLE pix_keys FORCE ROW LEVEL SECURITY;
ALTER TABLE companies FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger_accounts FORCE ROW LEVEL SECURITY;

CREATE OR REPLACE VIEW objects WITH (security_invoker = true) AS      -- everything that has a state
  SELECT company_id, id, 'orders' AS machine, status AS state, version, created_at, updated_at FROM orders
  UNION ALL SELECT company_id, id, 'pix_payments', state, version, created_at, updated_at FROM pix_payments
  UNION ALL SELECT company_id, id, 'refunds', state, version, created_at, updated_at FROM refunds
  UNION ALL SELECT company_id, id, 'payouts', status, version, created_at, updated_at FROM payouts;

CREATE OR REPLACE VIEW law_the_chart_is_whole WITH (security_invoker = true) AS
  SELECT c.company_id, NULL::uuid AS account_id, w.code, w.rail FROM companies c
   CROSS JOIN (VALUES ('FEE', NULL), ('SUSP', NULL), ('TRANSIT', NULL), ('NET', 'pix'), ('NET', 'ted')) w(code, rail)
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
                 ('PIX_OUT', false, 'CUST', 'NET', 'pix', 'payouts'), ('TED_OUT', false, 'CUST', 'NET', 'ted', 'payouts'),
                 ('BOOK_OUT', false, 'CUST', 'TRANSIT', NULL, 'payouts'),
                 ('PAYOUT_FEE', false, 'CUST', 'FEE', NULL, 'payouts'),
                 ('PIX_RETURNED', true, 'NET', 'CUST', 'pix', 'payouts'),
                 ('TED_RETURNED', true, 'NET', 'CUST', 'ted', 'payouts'),
                 ('PIX_RETURN_UNFIT', true, 'NET', 'SUSP', 'pix', 'payouts'),
                 ('TED_RETURN_UNFIT', true, 'NET', 'SUSP', 'ted', 'payouts'),
                 ('TED_PROVED', true, 'CUST', 'NET', 'ted', 'payouts'), ('TED_LACK', true, 'LOSS', 'NET', 'ted', 'payouts'))
         AS says(type, at_once, debit, credit, rail, machine) ON says.type = t.type
    JOIN ledger_accounts d ON d.company_id = t.company_id AND d.id = t.debit_id
    JOIN ledger_accounts c ON c.company_id = t.company_id AND c.id = t.credit_id
   WHERE (t.kind = 'moved', d.code, c.code, coalesce(d.rail, c.rail))
         IS DISTINCT FROM (says.at_once, says.debit, says.credit, says.rail)
      OR NOT EXISTS (SELECT 1 FROM objects o WHERE o.company_id = t.company_id AND o.id = t.reference_id
                        AND o.machine = says.machine);
COMMENT ON VIEW law_a_transfer_is_what_its_type_says IS
  'A transfer moves between the accounts that its type names, at once or by a hold, for an object of the kind that books so.';

DROP VIEW law_in_transit_is_zero_at_rest;
CREATE VIEW law_in_transit_is_zero_at_rest WITH (security_invoker = true) AS
  SELECT NULL::uuid AS company_id, l.currency, sum(x.change_minor) AS in_transit_minor FROM ledger_accounts l
    JOIN ledger_sides x ON x.company_id = l.company_id AND x.ledger_account_id = l.id
   WHERE l.code = 'TRANSIT' GROUP BY l.currency HAVING sum(x.change_minor) <> 0;
COMMENT ON VIEW law_in_transit_is_zero_at_rest IS
  'All companies'' TRANSIT together is zero when nothing is on its way from one to another.';

CREATE OR REPLACE VIEW law_clearing_equals_payments WITH (security_invoker = true) AS
  SELECT l.company_id, l.id AS ledger_account_id, s.booked_minor, s.settled_minor FROM ledger_accounts l
   CROSS JOIN LATERAL (
     SELECT (SELECT coalesce(-sum(change_minor), 0) FROM ledger_sides x
              WHERE x.company_id = l.company_id AND x.ledger_account_id = l.id) AS booked_minor,
            (SELECT coalesce(sum(amount_minor), 0) FROM pix_payments p WHERE p.company_id = l.company_id
                AND p.rail = l.rail AND p.state IN ('SETTLED', 'RETURNING', 'STRANDED'))
          - (SELECT coalesce(sum(amount_minor), 0) FROM payouts o WHERE o.company_id = l.company_id AND o.rail = l.rail
                AND o.children = 0 AND o.status IN ('PAID', 'PARTIAL_REFUNDED', 'REFUNDED'))
          + (SELECT coalesce(sum(r.amount_minor), 0) FROM payout_returns r
               JOIN payouts o ON o.company_id = r.company_id AND o.id = r.payout_id
              WHERE r.company_id = l.company_id AND o.rail = l.rail) AS settled_minor) s
   WHERE l.code = 'NET' AND s.booked_minor <> s.settled_minor;
COMMENT ON VIEW law_clearing_equals_payments IS
  'What a NET account says came in is what settled there: payments kept, less payouts, plus what came back of them.';

CREATE OR REPLACE VIEW law_suspense_is_explained WITH (security_invoker = true) AS
  SELECT l.company_id, l.id AS ledger_account_id, s.in_suspense_minor, s.explained_minor FROM ledger_accounts l
   CROSS JOIN LATERAL (
     SELECT (SELECT coalesce(sum(change_minor), 0) FROM ledger_sides x
              WHERE x.company_id = l.company_id AND x.ledger_account_id = l.id) AS in_suspense_minor,
            (SELECT coalesce(sum(amount_minor), 0) FROM pix_payments p
              WHERE p.company_id = l.company_id AND p.state IN ('RETURNING', 'STRANDED'))
          + (SELECT coalesce(sum(amount_minor), 0) FROM payout_returns r
              WHERE r.company_id = l.company_id AND r.is_unfit) AS explained_minor) s
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
                AND t.reference_id = o.id AND t.type IN ('PIX_IN', 'BOOK_IN', 'FEE', 'BOOK_FEE')) AS booked_minor) m
   WHERE CASE WHEN o.status IN ('PAID', 'REFUNDED', 'PARTIAL_REFUNDED')
              THEN m.payments <> 1 OR m.received_minor <> o.paid_minor OR m.booked_minor <> o.paid_minor
              ELSE m.payments <> 0 OR m.booked_minor <> 0 END;
COMMENT ON VIEW law_a_paid_order_is_booked_once IS
  'A paid order has one settled payment, and its bookings add up to it; any other order has none.';

CREATE OR REPLACE VIEW law_a_payment_is_split_as_planned WITH (security_invoker = true) AS
  SELECT o.company_id, o.id, o.paid_minor,
         CASE WHEN o.origin = 'TRANSPARENT' AND o.fee_payer = 'CUSTOMER' AND o.amount_minor IS NOT NULL
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
         <> CASE WHEN o.origin = 'TRANSPARENT' AND o.fee_payer = 'CUSTOMER' AND o.amount_minor IS NOT NULL
                 THEN o.paid_minor - o.amount_minor
                 ELSE least(o.paid_minor, o.fee_fixed_minor + share(o.paid_minor, o.fee_variable_basis_points)
                                          + o.fee_additional_minor) END;
COMMENT ON VIEW law_a_payment_is_split_as_planned IS
  'Of what was paid we keep the planned fee, and the rest is credited to the order''s account.';

CREATE VIEW law_a_payout_is_held_until_it_ends WITH (security_invoker = true) AS
  WITH due AS (
    SELECT p.company_id, p.id, p.status, 'amount' AS what, p.amount_minor AS minor, p.hold_id AS hold_id,
           CASE WHEN p.status IN ('PAID', 'PARTIAL_REFUNDED', 'REFUNDED') THEN 'posted'
                WHEN p.status IN ('ERROR', 'EXPIRED', 'CANCELED') THEN 'voided' END AS ends, p.version
      FROM payouts p WHERE p.children = 0
    UNION ALL
    SELECT p.company_id, p.id, p.status, 'fee', p.fee_minor, p.fee_hold_id,
           CASE WHEN p.status IN ('PAID', 'PARTIAL_REFUNDED', 'REFUNDED', 'PARTIALLY_PAID') THEN 'posted'
                WHEN p.status IN ('ERROR', 'EXPIRED', 'CANCELED') THEN 'voided' END, p.version
      FROM payouts p WHERE p.fee_hold_id IS NOT NULL)
  SELECT d.company_id, d.id AS payout_id, d.status, d.what, d.minor, h.amount_minor AS held_minor, d.ends, e.kind AS ended
    FROM due d
    LEFT JOIN transfers h ON h.company_id = d.company_id AND h.id = d.hold_id
    LEFT JOIN transfers e ON e.company_id = d.company_id AND e.pending_id = d.hold_id
   WHERE CASE WHEN d.hold_id IS NULL -- a scheduled one that has not begun, or never could
              THEN d.status NOT IN ('PENDING', 'ERROR', 'CANCELED', 'EXPIRED', 'ANALYSIS')
              ELSE (h.kind, h.amount_minor, h.reference_id) IS DISTINCT FROM ('held', d.minor, d.id)
                OR (e.kind IS DISTINCT FROM d.ends
                    AND NOT (d.what = 'fee' AND d.status = 'PENDING' AND e.kind = 'posted') -- a batch's, with its first child paid
                    AND NOT (d.status IN ('PAID', 'PARTIAL_REFUNDED', 'REFUNDED') AND e.kind = 'voided' AND EXISTS (
                         SELECT 1 FROM history p WHERE p.company_id = d.company_id AND p.reference_id = d.id
                            AND p.trigger = 'prove'))) END;
COMMENT ON VIEW law_a_payout_is_held_until_it_ends IS
  'A payout holds its amount and its fee once each: open while it is under way, posted when it is paid, voided when it is not.';

CREATE VIEW law_a_payout_is_sent_as_decided WITH (security_invoker = true) AS
  SELECT coalesce(p.company_id, o.company_id) AS company_id, p.id AS payout_id, o.id AS message_id, p.end_to_end_id,
         p.control_number, o.network_id, p.amount_minor
    FROM (SELECT * FROM payouts WHERE message_id IS NOT NULL) p
    FULL JOIN (SELECT company_id, id, rail, reference_id, network_id, as_json(body) AS body FROM outbox
                WHERE kind IN ('payment.send', 'ted.send')) o
      ON o.company_id = p.company_id AND o.reference_id = p.id
   WHERE (p.message_id, p.rail, coalesce(p.control_number, p.end_to_end_id), p.amount_minor::text) IS DISTINCT FROM
         (o.id, o.rail, o.network_id, o.body #>> '{amount,minor}');
COMMENT ON VIEW law_a_payout_is_sent_as_decided IS
  'Every payout that was begun has its one order to its network, of its id and amount, and no such order is without its payout.';

CREATE VIEW law_a_payout_ends_by_the_networks_word WITH (security_invoker = true) AS
  WITH said AS MATERIALIZED (
    SELECT i.company_id, i.subject, bool_or(b.body ->> 'settled' = 'true') AS is_settled,
           bool_or(b.body ->> 'settled' = 'false') AS is_refused, bool_or(i.kind = 'payment.doubted') AS is_doubted
      FROM inbox i CROSS JOIN LATERAL (SELECT as_json(i.body) AS body OFFSET 0) b
     WHERE i.kind IN ('payment.final', 'payment.doubted') AND i.outcome IN ('handled', 'known')
     GROUP BY i.company_id, i.subject)
  SELECT p.company_id, p.id AS payout_id, p.status, s.is_settled, s.is_refused FROM payouts p
    LEFT JOIN said s ON s.company_id = p.company_id AND s.subject = coalesce(p.control_number, p.end_to_end_id)
   WHERE p.children = 0
     AND CASE WHEN p.status IN ('PAID', 'PARTIAL_REFUNDED', 'REFUNDED') THEN s.is_settled IS NOT TRUE
              WHEN p.status = 'ERROR' AND p.message_id IS NOT NULL THEN (s.is_refused OR s.is_doubted) IS NOT TRUE OR s.is_settled
              ELSE s.is_settled OR s.is_refused END;
COMMENT ON VIEW law_a_payout_ends_by_the_networks_word IS
  'A payout is PAID, or ERROR once sent, because its network said so, and in no other state after its word.';

CREATE VIEW law_returns_of_payouts_add_up WITH (security_invoker = true) AS
  SELECT p.company_id, p.id AS payout_id, p.status, p.amount_minor, p.returned_minor, r.minor AS came_back_minor,
         r.booked_minor
    FROM payouts p CROSS JOIN LATERAL (
      SELECT coalesce(sum(x.amount_minor) FILTER (WHERE NOT x.is_unfit), 0) AS minor,
             (SELECT coalesce(sum(t.amount_minor), 0) FROM transfers t WHERE t.company_id = p.company_id
                 AND t.reference_id = p.id AND t.type IN ('PIX_RETURNED', 'TED_RETURNED')) AS booked_minor
        FROM payout_returns x WHERE x.company_id = p.company_id AND x.payout_id = p.id) r
   WHERE p.children = 0
     AND (p.returned_minor <> r.minor OR r.booked_minor <> r.minor
          OR (p.status = 'REFUNDED') <> (p.returned_minor = p.amount_minor)
          OR (p.status = 'PARTIAL_REFUNDED') <> (p.returned_minor > 0 AND p.returned_minor < p.amount_minor));
COMMENT ON VIEW law_returns_of_payouts_add_up IS
  'What came back of a payout is the sum of its returns and of their bookings, and its status says how much that is.';

CREATE VIEW law_a_batch_is_its_children WITH (security_invoker = true) AS
  SELECT p.company_id, p.id AS payout_id, p.status, p.amount_minor, p.children, c.count, c.sum_minor, c.lasting
    FROM payouts p CROSS JOIN LATERAL (
      SELECT count(*) AS count, coalesce(sum(k.amount_minor), 0) AS sum_minor, coalesce(max(k.sequence), 0) AS lasting,
             count(*) FILTER (WHERE k.status IN ('INITIAL', 'PENDING', 'ANALYSIS')) AS open,
             count(*) FILTER (WHERE k.status = 'PAID') AS paid,
             count(*) FILTER (WHERE k.status = 'REFUNDED') AS refunded,
             count(*) FILTER (WHERE k.status = 'PARTIAL_REFUNDED') AS partly,
             count(*) FILTER (WHERE k.status = 'CANCELED') AS canceled,
             count(*) FILTER (WHERE k.status = 'EXPIRED') AS expired
        FROM payouts k WHERE k.company_id = p.company_id AND k.batch_id = p.id) c
   WHERE p.batch_id IS NULL
     AND (c.count <> p.children OR (p.children > 0 AND (c.sum_minor <> p.amount_minor OR c.lasting <> p.children
          OR p.status <> CASE WHEN c.open > 0 THEN 'PENDING'
                              WHEN c.refunded = c.count THEN 'REFUNDED'
                              WHEN c.refunded + c.partly > 0 THEN 'PARTIAL_REFUNDED'
                              WHEN c.paid = c.count THEN 'PAID'
                              WHEN c.paid > 0 THEN 'PARTIALLY_PAID'
                              WHEN c.canceled = c.count THEN 'CANCELED'
                              WHEN c.expired = c.count THEN 'EXPIRED' ELSE 'ERROR' END)));
COMMENT ON VIEW law_a_batch_is_its_children IS
  'A batch has as many children as it was split into, which add up to it, and its status follows from theirs, at rest.';

CREATE VIEW law_quotas_count_what_was_sent WITH (security_invoker = true) AS
  WITH counted AS (
    SELECT p.company_id, p.account_id AS owner_id, p.payment_method || k.kind AS kind, p.quota_period AS period,
           sum(p.amount_minor) AS minor
      FROM payouts p CROSS JOIN (VALUES ('.day'), ('.night')) k(kind)
     WHERE p.children = 0 AND p.quota_period IS NOT NULL AND p.status NOT IN ('ERROR', 'EXPIRED', 'CANCELED')
       AND (k.kind = '.day' OR p.is_at_night)
     GROUP BY p.company_id, p.account_id, p.payment_method, k.kind, p.quota_period)
  SELECT coalesce(c.company_id, q.company_id) AS company_id, coalesce(c.owner_id, q.owner_id) AS account_id,
         coalesce(c.kind, q.kind) AS kind, coalesce(c.period, q.period) AS period, c.minor AS sent_minor, q.used_minor
    FROM counted c
    FULL JOIN (SELECT * FROM quotas WHERE kind IN ('PIX.day', 'PIX.night', 'TED.day', 'TED.night')) q
      ON (q.company_id, q.owner_id, q.kind, q.period) = (c.company_id, c.owner_id, c.kind, c.period)
   WHERE coalesce(c.minor, 0) <> coalesce(q.used_minor, 0);
COMMENT ON VIEW law_quotas_count_what_was_sent IS
  'What is used of an account''s limits of a day and a night is the sum of its payouts then that have not failed.';

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
      OR (start_at IS NOT NULL AND (status <> 'PENDING' OR message_id IS NOT NULL));
COMMENT ON VIEW law_what_waits_has_its_time IS
  'An open order has its expiry; a payment, refund or payout that a network has to end, and no other, has the time of its next question.';

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
  SELECT e.company_id, 'events', e.id, e.created_at FROM event_cursors c
    JOIN events e ON e.company_id = c.company_id AND e.xid >= c.numbered_below_xid
   WHERE e.created_at < (SELECT at FROM late)
     AND NOT EXISTS (SELECT 1 FROM event_numbers n WHERE n.company_id = e.company_id AND n.event_id = e.id)
  UNION ALL
  SELECT o.company_id, 'orders', o.id, o.expires_at FROM orders o -- a late message of the network is given another minute
   WHERE o.status = 'INITIAL' AND o.expires_at < (SELECT at FROM late) - interval '1 minute'
     AND NOT EXISTS (SELECT 1 FROM pix_payments p WHERE p.company_id = o.company_id AND p.order_id = o.id
                        AND p.state = 'ACCEPTED')
     AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.company_id = o.company_id AND i.txid = o.txid AND i.due_at IS NOT NULL);
COMMENT ON VIEW law_nothing_is_overdue_at_rest IS
  'What was due more than a minute ago is done, when nothing is on its way.';

DROP VIEW law_each_fact_is_told_once;
CREATE VIEW law_each_fact_is_told_once WITH (security_invoker = true) AS
  WITH ends AS (
    SELECT company_id, reference_id, 'ORDER-PAYIN.' || to_state AS type, 1 AS facts FROM history
     WHERE machine = 'orders' AND to_state IN ('PAID', 'EXPIRED', 'CANCELED', 'ERROR')
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
  'Each end of an order or payout, and each return of a payout, has exactly one event.';

CREATE OR REPLACE VIEW law_the_network_hears_what_was_decided WITH (security_invoker = true) AS
  WITH decided AS (
    SELECT p.company_id, p.id, p.end_to_end_id, h.trigger FROM pix_payments p
      JOIN history h ON h.company_id = p.company_id AND h.reference_id = p.id AND h.version = 1),
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

CREATE OR REPLACE VIEW law_the_books_say_what_the_network_said WITH (security_invoker = true) AS
  WITH said AS MATERIALIZED (
    SELECT i.company_id, i.id, i.kind, i.subject, as_json(i.body) AS body FROM inbox i
     WHERE i.rail IN ('pix', 'book') AND i.kind IN ('pix.final', 'pix.settled', 'return.final')
       AND i.outcome IN ('handled', 'known'))
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
   WHERE p.state NOT IN ('ACCEPTED', 'REFUSED')
     AND NOT EXISTS (SELECT 1 FROM said s WHERE s.company_id = p.company_id AND s.subject = p.end_to_end_id)
  UNION ALL
  SELECT r.company_id, r.id, 'nothing', r.return_id, r.state FROM refunds r
   WHERE r.state <> 'PENDING'
     AND NOT EXISTS (SELECT 1 FROM said s WHERE s.company_id = r.company_id AND s.subject = r.return_id);
COMMENT ON VIEW law_the_books_say_what_the_network_said IS
  'Payments and refunds ended as the network said that they did, and none ended without its word.';

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
     AND (substr(p.end_to_end_id, 22, 5) <> n.digits OR substr(p.control_number, 2, 5) <> n.digits);
COMMENT ON VIEW law_ids_name_their_company IS
  'Our client ids, txids, locations, endToEndIds, TED control numbers and return ids carry the number of their company.';

REVOKE EXECUTE ON FUNCTION use_quotas(uuid, uuid[], text[], text[], bigint[], bigint[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION use_quotas(uuid, uuid[], text[], text[], bigint[], bigint[]) TO lastro_app, lastro_work, lastro_audit;
DO $$
DECLARE
  t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['account_limits', 'quotas', 'payouts', 'payout_returns'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON %I TO lastro_app USING (company_id = tenant()) WITH CHECK (company_id = tenant())', t);
    EXECUTE format('CREATE POLICY audit ON %I FOR SELECT TO lastro_audit USING (true)', t);
  END LOOP;
END $$;
GRANT SELECT ON own_keys, account_limits, quotas, payouts, payout_returns TO lastro_app, lastro_audit;
GRANT SELECT ON law_a_payout_is_held_until_it_ends, law_a_payout_is_sent_as_decided, law_a_payout_ends_by_the_networks_word, law_returns_of_payouts_add_up, law_a_batch_is_its_children, law_quotas_count_what_was_sent, law_in_transit_is_zero_at_rest, law_each_fact_is_told_once TO lastro_app, lastro_audit;
GRANT INSERT ON own_keys, account_limits, quotas, payouts, payout_returns TO lastro_app;
GRANT INSERT ON law_a_payout_is_held_until_it_ends, law_a_payout_is_sent_as_decided, law_a_payout_ends_by_the_networks_word, law_returns_of_payouts_add_up, law_a_batch_is_its_children, law_quotas_count_what_was_sent, law_in_transit_is_zero_at_rest, law_each_fact_is_told_once TO lastro_app; -- as a whole schema is granted: nothing can be inserted into these views
GRANT UPDATE ON payouts, account_limits, quotas TO lastro_app;
GRANT DELETE ON own_keys TO lastro_app;
GRANT SELECT ON own_keys TO lastro_work;
GRANT SELECT (company_id, id, batch_id, ask_at, start_at, status, rail) ON payouts TO lastro_work;
CREATE POLICY work ON payouts FOR SELECT TO lastro_work USING (true);

-- Statements of networks and partners, compared with the books.

CREATE TABLE statements (                             -- what a network or partner says of one of its days
  company_id uuid NOT NULL,                           -- the institution's: a day is of all companies together
  id uuid NOT NULL,
  rail text NOT NULL,
  day date NOT NULL,                                  -- of Brasilia's calendar
  state text NOT NULL CHECK (state IN ('TAKING', 'TAKEN')),
  edition integer NOT NULL DEFAULT 1 CHECK (edition > 0), -- one more each time that it is taken again
  currency text NOT NULL DEFAULT 'BRL',
  place text,                                         -- where its next page begins, in the partner's words; NULL: the first
  lines integer NOT NULL DEFAULT 0,                   -- taken so far, as the next two
  in_minor bigint NOT NULL DEFAULT 0,
  out_minor bigint NOT NULL DEFAULT 0,
  opening_minor bigint,                               -- what the partner says that we had there, before and after the day
  closing_minor bigint,
  looks integer NOT NULL DEFAULT 0,                   -- how often it was looked whether what it said first is booked
  due_at timestamptz,                                 -- when a worker goes on with it; NULL: there is nothing to go on with
  sends integer NOT NULL DEFAULT 0,                   -- how often it was taken in hand
  lease_token uuid,
  leased_until timestamptz,                           -- machine time
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id)
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX statements_day_key ON statements (company_id, rail, day);
CREATE INDEX statements_due ON statements (due_at, company_id) WHERE due_at IS NOT NULL;

CREATE TABLE statement_lines (                        -- every line of every statement, for ever: it explains its day
  company_id uuid NOT NULL,                           -- whose movement it is; the institution's where nobody else's
  id uuid NOT NULL,
  statement_id uuid NOT NULL,                         -- the institution's row
  edition integer NOT NULL,
  line_id text NOT NULL,                              -- the partner's own id of it
  rail text NOT NULL,
  day date NOT NULL,
  kind text NOT NULL CHECK (kind IN ('IN', 'OUT', 'RETURN_IN', 'RETURN_OUT', 'CHARGEBACK', 'FEE')),
  network_id text NOT NULL,                           -- endToEndId, control number, payment id or return id
  reference text,                                     -- txid, number of the STR, nosso número, or what a return gives back
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  currency text NOT NULL,
  settled_at timestamptz NOT NULL,
  verdict text NOT NULL,                              -- MATCHED, COST, or how it differed from the books when it was taken
  object_id uuid,                                     -- what of ours it is
  is_current boolean NOT NULL DEFAULT true,           -- false: its statement was taken again since
  created_at timestamptz NOT NULL,
  PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX statement_lines_line_key ON statement_lines (company_id, statement_id, edition, line_id);
CREATE INDEX statement_lines_network_id ON statement_lines (company_id, rail, kind, network_id);

CREATE TABLE statement_items (                        -- a difference between a statement and the books
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  statement_id uuid NOT NULL,                         -- the institution's row
  rail text NOT NULL,
  day date NOT NULL,
  kind text NOT NULL,                                 -- of line
  network_id text NOT NULL,
  difference text NOT NULL CHECK (difference IN ('UNHEARD', 'UNTOLD', 'MISSING', 'TWICE', 'AMOUNT', 'REFERENCE', 'CONTRADICTED', 'UNKNOWN')),
  state text NOT NULL CHECK (state IN ('OPEN', 'EXPLAINED', 'BOOKED', 'ACCEPTED')),
  line_id text,                                       -- the partner's line; NULL where it has none
  object_id uuid,                                     -- ours; NULL where we have none
  currency text NOT NULL,
  theirs_minor bigint,
  ours_minor bigint,
  theirs text,                                        -- references, as either side has them
  ours text,
  ours_state text,                                    -- of our object when it was compared
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  CHECK (line_id IS NOT NULL OR object_id IS NOT NULL)
);
CREATE UNIQUE INDEX statement_items_one_open ON statement_items (company_id, rail, kind, network_id, difference) WHERE state = 'OPEN';
CREATE INDEX statement_items_open ON statement_items (created_at, company_id) WHERE state = 'OPEN';
CREATE INDEX statement_items_network_id ON statement_items (company_id, rail, kind, network_id);
CREATE INDEX statement_items_of_day ON statement_items (company_id, rail, day);
-- What was settled on a day, to be looked for in its statement.
CREATE INDEX pix_payments_settled ON pix_payments USING brin (settled_at);
CREATE INDEX payouts_paid ON payouts USING brin (paid_at);
CREATE INDEX refunds_moved ON refunds USING brin (updated_at);
CREATE INDEX payout_returns_settled ON payout_returns USING brin (settled_at);

ALTER TABLE statements ENABLE ROW LEVEL SECURITY;
ALTER TABLE statements FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON statements TO lastro_app USING (company_id = tenant()) WITH CHECK (company_id = tenant());
CREATE POLICY audit ON statements FOR SELECT TO lastro_audit USING (true);
CREATE POLICY work ON statements FOR SELECT TO lastro_work USING (true);
GRANT SELECT, INSERT ON statements TO lastro_app;
GRANT SELECT ON statements TO lastro_audit;
ALTER TABLE statement_lines ENABLE ROW LEVEL SECURITY;
ALTER TABLE statement_lines FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON statement_lines TO lastro_app USING (company_id = tenant()) WITH CHECK (company_id = tenant());
CREATE POLICY audit ON statement_lines FOR SELECT TO lastro_audit USING (true);
CREATE POLICY work ON statement_lines FOR SELECT TO lastro_work USING (true);
GRANT SELECT, INSERT ON statement_lines TO lastro_app;
GRANT SELECT ON statement_lines TO lastro_audit;
ALTER TABLE statement_items ENABLE ROW LEVEL SECURITY;
ALTER TABLE statement_items FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON statement_items TO lastro_app USING (company_id = tenant()) WITH CHECK (company_id = tenant());
CREATE POLICY audit ON statement_items FOR SELECT TO lastro_audit USING (true);
CREATE POLICY work ON statement_items FOR SELECT TO lastro_work USING (true);
GRANT SELECT, INSERT ON statement_items TO lastro_app;
GRANT SELECT ON statement_items TO lastro_audit;
CREATE POLICY work ON payout_returns FOR SELECT TO lastro_work USING (true);
GRANT UPDATE ON statements, statement_items TO lastro_app;
GRANT UPDATE (is_current) ON statement_lines TO lastro_app;
GRANT SELECT (company_id, id, rail, day, state, due_at, leased_until) ON statements TO lastro_work;
GRANT SELECT (company_id, rail, kind, network_id, is_current, statement_id) ON statement_lines TO lastro_work;
GRANT SELECT (company_id, rail, kind, network_id, day, difference, state, created_at) ON statement_items TO lastro_work;
GRANT SELECT (end_to_end_id, settled_at) ON pix_payments TO lastro_work;
GRANT SELECT (return_id, updated_at) ON refunds TO lastro_work;
GRANT SELECT (end_to_end_id, control_number, paid_at, children) ON payouts TO lastro_work;
GRANT SELECT (company_id, payout_id, return_id, settled_at) ON payout_returns TO lastro_work;

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
  UNION ALL SELECT company_id, id, 'statements', state, version, created_at, updated_at FROM statements
  UNION ALL SELECT company_id, id, 'statement_items', state, version, created_at, updated_at FROM statement_items;

CREATE VIEW law_a_reconciled_day_is_in_the_ledger WITH (security_invoker = true) AS
  WITH told AS MATERIALIZED (
    SELECT l.company_id, l.id, l.rail, l.day, l.kind, l.network_id,
           CASE WHEN l.kind IN ('IN', 'RETURN_IN') THEN 1 ELSE -1 END AS sign, l.amount_minor
      FROM statements s
      JOIN statement_lines l ON l.statement_id = s.id AND l.is_current AND l.kind NOT IN ('FEE', 'CHARGEBACK')
     WHERE s.state = 'TAKEN'
       AND NOT EXISTS (SELECT 1 FROM statement_items i WHERE i.state = 'OPEN' AND i.rail = s.rail AND i.day = s.day)
       AND NOT EXISTS (SELECT 1 FROM statement_items i WHERE i.company_id = l.company_id AND i.statement_id = l.statement_id
                          AND i.line_id = l.line_id AND i.state = 'ACCEPTED')),
  ours AS ( -- what of ours a line is: by which object, and at what time where that has more than one, it was booked
    SELECT t.*, p.id AS reference_id, NULL::timestamptz AS booked_at
      FROM told t JOIN pix_payments p ON p.company_id = t.company_id AND p.end_to_end_id = t.network_id AND p.rail = t.rail
     WHERE t.kind = 'IN'
    UNION ALL -- what waited in suspense came in by itself; what paid the order at once came in with it, but for what was too much
    SELECT t.*, p.order_id, NULL
      FROM told t JOIN pix_payments p ON p.company_id = t.company_id AND p.end_to_end_id = t.network_id AND p.rail = t.rail
     WHERE t.kind = 'IN' AND p.state = 'SETTLED'
       AND NOT EXISTS (SELECT 1 FROM history h WHERE h.company_id = p.company_id AND h.reference_id = p.id AND h.version = 1
                          AND h.to_state = 'HELD')
    UNION ALL
    SELECT t.*, r.id, NULL FROM told t
      JOIN refunds r ON r.company_id = t.company_id AND r.return_id = t.network_id AND r.rail = t.rail
     WHERE t.kind = 'RETURN_OUT'
    UNION ALL
    SELECT t.*, o.id, NULL FROM told t
      JOIN payouts o ON o.company_id = t.company_id AND o.end_to_end_id = t.network_id AND o.rail = t.rail
     WHERE t.kind = 'OUT'
    UNION ALL
    SELECT t.*, o.id, NULL FROM told t
      JOIN payouts o ON o.company_id = t.company_id AND o.control_number = t.network_id AND o.rail = t.rail
     WHERE t.kind = 'OUT'
    UNION ALL
    SELECT t.*, r.payout_id, r.created_at FROM told t
      JOIN payout_returns r ON r.company_id = t.company_id AND r.return_id = t.network_id
     WHERE t.kind = 'RETURN_IN'),
  booked AS (
    SELECT o.company_id, o.rail, o.day, -sum(x.change_minor) AS booked_minor FROM ours o
      JOIN ledger_sides x ON x.company_id = o.company_id AND x.reference_id = o.reference_id
       AND (o.booked_at IS NULL OR x.created_at = o.booked_at) AND sign(-x.change_minor) = o.sign
      JOIN ledger_accounts a ON a.company_id = x.company_id AND a.id = x.ledger_account_id AND a.code = 'NET' AND a.rail = o.rail
     GROUP BY o.company_id, o.rail, o.day),
  days AS (SELECT company_id, rail, day, sum(sign * amount_minor) AS told_minor FROM told GROUP BY company_id, rail, day)
  SELECT d.company_id, d.rail, d.day, d.told_minor, coalesce(b.booked_minor, 0) AS booked_minor FROM days d
    LEFT JOIN booked b ON b.company_id = d.company_id AND b.rail = d.rail AND b.day = d.day
   WHERE d.told_minor <> coalesce(b.booked_minor, 0);
COMMENT ON VIEW law_a_reconciled_day_is_in_the_ledger IS
  'On a day whose statement is taken and explained, what it says came and went is what the NET accounts were moved by for it.';

GRANT SELECT ON law_a_reconciled_day_is_in_the_ledger TO lastro_app, lastro_audit;
GRANT INSERT ON law_a_reconciled_day_is_in_the_ledger TO lastro_app; -- as a whole schema is granted: nothing can be inserted into it

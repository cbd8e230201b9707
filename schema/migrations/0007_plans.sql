-- Plans of payouts: thousands of lines that are checked, approved and applied together.

ALTER TABLE companies ADD COLUMN plan_approvals integer NOT NULL DEFAULT 1 CHECK (plan_approvals BETWEEN 0 AND 20);

CREATE TABLE payout_plans (                           -- payouts that are checked, approved and made together
  company_id uuid NOT NULL REFERENCES companies,
  id uuid NOT NULL,
  status text NOT NULL CHECK (status IN ('VALIDATING', 'INVALID', 'READY', 'APPROVED', 'APPLYING', 'APPLIED',
                                         'PARTIALLY_APPLIED', 'FAILED', 'CANCELED', 'EXPIRED')),
  format text NOT NULL CHECK (format IN ('JSON', 'CSV')),
  lines integer NOT NULL CHECK (lines BETWEEN 1 AND 10000),
  hash text,                                          -- SHA-256 of all its lines as they were checked; NULL until they are
  approvals_needed integer NOT NULL,                  -- of the company, when it was made
  created_by text NOT NULL,                           -- the client that made it, who does not approve it
  expires_at timestamptz,                             -- READY or APPROVED, it can be applied until then
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  due_at timestamptz,                                 -- when a worker has to look at it; NULL: never
  sends integer NOT NULL DEFAULT 0,                   -- how often a worker took it in hand
  lease_token uuid,
  leased_until timestamptz,                           -- machine time
  PRIMARY KEY (company_id, id),
  CHECK (status IN ('VALIDATING', 'CANCELED') OR hash IS NOT NULL)
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX payout_plans_created_at_key ON payout_plans (company_id, created_at);
CREATE INDEX payout_plans_of_status ON payout_plans (company_id, status, created_at);
CREATE INDEX payout_plans_due ON payout_plans (due_at, company_id) WHERE due_at IS NOT NULL;

CREATE TABLE payout_plan_bodies (                     -- a plan as it was sent, until its lines are checked
  company_id uuid NOT NULL,
  id uuid NOT NULL,                                   -- the plan's
  body bytea,                                         -- NULL once they are
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, id) REFERENCES payout_plans
);

CREATE TABLE payout_plan_lines (                      -- one payout of a plan, as it was checked and as it was made
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  plan_id uuid NOT NULL,
  number integer NOT NULL CHECK (number > 0),         -- its place among the plan's payouts, from 1
  line integer NOT NULL CHECK (line > 0),             -- where it stands in the file; of JSON its number
  request bytea NOT NULL,                             -- the body of its create, JSON
  external_id text,                                   -- NULL where that cannot be read; so the next five
  account_id uuid,
  payment_method text,
  currency text,
  amount_minor bigint CHECK (amount_minor > 0),
  fee_minor bigint CHECK (fee_minor >= 0),
  transfers integer CHECK (transfers > 0),            -- into how many it is split
  destination text,                                   -- JSON: where its money goes, as it was found when it was checked
  duplicate_of text,                                  -- an equal payout, or line of this plan, of the last ten minutes
  issues text,                                        -- JSON: what is wrong with it, or why it was not made in the end
  digest bytea NOT NULL,                              -- SHA-256 of what is approved with it
  payout_id uuid,                                     -- what was made of it
  created_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, plan_id) REFERENCES payout_plans,
  FOREIGN KEY (company_id, payout_id) REFERENCES payouts,
  CHECK (payout_id IS NULL OR issues IS NULL)
) WITH (fillfactor = 85);
CREATE UNIQUE INDEX payout_plan_lines_number_key ON payout_plan_lines (company_id, plan_id, number);
CREATE INDEX payout_plan_lines_to_make ON payout_plan_lines (company_id, plan_id, number) WHERE payout_id IS NULL AND issues IS NULL;
CREATE UNIQUE INDEX payout_plan_lines_payout_id_key ON payout_plan_lines (company_id, payout_id) WHERE payout_id IS NOT NULL;

CREATE TABLE payout_plan_approvals (                  -- who has signed a plan's hash
  company_id uuid NOT NULL,
  plan_id uuid NOT NULL,
  approver text NOT NULL,                             -- a client's id
  hash text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (company_id, plan_id, approver),
  FOREIGN KEY (company_id, plan_id) REFERENCES payout_plans
);

CREATE OR REPLACE VIEW objects WITH (security_invoker = true) AS      -- everything that has a state
  SELECT company_id, id, 'orders' AS machine, status AS state, version, created_at, updated_at FROM orders
  UNION ALL SELECT company_id, id, 'pix_payments', state, version, created_at, updated_at FROM pix_payments
  UNION ALL SELECT company_id, id, 'refunds', state, version, created_at, updated_at FROM refunds
  UNION ALL SELECT company_id, id, 'payouts', status, version, created_at, updated_at FROM payouts
  UNION ALL SELECT company_id, id, 'payout_plans', status, version, created_at, updated_at FROM payout_plans;

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
   WHERE o.status = 'INITIAL' AND o.expires_at < (SELECT at FROM late) - interval '1 minute'
     AND NOT EXISTS (SELECT 1 FROM pix_payments p WHERE p.company_id = o.company_id AND p.order_id = o.id
                        AND p.state = 'ACCEPTED')
     AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.company_id = o.company_id AND i.txid = o.txid AND i.due_at IS NOT NULL);
COMMENT ON VIEW law_nothing_is_overdue_at_rest IS
  'What was due more than a minute ago is done, when nothing is on its way.';

CREATE OR REPLACE VIEW law_each_fact_is_told_once WITH (security_invoker = true) AS
  WITH ends AS (
    SELECT company_id, reference_id, 'ORDER-PAYIN.' || to_state AS type, 1 AS facts FROM history
     WHERE machine = 'orders' AND to_state IN ('PAID', 'EXPIRED', 'CANCELED', 'ERROR')
    UNION ALL
    SELECT company_id, reference_id, 'PAYOUT-PLAN.' || to_state, 1 FROM history
     WHERE machine = 'payout_plans' AND trigger NOT IN ('create', 'approve', 'apply')
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
  'Each end of an order or payout, each return of a payout, and each turn of a plan has exactly one event.';

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
         WHEN 'create_payout_plan' THEN NOT EXISTS (
           SELECT 1 FROM payout_plans p WHERE p.company_id = a.company_id AND p.id = a.object_id)
         WHEN 'approve_payout_plan' THEN NOT EXISTS (
           SELECT 1 FROM payout_plan_approvals p WHERE p.company_id = a.company_id AND p.plan_id = a.object_id)
         WHEN 'apply_payout_plan' THEN NOT EXISTS (
           SELECT 1 FROM history h WHERE h.company_id = a.company_id AND h.reference_id = a.object_id AND h.trigger = 'apply')
         WHEN 'cancel_payout_plan' THEN NOT EXISTS (
           SELECT 1 FROM payout_plans p WHERE p.company_id = a.company_id AND p.id = a.object_id AND p.status = 'CANCELED')
         ELSE false END;
COMMENT ON VIEW law_an_answer_has_its_object IS
  'What a stored answer speaks of is there; the order of a cancellation is CANCELED.';

CREATE VIEW law_a_plan_is_its_lines WITH (security_invoker = true) AS
  SELECT p.company_id, p.id AS plan_id, p.status, p.lines, l.*
    FROM payout_plans p CROSS JOIN LATERAL (
      SELECT count(*) AS checked, count(issues) AS refused, count(payout_id) AS made,
             count(*) FILTER (WHERE payout_id IS NULL AND issues IS NULL) AS open, coalesce(max(number), 0) AS last,
             encode(sha256(string_agg(digest, ''::bytea ORDER BY number)), 'hex') AS hash_of_lines
        FROM payout_plan_lines l WHERE l.company_id = p.company_id AND l.plan_id = p.id) l
   WHERE l.checked <> l.last OR l.checked > p.lines
      OR (p.hash IS NOT NULL AND (l.checked <> p.lines OR p.hash IS DISTINCT FROM l.hash_of_lines))
      OR (p.hash IS NOT NULL AND EXISTS (SELECT 1 FROM payout_plan_bodies b
                                          WHERE b.company_id = p.company_id AND b.id = p.id AND b.body IS NOT NULL))
      OR CASE p.status WHEN 'INVALID' THEN l.refused = 0 OR l.made > 0
                       WHEN 'READY' THEN l.refused + l.made > 0 WHEN 'APPROVED' THEN l.refused + l.made > 0
                       WHEN 'EXPIRED' THEN l.refused + l.made > 0
                       WHEN 'APPLIED' THEN l.made <> p.lines
                       WHEN 'PARTIALLY_APPLIED' THEN l.open > 0 OR l.made = 0 OR l.refused = 0
                       WHEN 'FAILED' THEN l.refused <> p.lines
                       WHEN 'VALIDATING' THEN l.made > 0 ELSE false END;
COMMENT ON VIEW law_a_plan_is_its_lines IS
  'A plan that is checked has all its lines and the hash of them; its status is what became of them.';

CREATE VIEW law_a_plan_is_applied_as_approved WITH (security_invoker = true) AS
  SELECT p.company_id, p.id AS plan_id, p.status, a.signed, p.approvals_needed FROM payout_plans p CROSS JOIN LATERAL (
      SELECT count(*) AS signed, count(*) FILTER (WHERE a.hash <> p.hash OR a.approver = p.created_by) AS unfit
        FROM payout_plan_approvals a WHERE a.company_id = p.company_id AND a.plan_id = p.id) a
   WHERE a.unfit > 0
      OR (a.signed < p.approvals_needed AND (p.status IN ('APPROVED', 'APPLYING', 'APPLIED', 'PARTIALLY_APPLIED', 'FAILED')
          OR EXISTS (SELECT 1 FROM payout_plan_lines l
                      WHERE l.company_id = p.company_id AND l.plan_id = p.id AND l.payout_id IS NOT NULL)))
  UNION ALL
  SELECT l.company_id, l.plan_id, o.status, l.number, 0 FROM payout_plan_lines l
    JOIN payouts o ON o.company_id = l.company_id AND o.id = l.payout_id
   WHERE (o.external_id, o.account_id, o.payment_method, o.currency, o.amount_minor, o.fee_minor, greatest(o.children, 1))
         IS DISTINCT FROM
         (l.external_id, l.account_id, l.payment_method, l.currency, l.amount_minor, l.fee_minor, l.transfers);
COMMENT ON VIEW law_a_plan_is_applied_as_approved IS
  'A plan makes no payout before as many clients as it needs have signed its hash, and each payout is as its line was checked.';

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
      WHEN 'company_fees' THEN -- all of a company's rows together, so that none of them means version 0
        PERFORM 1 FROM (SELECT coalesce(sum(f.version), 0) AS version FROM company_fees f WHERE f.company_id = company) f
          WHERE f.version = versions[i];
    END CASE;
    IF NOT FOUND THEN PERFORM demand(kinds[i], 1, 0); END IF;
  END LOOP;
  RETURN company;
END $$;

DO $$
DECLARE
  t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['payout_plans', 'payout_plan_bodies', 'payout_plan_lines', 'payout_plan_approvals'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON %I TO lastro_app USING (company_id = tenant()) WITH CHECK (company_id = tenant())', t);
    EXECUTE format('CREATE POLICY audit ON %I FOR SELECT TO lastro_audit USING (true)', t);
  END LOOP;
END $$;
GRANT SELECT ON payout_plans, payout_plan_bodies, payout_plan_lines, payout_plan_approvals TO lastro_app, lastro_audit;
GRANT SELECT ON law_a_plan_is_its_lines, law_a_plan_is_applied_as_approved TO lastro_app, lastro_audit;
GRANT INSERT ON payout_plans, payout_plan_bodies, payout_plan_lines, payout_plan_approvals TO lastro_app;
GRANT INSERT ON law_a_plan_is_its_lines, law_a_plan_is_applied_as_approved TO lastro_app; -- as a whole schema is granted: nothing can be inserted into these views
GRANT UPDATE ON payout_plans, payout_plan_bodies, payout_plan_lines TO lastro_app;
GRANT SELECT (company_id, id, due_at, leased_until) ON payout_plans TO lastro_work;
CREATE POLICY work ON payout_plans FOR SELECT TO lastro_work USING (true);

-- Deliveries: why an attempt failed, and endpoints that are left in peace while they do not answer.

ALTER TABLE delivery_attempts ADD COLUMN failure text CHECK (failure IN ('TIMEOUT', 'DNS_FAILURE', 'CONNECTION_REFUSED', 'CONNECTION_CLOSED', 'TLS_FAILURE', 'ADDRESS_REFUSED',
  'REDIRECT', 'TOO_LARGE', 'BAD_ACKNOWLEDGEMENT', 'BAD_STATUS'));

-- Row-level security has no policy for the owner, so it is set aside for the statement. What an attempt of before ended with is
-- in its status and message; of an answer 200 it is what the receiver was to say.
ALTER TABLE delivery_attempts NO FORCE ROW LEVEL SECURITY;
UPDATE delivery_attempts SET failure = CASE
    WHEN status_code = 0 THEN message
    WHEN message IN ('REDIRECT', 'TOO_LARGE') THEN message
    WHEN status_code <> 200 THEN 'BAD_STATUS'
    ELSE 'BAD_ACKNOWLEDGEMENT' END
 WHERE status_code <> 200 OR message = 'TOO_LARGE' OR message !~ '"returnCode"\s*:\s*"SUCCESS"';
ALTER TABLE delivery_attempts FORCE ROW LEVEL SECURITY;

CREATE TABLE webhook_circuits (
  company_id uuid NOT NULL REFERENCES companies,
  endpoint bigint NOT NULL,
  origin text NOT NULL,
  state text NOT NULL CHECK (state IN ('CLOSED', 'OPEN', 'HALF_OPEN')),
  opened_at timestamptz NOT NULL,
  failure text NOT NULL,
  failed_probes integer NOT NULL DEFAULT 0,
  probe_at timestamptz,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, endpoint),
  CHECK ((state = 'CLOSED') = (probe_at IS NULL))
);
CREATE INDEX webhook_circuits_open ON webhook_circuits (company_id, endpoint) WHERE state <> 'CLOSED';

-- What is due and not attempted, because its endpoint's circuit is not closed: for six hours at most, then it is attempted all
-- the same. What is on its way is not among them.
CREATE VIEW held_deliveries WITH (security_invoker = true) AS
  SELECT d.company_id, d.id, d.due_at FROM webhook_circuits c
    JOIN deliveries d ON d.company_id = c.company_id AND d.endpoint = c.endpoint
   WHERE c.state <> 'CLOSED' AND c.probe_at > (SELECT business_now())
     AND d.due_at <= (SELECT business_now()) AND d.due_at > (SELECT business_now()) - interval '6 hours'
     AND (d.leased_until IS NULL OR d.leased_until < (SELECT machine_now()));

CREATE OR REPLACE VIEW law_nothing_is_overdue_at_rest WITH (security_invoker = true) AS
  WITH late AS MATERIALIZED (SELECT business_now() - interval '1 minute' AS at)
  SELECT company_id, 'outbox' AS place, id, due_at AS since FROM outbox WHERE due_at < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'inbox', id, due_at FROM inbox WHERE due_at < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'deliveries', id, due_at FROM deliveries d WHERE due_at < (SELECT at FROM late)
     AND NOT EXISTS (SELECT 1 FROM held_deliveries h WHERE h.company_id = d.company_id AND h.id = d.id)
  UNION ALL
  SELECT company_id, 'pix_payments', id, ask_at FROM pix_payments
   WHERE state = 'ACCEPTED' AND ask_at < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'refunds', id, ask_at FROM refunds WHERE state = 'PENDING' AND ask_at < (SELECT at FROM late)
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

CREATE OR REPLACE VIEW law_a_delivery_stands_where_its_plan_does WITH (security_invoker = true) AS
  SELECT d.company_id, d.id AS event_id, d.status, d.attempts, d.plan_attempts, l.status_code AS last_status_code
    FROM deliveries d
    LEFT JOIN delivery_attempts l ON l.company_id = d.company_id AND l.event_id = d.id AND l.number = d.attempts
   WHERE NOT CASE d.status WHEN 'PENDING' THEN d.plan_attempts = 0
                           WHEN 'RETRYING' THEN d.plan_attempts BETWEEN 1 AND 4
                           WHEN 'FAILED' THEN d.plan_attempts = 5
                           ELSE d.plan_attempts BETWEEN 1 AND 5 END
      OR d.plan_attempts > d.attempts
      OR (d.status = 'DELIVERED' AND (l.status_code IS DISTINCT FROM 200 OR l.failure IS NOT NULL));

ALTER TABLE webhook_circuits ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhook_circuits FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON webhook_circuits TO lastro_app USING (company_id = tenant()) WITH CHECK (company_id = tenant());
CREATE POLICY audit ON webhook_circuits FOR SELECT TO lastro_audit USING (true);
CREATE POLICY work ON webhook_circuits FOR SELECT TO lastro_work USING (true);
GRANT SELECT ON webhook_circuits, held_deliveries TO lastro_app, lastro_audit;
GRANT INSERT ON webhook_circuits, held_deliveries TO lastro_app; -- as a whole schema is granted: nothing can be inserted into the view
GRANT UPDATE ON webhook_circuits TO lastro_app;
GRANT SELECT (company_id, endpoint, state, probe_at) ON webhook_circuits TO lastro_work;
GRANT SELECT ON held_deliveries TO lastro_work;

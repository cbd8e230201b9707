-- Partners that are known to be away, and a second partner of Paynet; chargebacks that a statement lacks.

CREATE TABLE partner_states (                         -- reference table: partners that are known to be away, or were
  rail text PRIMARY KEY,
  is_down boolean NOT NULL,                           -- new orders whose route has a fallback go there
  changed_at timestamptz NOT NULL                     -- business time
);

GRANT SELECT ON partner_states TO lastro_app, lastro_audit, lastro_work;
GRANT INSERT, UPDATE ON partner_states TO lastro_app;

CREATE INDEX chargebacks_taken_at ON chargebacks USING brin (taken_at);
CREATE POLICY work ON chargebacks FOR SELECT TO lastro_work USING (true);
GRANT SELECT (company_id, chargeback_id, taken_at) ON chargebacks TO lastro_work;

CREATE OR REPLACE VIEW rails WITH (security_invoker = true) AS
  SELECT rail, currency, rail IN ('deposit', 'spei') AS takes_parts
    FROM (VALUES ('pix', 'BRL'), ('ted', 'BRL'), ('boleto', 'BRL'), ('deposit', 'BRL'), ('crypto', 'BRL'), ('crypto2', 'BRL'),
                 ('card', 'MXN'), ('spei', 'MXN'), ('oxxo', 'MXN'), ('oxxopay', 'MXN'), ('paynet', 'MXN'),
                 ('paynet2', 'MXN'))
      AS r(rail, currency);

-- The owner itself is bound by row-level security, and would find no row.
ALTER TABLE companies NO FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger_accounts NO FORCE ROW LEVEL SECURITY;

-- What every company lacks of the chart; the id is derived from the account's name.
INSERT INTO ledger_accounts (company_id, id, code, rail, currency)
SELECT company_id, encode(substr(sha256(convert_to(format('%s:%s:%s:%s:%s', company_id, 'NET', 'MXN', 'paynet2', NULL), 'UTF8')),
                                 1, 16), 'hex')::uuid, 'NET', 'paynet2', 'MXN'
  FROM companies
    ON CONFLICT DO NOTHING;

ALTER TABLE companies FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger_accounts FORCE ROW LEVEL SECURITY;

CREATE OR REPLACE VIEW law_an_order_has_its_instrument WITH (security_invoker = true) AS
  SELECT o.company_id, o.id, o.payment_method, i.rail, i.reference, sent.reference AS registered FROM orders o
    FULL JOIN instruments i ON i.company_id = o.company_id AND i.order_id = o.id
    LEFT JOIN LATERAL (
      SELECT m.network_id AS reference, as_json(m.body) AS body FROM outbox m
       WHERE m.company_id = i.company_id AND m.reference_id = i.order_id AND m.rail = i.rail AND m.kind = 'collection.send') sent ON true
   WHERE (o.payment_method = 'PIX' AND i.order_id IS NOT NULL)
      OR (coalesce(o.payment_method, '') <> 'PIX'
          AND (CASE WHEN o.payment_method LIKE '%\_PAY' THEN 'crypto' WHEN o.payment_method = 'CREDIT_CARD' THEN 'card'
                ELSE lower(o.payment_method) END, i.reference, o.final_amount_minor::text, i.code) IS DISTINCT FROM
              (CASE i.rail WHEN 'crypto2' THEN 'crypto' WHEN 'paynet2' THEN 'paynet' ELSE i.rail END, sent.reference, sent.body #>> '{amount,minor}',
               sent.body ->> 'code'));
COMMENT ON VIEW law_an_order_has_its_instrument IS
  'An order of a method that a partner collects has its one instrument, made payable there once, for the final amount.';

-- Fees are plans with dates: each holds from its instant until the next one of its method begins, and is never changed.

ALTER TABLE company_fees ADD COLUMN id uuid;
ALTER TABLE company_fees ADD COLUMN payer text CHECK (payer IN ('RECEIVER', 'CUSTOMER'));
ALTER TABLE company_fees ADD COLUMN valid_from timestamptz;
ALTER TABLE company_fees ADD COLUMN created_at timestamptz;
ALTER TABLE company_fees ADD COLUMN removed_at timestamptz;

-- What is there has held since its company was founded: since when else, nobody wrote down. The owner of the tables sees
-- their rows only while row-level security does not bind him.
ALTER TABLE companies NO FORCE ROW LEVEL SECURITY;
ALTER TABLE company_fees NO FORCE ROW LEVEL SECURITY;
UPDATE company_fees f SET id = gen_random_uuid(), valid_from = c.created_at, created_at = c.created_at,
       payer = CASE f.direction WHEN 'IN' THEN c.fee_payer END
  FROM companies c WHERE c.company_id = f.company_id;
ALTER TABLE companies FORCE ROW LEVEL SECURITY;
ALTER TABLE company_fees FORCE ROW LEVEL SECURITY;

ALTER TABLE company_fees DROP CONSTRAINT company_fees_pkey, ALTER COLUMN id SET NOT NULL, ADD PRIMARY KEY (company_id, id);
ALTER TABLE company_fees ALTER COLUMN valid_from SET NOT NULL, ALTER COLUMN created_at SET NOT NULL;
ALTER TABLE company_fees ADD CHECK ((payer IS NULL) = (direction = 'OUT'));
ALTER TABLE company_fees ADD CHECK (valid_from >= created_at);
ALTER TABLE company_fees ADD CHECK (removed_at < valid_from);
ALTER TABLE company_fees
  ADD CHECK (payment_method ~ '^(PIX|TED|DEPOSIT|BOLETO|CREDIT_CARD|SPEI|OXXO|OXXOPAY|PAYNET|[A-Z0-9]{2,16}_PAY)$');
CREATE UNIQUE INDEX company_fees_valid_from_key ON company_fees (company_id, direction, payment_method, valid_from) WHERE removed_at IS NULL;

REVOKE UPDATE ON company_fees FROM lastro_app;
GRANT UPDATE (removed_at, version) ON company_fees TO lastro_app;

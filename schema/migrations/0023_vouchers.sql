-- A voucher's reference has no room for its company's number: a payment finds its company by the instrument itself.
CREATE INDEX instruments_by_reference ON instruments (rail, reference);
GRANT SELECT (company_id, rail, reference) ON instruments TO lastro_work;
CREATE POLICY work ON instruments FOR SELECT TO lastro_work USING (true);

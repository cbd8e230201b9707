-- An equal payout of the last ten minutes is found by one number, however many its account has made since. Payouts that are
-- there already have none, and are not found by it: for ten minutes an equal one is made without a word.

ALTER TABLE payouts ADD COLUMN likeness bigint;
CREATE INDEX payouts_alike ON payouts (company_id, likeness, created_at) WHERE likeness IS NOT NULL;

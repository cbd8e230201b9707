-- That the payer's bank would not drop a charge is kept with it, so that whoever asked can read it.

ALTER TABLE subscription_payments ADD COLUMN cancel_refused_at timestamptz;
ALTER TABLE subscription_payments ADD COLUMN cancel_refusal text;
ALTER TABLE subscription_payments ADD CHECK (cancel_refusal IS NULL OR cancel_refused_at IS NOT NULL);

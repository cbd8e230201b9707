-- An equal payout of the last ten minutes is found by one number, however many its account has made since. Payouts that are
-- there already have none, and are not found by it: for ten minutes an equal one is made without a word.

ALTER TABLE payouts ADD COLUMN likeness bigint;
CREATE INDEX payouts_alike ON payouts (company_id, likeness, created_at) WHERE likeness IS NOT NULL;

-- A plan that has not ended has the time of its next step.

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
      OR (start_at IS NOT NULL AND (status <> 'PENDING' OR message_id IS NOT NULL))
  UNION ALL
  SELECT company_id, id, 'payout_plans', status, due_at FROM payout_plans
   WHERE (status IN ('VALIDATING', 'READY', 'APPROVED', 'APPLYING')) <> (due_at IS NOT NULL);
COMMENT ON VIEW law_what_waits_has_its_time IS
  'What is open, and nothing else, has the time when it is looked at next: an order, a payment, refund or payout at a network, a plan.';

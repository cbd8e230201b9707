-- A refund request that was answered has a next time of a moment alone, in which it is seen whether its account is watched.

CREATE OR REPLACE VIEW law_what_waits_has_its_time WITH (security_invoker = true) AS
  SELECT company_id, id, 'orders' AS machine, status AS state, expires_at AS time FROM orders
   WHERE status = 'INITIAL' AND (expires_at IS NULL) <> (scheduled_payment_id IS NOT NULL)
  UNION ALL
  SELECT company_id, id, 'orders', status, ends_at FROM orders
   WHERE (ends_at IS NOT NULL) <> (payment_method <> 'PIX' AND (status IN ('INITIAL', 'AUTHENTICATING')
           OR (status = 'PENDING' AND EXISTS (SELECT 1 FROM pix_payments p WHERE p.company_id = orders.company_id
                                                 AND p.order_id = orders.id AND p.state = 'HELD'))))
  UNION ALL
  SELECT company_id, id, 'pix_payments', state, ask_at FROM pix_payments
   WHERE (state = 'ACCEPTED' AND rail = 'pix') <> (ask_at IS NOT NULL)
  UNION ALL
  SELECT company_id, id, 'card_payments', state, ask_at FROM card_payments WHERE (state = 'AUTHENTICATED') <> (ask_at IS NOT NULL)
  UNION ALL
  SELECT r.company_id, r.id, 'refunds', r.state, r.ask_at FROM refunds r
   WHERE (r.state = 'PENDING' AND r.rail <> 'book') <> (r.ask_at IS NOT NULL)
  UNION ALL
  SELECT company_id, id, 'payouts', status, ask_at FROM payouts
   WHERE (status = 'PENDING' AND message_id IS NOT NULL AND (rail <> 'book' OR send_until IS NOT NULL)) <> (ask_at IS NOT NULL)
      OR (status = 'PENDING' AND children = 0 AND message_id IS NULL AND start_at IS NULL)
      OR (start_at IS NOT NULL AND (status <> 'PENDING' OR message_id IS NOT NULL))
  UNION ALL
  SELECT company_id, id, 'payout_plans', status, due_at FROM payout_plans
   WHERE (status IN ('VALIDATING', 'READY', 'APPROVED', 'APPLYING')) <> (due_at IS NOT NULL)
  UNION ALL
  SELECT company_id, id, 'account_requests', status, coalesce(expires_at, ask_at, key_due_at) FROM account_requests
   WHERE (expires_at IS NOT NULL) <> (status = 'PENDING_DOCUMENTS' OR (status = 'REPROVED' AND cardinality(reproved_fields) > 0))
      OR (ask_at IS NOT NULL) <> (status = 'ANALYSIS' AND analysis_reference IS NOT NULL)
      OR (key_due_at IS NOT NULL AND status <> 'APPROVED')
  UNION ALL
  SELECT company_id, id, 'med_objects', status, due_at FROM med_objects
   WHERE (due_at IS NOT NULL) <> (role = 'RECEIVER' AND (status = 'RECEIVED' OR (status = 'OPEN' AND refund_id IS NULL)
           OR (object_type = 'INFRINGEMENT_NOTIFICATION' AND status = 'ANALYSED' AND blocked_minor > 0)
           OR (watched_since IS NOT NULL AND later_refund_id IS NULL AND lacking_minor + blocked_minor > 0)))
     -- whether its account is to be watched is seen a moment after it was answered: due just now, and nothing else
     AND NOT (object_type = 'REFUND_REQUEST' AND status = 'ANALYSED' AND watched_since IS NULL
              AND due_at IS NOT NULL AND due_at <= updated_at + interval '1 minute')
  UNION ALL -- our default of a claim, until the directory is told by us how it ends
  SELECT c.company_id, c.id, 'key_claims', c.status, c.due_at FROM key_claims c
   WHERE (c.due_at IS NOT NULL) <> ((c.role, c.status) = ('DONOR', 'WAITING_RESOLUTION')
           OR (c.role, c.status, c.claim_type) = ('CLAIMER', 'CONFIRMED', 'CLAIM_OWNERSHIP'))
     AND (c.due_at IS NOT NULL OR NOT EXISTS (SELECT 1 FROM outbox m WHERE m.company_id = c.company_id AND m.reference_id = c.id
                                                 AND m.kind IN ('claim.confirm', 'claim.cancel') OFFSET 0))
  UNION ALL
  SELECT company_id, id, 'subscription_cancellations', status, ask_at FROM subscription_cancellations
   WHERE (status = 'PENDING') <> (ask_at IS NOT NULL)
  UNION ALL
  SELECT company_id, id, 'payment_attempts', status, ask_at FROM payment_attempts
   WHERE (status IN ('REQUESTED', 'SCHEDULED')) <> (ask_at IS NOT NULL)
  UNION ALL
  SELECT p.company_id, p.id, 'subscription_payments', p.status, p.due_at FROM subscription_payments p
    LEFT JOIN payment_attempts a ON a.company_id = p.company_id AND a.payment_id = p.id AND a.status IN ('REQUESTED', 'SCHEDULED')
   WHERE (p.ask_at IS NOT NULL) <> (p.cancel_message_id IS NOT NULL) OR (p.ask_at IS NOT NULL AND p.status <> 'SCHEDULED')
      OR (p.due_at IS NOT NULL) <> (p.cancel_message_id IS NULL
            AND CASE p.status WHEN 'SCHEDULED' THEN a.status IS DISTINCT FROM 'REQUESTED' WHEN 'PENDING' THEN a.id IS NULL ELSE false END);

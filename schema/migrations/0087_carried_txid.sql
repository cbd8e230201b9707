-- What a Pix carried as txid comes back with the statement's entries; a charge that is told of by its location alone keeps its
-- order open until it is handled.

CREATE OR REPLACE VIEW entry_subjects WITH (security_invoker = true) AS
  SELECT o.company_id, o.id AS reference_id, o.description, o.id AS order_id, o.end_to_end_id,
         coalesce(o.payer_id, o.customer_id) AS party_id, NULL::uuid AS batch_id,
         (SELECT p.txid FROM pix_payments p -- of a charge whose payer's bank forgot it there is none
           WHERE p.company_id = o.company_id AND p.order_id = o.id AND p.end_to_end_id = o.end_to_end_id AND p.rail IN ('pix', 'book')) AS txid
    FROM orders o
  UNION ALL
  SELECT company_id, id, description, NULL, end_to_end_id, receiver_id, batch_id, txid FROM payouts
  UNION ALL
  SELECT r.company_id, r.id, r.description, r.order_id,
         (SELECT p.end_to_end_id FROM pix_payments p -- a partner's id of a payment is no endToEndId
           WHERE p.company_id = r.company_id AND p.id = r.payment_id AND p.rail IN ('pix', 'book')),
         (SELECT p.payer_id FROM pix_payments p WHERE p.company_id = r.company_id AND p.id = r.payment_id), NULL,
         (SELECT p.txid FROM pix_payments p
           WHERE p.company_id = r.company_id AND p.id = r.payment_id AND p.rail IN ('pix', 'book')) FROM refunds r
  UNION ALL
  SELECT m.company_id, m.id, 'MED ' || m.id,
         (SELECT p.order_id FROM pix_payments p WHERE p.company_id = m.company_id AND p.end_to_end_id = m.end_to_end_id AND p.rail = 'pix'),
         m.end_to_end_id, NULL, NULL,
         (SELECT p.txid FROM pix_payments p WHERE p.company_id = m.company_id AND p.end_to_end_id = m.end_to_end_id AND p.rail = 'pix')
    FROM med_objects m;

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
  SELECT company_id, 'card_payments', id, ask_at FROM card_payments WHERE state = 'AUTHENTICATED' AND ask_at < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'refunds', id, ask_at FROM refunds WHERE state = 'PENDING' AND ask_at < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'payouts', id, least(ask_at, start_at) FROM payouts
   WHERE status = 'PENDING' AND least(ask_at, start_at) < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'payout_plans', id, due_at FROM payout_plans WHERE due_at < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'account_requests', id, coalesce(ask_at, key_due_at, expires_at) FROM account_requests
   WHERE coalesce(ask_at, key_due_at) < (SELECT at FROM late)
      OR (status = 'PENDING_DOCUMENTS' AND expires_at < (SELECT at FROM late))
  UNION ALL
  SELECT r.company_id, 'account_close_requests', r.id, r.updated_at FROM account_close_requests r
   WHERE r.status = 'REQUESTED' AND r.updated_at < (SELECT at FROM late)
     AND NOT EXISTS (SELECT 1 FROM key_claims c WHERE c.company_id = r.company_id AND c.account_id = r.account_id
                        AND c.status IN ('OPEN', 'WAITING_RESOLUTION', 'CONFIRMED'))
  UNION ALL
  SELECT company_id, 'med_objects', id, due_at FROM med_objects WHERE due_at < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'key_claims', id, due_at FROM key_claims WHERE due_at < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'key_claims', id, ask_at FROM key_claims
   WHERE status IN ('OPEN', 'WAITING_RESOLUTION', 'CONFIRMED') AND ask_at < (SELECT at FROM late)
  UNION ALL
  SELECT e.company_id, 'events', e.id, e.created_at FROM event_cursors c
    JOIN events e ON e.company_id = c.company_id AND e.xid >= c.numbered_below_xid
   WHERE e.created_at < (SELECT at FROM late)
     AND NOT EXISTS (SELECT 1 FROM event_numbers n WHERE n.company_id = e.company_id AND n.event_id = e.id)
  UNION ALL
  SELECT o.company_id, 'orders', o.id, o.expires_at FROM orders o -- a late message of the network is given another minute
   WHERE o.status = 'INITIAL' AND o.payment_method = 'PIX' AND o.expires_at < (SELECT at FROM late) - interval '1 minute'
     AND NOT EXISTS (SELECT 1 FROM pix_payments p WHERE p.company_id = o.company_id AND p.order_id = o.id
                        AND p.state = 'ACCEPTED')
     AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.company_id = o.company_id AND i.txid IN (o.txid, o.location_token)
                        AND i.due_at IS NOT NULL)
  UNION ALL
  SELECT o.company_id, 'orders', o.id, o.ends_at FROM orders o WHERE o.ends_at < (SELECT at FROM late)
     AND NOT EXISTS (SELECT 1 FROM pix_payments p WHERE p.company_id = o.company_id AND p.order_id = o.id
                        AND p.state = 'ACCEPTED')
  UNION ALL
  SELECT s.company_id, 'subscriptions', s.id, s.lapses_at FROM subscriptions s -- with an order: as that is
   WHERE s.status = 'PENDING_AUTHORIZATION' AND s.order_id IS NULL AND s.lapses_at < (SELECT at FROM late) - interval '1 minute'
  UNION ALL
  SELECT s.company_id, 'subscriptions', s.id, s.ends_at FROM subscriptions s
   WHERE s.status = 'ACCEPTED' AND s.ends_at < (SELECT at FROM late)
     AND NOT EXISTS (SELECT 1 FROM subscription_payments p WHERE p.company_id = s.company_id AND p.subscription_id = s.id
                        AND p.status IN ('SCHEDULED', 'PENDING'))
  UNION ALL
  SELECT company_id, 'subscription_cancellations', id, ask_at FROM subscription_cancellations
   WHERE status = 'PENDING' AND ask_at < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'subscriptions', id, charge_at FROM subscriptions WHERE status = 'ACCEPTED' AND charge_at < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'pix_key_validations', id, expires_at FROM pix_key_validations -- one that came back in time is given another minute
   WHERE status = 'PENDING' AND expires_at < (SELECT at FROM late) - interval '1 minute'
  UNION ALL
  SELECT company_id, 'subscription_payments', id, least(due_at, ask_at) FROM subscription_payments
   WHERE least(due_at, ask_at) < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'payment_attempts', id, ask_at FROM payment_attempts
   WHERE status IN ('REQUESTED', 'SCHEDULED') AND ask_at < (SELECT at FROM late);

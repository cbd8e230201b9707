-- After a return that gave back too little an account is watched: later credits are blocked up to what is lacking.

ALTER TABLE balances ADD COLUMN watched bigint NOT NULL DEFAULT 0 CHECK (watched >= 0);
CREATE INDEX balances_watched ON balances (company_id, ledger_account_id) WHERE watched > 0;

-- unused: who still calls it with five arguments, calls the new one
DROP FUNCTION draw(uuid, uuid[], bigint[], bigint[], bigint[]);
CREATE FUNCTION draw(
  company uuid, accounts uuid[], debit_deltas bigint[], held_deltas bigint[], owed_deltas bigint[] DEFAULT NULL,
  watched_deltas bigint[] DEFAULT NULL
) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  horizon bigint;
  has bigint; -- more than the floor
  owes bigint;
  keeps bigint;
  d record;
BEGIN
  FOR d IN SELECT account, debit, held, debit + held AS taken, coalesce(owed, 0) AS owed, coalesce(watched, 0) AS watched
             FROM unnest(accounts, debit_deltas, held_deltas, owed_deltas, watched_deltas) AS u(account, debit, held, owed, watched)
            ORDER BY account LOOP
    UPDATE balances SET debits = debits + d.debit, held = held + d.held, owed = owed + d.owed, watched = watched + d.watched
     WHERE company_id = company AND ledger_account_id = d.account AND owed + d.owed >= 0 AND watched + d.watched >= 0
       AND (d.taken <= 0
            OR credits_folded - debits - held - d.taken
               >= floor_minor + CASE WHEN d.taken <= -d.owed THEN 0 WHEN d.taken <= -d.watched THEN owed ELSE owed + watched END);
    CONTINUE WHEN FOUND;
    PERFORM 1 FROM balances WHERE company_id = company AND ledger_account_id = d.account FOR UPDATE;
    horizon := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
    SELECT credits_folded + credit_tail(company, d.account, fold_xid, NULL) - debits - held - floor_minor, owed, watched
      INTO has, owes, keeps FROM balances WHERE company_id = company AND ledger_account_id = d.account;
    IF owes + d.owed < 0 THEN
      RAISE EXCEPTION 'more is paid back than is owed' USING ERRCODE = 'LA409', DETAIL = d.account::text;
    ELSIF keeps + d.watched < 0 THEN
      RAISE EXCEPTION 'more is given up than is watched' USING ERRCODE = 'LA409', DETAIL = d.account::text;
    ELSIF d.taken <= 0 OR has - d.taken
          >= (CASE WHEN d.taken <= -d.owed THEN 0 WHEN d.taken <= -d.watched THEN owes ELSE owes + keeps END) THEN
      UPDATE balances b
         SET debits = debits + d.debit, held = held + d.held, owed = owed + d.owed, watched = watched + d.watched,
             fold_xid = greatest(fold_xid, horizon),
             credits_folded = credits_folded + credit_tail(company, d.account, b.fold_xid, horizon)
       WHERE company_id = company AND ledger_account_id = d.account;
    ELSIF owes > has THEN
      RAISE EXCEPTION 'the account owes' USING ERRCODE = 'LA404', DETAIL = d.account::text;
    ELSE
      RAISE EXCEPTION 'insufficient funds' USING ERRCODE = 'LA402', DETAIL = d.account::text;
    END IF;
  END LOOP;
  RETURN true;
END $$;

REVOKE EXECUTE ON FUNCTION draw(uuid, uuid[], bigint[], bigint[], bigint[], bigint[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION draw(uuid, uuid[], bigint[], bigint[], bigint[], bigint[]) TO lastro_app, lastro_work, lastro_audit;

ALTER TABLE med_objects
  ADD COLUMN monitor boolean NOT NULL DEFAULT true,
  ADD COLUMN watched_since timestamptz,
  ADD COLUMN watched_until timestamptz,
  ADD COLUMN lacking_minor bigint NOT NULL DEFAULT 0 CHECK (lacking_minor >= 0),
  ADD COLUMN later_minor bigint NOT NULL DEFAULT 0 CHECK (later_minor >= 0),
  ADD COLUMN later_refund_id uuid,
  ADD CONSTRAINT med_objects_watched CHECK (
    watched_since IS NULL AND lacking_minor = 0 AND later_minor = 0 AND later_refund_id IS NULL
    OR watched_since IS NOT NULL AND watched_until IS NOT NULL AND object_type = 'REFUND_REQUEST' AND role = 'RECEIVER' AND status = 'ANALYSED'
       AND returned_minor + later_minor + blocked_minor + lacking_minor <= amount_minor),
  ADD CONSTRAINT med_objects_later_refund FOREIGN KEY (company_id, later_refund_id) REFERENCES refunds;
CREATE UNIQUE INDEX med_objects_later_refund_key ON med_objects (company_id, later_refund_id) WHERE later_refund_id IS NOT NULL;
CREATE INDEX med_objects_watching ON med_objects (company_id, account_id, watched_since) WHERE lacking_minor > 0;

CREATE OR REPLACE FUNCTION blocked_of(company uuid, payment uuid) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(m.blocked_minor), 0)::bigint FROM pix_payments p
    JOIN med_objects m ON m.company_id = p.company_id AND m.end_to_end_id = p.end_to_end_id
   WHERE p.company_id = company AND p.id = payment AND m.role = 'RECEIVER' AND m.later_refund_id IS NULL
     AND (m.refund_id IS NULL OR m.watched_since IS NOT NULL)
$$;

CREATE OR REPLACE VIEW law_a_dispute_is_answered_as_decided WITH (security_invoker = true) AS
  SELECT coalesce(m.company_id, r.company_id) AS company_id, m.id, m.status, m.result, m.returned_minor, r.id AS refund_id,
         r.state, r.amount_minor
    FROM (SELECT * FROM med_objects WHERE object_type = 'REFUND_REQUEST' AND role = 'RECEIVER') m
    FULL JOIN (SELECT r.*, p.end_to_end_id FROM refunds r JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
                WHERE r.origin = 'MED' AND NOT EXISTS ( -- what is given back of later credits answers nothing
                  SELECT 1 FROM med_objects w WHERE w.company_id = r.company_id AND w.id = r.med_id AND r.created_at >= w.watched_since)
                  AND NOT (r.state = 'ERROR' AND r.receiver_id IS NOT NULL AND EXISTS ( -- it was tried again, or asked anew
                      SELECT 1 FROM med_objects t WHERE t.company_id = r.company_id AND t.id = r.med_id
                         AND t.refund_id IS DISTINCT FROM r.id))) r
      ON r.company_id = m.company_id AND r.med_id = m.id
   WHERE m.id IS NULL OR m.refund_id IS DISTINCT FROM r.id
      OR (r.id IS NOT NULL AND r.end_to_end_id <> m.end_to_end_id)
      OR CASE WHEN m.status = 'OPEN' AND r.id IS NULL THEN m.returned_minor <> 0
              WHEN m.status = 'OPEN' THEN (r.state, m.blocked_minor) IS DISTINCT FROM ('PENDING', r.amount_minor)
              WHEN m.result IN ('TOTALLY_ACCEPTED', 'PARTIALLY_ACCEPTED') THEN (r.state, m.returned_minor,
                   CASE WHEN m.watched_since IS NULL THEN m.blocked_minor ELSE 0 END,
                   m.result = 'TOTALLY_ACCEPTED') IS DISTINCT FROM ('PAID', r.amount_minor, 0::bigint, r.amount_minor >= m.amount_minor)
              ELSE coalesce(r.state, 'ERROR') <> 'ERROR' OR m.returned_minor <> 0 OR m.blocked_minor <> 0 AND m.watched_since IS NULL END;

CREATE VIEW law_a_watched_account_keeps_what_is_lacking WITH (security_invoker = true) AS
  SELECT l.company_id, l.account_id, NULL::uuid AS request_id, b.watched AS kept_minor, d.lacking_minor AS wanted_minor
    FROM ledger_accounts l JOIN balances b ON b.company_id = l.company_id AND b.ledger_account_id = l.id
   CROSS JOIN LATERAL (SELECT coalesce(sum(m.lacking_minor), 0) AS lacking_minor FROM med_objects m
                        WHERE m.company_id = l.company_id AND m.account_id = l.account_id AND (l.code, l.currency) = ('CUST', 'BRL')) d
   WHERE b.watched <> d.lacking_minor
  UNION ALL
  SELECT m.company_id, m.account_id, m.id, m.later_minor, r.paid_minor FROM med_objects m
   CROSS JOIN LATERAL (
     SELECT coalesce(sum(r.amount_minor) FILTER (WHERE r.state = 'PAID'), 0) AS paid_minor,
            coalesce(sum(r.amount_minor) FILTER (WHERE r.state = 'PENDING'), 0) AS sent_minor
       FROM refunds r WHERE r.company_id = m.company_id AND r.med_id = m.id AND r.created_at >= m.watched_since) r
   WHERE m.watched_since IS NOT NULL
     AND (m.later_minor <> r.paid_minor OR r.sent_minor > m.blocked_minor OR (m.later_refund_id IS NULL) <> (r.sent_minor = 0));
COMMENT ON VIEW law_a_watched_account_keeps_what_is_lacking IS
  'Of later credits as much is kept as refund requests that watch the account lack, and given back as often as it was blocked, no more.';
GRANT SELECT, INSERT ON law_a_watched_account_keeps_what_is_lacking TO lastro_app;
GRANT SELECT ON law_a_watched_account_keeps_what_is_lacking TO lastro_audit;

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
     -- whether its account is to be watched is seen a moment after it was answered
     AND NOT (object_type = 'REFUND_REQUEST' AND status = 'ANALYSED' AND watched_since IS NULL)
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

CREATE OR REPLACE VIEW law_an_event_tells_what_happened WITH (security_invoker = true) AS
  SELECT e.company_id, e.id AS event_id, e.type, e.reference_id, o.id IS NOT NULL AS has_object,
         h.version IS NOT NULL AS has_happened
    FROM events e
    LEFT JOIN orders o ON o.company_id = e.company_id AND o.id = e.reference_id
    LEFT JOIN history h ON h.company_id = e.company_id AND h.reference_id = e.reference_id AND h.machine = 'orders'
                       AND h.to_state <> 'INITIAL' AND 'ORDER-PAYIN.' || h.to_state = e.type
   CROSS JOIN LATERAL (SELECT as_json(e.body) AS body OFFSET 0) says
   WHERE e.type LIKE 'ORDER-PAYIN.%' AND e.type NOT LIKE 'ORDER-PAYIN.REFUND%'
     AND (h.version IS NULL
          OR e.body IS NOT NULL AND (says.body ->> 'event', 'ORDER-PAYIN.' || (says.body ->> 'status'), says.body ->> 'id', says.body ->> 'code',
              says.body #>> '{amount,currency}', says.body #>> '{amount,value}', says.body ->> 'endToEndId',
              says.body #>> '{subscription,id}', says.body #>> '{subscription,code}', says.body #>> '{subscription,scheduledPayment,id}')
             IS DISTINCT FROM (e.type, e.type, o.id::text, o.external_id, o.currency,
                               printed(coalesce(o.amount_minor, o.paid_minor, 0)), o.end_to_end_id,
                               o.subscription_id::text, o.subscription_code, o.scheduled_payment_id::text))
  UNION ALL
  SELECT e.company_id, e.id, e.type, e.reference_id, o.id IS NOT NULL, r.id IS NOT NULL
    FROM events e
   CROSS JOIN LATERAL (SELECT as_json(e.body) AS body OFFSET 0) says
    LEFT JOIN orders o ON o.company_id = e.company_id AND o.id = e.reference_id
    LEFT JOIN (SELECT company_id, coalesce(med_id, id) AS id, order_id, external_id, amount_minor, state,
                      med_id IS NOT NULL AND EXISTS (SELECT 1 FROM med_objects w WHERE w.company_id = refunds.company_id
                         AND w.id = refunds.med_id AND w.watched_since IS NOT NULL) AS is_one_of_several FROM refunds
               UNION ALL SELECT company_id, id, order_id, NULL, amount_minor, 'PAID', false FROM chargebacks) r
                        ON r.company_id = o.company_id AND r.order_id = o.id AND r.id::text = says.body ->> 'refundId'
                       AND (NOT r.is_one_of_several OR printed(r.amount_minor) = says.body #>> '{refundAmount,value}')
                       AND (r.state = CASE e.type WHEN 'ORDER-PAYIN.REFUNDED' THEN 'PAID' ELSE 'ERROR' END
                            OR (e.type = 'ORDER-PAYIN.REFUND_ERROR' AND EXISTS ( -- and proved to have left after that
                                SELECT 1 FROM history p WHERE p.company_id = r.company_id AND p.reference_id = r.id
                                   AND p.trigger = 'prove')))
   WHERE e.type LIKE 'ORDER-PAYIN.REFUND%' AND e.body IS NOT NULL
     AND (r.id IS NULL
          OR (says.body ->> 'event', says.body ->> 'id', says.body ->> 'code', says.body ->> 'refundExternalId',
              says.body #>> '{refundAmount,value}', says.body #>> '{amount,value}', says.body ->> 'endToEndId')
             IS DISTINCT FROM (e.type, o.id::text, o.external_id, r.external_id, printed(r.amount_minor),
                               printed(coalesce(o.amount_minor, o.paid_minor)), o.end_to_end_id)
          OR says.body ->> 'status' <> CASE
                WHEN (says.body #>> '{refundedAmount,value}')::numeric >= printed(coalesce(o.amount_minor, o.paid_minor))::numeric
                THEN 'REFUNDED' WHEN says.body #>> '{refundedAmount,value}' = printed(0) THEN 'PAID'
                ELSE 'PARTIAL_REFUNDED' END)
  UNION ALL
  SELECT e.company_id, e.id, e.type, e.reference_id, s.id IS NOT NULL, h.version IS NOT NULL
    FROM events e
    LEFT JOIN subscriptions s ON s.company_id = e.company_id AND s.id = e.reference_id
    LEFT JOIN history h ON h.company_id = e.company_id AND h.reference_id = e.reference_id AND h.machine = 'subscriptions'
                       AND 'SUBSCRIPTION.' || h.to_state = e.type
   CROSS JOIN LATERAL (SELECT as_json(e.body) AS body OFFSET 0) says
   WHERE e.type LIKE 'SUBSCRIPTION.%'
     AND (h.version IS NULL
          OR e.body IS NOT NULL AND (says.body ->> 'event', 'SUBSCRIPTION.' || (says.body #>> '{data,status}'),
              says.body #>> '{data,id}', says.body #>> '{data,externalId}', says.body #>> '{data,initialCharge,id}')
             IS DISTINCT FROM (e.type, e.type, s.id::text, s.external_id, s.order_id::text))
  UNION ALL
  SELECT e.company_id, e.id, e.type, e.reference_id, p.id IS NOT NULL, h.version IS NOT NULL
    FROM events e
    LEFT JOIN subscription_payments p ON p.company_id = e.company_id AND p.id = e.reference_id
    LEFT JOIN history h ON h.company_id = e.company_id AND h.reference_id = e.reference_id AND h.machine = 'subscription_payments'
                       AND h.from_state <> h.to_state AND 'SUBSCRIPTION-PAYMENT.' || h.to_state = e.type
   CROSS JOIN LATERAL (SELECT as_json(e.body) AS body OFFSET 0) says
   WHERE e.type LIKE 'SUBSCRIPTION-PAYMENT.%'
     AND (h.version IS NULL
          OR e.body IS NOT NULL AND (says.body ->> 'event', 'SUBSCRIPTION-PAYMENT.' || (says.body #>> '{data,status}'),
              says.body #>> '{data,id}', says.body #>> '{data,externalId}', says.body #>> '{data,orderId}',
              says.body #>> '{data,subscription,id}', says.body #>> '{data,amount,value}')
             IS DISTINCT FROM (e.type, e.type, p.id::text, p.external_id, p.order_id::text, p.subscription_id::text,
                               printed(p.amount_minor)))
  UNION ALL
  SELECT e.company_id, e.id, e.type, e.reference_id, r.id IS NOT NULL, h.version IS NOT NULL
    FROM events e
    LEFT JOIN account_requests r ON r.company_id = e.company_id AND r.id = e.reference_id
    LEFT JOIN history h ON h.company_id = e.company_id AND h.reference_id = e.reference_id AND h.machine = 'account_requests'
                       AND h.created_at = e.created_at AND e.type = 'ACCOUNT.' || CASE h.trigger
                         WHEN 'approve' THEN 'CREATED' WHEN 'ask' THEN 'PENDING_DOCUMENTS' ELSE 'REJECTED' END
   CROSS JOIN LATERAL (SELECT as_json(e.body) AS body OFFSET 0) says
   WHERE e.type IN ('ACCOUNT.CREATED', 'ACCOUNT.PENDING_DOCUMENTS', 'ACCOUNT.REJECTED')
     AND (h.version IS NULL
          OR e.body IS NOT NULL AND (says.body ->> 'event', says.body ->> 'requestId', says.body ->> 'accountId')
             IS DISTINCT FROM (e.type, r.id::text, CASE e.type WHEN 'ACCOUNT.CREATED' THEN r.account_id::text END))
  UNION ALL
  SELECT e.company_id, e.id, e.type, e.reference_id, true, h.version IS NOT NULL
    FROM events e
   CROSS JOIN LATERAL (SELECT as_json(e.body) AS body OFFSET 0) says
    LEFT JOIN history h ON h.company_id = e.company_id AND h.reference_id = e.reference_id AND h.machine = 'accounts'
                       AND h.from_state <> '' AND h.created_at = e.created_at
   WHERE e.type = 'ACCOUNT.STATUS_CHANGED'
     AND (h.version IS NULL
          OR e.body IS NOT NULL AND (says.body ->> 'event', says.body ->> 'accountId', says.body ->> 'previousStatus', says.body ->> 'status')
             IS DISTINCT FROM (e.type, e.reference_id::text, h.from_state, h.to_state))
  UNION ALL
  SELECT e.company_id, e.id, e.type, e.reference_id, m.id IS NOT NULL, h.version IS NOT NULL
    FROM events e
   CROSS JOIN LATERAL (SELECT as_json(e.body) AS body OFFSET 0) says
    LEFT JOIN med_objects m ON m.company_id = e.company_id AND m.id = e.reference_id
    LEFT JOIN history h ON h.company_id = e.company_id AND h.reference_id = e.reference_id AND h.machine = 'med_objects'
                       AND h.created_at = e.created_at AND h.to_state = says.body ->> 'status'
                       AND h.from_state = coalesce(says.body ->> 'previousStatus', '')
                       AND (h.version = 1) = (e.type = 'MED.CREATED')
   WHERE e.type LIKE 'MED.%' AND e.body IS NOT NULL
     AND (h.version IS NULL
          OR ('MED.' || (says.body ->> 'eventType'), says.body ->> 'referenceId', says.body ->> 'accountId',
              says.body ->> 'objectType', says.body ->> 'endToEndId', says.body ->> 'amount', says.body ->> 'role')
             IS DISTINCT FROM (e.type, m.id::text, m.account_id::text, m.object_type, m.end_to_end_id, printed(m.amount_minor), m.role))
  UNION ALL
  SELECT e.company_id, e.id, e.type, e.reference_id, c.id IS NOT NULL, h.version IS NOT NULL
    FROM events e
   CROSS JOIN LATERAL (SELECT as_json(e.body) AS body OFFSET 0) says
    LEFT JOIN key_claims c ON c.company_id = e.company_id AND c.id = e.reference_id
    LEFT JOIN history h ON h.company_id = e.company_id AND h.reference_id = e.reference_id AND h.machine = 'key_claims'
                       AND h.created_at = e.created_at AND h.to_state = says.body ->> 'status'
                       AND h.from_state = coalesce(says.body ->> 'previousStatus', '')
   WHERE e.type = 'KEY-CLAIM.STATUS_CHANGED' AND e.body IS NOT NULL
     AND (h.version IS NULL
          OR (says.body ->> 'event', says.body ->> 'claimId', says.body ->> 'accountId', says.body ->> 'claimType', says.body ->> 'key',
              says.body ->> 'role')
             IS DISTINCT FROM (e.type, c.id::text, c.account_id::text, c.claim_type, c.key, c.role));

-- What is given back by a payment of its own (pacs.008): IPRT to a victim, REFU to the payer's institution; to whom, and what a
-- refund request says of who asks.

ALTER TABLE refunds ADD COLUMN receiver_id uuid;
ALTER TABLE refunds ADD CONSTRAINT refunds_company_id_receiver_id_fkey FOREIGN KEY (company_id, receiver_id) REFERENCES parties NOT VALID;
ALTER TABLE refunds ADD CONSTRAINT refunds_anew CHECK ((reason_code IN ('IPRT', 'REFU')) = (receiver_id IS NOT NULL)
                                 AND (receiver_id IS NULL OR origin = 'MED')) NOT VALID;
ALTER TABLE med_objects ADD COLUMN root_id text;
ALTER TABLE med_objects ADD COLUMN requester text;
ALTER TABLE med_objects ADD COLUMN details text;
ALTER TABLE med_objects ADD COLUMN receiver_id uuid;
ALTER TABLE med_objects ADD CONSTRAINT med_objects_company_id_receiver_id_fkey FOREIGN KEY (company_id, receiver_id) REFERENCES parties NOT VALID;

CREATE OR REPLACE FUNCTION people_held(company uuid, people uuid[], years integer)
RETURNS TABLE (party_id uuid, thing text, role text, object_id uuid, status text, created_at timestamptz, ground text, until timestamptz)
LANGUAGE sql STABLE AS $$
  WITH telling AS (                                   -- what a network is still to be told something of
    SELECT coalesce(c.subscription_id, p.subscription_id, m.reference_id) AS id FROM outbox m
      LEFT JOIN subscription_cancellations c ON c.company_id = company AND c.id = m.reference_id
      LEFT JOIN payment_attempts a ON a.company_id = company AND a.id = m.reference_id
      LEFT JOIN subscription_payments p ON p.company_id = company AND p.id = coalesce(a.payment_id, m.reference_id)
     WHERE m.company_id = company AND m.due_at IS NOT NULL),
  found AS (
    SELECT w.party_id, 'order' AS thing, w.role, o.id, o.status, o.created_at, o.updated_at AS ended_at,
           CASE WHEN o.status IN ('INITIAL', 'PENDING', 'AUTHENTICATING') THEN 'IN_USE'
                WHEN o.paid_minor IS NOT NULL OR EXISTS (SELECT 1 FROM pix_payments p WHERE p.company_id = company
                       AND p.order_id = o.id AND p.state NOT IN ('REFUSED', 'FAILED') OFFSET 0) THEN 'OPERATION' END AS ground
      FROM orders o CROSS JOIN LATERAL (VALUES (o.customer_id, 'customer'), (o.payer_id, 'payer')) w(party_id, role)
     WHERE o.company_id = company AND w.party_id = ANY (people)
    UNION ALL
    SELECT p.payer_id, 'payment', 'payer', p.id, p.state, p.created_at, p.updated_at,
           CASE WHEN p.state IN ('ACCEPTED', 'HELD', 'RETURNING', 'STRANDED') THEN 'IN_USE' ELSE 'OPERATION' END
      FROM pix_payments p WHERE p.company_id = company AND p.payer_id = ANY (people)
    UNION ALL
    SELECT p.receiver_id, 'payout', 'receiver', p.id, p.status, p.created_at, p.updated_at,
           CASE WHEN p.status IN ('INITIAL', 'PENDING', 'ANALYSIS') THEN 'IN_USE'
                WHEN p.message_id IS NOT NULL OR p.paid_at IS NOT NULL THEN 'OPERATION' END
      FROM payouts p WHERE p.company_id = company AND p.receiver_id = ANY (people)
    UNION ALL
    SELECT r.receiver_id, 'refund', 'receiver', r.id, r.state, r.created_at, r.updated_at,
           CASE r.state WHEN 'PENDING' THEN 'IN_USE' ELSE 'OPERATION' END
      FROM refunds r WHERE r.company_id = company AND r.receiver_id = ANY (people)
    UNION ALL
    SELECT m.receiver_id, 'dispute', 'victim', m.id, m.status, m.created_at, m.updated_at,
           CASE m.status WHEN 'OPEN' THEN 'IN_USE' ELSE 'OPERATION' END
      FROM med_objects m WHERE m.company_id = company AND m.receiver_id = ANY (people)
    UNION ALL
    SELECT w.party_id, 'subscription', w.role, s.id, s.status, s.created_at, s.updated_at,
           CASE WHEN s.status IN ('INITIAL', 'PENDING_AUTHORIZATION', 'ACCEPTED') THEN 'IN_USE'
                WHEN s.accepted_at IS NOT NULL THEN 'OPERATION' END
      FROM subscriptions s CROSS JOIN LATERAL (
        SELECT s.debtor_id, 'debtor' UNION ALL SELECT s.named_payer_id, 'expected payer' UNION ALL SELECT s.payer_id, 'payer'
        UNION ALL SELECT c.requested_by_id, 'canceler' FROM subscription_cancellations c
                   WHERE c.company_id = company AND c.subscription_id = s.id) w(party_id, role)
     WHERE s.company_id = company AND w.party_id = ANY (people)
    UNION ALL
    SELECT w.party_id, 'accountRequest', w.role, r.id, r.status, r.created_at, c.updated_at,
           CASE WHEN r.status = 'APPROVED' THEN 'RELATION' WHEN r.status = 'REPROVED' AND (r.expires_at > business_now()) IS NOT TRUE THEN NULL
                ELSE 'IN_USE' END
      FROM account_requests r
     CROSS JOIN LATERAL (SELECT r.party_id, 'holder' UNION ALL SELECT unnest(r.representative_ids), 'representative') w(party_id, role)
      LEFT JOIN account_close_requests c ON c.company_id = r.company_id AND c.account_id = r.account_id AND c.status = 'COMPLETED'
     WHERE r.company_id = company AND w.party_id = ANY (people))
  SELECT party_id, thing, role, id, status, created_at, held.ground,
         CASE WHEN held.ground IN ('OPERATION', 'RELATION') THEN
           (date_trunc('year', ended_at AT TIME ZONE 'America/Sao_Paulo') + make_interval(years => years + 1)) AT TIME ZONE 'America/Sao_Paulo'
         END
    FROM found CROSS JOIN LATERAL (SELECT CASE WHEN id IN (SELECT t.id FROM telling t) THEN 'IN_USE' ELSE found.ground END AS ground) held
$$;

CREATE OR REPLACE VIEW entry_subjects WITH (security_invoker = true) AS
  SELECT o.company_id, o.id AS reference_id, o.description, o.id AS order_id, o.end_to_end_id,
         coalesce(o.payer_id, o.customer_id) AS party_id, NULL::uuid AS batch_id,
         (SELECT p.txid FROM pix_payments p -- of a charge whose payer's bank forgot it there is none
           WHERE p.company_id = o.company_id AND p.order_id = o.id AND p.end_to_end_id = o.end_to_end_id AND p.rail IN ('pix', 'book')) AS txid,
         CASE o.payment_method WHEN 'TED' THEN o.external_id END AS control_number -- the STR's, of a TED
    FROM orders o
  UNION ALL
  SELECT company_id, id, description, NULL, end_to_end_id, receiver_id, batch_id, txid, str_control_number FROM payouts
  UNION ALL
  SELECT r.company_id, r.id, r.description, r.order_id,
         (SELECT p.end_to_end_id FROM pix_payments p -- a partner's id of a payment is no endToEndId
           WHERE p.company_id = r.company_id AND p.id = r.payment_id AND p.rail IN ('pix', 'book')),
         coalesce(r.receiver_id, (SELECT p.payer_id FROM pix_payments p WHERE p.company_id = r.company_id AND p.id = r.payment_id)), NULL,
         (SELECT p.txid FROM pix_payments p
           WHERE p.company_id = r.company_id AND p.id = r.payment_id AND p.rail IN ('pix', 'book')), NULL FROM refunds r
  UNION ALL
  SELECT m.company_id, m.id, 'MED ' || m.id,
         (SELECT p.order_id FROM pix_payments p WHERE p.company_id = m.company_id AND p.end_to_end_id = m.end_to_end_id AND p.rail IN ('pix', 'book')),
         m.end_to_end_id, NULL, NULL,
         (SELECT p.txid FROM pix_payments p WHERE p.company_id = m.company_id AND p.end_to_end_id = m.end_to_end_id AND p.rail IN ('pix', 'book')), NULL
    FROM med_objects m;

CREATE OR REPLACE VIEW law_clearing_equals_payments WITH (security_invoker = true) AS
  SELECT l.company_id, l.id AS ledger_account_id, s.booked_minor, s.settled_minor FROM ledger_accounts l
   CROSS JOIN LATERAL (
     SELECT (SELECT coalesce(-sum(change_minor), 0) FROM ledger_sides x
              WHERE x.company_id = l.company_id AND x.ledger_account_id = l.id) AS booked_minor,
            (SELECT coalesce(sum(amount_minor), 0) FROM pix_payments p WHERE p.company_id = l.company_id
                AND p.rail = l.rail AND p.state IN ('SETTLED', 'HELD', 'RETURNING', 'STRANDED', 'CREDITED'))
          - (SELECT coalesce(sum(r.amount_minor), 0) FROM refunds r
               JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
              WHERE r.company_id = l.company_id AND r.rail = l.rail AND p.state = 'SETTLED' AND r.state IN ('PAID', 'PAID_OUT'))
          - (SELECT coalesce(sum(amount_minor), 0) FROM payouts o WHERE o.company_id = l.company_id AND o.rail = l.rail
                AND o.children = 0 AND o.status IN ('PAID', 'PARTIAL_REFUNDED', 'REFUNDED'))
          + (SELECT coalesce(sum(r.amount_minor), 0) FROM payout_returns r
               JOIN payouts o ON o.company_id = r.company_id AND o.id = r.payout_id
              WHERE r.company_id = l.company_id AND o.rail = l.rail AND NOT r.is_paid_out)
          - (SELECT coalesce(sum(amount_minor), 0) FROM settlements x
              WHERE x.company_id = l.company_id AND x.rail = l.rail)
          - (SELECT coalesce(sum(b.amount_minor), 0) FROM chargebacks b
              WHERE b.company_id = l.company_id AND l.rail = 'card') AS settled_minor) s
   WHERE l.code = 'NET' AND s.booked_minor <> s.settled_minor;

CREATE OR REPLACE VIEW law_stranded_money_is_booked_as_decided WITH (security_invoker = true) AS
  SELECT coalesce(r.company_id, t.company_id) AS company_id, coalesce(r.id, t.reference_id) AS refund_id, r.state, r.amount_minor,
         t.transfers, t.booked_minor
    FROM (SELECT r.*, p.account_id FROM refunds r JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
           WHERE r.state IN ('CREDITED', 'PAID_OUT')) r
    FULL JOIN (SELECT t.company_id, t.reference_id, count(*) AS transfers, sum(t.amount_minor) AS booked_minor,
                      min(t.type) AS type, min(c.account_id::text)::uuid AS account_id
                 FROM transfers t JOIN ledger_accounts c ON c.company_id = t.company_id AND c.id = t.credit_id
                WHERE t.type IN (SELECT type FROM entry_types WHERE part = 'stranded') GROUP BY t.company_id, t.reference_id) t
      ON t.company_id = r.company_id AND t.reference_id = r.id
   WHERE (r.origin, t.transfers, t.booked_minor, t.type, t.account_id) IS DISTINCT FROM
         ('AUTOMATIC', 1, r.amount_minor, CASE r.state WHEN 'CREDITED' THEN 'STRANDED_IN' ELSE upper(r.rail) || '_PAID_OUT' END,
          CASE r.state WHEN 'CREDITED' THEN r.account_id END);

CREATE OR REPLACE VIEW law_a_refund_is_of_its_order WITH (security_invoker = true) AS
  SELECT r.company_id, r.id AS refund_id, r.origin, r.order_id, p.order_id AS paid_order_id, p.state AS payment_state,
         h.type AS hold_type, d.account_id AS held_of, o.account_id, o.paid_at, r.created_at
    FROM refunds r
    LEFT JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
    LEFT JOIN orders o ON o.company_id = r.company_id AND o.id = r.order_id
    LEFT JOIN transfers h ON h.company_id = r.company_id AND h.reference_id = r.id AND h.kind = 'held'
    LEFT JOIN ledger_accounts d ON d.company_id = h.company_id AND d.id = h.debit_id
   WHERE CASE r.origin
         WHEN 'CLIENT' THEN (p.state, p.order_id, h.type, d.account_id) IS DISTINCT FROM
              ('SETTLED', r.order_id, upper(p.rail) || '_REFUND', o.account_id)
              OR r.created_at > o.paid_at + interval '90 days'
         WHEN 'MED' THEN (p.state, p.order_id, h.type, d.account_id) IS DISTINCT FROM
              ('SETTLED', r.order_id, CASE r.rail WHEN 'pix' THEN 'MED_RETURN' WHEN 'book' THEN 'MED_BOOK_RETURN' END, o.account_id)
         ELSE h.type IS DISTINCT FROM upper(p.rail) || '_RETURN' END
      OR (r.rail <> p.rail AND r.receiver_id IS NULL); -- who is paid anew may be here although the payer is not, and the reverse
COMMENT ON VIEW law_a_refund_is_of_its_order IS
  'A client''s refund, or a dispute''s, gives back its order''s payment, from its account or its blocked part; any other takes from suspense.';

CREATE OR REPLACE VIEW law_a_return_is_sent_as_decided WITH (security_invoker = true) AS
  SELECT coalesce(r.company_id, o.company_id) AS company_id, r.id AS refund_id, o.id AS message_id, r.return_id,
         o.network_id, r.amount_minor
    FROM (SELECT r.*, p.end_to_end_id FROM refunds r
            JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id) r
    FULL JOIN (SELECT company_id, id, rail, reference_id, network_id, as_json(body) AS body FROM outbox
                WHERE kind = 'return.send') o
      ON o.company_id = r.company_id AND o.reference_id = r.id
   WHERE (r.rail, r.return_id, r.return_id, r.end_to_end_id, r.amount_minor::text, r.reason_code) IS DISTINCT FROM
         (o.rail, o.network_id, o.body ->> 'return_id', o.body ->> 'end_to_end_id', o.body #>> '{amount,minor}',
          o.body ->> 'reason')
      OR (r.receiver_id IS NULL) <> ((o.body #> '{anew,receiver}') IS NULL)
      OR (substr(r.return_id, 1, 1) = 'E') <> (r.receiver_id IS NOT NULL);

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
           OR (object_type = 'INFRINGEMENT_NOTIFICATION' AND status = 'ANALYSED' AND blocked_minor > 0)))
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

CREATE OR REPLACE VIEW law_a_dispute_is_answered_as_decided WITH (security_invoker = true) AS
  SELECT coalesce(m.company_id, r.company_id) AS company_id, m.id, m.status, m.result, m.returned_minor, r.id AS refund_id,
         r.state, r.amount_minor
    FROM (SELECT * FROM med_objects WHERE object_type = 'REFUND_REQUEST' AND role = 'RECEIVER') m
    FULL JOIN (SELECT r.*, p.end_to_end_id FROM refunds r JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
                WHERE r.origin = 'MED' AND NOT (r.state = 'ERROR' AND r.receiver_id IS NOT NULL AND EXISTS ( -- it was tried again, or asked anew
                      SELECT 1 FROM med_objects t WHERE t.company_id = r.company_id AND t.id = r.med_id
                         AND t.refund_id IS DISTINCT FROM r.id))) r
      ON r.company_id = m.company_id AND r.med_id = m.id
   WHERE m.id IS NULL OR m.refund_id IS DISTINCT FROM r.id
      OR (r.id IS NOT NULL AND r.end_to_end_id <> m.end_to_end_id)
      OR CASE WHEN m.status = 'OPEN' AND r.id IS NULL THEN m.returned_minor <> 0
              WHEN m.status = 'OPEN' THEN (r.state, m.blocked_minor) IS DISTINCT FROM ('PENDING', r.amount_minor)
              WHEN m.result IN ('TOTALLY_ACCEPTED', 'PARTIALLY_ACCEPTED') THEN (r.state, m.returned_minor, m.blocked_minor,
                   m.result = 'TOTALLY_ACCEPTED') IS DISTINCT FROM ('PAID', r.amount_minor, 0::bigint, r.amount_minor >= m.amount_minor)
              ELSE coalesce(r.state, 'ERROR') <> 'ERROR' OR m.returned_minor <> 0 OR m.blocked_minor <> 0 END;

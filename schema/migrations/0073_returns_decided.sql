-- Money that came back of a payout and fits nothing: people decide about it, once, as they do about what could not be given back.
-- What a process of before sets aside meanwhile waits like the rest.

ALTER TABLE payout_returns ADD COLUMN decision_id uuid;
ALTER TABLE payout_returns ADD COLUMN is_paid_out boolean NOT NULL DEFAULT false;
ALTER TABLE payout_returns ADD COLUMN version integer NOT NULL DEFAULT 1;
GRANT UPDATE (decision_id, is_paid_out, version) ON payout_returns TO lastro_app;
GRANT SELECT (created_at, is_unfit, decision_id) ON payout_returns TO lastro_work;

CREATE OR REPLACE VIEW entry_types WITH (security_invoker = true) AS
  SELECT upper(r.rail) || e.suffix AS type, e.at_once, e.debit, e.credit, r.rail, e.machine, e.part
    FROM rails r
   CROSS JOIN (VALUES ('_IN', true, 'NET', 'CUST', 'orders', 'in'), ('_FEE', true, 'NET', 'FEE', 'orders', 'fee'),
                      ('_UNFIT', true, 'NET', 'SUSP', 'pix_payments', 'unfit'),
                      ('_RETURN', false, 'SUSP', 'NET', 'refunds', 'return'),
                      ('_REFUND', false, 'CUST', 'NET', 'refunds', 'refund'),
                      ('_PAID_OUT', true, 'SUSP', 'NET', 'refunds', 'stranded'),
                      ('_SETTLEMENT', true, 'CUST', 'NET', 'settlements', 'settlement')) e(suffix, at_once, debit, credit, machine, part)
   WHERE r.rail <> 'ted' AND NOT (r.rail = 'pix' AND e.part = 'fee') AND NOT (r.currency = 'BRL' AND e.part = 'settlement')
  UNION ALL
  SELECT * FROM (VALUES
    ('FEE', true, 'NET', 'FEE', 'pix', 'orders', 'fee'),
    ('PART_IN', true, 'SUSP', 'CUST', NULL, 'orders', 'in'), ('PART_FEE', true, 'SUSP', 'FEE', NULL, 'orders', 'fee'),
    ('BOOK_IN', true, 'TRANSIT', 'CUST', NULL, 'orders', 'in'), ('BOOK_FEE', true, 'TRANSIT', 'FEE', NULL, 'orders', 'fee'),
    ('BOOK_REFUND', false, 'CUST', 'TRANSIT', NULL, 'refunds', 'refund'),
    ('STRANDED_IN', true, 'SUSP', 'CUST', NULL, 'refunds', 'stranded'),
    ('PIX_OUT', false, 'CUST', 'NET', 'pix', 'payouts', NULL), ('TED_OUT', false, 'CUST', 'NET', 'ted', 'payouts', NULL),
    ('BOOK_OUT', false, 'CUST', 'TRANSIT', NULL, 'payouts', NULL),
    ('PAYOUT_FEE', false, 'CUST', 'FEE', NULL, 'payouts', NULL),
    ('PIX_RETURNED', true, 'NET', 'CUST', 'pix', 'payouts', NULL),
    ('TED_RETURNED', true, 'NET', 'CUST', 'ted', 'payouts', NULL),
    ('BOOK_RETURNED', true, 'TRANSIT', 'CUST', NULL, 'payouts', NULL),
    ('PIX_RETURN_UNFIT', true, 'NET', 'SUSP', 'pix', 'payouts', NULL),
    ('TED_RETURN_UNFIT', true, 'NET', 'SUSP', 'ted', 'payouts', NULL),
    ('BOOK_RETURN_UNFIT', true, 'TRANSIT', 'SUSP', NULL, 'payouts', NULL),
    ('RETURN_CREDITED', true, 'SUSP', 'CUST', NULL, 'payouts', 'decided'),
    ('PIX_RETURN_PAID_OUT', true, 'SUSP', 'NET', 'pix', 'payouts', 'decided'),
    ('TED_RETURN_PAID_OUT', true, 'SUSP', 'NET', 'ted', 'payouts', 'decided'),
    ('PIX_PROVED', true, 'CUST', 'NET', 'pix', 'payouts', NULL), ('PIX_LACK', true, 'LOSS', 'NET', 'pix', 'payouts', NULL),
    ('TED_PROVED', true, 'CUST', 'NET', 'ted', 'payouts', NULL), ('TED_LACK', true, 'LOSS', 'NET', 'ted', 'payouts', NULL),
    ('CARD_CHARGEBACK', true, 'CUST', 'NET', 'card', 'orders', NULL), ('CARD_LACK', true, 'LOSS', 'NET', 'card', 'orders', NULL),
    ('MED_BLOCK', true, 'CUST', 'BLOCK', NULL, 'med_objects', NULL),
    ('MED_RELEASE', true, 'BLOCK', 'CUST', NULL, 'med_objects', NULL),
    ('MED_RETURN', false, 'BLOCK', 'NET', 'pix', 'refunds', 'dispute'),
    ('LOSS_RECOVERED', true, 'CUST', 'LOSS', NULL, 'accounts', NULL))
    AS t(type, at_once, debit, credit, rail, machine, part);

CREATE OR REPLACE VIEW law_clearing_equals_payments WITH (security_invoker = true) AS
  SELECT l.company_id, l.id AS ledger_account_id, s.booked_minor, s.settled_minor FROM ledger_accounts l
   CROSS JOIN LATERAL (
     SELECT (SELECT coalesce(-sum(change_minor), 0) FROM ledger_sides x
              WHERE x.company_id = l.company_id AND x.ledger_account_id = l.id) AS booked_minor,
            (SELECT coalesce(sum(amount_minor), 0) FROM pix_payments p WHERE p.company_id = l.company_id
                AND p.rail = l.rail AND p.state IN ('SETTLED', 'HELD', 'RETURNING', 'STRANDED', 'CREDITED'))
          - (SELECT coalesce(sum(r.amount_minor), 0) FROM refunds r
               JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
              WHERE r.company_id = l.company_id AND p.rail = l.rail AND p.state = 'SETTLED' AND r.state IN ('PAID', 'PAID_OUT'))
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

CREATE OR REPLACE VIEW law_suspense_is_explained WITH (security_invoker = true) AS
  SELECT l.company_id, l.id AS ledger_account_id, s.in_suspense_minor, s.explained_minor FROM ledger_accounts l
   CROSS JOIN LATERAL (
     SELECT (SELECT coalesce(sum(change_minor), 0) FROM ledger_sides x
              WHERE x.company_id = l.company_id AND x.ledger_account_id = l.id) AS in_suspense_minor,
            (SELECT coalesce(sum(amount_minor), 0) FROM pix_payments p LEFT JOIN rails q ON q.rail = p.rail
              WHERE p.company_id = l.company_id AND p.state IN ('HELD', 'RETURNING', 'STRANDED')
                AND coalesce(q.currency, 'BRL') = l.currency)
          + (SELECT coalesce(sum(p.excess_minor), 0) - coalesce(sum(r.amount_minor), 0) FROM pix_payments p
               JOIN rails q ON q.rail = p.rail
               LEFT JOIN refunds r ON r.company_id = p.company_id AND r.payment_id = p.id AND r.origin = 'AUTOMATIC'
                                  AND r.state IN ('PAID', 'CREDITED', 'PAID_OUT')
              WHERE p.company_id = l.company_id AND p.state = 'SETTLED' AND p.excess_minor > 0 AND q.currency = l.currency)
          + (SELECT coalesce(sum(amount_minor), 0) FROM payout_returns r
              WHERE r.company_id = l.company_id AND r.is_unfit AND r.decision_id IS NULL AND l.currency = 'BRL') AS explained_minor) s
   WHERE l.code = 'SUSP' AND s.in_suspense_minor <> s.explained_minor;
COMMENT ON VIEW law_suspense_is_explained IS
  'What lies in SUSP is payments HELD, RETURNING, STRANDED, excess not given back, and returns of payouts that fit nothing and wait.';

CREATE VIEW law_what_came_back_is_booked_as_decided WITH (security_invoker = true) AS
  SELECT coalesce(r.company_id, t.company_id) AS company_id, r.id AS return_id, coalesce(r.payout_id, t.reference_id) AS payout_id,
         r.amount_minor, r.is_paid_out, t.id AS transfer_id, t.type, t.amount_minor AS booked_minor
    FROM (SELECT r.*, p.rail FROM payout_returns r JOIN payouts p ON p.company_id = r.company_id AND p.id = r.payout_id
           WHERE r.decision_id IS NOT NULL OR r.is_paid_out) r
    FULL JOIN (SELECT * FROM transfers WHERE type IN (SELECT type FROM entry_types WHERE part = 'decided')) t
      ON t.company_id = r.company_id AND t.id = r.decision_id
   WHERE (r.is_unfit, t.reference_id, t.amount_minor, t.type) IS DISTINCT FROM
         (true, r.payout_id, r.amount_minor,
          CASE WHEN r.is_paid_out THEN upper(r.rail) || '_RETURN_PAID_OUT' ELSE 'RETURN_CREDITED' END)
      OR NOT EXISTS (SELECT 1 FROM history h WHERE h.company_id = r.company_id AND h.reference_id = r.payout_id
                        AND h.trigger = 'decide' AND h.created_at = t.created_at);
COMMENT ON VIEW law_what_came_back_is_booked_as_decided IS
  'What people decide about money that came back of a payout and fits nothing is one transfer of all of it, and the history says so.';
GRANT SELECT ON law_what_came_back_is_booked_as_decided TO lastro_app, lastro_audit;
GRANT INSERT ON law_what_came_back_is_booked_as_decided TO lastro_app; -- as of every relation

CREATE OR REPLACE VIEW law_each_fact_is_told_once WITH (security_invoker = true) AS
  WITH ends AS (
    SELECT h.company_id, h.reference_id, 'ORDER-PAYIN.' || h.to_state AS type, 1 AS facts FROM history h -- of a scheduled payment's: PAID alone
     WHERE h.machine = 'orders' AND h.to_state IN ('PAID', 'EXPIRED', 'CANCELED', 'ERROR')
       AND (h.to_state = 'PAID' OR NOT EXISTS (SELECT 1 FROM orders o WHERE o.company_id = h.company_id AND o.id = h.reference_id
                                                  AND o.scheduled_payment_id IS NOT NULL))
    UNION ALL
    SELECT company_id, reference_id, 'ORDER-PAYIN.REFUNDED', count(*) FROM history
     WHERE machine = 'orders' AND trigger IN ('refund part', 'refund rest') GROUP BY company_id, reference_id
    UNION ALL
    SELECT company_id, order_id, 'ORDER-PAYIN.REFUND_ERROR', count(*) FROM refunds
     WHERE origin = 'CLIENT' AND state = 'ERROR' GROUP BY company_id, order_id
    UNION ALL
    SELECT company_id, reference_id, 'PAYOUT-PLAN.' || to_state, 1 FROM history
     WHERE machine = 'payout_plans' AND trigger NOT IN ('create', 'approve', 'apply')
    UNION ALL
    SELECT company_id, reference_id, 'ACCOUNT.' || CASE to_state WHEN 'APPROVED' THEN 'CREATED' WHEN 'REPROVED' THEN 'REJECTED'
           ELSE to_state END, count(*) FROM history
     WHERE machine = 'account_requests' AND trigger IN ('ask', 'approve', 'reprove', 'expire') GROUP BY company_id, reference_id, to_state
    UNION ALL
    SELECT company_id, reference_id, 'ACCOUNT.STATUS_CHANGED', count(*) FROM history
     WHERE machine = 'accounts' AND trigger <> 'open' GROUP BY company_id, reference_id
    UNION ALL
    SELECT company_id, reference_id, CASE version WHEN 1 THEN 'MED.CREATED' ELSE 'MED.STATUS_CHANGED' END, count(*) FROM history
     WHERE machine = 'med_objects' AND from_state <> to_state GROUP BY company_id, reference_id, 3
    UNION ALL
    SELECT company_id, reference_id, 'KEY-CLAIM.STATUS_CHANGED', count(*) FROM history
     WHERE machine = 'key_claims' GROUP BY company_id, reference_id
    UNION ALL
    SELECT company_id, reference_id, 'SUBSCRIPTION.' || to_state, 1 FROM history
     WHERE machine = 'subscriptions' AND from_state <> to_state AND to_state IN ('ACCEPTED', 'REJECTED', 'CANCELED', 'ERROR')
    UNION ALL
    SELECT company_id, reference_id, 'SUBSCRIPTION-PAYMENT.' || to_state, 1 FROM history
     WHERE machine = 'subscription_payments' AND from_state <> to_state AND to_state IN ('SCHEDULED', 'CANCELED', 'EXPIRED', 'ERROR')
    UNION ALL
    SELECT h.company_id, h.reference_id, 'ORDER-PAYOUT.' || h.to_state, count(*) FROM history h -- a return each, where parts come back
      JOIN payouts p ON p.company_id = h.company_id AND p.id = h.reference_id AND p.batch_id IS NULL
     WHERE h.machine = 'payouts' AND h.to_state NOT IN ('INITIAL', 'PENDING', 'ANALYSIS')
       AND h.trigger NOT IN ('return too much', 'decide', 'charge', 'drop charge')
     GROUP BY h.company_id, h.reference_id, h.to_state)
  SELECT n.company_id, n.reference_id, n.type, n.facts, count(e.id) AS events FROM ends n
    LEFT JOIN events e ON e.company_id = n.company_id AND e.reference_id = n.reference_id AND e.type = n.type
   GROUP BY n.company_id, n.reference_id, n.type, n.facts HAVING count(e.id) <> n.facts;

CREATE OR REPLACE VIEW law_a_reconciled_day_is_in_the_ledger WITH (security_invoker = true) AS
  WITH told AS MATERIALIZED (
    SELECT l.company_id, l.id, l.rail, l.day, l.kind, l.network_id,
           CASE WHEN l.kind IN ('IN', 'RETURN_IN') THEN 1 ELSE -1 END AS sign, l.amount_minor
      FROM statements s
      JOIN statement_lines l ON l.statement_id = s.id AND l.is_current AND l.kind NOT IN ('FEE', 'CHARGEBACK')
     WHERE s.state = 'TAKEN'
       AND NOT EXISTS (SELECT 1 FROM statement_items i WHERE i.state = 'OPEN' AND i.rail = s.rail AND i.day = s.day)
       AND NOT EXISTS (SELECT 1 FROM statement_items i WHERE i.company_id = l.company_id AND i.statement_id = l.statement_id
                          AND i.line_id = l.line_id AND i.state = 'ACCEPTED')),
  ours AS ( -- what of ours a line is: by which object, and at what time where that has more than one, it was booked
    SELECT t.*, p.id AS reference_id, NULL::timestamptz AS booked_at
      FROM told t JOIN pix_payments p ON p.company_id = t.company_id AND p.end_to_end_id = t.network_id AND p.rail = t.rail
     WHERE t.kind = 'IN'
    UNION ALL -- what waited in suspense came in by itself; what paid the order at once came in with it, but for what was too much
    SELECT t.*, p.order_id, NULL
      FROM told t JOIN pix_payments p ON p.company_id = t.company_id AND p.end_to_end_id = t.network_id AND p.rail = t.rail
     WHERE t.kind = 'IN' AND p.state = 'SETTLED'
       AND NOT EXISTS (SELECT 1 FROM history h WHERE h.company_id = p.company_id AND h.reference_id = p.id AND h.version = 1
                          AND h.to_state = 'HELD')
    UNION ALL
    SELECT t.*, r.id, NULL FROM told t
      JOIN refunds r ON r.company_id = t.company_id AND r.return_id = t.network_id AND r.rail = t.rail
     WHERE t.kind = 'RETURN_OUT'
    UNION ALL
    SELECT t.*, o.id, NULL FROM told t
      JOIN payouts o ON o.company_id = t.company_id AND o.end_to_end_id = t.network_id AND o.rail = t.rail
     WHERE t.kind = 'OUT'
    UNION ALL
    SELECT t.*, o.id, NULL FROM told t
      JOIN payouts o ON o.company_id = t.company_id AND o.control_number = t.network_id AND o.rail = t.rail
     WHERE t.kind = 'OUT'
    UNION ALL
    SELECT t.*, r.payout_id, r.created_at FROM told t
      JOIN payout_returns r ON r.company_id = t.company_id AND r.return_id = t.network_id
     WHERE t.kind = 'RETURN_IN'),
  booked AS (
    SELECT o.company_id, o.rail, o.day, -sum(x.change_minor) AS booked_minor FROM ours o
      JOIN ledger_sides x ON x.company_id = o.company_id AND x.reference_id = o.reference_id
       AND (o.booked_at IS NULL OR x.created_at = o.booked_at) AND sign(-x.change_minor) = o.sign
       AND x.type NOT IN ('PIX_RETURN_PAID_OUT', 'TED_RETURN_PAID_OUT') -- which went by another way than the payout
      JOIN ledger_accounts a ON a.company_id = x.company_id AND a.id = x.ledger_account_id AND a.code = 'NET' AND a.rail = o.rail
     GROUP BY o.company_id, o.rail, o.day),
  days AS (SELECT company_id, rail, day, sum(sign * amount_minor) AS told_minor FROM told GROUP BY company_id, rail, day)
  SELECT d.company_id, d.rail, d.day, d.told_minor, coalesce(b.booked_minor, 0) AS booked_minor FROM days d
    LEFT JOIN booked b ON b.company_id = d.company_id AND b.rail = d.rail AND b.day = d.day
   WHERE d.told_minor <> coalesce(b.booked_minor, 0);

-- Money that nobody took back, and what people decide about it.

ALTER TABLE pix_payments DROP CONSTRAINT pix_payments_state_check;
ALTER TABLE pix_payments ADD CONSTRAINT pix_payments_state_check
  CHECK (state IN ('ACCEPTED', 'REFUSED', 'FAILED', 'HELD', 'SETTLED', 'RETURNING', 'RETURNED', 'STRANDED', 'CREDITED', 'PAID_OUT'));
ALTER TABLE refunds DROP CONSTRAINT refunds_state_check;
ALTER TABLE refunds ADD CONSTRAINT refunds_state_check CHECK (state IN ('PENDING', 'PAID', 'ERROR', 'CREDITED', 'PAID_OUT'));
CREATE INDEX pix_payments_announced ON pix_payments (created_at) WHERE state = 'ACCEPTED' AND ask_at IS NULL;
CREATE INDEX refunds_stranded ON refunds (updated_at) WHERE state = 'ERROR' AND origin = 'AUTOMATIC';
GRANT SELECT (origin) ON refunds TO lastro_work;
GRANT SELECT (created_at) ON pix_payments TO lastro_work;

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
    ('PIX_PROVED', true, 'CUST', 'NET', 'pix', 'payouts', NULL), ('PIX_LACK', true, 'LOSS', 'NET', 'pix', 'payouts', NULL),
    ('TED_PROVED', true, 'CUST', 'NET', 'ted', 'payouts', NULL), ('TED_LACK', true, 'LOSS', 'NET', 'ted', 'payouts', NULL),
    ('CARD_CHARGEBACK', true, 'CUST', 'NET', 'card', 'orders', NULL), ('CARD_LACK', true, 'LOSS', 'NET', 'card', 'orders', NULL),
    ('MED_BLOCK', true, 'CUST', 'BLOCK', NULL, 'med_objects', NULL),
    ('MED_RELEASE', true, 'BLOCK', 'CUST', NULL, 'med_objects', NULL),
    ('MED_RETURN', false, 'BLOCK', 'NET', 'pix', 'refunds', 'dispute'),
    ('LOSS_RECOVERED', true, 'CUST', 'LOSS', NULL, 'accounts', NULL))
    AS t(type, at_once, debit, credit, rail, machine, part);

CREATE OR REPLACE VIEW entry_subjects WITH (security_invoker = true) AS
  SELECT company_id, id AS reference_id, description, id AS order_id, end_to_end_id, coalesce(payer_id, customer_id) AS party_id,
         NULL::uuid AS batch_id FROM orders
  UNION ALL
  SELECT company_id, id, description, NULL, end_to_end_id, receiver_id, batch_id FROM payouts
  UNION ALL
  SELECT r.company_id, r.id, r.description, r.order_id,
         (SELECT p.end_to_end_id FROM pix_payments p -- a partner's id of a payment is no endToEndId
           WHERE p.company_id = r.company_id AND p.id = r.payment_id AND p.rail IN ('pix', 'book')),
         (SELECT p.payer_id FROM pix_payments p WHERE p.company_id = r.company_id AND p.id = r.payment_id), NULL FROM refunds r
  UNION ALL
  SELECT m.company_id, m.id, 'MED ' || m.id,
         (SELECT p.order_id FROM pix_payments p WHERE p.company_id = m.company_id AND p.end_to_end_id = m.end_to_end_id AND p.rail = 'pix'),
         m.end_to_end_id, NULL, NULL FROM med_objects m;

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
              WHERE r.company_id = l.company_id AND o.rail = l.rail)
          - (SELECT coalesce(sum(amount_minor), 0) FROM settlements x
              WHERE x.company_id = l.company_id AND x.rail = l.rail)
          - (SELECT coalesce(sum(b.amount_minor), 0) FROM chargebacks b
              WHERE b.company_id = l.company_id AND l.rail = 'card') AS settled_minor) s
   WHERE l.code = 'NET' AND s.booked_minor <> s.settled_minor;
COMMENT ON VIEW law_clearing_equals_payments IS
  'What a NET account says came in is what settled there: payments kept, less refunds, payouts, settlements, chargebacks, plus what came back.';

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
              WHERE r.company_id = l.company_id AND r.is_unfit AND l.currency = 'BRL') AS explained_minor) s
   WHERE l.code = 'SUSP' AND s.in_suspense_minor <> s.explained_minor;
COMMENT ON VIEW law_suspense_is_explained IS
  'What lies in SUSP is the sum of payments HELD, RETURNING, STRANDED, of excess not given back, and of returns above what was sent.';

CREATE OR REPLACE VIEW law_what_fits_nothing_goes_back WITH (security_invoker = true) AS
  SELECT p.company_id, p.id AS payment_id, p.state, p.amount_minor, r.refunds, r.state AS refund_state, r.refunded_minor,
         t.suspended_minor
    FROM pix_payments p
    LEFT JOIN (SELECT company_id, payment_id, count(*) AS refunds, min(state) AS state, sum(amount_minor) AS refunded_minor
                 FROM refunds WHERE origin = 'AUTOMATIC' GROUP BY company_id, payment_id) r
      ON r.company_id = p.company_id AND r.payment_id = p.id
    LEFT JOIN (SELECT company_id, reference_id, sum(amount_minor) AS suspended_minor FROM transfers
                WHERE type IN (SELECT type FROM entry_types WHERE part = 'unfit') GROUP BY company_id, reference_id) t
      ON t.company_id = p.company_id AND t.reference_id = p.id
   CROSS JOIN LATERAL (
     SELECT CASE WHEN p.state IN ('RETURNING', 'RETURNED', 'STRANDED', 'CREDITED', 'PAID_OUT') THEN p.amount_minor
                 WHEN p.state = 'SETTLED' THEN nullif(p.excess_minor, 0) END AS back_minor,
            p.state IN ('HELD', 'SETTLED') AND EXISTS (SELECT 1 FROM history h WHERE h.company_id = p.company_id
               AND h.reference_id = p.id AND h.version = 1 AND h.to_state = 'HELD') AS has_waited) w
   WHERE (r.refunds, CASE WHEN p.state <> 'SETTLED' THEN r.state END, r.refunded_minor, t.suspended_minor) IS DISTINCT FROM
         (CASE WHEN w.back_minor IS NOT NULL THEN 1 END,
          CASE p.state WHEN 'RETURNING' THEN 'PENDING' WHEN 'RETURNED' THEN 'PAID' WHEN 'STRANDED' THEN 'ERROR'
                       WHEN 'CREDITED' THEN 'CREDITED' WHEN 'PAID_OUT' THEN 'PAID_OUT' END,
          w.back_minor,
          CASE WHEN w.has_waited THEN p.amount_minor ELSE w.back_minor END)
      OR (p.excess_minor > 0 AND p.state <> 'SETTLED');
COMMENT ON VIEW law_what_fits_nothing_goes_back IS
  'A payment that goes back, or its excess, lies in suspense and has one refund that stands where it does; a part waits there.';

CREATE OR REPLACE VIEW law_a_refund_is_held_until_it_ends WITH (security_invoker = true) AS
  SELECT r.company_id, r.id AS refund_id, r.state, r.amount_minor, h.id AS hold_id, h.amount_minor AS held_minor,
         e.kind AS ended, n.holds
    FROM refunds r
    LEFT JOIN transfers h ON h.company_id = r.company_id AND h.id = r.hold_id
    LEFT JOIN transfers e ON e.company_id = r.company_id AND e.pending_id = r.hold_id
   CROSS JOIN LATERAL (SELECT count(*) AS holds FROM transfers x
                        WHERE x.company_id = r.company_id AND x.reference_id = r.id AND x.kind = 'held') n
   WHERE (h.kind, h.amount_minor, h.reference_id, n.holds, e.kind) IS DISTINCT FROM
         ('held', r.amount_minor, r.id, 1, CASE r.state WHEN 'PAID' THEN 'posted' WHEN 'PENDING' THEN NULL ELSE 'voided' END);
COMMENT ON VIEW law_a_refund_is_held_until_it_ends IS
  'A refund holds its amount once: open while it is PENDING, posted when PAID, voided when ERROR, CREDITED or PAID_OUT.';

CREATE VIEW law_stranded_money_is_booked_as_decided WITH (security_invoker = true) AS
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
COMMENT ON VIEW law_stranded_money_is_booked_as_decided IS
  'What people decide about a return that was refused is one transfer of all of it, to the account that it was sent to or out.';

CREATE OR REPLACE VIEW law_the_books_say_what_the_network_said WITH (security_invoker = true) AS
  WITH said AS MATERIALIZED (
    SELECT i.company_id, i.id, i.kind, i.subject, as_json(i.body) AS body FROM inbox i
     WHERE i.kind IN ('pix.final', 'pix.settled', 'return.final') AND i.outcome IN ('handled', 'known'))
  SELECT s.company_id, s.id AS message_id, s.kind, s.subject, p.state FROM said s
    LEFT JOIN pix_payments p ON p.company_id = s.company_id AND p.end_to_end_id = s.subject AND p.rail IN ('pix', 'book')
   WHERE s.kind IN ('pix.final', 'pix.settled')
     AND CASE WHEN p.id IS NULL THEN true
              WHEN s.kind = 'pix.final' AND s.body ->> 'settled' = 'false' THEN p.state IN ('ACCEPTED', 'SETTLED')
              ELSE p.state IN ('ACCEPTED', 'REFUSED', 'FAILED')
                OR (s.kind = 'pix.settled' AND s.body #>> '{amount,minor}' IS DISTINCT FROM p.amount_minor::text) END
  UNION ALL
  SELECT s.company_id, s.id, s.kind, s.subject, r.state FROM said s
    LEFT JOIN refunds r ON r.company_id = s.company_id AND r.return_id = s.subject
   WHERE s.kind = 'return.final'
     AND CASE WHEN r.state IN ('CREDITED', 'PAID_OUT') THEN 'ERROR' ELSE r.state END -- people decide after a refusal alone
         IS DISTINCT FROM CASE s.body ->> 'settled' WHEN 'true' THEN 'PAID' WHEN 'false' THEN 'ERROR' END
  UNION ALL
  SELECT p.company_id, p.id, 'nothing', p.end_to_end_id, p.state FROM pix_payments p
   WHERE p.rail IN ('pix', 'book') AND p.state NOT IN ('ACCEPTED', 'REFUSED')
     AND NOT EXISTS (SELECT 1 FROM said s WHERE s.company_id = p.company_id AND s.subject = p.end_to_end_id)
  UNION ALL
  SELECT r.company_id, r.id, 'nothing', r.return_id, r.state FROM refunds r
   WHERE r.state <> 'PENDING'
     AND NOT EXISTS (SELECT 1 FROM said s WHERE s.company_id = r.company_id AND s.subject = r.return_id);
COMMENT ON VIEW law_the_books_say_what_the_network_said IS
  'Payments and refunds ended as the network said that they did, and none ended without its word.';

GRANT SELECT ON law_stranded_money_is_booked_as_decided TO lastro_app, lastro_audit;
GRANT INSERT ON law_stranded_money_is_booked_as_decided TO lastro_app; -- as a whole schema is granted: nothing can be inserted into it

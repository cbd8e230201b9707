-- Orders paid by transfers of any amount: parts wait in suspense, what is too much goes back.

ALTER TABLE pix_payments DROP CONSTRAINT pix_payments_state_check;
ALTER TABLE pix_payments ADD CONSTRAINT pix_payments_state_check
  CHECK (state IN ('ACCEPTED', 'REFUSED', 'FAILED', 'HELD', 'SETTLED', 'RETURNING', 'RETURNED', 'STRANDED'));
ALTER TABLE pix_payments ADD COLUMN excess_minor bigint NOT NULL DEFAULT 0;
ALTER TABLE pix_payments ADD CHECK (excess_minor >= 0 AND excess_minor < amount_minor);

CREATE OR REPLACE VIEW rails WITH (security_invoker = true) AS
  SELECT rail, currency, rail IN ('deposit', 'spei') AS takes_parts
    FROM (VALUES ('pix', 'BRL'), ('ted', 'BRL'), ('boleto', 'BRL'), ('deposit', 'BRL'), ('crypto', 'BRL'),
                 ('card', 'MXN'), ('spei', 'MXN'), ('oxxo', 'MXN'), ('oxxopay', 'MXN'), ('paynet', 'MXN'))
      AS r(rail, currency);

CREATE OR REPLACE VIEW entry_types WITH (security_invoker = true) AS
  SELECT upper(r.rail) || e.suffix AS type, e.at_once, e.debit, e.credit, r.rail, e.machine, e.part
    FROM rails r
   CROSS JOIN (VALUES ('_IN', true, 'NET', 'CUST', 'orders', 'in'), ('_FEE', true, 'NET', 'FEE', 'orders', 'fee'),
                      ('_UNFIT', true, 'NET', 'SUSP', 'pix_payments', 'unfit'),
                      ('_RETURN', false, 'SUSP', 'NET', 'refunds', 'return'),
                      ('_REFUND', false, 'CUST', 'NET', 'refunds', 'refund')) e(suffix, at_once, debit, credit, machine, part)
   WHERE r.rail <> 'ted' AND NOT (r.rail = 'pix' AND e.part = 'fee')
  UNION ALL
  SELECT * FROM (VALUES
    ('FEE', true, 'NET', 'FEE', 'pix', 'orders', 'fee'),
    ('PART_IN', true, 'SUSP', 'CUST', NULL, 'orders', 'in'), ('PART_FEE', true, 'SUSP', 'FEE', NULL, 'orders', 'fee'),
    ('BOOK_IN', true, 'TRANSIT', 'CUST', NULL, 'orders', 'in'), ('BOOK_FEE', true, 'TRANSIT', 'FEE', NULL, 'orders', 'fee'),
    ('BOOK_REFUND', false, 'CUST', 'TRANSIT', NULL, 'refunds', 'refund'),
    ('PIX_OUT', false, 'CUST', 'NET', 'pix', 'payouts', NULL), ('TED_OUT', false, 'CUST', 'NET', 'ted', 'payouts', NULL),
    ('BOOK_OUT', false, 'CUST', 'TRANSIT', NULL, 'payouts', NULL),
    ('PAYOUT_FEE', false, 'CUST', 'FEE', NULL, 'payouts', NULL),
    ('PIX_RETURNED', true, 'NET', 'CUST', 'pix', 'payouts', NULL),
    ('TED_RETURNED', true, 'NET', 'CUST', 'ted', 'payouts', NULL),
    ('BOOK_RETURNED', true, 'TRANSIT', 'CUST', NULL, 'payouts', NULL),
    ('PIX_RETURN_UNFIT', true, 'NET', 'SUSP', 'pix', 'payouts', NULL),
    ('TED_RETURN_UNFIT', true, 'NET', 'SUSP', 'ted', 'payouts', NULL),
    ('BOOK_RETURN_UNFIT', true, 'TRANSIT', 'SUSP', NULL, 'payouts', NULL),
    ('TED_PROVED', true, 'CUST', 'NET', 'ted', 'payouts', NULL), ('TED_LACK', true, 'LOSS', 'NET', 'ted', 'payouts', NULL),
    ('LOSS_RECOVERED', true, 'CUST', 'LOSS', NULL, 'accounts', NULL))
    AS t(type, at_once, debit, credit, rail, machine, part);

CREATE OR REPLACE VIEW law_clearing_equals_payments WITH (security_invoker = true) AS
  SELECT l.company_id, l.id AS ledger_account_id, s.booked_minor, s.settled_minor FROM ledger_accounts l
   CROSS JOIN LATERAL (
     SELECT (SELECT coalesce(-sum(change_minor), 0) FROM ledger_sides x
              WHERE x.company_id = l.company_id AND x.ledger_account_id = l.id) AS booked_minor,
            (SELECT coalesce(sum(amount_minor), 0) FROM pix_payments p WHERE p.company_id = l.company_id
                AND p.rail = l.rail AND p.state IN ('SETTLED', 'HELD', 'RETURNING', 'STRANDED'))
          - (SELECT coalesce(sum(r.amount_minor), 0) FROM refunds r
               JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
              WHERE r.company_id = l.company_id AND p.rail = l.rail AND p.state = 'SETTLED' AND r.state = 'PAID')
          - (SELECT coalesce(sum(amount_minor), 0) FROM payouts o WHERE o.company_id = l.company_id AND o.rail = l.rail
                AND o.children = 0 AND o.status IN ('PAID', 'PARTIAL_REFUNDED', 'REFUNDED'))
          + (SELECT coalesce(sum(r.amount_minor), 0) FROM payout_returns r
               JOIN payouts o ON o.company_id = r.company_id AND o.id = r.payout_id
              WHERE r.company_id = l.company_id AND o.rail = l.rail) AS settled_minor) s
   WHERE l.code = 'NET' AND s.booked_minor <> s.settled_minor;
COMMENT ON VIEW law_clearing_equals_payments IS
  'What a NET account says came in is what settled there: payments kept, less refunds and payouts, plus what came back of these.';

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
                                  AND r.state = 'PAID'
              WHERE p.company_id = l.company_id AND p.state = 'SETTLED' AND p.excess_minor > 0 AND q.currency = l.currency)
          + (SELECT coalesce(sum(amount_minor), 0) FROM payout_returns r
              WHERE r.company_id = l.company_id AND r.is_unfit AND l.currency = 'BRL') AS explained_minor) s
   WHERE l.code = 'SUSP' AND s.in_suspense_minor <> s.explained_minor;
COMMENT ON VIEW law_suspense_is_explained IS
  'What lies in SUSP is the sum of payments HELD, RETURNING, STRANDED, of excess not given back, and of returns above what was sent.';

CREATE OR REPLACE VIEW law_a_paid_order_is_booked_once WITH (security_invoker = true) AS
  SELECT o.company_id, o.id, o.status, o.paid_minor, m.payments, m.received_minor, m.booked_minor FROM orders o
   CROSS JOIN LATERAL (
     SELECT (SELECT count(*) FROM pix_payments p WHERE p.company_id = o.company_id AND p.order_id = o.id
                AND p.state = 'SETTLED') AS payments,
            (SELECT count(*) FROM pix_payments p JOIN rails q ON q.rail = p.rail WHERE p.company_id = o.company_id
                AND p.order_id = o.id AND p.state = 'SETTLED' AND q.takes_parts) AS parts,
            (SELECT coalesce(sum(p.amount_minor - p.excess_minor), 0) FROM pix_payments p WHERE p.company_id = o.company_id
                AND p.order_id = o.id AND p.state = 'SETTLED') AS received_minor,
            (SELECT coalesce(sum(t.amount_minor), 0) FROM transfers t WHERE t.company_id = o.company_id
                AND t.reference_id = o.id AND t.type IN (SELECT type FROM entry_types WHERE part IN ('in', 'fee'))) AS booked_minor) m
   WHERE CASE WHEN o.status IN ('PAID', 'REFUNDED', 'PARTIAL_REFUNDED')
              THEN m.payments < 1 OR (m.payments > 1 AND m.parts <> m.payments)
                OR m.received_minor <> o.paid_minor OR m.booked_minor <> o.paid_minor
              ELSE m.payments <> 0 OR m.booked_minor <> 0 END;
COMMENT ON VIEW law_a_paid_order_is_booked_once IS
  'A paid order has one settled payment, or several where parts are taken, and bookings that add up to it; any other order has none.';

CREATE OR REPLACE VIEW law_a_paid_order_names_its_payment WITH (security_invoker = true) AS
  SELECT p.company_id, p.id AS payment_id, p.order_id, p.end_to_end_id, o.end_to_end_id AS named,
         p.settled_at, o.paid_at, p.account_id, o.account_id AS credited
    FROM pix_payments p LEFT JOIN orders o ON o.company_id = p.company_id AND o.id = p.order_id
   WHERE p.state = 'SETTLED' AND p.rail NOT IN (SELECT rail FROM rails WHERE takes_parts)
     AND (CASE WHEN p.rail IN ('pix', 'book') THEN p.end_to_end_id END, p.amount_minor, p.settled_at, p.account_id, p.payer_id)
         IS DISTINCT FROM (o.end_to_end_id, o.paid_minor, o.paid_at, o.account_id, o.payer_id)
  UNION ALL
  SELECT p.company_id, p.id, p.order_id, p.end_to_end_id, o.end_to_end_id, p.settled_at, o.paid_at, p.account_id, o.account_id
    FROM pix_payments p
    JOIN rails q ON q.rail = p.rail AND q.takes_parts
    LEFT JOIN orders o ON o.company_id = p.company_id AND o.id = p.order_id
    LEFT JOIN LATERAL (
      SELECT max(s.settled_at) AS last_at, bool_or(s.payer_id IS NOT DISTINCT FROM o.payer_id) AS is_payer FROM pix_payments s
       WHERE s.company_id = p.company_id AND s.order_id = p.order_id AND s.state = 'SETTLED') m ON true
   WHERE p.state = 'SETTLED'
     AND (o.end_to_end_id IS NOT NULL OR (p.account_id, m.last_at, m.is_payer) IS DISTINCT FROM (o.account_id, o.paid_at, true));
COMMENT ON VIEW law_a_paid_order_names_its_payment IS
  'A settled payment''s order names its id, amount, time, account and payer; one paid in parts names the last time and one payer.';

CREATE OR REPLACE VIEW law_a_reserved_order_waits WITH (security_invoker = true) AS
  SELECT p.company_id, p.id AS payment_id, p.order_id, o.status FROM pix_payments p
    JOIN orders o ON o.company_id = p.company_id AND o.id = p.order_id
   WHERE (p.state = 'ACCEPTED' AND o.status NOT IN ('INITIAL', 'PENDING')) OR (p.state = 'HELD' AND o.status <> 'PENDING')
  UNION ALL
  SELECT o.company_id, min(p.id::text)::uuid, o.id, o.status FROM orders o
    JOIN instruments i ON i.company_id = o.company_id AND i.order_id = o.id
    JOIN rails q ON q.rail = i.rail AND q.takes_parts
    LEFT JOIN pix_payments p ON p.company_id = o.company_id AND p.order_id = o.id AND p.state = 'HELD'
   WHERE o.status = 'PENDING' GROUP BY o.company_id, o.id, o.status, o.final_amount_minor
  HAVING coalesce(sum(p.amount_minor), 0) NOT BETWEEN 1 AND o.final_amount_minor - 1;
COMMENT ON VIEW law_a_reserved_order_waits IS
  'An order with a payment accepted is open until that ends; with parts in it is PENDING, and they are less than it asks for.';

CREATE OR REPLACE VIEW law_refunds_add_up WITH (security_invoker = true) AS
  SELECT o.company_id, o.id, o.status, o.paid_minor, o.refunded_minor, coalesce(g.given_minor, 0) AS given_minor
    FROM orders o
    LEFT JOIN (SELECT p.company_id, p.order_id, sum(r.amount_minor) AS given_minor FROM refunds r
                 JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
                WHERE r.state = 'PAID' AND p.state = 'SETTLED' AND (r.origin = 'CLIENT' OR p.excess_minor = 0)
                GROUP BY p.company_id, p.order_id) g
      ON g.company_id = o.company_id AND g.order_id = o.id
   WHERE o.refunded_minor <> coalesce(g.given_minor, 0)
      OR CASE WHEN o.refunded_minor = 0 THEN o.status IN ('REFUNDED', 'PARTIAL_REFUNDED')
              WHEN o.refunded_minor = coalesce(o.amount_minor, o.paid_minor) THEN o.status <> 'REFUNDED'
              ELSE o.status <> 'PARTIAL_REFUNDED' END;
COMMENT ON VIEW law_refunds_add_up IS
  'What an order has given back is the sum of its paid refunds, and its status says how much that is.';

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
     SELECT CASE WHEN p.state IN ('RETURNING', 'RETURNED', 'STRANDED') THEN p.amount_minor
                 WHEN p.state = 'SETTLED' THEN nullif(p.excess_minor, 0) END AS back_minor,
            p.state IN ('HELD', 'SETTLED') AND EXISTS (SELECT 1 FROM history h WHERE h.company_id = p.company_id
               AND h.reference_id = p.id AND h.version = 1 AND h.to_state = 'HELD') AS has_waited) w
   WHERE (r.refunds, CASE WHEN p.state <> 'SETTLED' THEN r.state END, r.refunded_minor, t.suspended_minor) IS DISTINCT FROM
         (CASE WHEN w.back_minor IS NOT NULL THEN 1 END,
          CASE p.state WHEN 'RETURNING' THEN 'PENDING' WHEN 'RETURNED' THEN 'PAID' WHEN 'STRANDED' THEN 'ERROR' END,
          w.back_minor,
          CASE WHEN w.has_waited THEN p.amount_minor ELSE w.back_minor END)
      OR (p.excess_minor > 0 AND p.state <> 'SETTLED');
COMMENT ON VIEW law_what_fits_nothing_goes_back IS
  'A payment that goes back, or its excess, lies in suspense and has one refund that stands where it does; a part waits there.';

CREATE OR REPLACE VIEW law_refunds_fit_what_was_paid WITH (security_invoker = true) AS
  SELECT coalesce(g.company_id, q.company_id) AS company_id, coalesce(g.order_id, q.owner_id) AS order_id, g.asked_minor,
         q.used_minor, coalesce(o.amount_minor, o.paid_minor) AS most_minor
    FROM (SELECT company_id, order_id, sum(amount_minor) AS asked_minor FROM refunds
           WHERE origin = 'CLIENT' AND state IN ('PENDING', 'PAID') GROUP BY company_id, order_id) g
    FULL JOIN (SELECT company_id, owner_id, used_minor FROM quotas WHERE kind = 'refund') q
      ON q.company_id = g.company_id AND q.owner_id = g.order_id
    LEFT JOIN orders o ON o.company_id = coalesce(g.company_id, q.company_id) AND o.id = coalesce(g.order_id, q.owner_id)
   WHERE coalesce(g.asked_minor, 0) <> coalesce(q.used_minor, 0)
      OR coalesce(g.asked_minor, 0) > coalesce(o.amount_minor, o.paid_minor, 0)
  UNION ALL
  SELECT coalesce(g.company_id, q.company_id), coalesce(g.order_id, p.order_id), g.asked_minor, q.used_minor,
         coalesce(g.whole_minor, p.amount_minor - p.excess_minor)
    FROM (SELECT p.company_id, p.id, p.order_id, p.amount_minor - p.excess_minor AS whole_minor, s.takes_parts,
                 sum(r.amount_minor) AS asked_minor
            FROM refunds r
            JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
            LEFT JOIN rails s ON s.rail = p.rail
           WHERE r.origin = 'CLIENT' AND r.state IN ('PENDING', 'PAID')
           GROUP BY p.company_id, p.id, p.order_id, whole_minor, s.takes_parts) g
    FULL JOIN (SELECT company_id, owner_id, used_minor FROM quotas WHERE kind = 'part refund') q
      ON q.company_id = g.company_id AND q.owner_id = g.id
    LEFT JOIN pix_payments p ON p.company_id = q.company_id AND p.id = q.owner_id
   WHERE coalesce(q.used_minor, 0) <> CASE WHEN g.takes_parts THEN g.asked_minor ELSE 0 END
      OR g.asked_minor > g.whole_minor;
COMMENT ON VIEW law_refunds_fit_what_was_paid IS
  'What clients asked back, and has not failed, is counted, and never more than the order asked for, nor than its payment brought.';

CREATE OR REPLACE VIEW law_what_waits_has_its_time WITH (security_invoker = true) AS
  SELECT company_id, id, 'orders' AS machine, status AS state, expires_at AS time FROM orders
   WHERE status = 'INITIAL' AND (expires_at IS NULL) <> (scheduled_payment_id IS NOT NULL)
  UNION ALL
  SELECT company_id, id, 'orders', status, ends_at FROM orders
   WHERE (ends_at IS NOT NULL) <> (payment_method <> 'PIX' AND (status = 'INITIAL'
           OR (status = 'PENDING' AND EXISTS (SELECT 1 FROM pix_payments p WHERE p.company_id = orders.company_id
                                                 AND p.order_id = orders.id AND p.state = 'HELD'))))
  UNION ALL
  SELECT company_id, id, 'pix_payments', state, ask_at FROM pix_payments
   WHERE (state = 'ACCEPTED' AND rail = 'pix') <> (ask_at IS NOT NULL)
  UNION ALL
  SELECT r.company_id, r.id, 'refunds', r.state, r.ask_at FROM refunds r
    JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
   WHERE (r.state = 'PENDING' AND p.rail <> 'book') <> (r.ask_at IS NOT NULL)
  UNION ALL
  SELECT company_id, id, 'payouts', status, ask_at FROM payouts
   WHERE (status = 'PENDING' AND message_id IS NOT NULL AND rail <> 'book') <> (ask_at IS NOT NULL)
      OR (status = 'PENDING' AND children = 0 AND message_id IS NULL AND start_at IS NULL)
      OR (start_at IS NOT NULL AND (status <> 'PENDING' OR message_id IS NOT NULL))
  UNION ALL
  SELECT company_id, id, 'payout_plans', status, due_at FROM payout_plans
   WHERE (status IN ('VALIDATING', 'READY', 'APPROVED', 'APPLYING')) <> (due_at IS NOT NULL)
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
COMMENT ON VIEW law_what_waits_has_its_time IS
  'What is open, and nothing else, has its next time: orders, plans, and payments, refunds, payouts, charges, cancellations at a network.';

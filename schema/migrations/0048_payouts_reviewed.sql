-- Payouts: none twice at once, an id that the network still takes, and what settled after we had ended it.

ALTER TABLE payouts ADD COLUMN qr text;

-- Raises where another payout like this one was made within so long: two requests at once have both found none. Whoever looks
-- holds the likeness until the commit; the look is a statement of its own, and sees what was committed meanwhile.
CREATE FUNCTION unrepeated_payout(company uuid, payout uuid, within interval) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(p.likeness) FROM payouts p WHERE p.company_id = company AND p.id = payout;
  IF EXISTS (
    SELECT 1 FROM payouts n JOIN parties nr ON nr.company_id = n.company_id AND nr.id = n.receiver_id
      JOIN payouts p ON p.company_id = n.company_id AND p.likeness = n.likeness AND p.created_at > n.created_at - within
      JOIN parties r ON r.company_id = p.company_id AND r.id = p.receiver_id
     WHERE n.company_id = company AND n.id = payout AND p.id <> n.id AND p.account_id = n.account_id AND p.batch_id IS NULL
       AND p.payment_method = n.payment_method AND p.amount_minor = n.amount_minor
       AND p.status NOT IN ('ERROR', 'CANCELED', 'EXPIRED')
       AND CASE WHEN n.pix_key IS NOT NULL THEN p.pix_key = n.pix_key
                ELSE p.initiation = 'MANUAL' AND r.document_number = nr.document_number
                 AND (r.bank ->> 'account', r.bank ->> 'branch', r.bank ->> 'ispb')
                   = (nr.bank ->> 'account', nr.bank ->> 'branch', nr.bank ->> 'ispb') END) THEN
    RAISE EXCEPTION 'a payout like % was made meanwhile', payout USING ERRCODE = 'LA409', CONSTRAINT = 'payouts';
  END IF;
  RETURN true;
END $$;

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

CREATE OR REPLACE VIEW law_a_payout_is_sent_as_decided WITH (security_invoker = true) AS
  SELECT coalesce(p.company_id, o.company_id) AS company_id, p.id AS payout_id, o.id AS message_id, p.end_to_end_id,
         p.control_number, o.network_id, p.amount_minor
    FROM (SELECT company_id, id, status, rail, amount_minor, message_id, end_to_end_id, control_number FROM payouts
           WHERE message_id IS NOT NULL) p
    FULL JOIN (SELECT company_id, id, rail, reference_id, network_id, as_json(body) AS body FROM outbox
                WHERE kind IN ('payment.send', 'ted.send')
                  AND NOT (outcome = 'withdrawn' AND sends = 0 -- never sent, and another one with a newer id is in its place
                           AND EXISTS (SELECT 1 FROM payouts n WHERE n.company_id = outbox.company_id
                                          AND n.id = outbox.reference_id AND n.message_id <> outbox.id))) o
      ON o.company_id = p.company_id AND o.reference_id = p.id
   WHERE (p.message_id, p.rail, coalesce(p.control_number, p.end_to_end_id), p.amount_minor::text) IS DISTINCT FROM
         (o.id, o.rail, o.network_id, o.body #>> '{amount,minor}')
      OR p.status = 'ANALYSIS';

REVOKE ALL ON FUNCTION unrepeated_payout(uuid, uuid, interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION unrepeated_payout(uuid, uuid, interval) TO lastro_app, lastro_work, lastro_audit;

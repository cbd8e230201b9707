-- What an account owes: its part of LOSS, which its next credits pay back, and before which nothing goes out.

ALTER TABLE balances ADD COLUMN owed bigint NOT NULL DEFAULT 0 CHECK (owed >= 0);
CREATE INDEX balances_owing ON balances (company_id, ledger_account_id) WHERE owed > 0;

-- Row-level security has no policy for the owner, so it is set aside for what was booked on LOSS before.
ALTER TABLE balances NO FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger_accounts NO FORCE ROW LEVEL SECURITY;
ALTER TABLE transfers NO FORCE ROW LEVEL SECURITY;
UPDATE balances b SET owed = s.minor
  FROM (SELECT o.company_id, o.account_id, o.currency, sum(CASE WHEN t.debit_id = o.id THEN t.amount_minor ELSE -t.amount_minor END) AS minor
          FROM ledger_accounts o
          JOIN transfers t ON t.company_id = o.company_id AND (t.debit_id = o.id OR t.credit_id = o.id) AND t.kind IN ('moved', 'posted')
         WHERE o.code = 'LOSS' GROUP BY o.company_id, o.account_id, o.currency) s
  JOIN ledger_accounts c ON c.company_id = s.company_id AND c.account_id = s.account_id AND c.currency = s.currency AND c.code = 'CUST'
 WHERE b.company_id = c.company_id AND b.ledger_account_id = c.id AND s.minor > 0;
ALTER TABLE balances FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger_accounts FORCE ROW LEVEL SECURITY;
ALTER TABLE transfers FORCE ROW LEVEL SECURITY;

-- Who still calls it with four arguments, calls the new one.
DROP FUNCTION draw(uuid, uuid[], bigint[], bigint[]);
CREATE FUNCTION draw(
  company uuid, accounts uuid[], debit_deltas bigint[], held_deltas bigint[], owed_deltas bigint[] DEFAULT NULL
) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  horizon bigint;
  has bigint; -- more than the floor
  owes bigint;
  d record;
BEGIN
  FOR d IN SELECT account, debit, held, debit + held AS taken, coalesce(owed, 0) AS owed
             FROM unnest(accounts, debit_deltas, held_deltas, owed_deltas) AS u(account, debit, held, owed) ORDER BY account LOOP
    UPDATE balances SET debits = debits + d.debit, held = held + d.held, owed = owed + d.owed
     WHERE company_id = company AND ledger_account_id = d.account AND owed + d.owed >= 0
       AND (d.taken <= 0
            OR credits_folded - debits - held - d.taken >= floor_minor + CASE WHEN d.taken <= -d.owed THEN 0 ELSE owed END);
    CONTINUE WHEN FOUND;
    PERFORM 1 FROM balances WHERE company_id = company AND ledger_account_id = d.account FOR UPDATE;
    horizon := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
    SELECT credits_folded + credit_tail(company, d.account, fold_xid, NULL) - debits - held - floor_minor, owed INTO has, owes
      FROM balances WHERE company_id = company AND ledger_account_id = d.account;
    IF owes + d.owed < 0 THEN
      RAISE EXCEPTION 'more is paid back than is owed' USING ERRCODE = 'LA409', DETAIL = d.account::text;
    ELSIF has - d.taken >= (CASE WHEN d.taken <= -d.owed THEN 0 ELSE owes END) THEN
      UPDATE balances b
         SET debits = debits + d.debit, held = held + d.held, owed = owed + d.owed, fold_xid = greatest(fold_xid, horizon),
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
REVOKE EXECUTE ON FUNCTION draw(uuid, uuid[], bigint[], bigint[], bigint[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION draw(uuid, uuid[], bigint[], bigint[], bigint[]) TO lastro_app, lastro_work, lastro_audit;

CREATE OR REPLACE VIEW law_a_transfer_is_what_its_type_says WITH (security_invoker = true) AS
  SELECT t.company_id, t.id AS transfer_id, t.type, t.kind, d.code AS debit, c.code AS credit, t.reference_id
    FROM transfers t
    JOIN (VALUES ('PIX_IN', true, 'NET', 'CUST', 'pix', 'orders'), ('BOOK_IN', true, 'TRANSIT', 'CUST', NULL, 'orders'),
                 ('FEE', true, 'NET', 'FEE', 'pix', 'orders'), ('BOOK_FEE', true, 'TRANSIT', 'FEE', NULL, 'orders'),
                 ('PIX_UNFIT', true, 'NET', 'SUSP', 'pix', 'pix_payments'),
                 ('PIX_RETURN', false, 'SUSP', 'NET', 'pix', 'refunds'),
                 ('PIX_OUT', false, 'CUST', 'NET', 'pix', 'payouts'), ('TED_OUT', false, 'CUST', 'NET', 'ted', 'payouts'),
                 ('BOOK_OUT', false, 'CUST', 'TRANSIT', NULL, 'payouts'),
                 ('PAYOUT_FEE', false, 'CUST', 'FEE', NULL, 'payouts'),
                 ('PIX_RETURNED', true, 'NET', 'CUST', 'pix', 'payouts'),
                 ('TED_RETURNED', true, 'NET', 'CUST', 'ted', 'payouts'),
                 ('PIX_RETURN_UNFIT', true, 'NET', 'SUSP', 'pix', 'payouts'),
                 ('TED_RETURN_UNFIT', true, 'NET', 'SUSP', 'ted', 'payouts'),
                 ('TED_PROVED', true, 'CUST', 'NET', 'ted', 'payouts'), ('TED_LACK', true, 'LOSS', 'NET', 'ted', 'payouts'),
                 ('LOSS_RECOVERED', true, 'CUST', 'LOSS', NULL, 'accounts'))
         AS says(type, at_once, debit, credit, rail, machine) ON says.type = t.type
    JOIN ledger_accounts d ON d.company_id = t.company_id AND d.id = t.debit_id
    JOIN ledger_accounts c ON c.company_id = t.company_id AND c.id = t.credit_id
   WHERE (t.kind = 'moved', d.code, c.code, coalesce(d.rail, c.rail))
         IS DISTINCT FROM (says.at_once, says.debit, says.credit, says.rail)
      OR CASE WHEN says.machine = 'accounts' THEN (d.account_id, c.account_id) IS DISTINCT FROM (t.reference_id, t.reference_id)
              ELSE NOT EXISTS (SELECT 1 FROM objects o WHERE o.company_id = t.company_id AND o.id = t.reference_id
                                  AND o.machine = says.machine) END;

CREATE VIEW law_what_is_owed_lies_on_loss WITH (security_invoker = true) AS
  SELECT b.company_id, b.ledger_account_id, l.account_id, b.owed AS owed_minor, s.lost_minor
    FROM balances b JOIN ledger_accounts l ON l.company_id = b.company_id AND l.id = b.ledger_account_id
   CROSS JOIN LATERAL (
     SELECT coalesce(-sum(x.change_minor), 0) AS lost_minor FROM ledger_accounts o
       JOIN ledger_sides x ON x.company_id = o.company_id AND x.ledger_account_id = o.id
      WHERE o.company_id = l.company_id AND o.account_id = l.account_id AND o.currency = l.currency AND o.code = 'LOSS'
        AND l.code = 'CUST') s
   WHERE b.owed <> s.lost_minor;
COMMENT ON VIEW law_what_is_owed_lies_on_loss IS
  'What an account owes is what was booked on its LOSS and not yet paid back.';

CREATE VIEW law_what_is_owed_is_taken_at_rest WITH (security_invoker = true) AS
  SELECT b.company_id, b.ledger_account_id, b.owed AS owed_minor, s.available_minor
    FROM balances b CROSS JOIN LATERAL (
      SELECT b.credits_folded + credit_tail(b.company_id, b.ledger_account_id, b.fold_xid, NULL) - b.debits - b.held
               - b.floor_minor AS available_minor) s
   WHERE b.owed > 0 AND s.available_minor > 0 -- what has just become free is given a minute
     AND NOT EXISTS (SELECT 1 FROM transfers t WHERE t.company_id = b.company_id
                        AND (t.credit_id = b.ledger_account_id OR (t.debit_id = b.ledger_account_id AND t.kind = 'voided'))
                        AND t.created_at > (SELECT business_now()) - interval '1 minute');
COMMENT ON VIEW law_what_is_owed_is_taken_at_rest IS
  'An account that owes has had nothing available for more than a minute, when nothing is on its way.';

GRANT SELECT ON law_what_is_owed_lies_on_loss, law_what_is_owed_is_taken_at_rest TO lastro_app, lastro_audit;
GRANT INSERT ON law_what_is_owed_lies_on_loss, law_what_is_owed_is_taken_at_rest TO lastro_app; -- as a whole schema is granted: nothing can be inserted into these views

-- A payout is like another one by who receives: document, institution and account without leading zeros, however named.
-- What an older process wrote up to ten minutes before has another number, and is not found by a newer one.

ALTER TABLE payout_plan_lines ADD COLUMN likeness bigint; -- as of a payout; NULL of one with issues

-- Raises where another payout like this one was made within so long: two requests at once have both found none. Whoever looks
-- holds the likeness until the commit; the look is a statement of its own, and sees what was committed meanwhile. Alike is
-- what one receiver gets, however it was named; two dynamic QRs are two charges, each paid once by its own bank.
CREATE OR REPLACE FUNCTION unrepeated_payout(company uuid, payout uuid, within interval) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(p.likeness) FROM payouts p WHERE p.company_id = company AND p.id = payout;
  IF EXISTS (
    SELECT 1 FROM payouts n JOIN parties nr ON nr.company_id = n.company_id AND nr.id = n.receiver_id
      JOIN payouts p ON p.company_id = n.company_id AND p.likeness = n.likeness AND p.created_at > n.created_at - within
      JOIN parties r ON r.company_id = p.company_id AND r.id = p.receiver_id
     WHERE n.company_id = company AND n.id = payout AND p.id <> n.id AND p.account_id = n.account_id AND p.batch_id IS NULL
       AND p.payment_method = n.payment_method AND p.amount_minor = n.amount_minor
       AND p.status NOT IN ('ERROR', 'CANCELED', 'EXPIRED')
       AND r.document_number = nr.document_number AND r.bank ->> 'ispb' = nr.bank ->> 'ispb'
       AND ltrim(r.bank ->> 'account', '0') = ltrim(nr.bank ->> 'account', '0')
       AND NOT (p.initiation = 'DYNAMIC_QR' AND n.initiation = 'DYNAMIC_QR')) THEN
    RAISE EXCEPTION 'a payout like % was made meanwhile', payout USING ERRCODE = 'LA409', CONSTRAINT = 'payouts';
  END IF;
  RETURN true;
END $$;

-- A claim of which a word was missed goes through several statuses at once. Of what had ended before it was heard of nothing is
-- acknowledged, and a portability that was confirmed and completed meanwhile is not completed by us again.
CREATE OR REPLACE VIEW law_the_directory_hears_of_claims WITH (security_invoker = true) AS
  SELECT c.company_id, c.id, c.role, c.status, m.acknowledged, m.completed, m.canceled FROM key_claims c
   CROSS JOIN LATERAL (
     SELECT count(*) FILTER (WHERE o.kind = 'claim.acknowledge') AS acknowledged, count(*) FILTER (WHERE o.kind = 'claim.complete') AS completed,
            count(*) FILTER (WHERE o.kind = 'claim.cancel') AS canceled
       FROM outbox o WHERE o.company_id = c.company_id AND o.reference_id = c.id AND o.rail = 'claims') m
   CROSS JOIN LATERAL ( -- what it went through at one instant, since a word of it was missed, it never stood in: nothing was to be said then
     SELECT count(*) FILTER (WHERE s.stood AND s.to_state IN ('OPEN', 'WAITING_RESOLUTION', 'CONFIRMED')) AS open,
            count(*) FILTER (WHERE s.stood AND s.to_state = 'CONFIRMED') AS stood, count(*) FILTER (WHERE s.to_state = 'CONFIRMED') AS confirmed
       FROM (SELECT h.to_state, lead(h.created_at) OVER (ORDER BY h.version) IS DISTINCT FROM h.created_at AS stood
               FROM history h WHERE h.company_id = c.company_id AND h.reference_id = c.id) s) h
   WHERE CASE WHEN c.role = 'DONOR' THEN m.acknowledged NOT BETWEEN least(h.open, 1) AND 1 OR m.completed > 0
              WHEN c.claim_type <> 'PORTABILITY' THEN m.acknowledged + m.completed > 0
              WHEN m.canceled > 0 THEN m.acknowledged > 0
              ELSE m.acknowledged > 0 OR m.completed NOT BETWEEN least(h.stood, 1) AND least(h.confirmed, 1) END;

-- A refund that is asked for while a chargeback of the same order is decided does not move the order: who takes money back says
-- how much may have been asked for by then.

-- Uses limits, or gives back: each is looked at and written under the lock of its row. mosts: above it nothing is written.
-- To use nothing of a limit is to say how much others may have used of it.
CREATE OR REPLACE FUNCTION use_quotas(company uuid, owners uuid[], kinds text[], periods text[], amounts bigint[], mosts bigint[])
RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  q record;
  used bigint;
BEGIN
  FOR q IN SELECT * FROM unnest(owners, kinds, periods, amounts, mosts) AS u(owner, kind, period, amount, most) LOOP
    INSERT INTO quotas AS t (company_id, owner_id, kind, period, used_minor)
    VALUES (company, q.owner, q.kind, q.period, greatest(q.amount, 0))
        ON CONFLICT (company_id, owner_id, kind, period) DO UPDATE SET used_minor = t.used_minor + q.amount
    RETURNING used_minor INTO used;
    IF q.amount >= 0 AND used > q.most THEN
      RAISE EXCEPTION '%', q.kind USING ERRCODE = 'LA403', DETAIL = greatest(q.most - used + q.amount, 0)::text;
    END IF;
  END LOOP;
  RETURN true;
END $$;

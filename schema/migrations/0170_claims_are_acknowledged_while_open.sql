-- Only a claim that is OPEN is acknowledged: of a later one the directory knows that it was received, and refuses the word.

CREATE OR REPLACE VIEW law_the_directory_hears_of_claims WITH (security_invoker = true) AS
  SELECT c.company_id, c.id, c.role, c.status, m.acknowledged, m.completed, m.canceled FROM key_claims c
   CROSS JOIN LATERAL (
     SELECT count(*) FILTER (WHERE o.kind = 'claim.acknowledge') AS acknowledged, count(*) FILTER (WHERE o.kind = 'claim.complete') AS completed,
            count(*) FILTER (WHERE o.kind = 'claim.cancel') AS canceled
       FROM outbox o WHERE o.company_id = c.company_id AND o.reference_id = c.id AND o.rail = 'claims') m
   CROSS JOIN LATERAL ( -- what it went through at one instant, since a word of it was missed, it never stood in: nothing was to be said then
     SELECT count(*) FILTER (WHERE s.stood AND s.to_state = 'OPEN') AS open,
            count(*) FILTER (WHERE s.stood AND s.to_state = 'CONFIRMED') AS stood, count(*) FILTER (WHERE s.to_state = 'CONFIRMED') AS confirmed
       FROM (SELECT h.to_state, lead(h.created_at) OVER (ORDER BY h.version) IS DISTINCT FROM h.created_at AS stood
               FROM history h WHERE h.company_id = c.company_id AND h.reference_id = c.id) s) h
   WHERE CASE WHEN c.role = 'DONOR' THEN m.acknowledged NOT BETWEEN least(h.open, 1) AND 1 OR m.completed > 0
              WHEN c.claim_type <> 'PORTABILITY' THEN m.acknowledged + m.completed > 0
              WHEN m.canceled > 0 THEN m.acknowledged > 0
              ELSE m.acknowledged > 0 OR m.completed NOT BETWEEN least(h.stood, 1) AND least(h.confirmed, 1) END;
COMMENT ON VIEW law_the_directory_hears_of_claims IS
  'Each claim of a key here is acknowledged once, unless heard of later, and each portability confirmed to us is completed once, unless over.';

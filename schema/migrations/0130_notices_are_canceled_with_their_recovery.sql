-- A recovery that is given up takes its notices with it, those that were decided too (DICT 2.12.1, cancelFundsRecovery).

CREATE OR REPLACE VIEW law_the_directory_hears_what_was_decided WITH (security_invoker = true) AS
  WITH said AS (SELECT company_id, reference_id, kind, as_json(body) AS body FROM outbox WHERE rail = 'med')
  SELECT m.company_id, m.id, m.object_type, m.status, m.result, a.body AS said FROM med_objects m
    LEFT JOIN said a ON a.company_id = m.company_id AND a.reference_id = m.id AND a.kind = 'med.answer'
   WHERE m.object_type = 'REFUND_REQUEST' AND m.role = 'RECEIVER'
     AND (a.body ->> 'result', coalesce((a.body #>> '{returned,minor}')::bigint, 0)) IS DISTINCT FROM
         (CASE m.status WHEN 'ANALYSED' THEN m.result END, m.returned_minor)
  UNION ALL
  SELECT m.company_id, m.id, m.object_type, m.status, m.result, v.body FROM med_objects m
    JOIN said v ON v.company_id = m.company_id AND v.reference_id = m.id AND v.kind = 'med.verdict'
   WHERE (m.object_type, m.role, m.result) IS DISTINCT FROM ('INFRINGEMENT_NOTIFICATION', 'RECEIVER', v.body ->> 'result')
      OR m.status NOT IN ('ANALYSED', 'CANCELLED') -- its recovery was given up afterwards
  UNION ALL
  SELECT s.company_id, s.reference_id, NULL, NULL, NULL, s.body FROM said s
   WHERE NOT EXISTS (SELECT 1 FROM med_objects m WHERE m.company_id = s.company_id AND m.id = s.reference_id)
  UNION ALL
  SELECT m.company_id, m.id, m.object_type, m.status, m.result, NULL FROM med_objects m
   WHERE (m.object_type, m.role) = ('INFRINGEMENT_NOTIFICATION', 'RECEIVER')
     AND NOT EXISTS (SELECT 1 FROM said s WHERE s.company_id = m.company_id AND s.reference_id = m.id AND s.kind = 'med.acknowledge');

-- What a network's word is about is compared with what was sent; two laws hold what a restored backup could break.

CREATE VIEW law_nothing_settles_before_it_was_created WITH (security_invoker = true) AS
  WITH slack AS (SELECT interval '1 minute' + offset_us * interval '1 microsecond' AS most FROM clock) -- clocks differ; a sandbox steps its own first
  SELECT o.company_id, 'orders' AS place, o.id, o.paid_at AS settled_at, o.created_at FROM orders o
   WHERE o.origin <> 'UNASKED' AND o.paid_at < o.created_at - (SELECT most FROM slack)
  UNION ALL
  SELECT p.company_id, 'payouts', p.id, p.paid_at, p.created_at FROM payouts p
   WHERE p.paid_at < p.created_at - (SELECT most FROM slack)
  UNION ALL
  SELECT r.company_id, 'payout_returns', r.id, r.settled_at, p.created_at FROM payout_returns r
    JOIN payouts p ON p.company_id = r.company_id AND p.id = r.payout_id
   WHERE r.settled_at < p.created_at - (SELECT most FROM slack)
  UNION ALL
  SELECT k.company_id, 'chargebacks', k.id, k.taken_at, o.created_at FROM chargebacks k
    JOIN orders o ON o.company_id = k.company_id AND o.id = k.order_id
   WHERE k.taken_at < o.created_at - (SELECT most FROM slack)
  UNION ALL
  SELECT r.company_id, 'refunds', r.id, s.at, r.created_at FROM inbox i
   CROSS JOIN LATERAL (SELECT (as_json(i.body) ->> 'settled_at')::timestamptz AS at OFFSET 0) s
    JOIN refunds r ON r.company_id = i.company_id AND r.return_id = i.subject
   WHERE i.kind = 'return.final' AND i.outcome IN ('handled', 'known') AND i.rail <> 'own' -- what a statement proved may be older
     AND s.at < r.created_at - (SELECT most FROM slack);
COMMENT ON VIEW law_nothing_settles_before_it_was_created IS
  'Nothing was paid, sent, given back or taken back before there was an order, payout or refund for it.';

CREATE VIEW law_a_reference_is_of_one_company WITH (security_invoker = true) AS
  WITH names AS MATERIALIZED (
    SELECT company_id, rail || ' instrument' AS kind, reference AS name FROM instruments
    UNION ALL SELECT company_id, 'txid', txid FROM orders WHERE txid IS NOT NULL
    UNION ALL SELECT company_id, 'txid', txid FROM pix_static_qrcodes
    UNION ALL SELECT company_id, 'payment', coalesce(control_number, end_to_end_id) FROM payouts WHERE children = 0
    UNION ALL SELECT company_id, 'return', return_id FROM refunds
    UNION ALL SELECT company_id, 'recurrence', provider_id FROM subscriptions WHERE provider_id IS NOT NULL
    UNION ALL -- of whom a partner's news were booked: an instrument of an earlier era, too, that a backup did not have
    SELECT DISTINCT company_id, rail || ' instrument', subject FROM inbox
     WHERE kind IN ('collection.announced', 'collection.settled', 'collection.void') AND outcome IN ('handled', 'known'))
  SELECT n.company_id, n.kind, n.name FROM names n
   WHERE (n.kind, n.name) IN (SELECT kind, name FROM names GROUP BY 1, 2 HAVING count(DISTINCT company_id) > 1);
COMMENT ON VIEW law_a_reference_is_of_one_company IS
  'No two companies have an instrument, charge, payment, return or recurrence under one name, in whatever era it was given out.';

GRANT SELECT ON law_nothing_settles_before_it_was_created, law_a_reference_is_of_one_company TO lastro_app, lastro_audit;
GRANT INSERT ON law_nothing_settles_before_it_was_created, law_a_reference_is_of_one_company TO lastro_app; -- as of every relation

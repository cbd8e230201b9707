-- National bank holidays move the day on which a charge is settled, as weekends do.

-- Whether banks settle on a day: no Saturday, Sunday or national holiday, as standards/calendar.py has them with their
-- sources. A holiday counts from the year that made it one; Easter by the computus of Meeus, Jones and Butcher.
CREATE FUNCTION is_business_day(day date) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT extract(isodow FROM day) < 6
         AND NOT EXISTS (SELECT FROM (VALUES (101, 1949), (421, 1951), (501, 1949), (907, 1949), (1012, 1980), (1102, 2003), (1115, 1949),
                                             (1120, 2024), (1225, 1949)) AS fixed(month_day, since)
                          WHERE month_day = extract(month FROM day) * 100 + extract(day FROM day) AND extract(year FROM day) >= since)
         AND day - make_date(g.year, (e.epact + e.to_sunday - 7 * e.late + 114) / 31, (e.epact + e.to_sunday - 7 * e.late + 114) % 31 + 1)
             NOT IN (-48, -47, -2, 60)
    FROM (SELECT extract(year FROM day)::integer AS year) g
   CROSS JOIN LATERAL (SELECT g.year % 19 AS golden, g.year / 100 AS century, g.year % 100 AS rest) a
   CROSS JOIN LATERAL (SELECT (19 * a.golden + a.century - a.century / 4 - (a.century - (a.century + 8) / 25 + 1) / 3 + 15) % 30 AS epact) b
   CROSS JOIN LATERAL (SELECT b.epact, (32 + 2 * (a.century % 4) + 2 * (a.rest / 4) - b.epact - a.rest % 4) % 7 AS to_sunday) c
   CROSS JOIN LATERAL (SELECT c.epact, c.to_sunday, (a.golden + 11 * c.epact + 22 * c.to_sunday) / 451 AS late) e
$$;

-- The day itself where banks settle on it, else the first one after it on which they do.
CREATE FUNCTION next_business_day(day date) RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT min(day + n) FROM generate_series(0, 9) n WHERE is_business_day(day + n)
$$;
REVOKE EXECUTE ON FUNCTION is_business_day(date), next_business_day(date) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION is_business_day(date), next_business_day(date) TO lastro_app, lastro_work, lastro_audit;

CREATE OR REPLACE VIEW law_a_cycle_is_charged_once WITH (security_invoker = true) AS
  SELECT p.company_id, p.id, p.subscription_id, p.cycle, p.due_on, p.settles_on FROM subscription_payments p
    JOIN subscriptions s ON s.company_id = p.company_id AND s.id = p.subscription_id
   WHERE p.due_on < p.cycle_starts_on OR p.due_on >= p.next_cycle_starts_on OR p.due_on < s.starts_on OR p.due_on > s.ends_on
      -- What was made before holidays moved a day was moved by weekends alone.
      OR CASE WHEN p.settles_on = p.due_on + CASE WHEN s.adjusts AND extract(isodow FROM p.due_on) > 5
                                                  THEN 8 - extract(isodow FROM p.due_on)::integer ELSE 0 END THEN false
              ELSE NOT s.adjusts OR p.settles_on <> next_business_day(p.due_on) END
      OR p.amount_minor <> s.fixed_minor
      OR (p.status NOT IN ('CANCELED', 'ERROR')
          AND EXISTS (SELECT 1 FROM subscription_payments q WHERE q.company_id = p.company_id AND q.subscription_id = p.subscription_id
                         AND q.id <> p.id AND q.status NOT IN ('CANCELED', 'ERROR')
                         AND q.due_on >= p.cycle_starts_on AND q.due_on < p.next_cycle_starts_on));
COMMENT ON VIEW law_a_cycle_is_charged_once IS
  'A payment lies in its cycle, is settled on its day or the business day after, and shares its cycle with ended ones alone.';

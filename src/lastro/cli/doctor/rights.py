"""Names missing and surplus rights, and tables without tenant isolation."""

from __future__ import annotations

AGAIN = "make it again as section `rights` of schema/schema.sql has it, as lastro_owner"
# What the schema gives or withholds, and what a dump put back without it has not. A table of a company is behind row-level
# security, even for its owner, and lastro_app comes to its rows by one policy: of the tenant alone.
RIGHTS = """
WITH t AS (SELECT oid, relname::text AS name, relrowsecurity AND relforcerowsecurity AS is_secured FROM pg_class
            WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')),
     tenants AS (SELECT t.* FROM t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attname = 'company_id'
                  WHERE NOT a.attisdropped AND t.name NOT IN ('company_numbers', 'account_numbers', 'own_keys', 'rails')),
     w (role, privilege, name) AS (VALUES
       ('lastro_app', 'UPDATE', 'transfers'), ('lastro_app', 'DELETE', 'transfers'), ('lastro_app', 'UPDATE', 'history'),
       ('lastro_app', 'DELETE', 'history'), ('lastro_app', 'DELETE', 'events'), ('lastro_audit', 'INSERT', 'transfers'),
       ('lastro_audit', 'SELECT', 'signing_keys'), ('lastro_work', 'INSERT', 'transfers'),
       ('lastro_work', 'SELECT', 'orders'))
SELECT 'lastro_app may not read ' || name AS says FROM t WHERE NOT has_table_privilege('lastro_app', oid, 'SELECT')
UNION ALL
SELECT 'lastro_app may not INSERT into ' || name FROM t
 WHERE name NOT IN ('clock', 'allowed_moves', 'eras', 'beats', 'migrations')
   AND NOT has_table_privilege('lastro_app', oid, 'INSERT')
UNION ALL
SELECT 'lastro_app may not UPDATE ' || name FROM t
 WHERE name IN ('accounts', 'balances', 'orders', 'pix_payments', 'refunds', 'payouts', 'payout_plans', 'subscriptions',
                'subscription_payments', 'deliveries', 'outbox', 'inbox', 'med_objects', 'quotas', 'statements')
   AND NOT has_table_privilege('lastro_app', oid, 'UPDATE')
UNION ALL
SELECT 'lastro_audit may not read ' || name FROM t
 WHERE name NOT IN ('signing_keys', 'people_links', 'people_sessions', 'sign_in_tries')
   AND NOT has_any_column_privilege('lastro_audit', oid, 'SELECT')
UNION ALL
SELECT 'lastro_work may not find work in ' || name FROM t
 WHERE name IN ('inbox', 'outbox', 'orders', 'payouts', 'deliveries')
   AND NOT has_any_column_privilege('lastro_work', oid, 'SELECT')
UNION ALL
SELECT w.role || ' may ' || w.privilege || ' ' || w.name FROM w JOIN t USING (name)
 WHERE has_table_privilege(w.role, t.oid, w.privilege)
UNION ALL
SELECT 'row-level security of ' || name || ' is off: companies see each other''s rows' FROM tenants WHERE NOT is_secured
UNION ALL
SELECT 'policy tenant of ' || name || ' is not there, or another' FROM tenants
 WHERE NOT EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = tenants.oid AND p.polname = 'tenant'
                      AND pg_get_expr(p.polqual, tenants.oid) = '(company_id = tenant())'
                      AND pg_get_expr(p.polwithcheck, tenants.oid) = '(company_id = tenant())')
UNION ALL
SELECT 'policy ' || p.polname || ' lets lastro_app read other companies'' rows of ' || name
  FROM tenants JOIN pg_policy p ON p.polrelid = tenants.oid
 WHERE p.polpermissive AND p.polname <> 'tenant' AND ('lastro_app'::regrole = ANY (p.polroles) OR 0::oid = ANY (p.polroles))
"""

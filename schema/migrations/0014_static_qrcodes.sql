-- Static QR codes: printed once, paid any number of times; what is paid to one makes an order that names it.

ALTER TABLE orders ADD COLUMN static_qrcode_id uuid;
ALTER TABLE orders ADD CHECK (static_qrcode_id IS NULL OR origin = 'UNASKED');
CREATE INDEX orders_of_static_qrcode ON orders (company_id, static_qrcode_id, created_at) WHERE static_qrcode_id IS NOT NULL;

CREATE TABLE pix_static_qrcodes (                     -- a printed code that is paid any number of times; no row of it ever changes
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  account_id uuid NOT NULL,                           -- credited by what is paid to it
  pix_key text NOT NULL,                              -- where the directory leads who pays it
  txid text NOT NULL,                                 -- printed in it; what is paid to it carries it
  amount_minor bigint CHECK (amount_minor > 0),       -- NULL: the payer types it
  description text,                                   -- as the client sent it; the code carries what of it fits
  qrcode_data text NOT NULL,                          -- its text, as it was printed
  created_at timestamptz NOT NULL,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, account_id) REFERENCES accounts
);
CREATE UNIQUE INDEX pix_static_qrcodes_created_at_key ON pix_static_qrcodes (company_id, created_at);
CREATE UNIQUE INDEX pix_static_qrcodes_txid_key ON pix_static_qrcodes (company_id, txid);
CREATE INDEX pix_static_qrcodes_of_account ON pix_static_qrcodes (company_id, account_id, created_at);
ALTER TABLE orders ADD FOREIGN KEY (company_id, static_qrcode_id) REFERENCES pix_static_qrcodes;

CREATE VIEW law_money_of_a_static_code_names_it WITH (security_invoker = true) AS
  SELECT o.company_id, o.id, o.static_qrcode_id, q.id AS paid_to, o.paid_minor, q.amount_minor AS asked_minor FROM orders o
    JOIN pix_payments p ON p.company_id = o.company_id AND p.order_id = o.id
    LEFT JOIN pix_static_qrcodes q ON q.company_id = p.company_id AND q.txid = p.txid AND q.account_id = o.account_id
   WHERE o.origin = 'UNASKED' AND (o.static_qrcode_id IS DISTINCT FROM q.id OR q.amount_minor <> o.paid_minor);
COMMENT ON VIEW law_money_of_a_static_code_names_it IS
  'An order that money made names the static code by which it came, if any, and was paid what that asks for.';

CREATE OR REPLACE VIEW law_ids_name_their_company WITH (security_invoker = true) AS
  WITH named AS MATERIALIZED (SELECT company_id, base62(number, 5) AS digits FROM companies)
  SELECT n.company_id, 'clients' AS place, c.client_id AS name FROM named n
    JOIN clients c ON c.company_id = n.company_id AND c.client_id NOT LIKE 'outside:%' AND substr(c.client_id, 4, 5) <> n.digits
  UNION ALL
  SELECT n.company_id, 'orders', o.id::text FROM named n
    JOIN orders o ON o.company_id = n.company_id
     AND (substr(o.txid, 1, 5) <> n.digits OR substr(o.location_token, 1, 5) <> n.digits)
  UNION ALL
  SELECT n.company_id, 'pix_static_qrcodes', q.id::text FROM named n
    JOIN pix_static_qrcodes q ON q.company_id = n.company_id AND substr(q.txid, 1, 5) <> n.digits
  UNION ALL
  SELECT n.company_id, 'refunds', r.id::text FROM named n
    JOIN refunds r ON r.company_id = n.company_id AND substr(r.return_id, 22, 5) <> n.digits
  UNION ALL
  SELECT n.company_id, 'payouts', p.id::text FROM named n
    JOIN payouts p ON p.company_id = n.company_id
     AND (substr(p.end_to_end_id, 22, 5) <> n.digits OR substr(p.control_number, 2, 5) <> n.digits)
  UNION ALL
  SELECT n.company_id, 'subscriptions', s.id::text FROM named n
    JOIN subscriptions s ON s.company_id = n.company_id
     AND (substr(s.provider_id, 19, 5) <> n.digits OR substr(s.location_token, 1, 5) <> n.digits);
COMMENT ON VIEW law_ids_name_their_company IS
  'Our client ids, txids, locations, endToEndIds, idRecs, TED control numbers and return ids carry the number of their company.';

CREATE OR REPLACE VIEW law_an_answer_has_its_object WITH (security_invoker = true) AS
  SELECT a.company_id, a.operation, a.object_id, a.created_at FROM answers a
   WHERE CASE a.operation
         WHEN 'create_order' THEN NOT EXISTS (
           SELECT 1 FROM orders o WHERE o.company_id = a.company_id AND o.id = a.object_id)
         WHEN 'cancel_order' THEN NOT EXISTS (
           SELECT 1 FROM orders o WHERE o.company_id = a.company_id AND o.id = a.object_id AND o.status = 'CANCELED')
         WHEN 'create_order_payin' THEN NOT EXISTS (
           SELECT 1 FROM orders o WHERE o.company_id = a.company_id AND o.id = a.object_id)
         WHEN 'create_static_qrcode' THEN NOT EXISTS (
           SELECT 1 FROM pix_static_qrcodes q WHERE q.company_id = a.company_id AND q.id = a.object_id)
         WHEN 'create_refund' THEN NOT EXISTS (
           SELECT 1 FROM refunds r WHERE r.company_id = a.company_id AND r.id = a.object_id AND r.origin = 'CLIENT')
         WHEN 'resend_webhook_event' THEN NOT EXISTS (
           SELECT 1 FROM deliveries d WHERE d.company_id = a.company_id AND d.id = a.object_id)
         WHEN 'test_webhook' THEN NOT EXISTS (
           SELECT 1 FROM events e WHERE e.company_id = a.company_id AND e.id = a.object_id)
         WHEN 'resend_webhook_events' THEN a.object_id <> a.company_id
         WHEN 'set_webhook' THEN a.object_id <> a.company_id
         WHEN 'rotate_webhook_secret' THEN a.object_id <> a.company_id
         WHEN 'create_payout' THEN NOT EXISTS (
           SELECT 1 FROM payouts p WHERE p.company_id = a.company_id AND p.id = a.object_id AND p.idempotency_key = a.key)
         WHEN 'cancel_payout' THEN NOT EXISTS (
           SELECT 1 FROM payouts p WHERE p.company_id = a.company_id AND p.id = a.object_id
              AND (p.status = 'CANCELED' OR p.children > 0))
         WHEN 'create_payout_plan' THEN NOT EXISTS (
           SELECT 1 FROM payout_plans p WHERE p.company_id = a.company_id AND p.id = a.object_id)
         WHEN 'approve_payout_plan' THEN NOT EXISTS (
           SELECT 1 FROM payout_plan_approvals p WHERE p.company_id = a.company_id AND p.plan_id = a.object_id)
         WHEN 'apply_payout_plan' THEN NOT EXISTS (
           SELECT 1 FROM history h WHERE h.company_id = a.company_id AND h.reference_id = a.object_id AND h.trigger = 'apply')
         WHEN 'cancel_payout_plan' THEN NOT EXISTS (
           SELECT 1 FROM payout_plans p WHERE p.company_id = a.company_id AND p.id = a.object_id AND p.status = 'CANCELED')
         WHEN 'create_subscription' THEN NOT EXISTS (
           SELECT 1 FROM subscriptions s WHERE s.company_id = a.company_id AND s.id = a.object_id)
         WHEN 'cancel_subscription' THEN NOT EXISTS (
           SELECT 1 FROM subscription_cancellations c
            WHERE c.company_id = a.company_id AND c.id = a.object_id AND c.idempotency_key = a.key)
         WHEN 'create_subscription_payment' THEN NOT EXISTS (
           SELECT 1 FROM subscription_payments p WHERE p.company_id = a.company_id AND p.id = a.object_id)
         WHEN 'cancel_subscription_payment' THEN NOT EXISTS (
           SELECT 1 FROM history h WHERE h.company_id = a.company_id AND h.reference_id = a.object_id
              AND h.machine = 'subscription_payments' AND h.trigger IN ('cancel', 'ask to cancel'))
         WHEN 'retry_subscription_payment' THEN NOT EXISTS (
           SELECT 1 FROM history h WHERE h.company_id = a.company_id AND h.reference_id = a.object_id
              AND h.machine = 'subscription_payments' AND h.trigger = 'retry')
         ELSE false END;
COMMENT ON VIEW law_an_answer_has_its_object IS
  'What a stored answer speaks of is there; the order of a cancellation is CANCELED.';

ALTER TABLE pix_static_qrcodes ENABLE ROW LEVEL SECURITY;
ALTER TABLE pix_static_qrcodes FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON pix_static_qrcodes TO lastro_app USING (company_id = tenant()) WITH CHECK (company_id = tenant());
CREATE POLICY audit ON pix_static_qrcodes FOR SELECT TO lastro_audit USING (true);

GRANT SELECT ON pix_static_qrcodes, law_money_of_a_static_code_names_it TO lastro_app, lastro_audit;
GRANT INSERT ON pix_static_qrcodes, law_money_of_a_static_code_names_it TO lastro_app;

-- What a defense says, and its documents, name the payer of the payment that it is about: they are erased with him.

CREATE OR REPLACE FUNCTION people_held(company uuid, people uuid[], years integer)
RETURNS TABLE (party_id uuid, thing text, role text, object_id uuid, status text, created_at timestamptz, ground text, until timestamptz)
LANGUAGE sql STABLE AS $$
  WITH telling AS (                                   -- what a network is still to be told something of
    SELECT coalesce(c.subscription_id, p.subscription_id, m.reference_id) AS id FROM outbox m
      LEFT JOIN subscription_cancellations c ON c.company_id = company AND c.id = m.reference_id
      LEFT JOIN payment_attempts a ON a.company_id = company AND a.id = m.reference_id
      LEFT JOIN subscription_payments p ON p.company_id = company AND p.id = coalesce(a.payment_id, m.reference_id)
     WHERE m.company_id = company AND m.due_at IS NOT NULL),
  found AS (
    SELECT w.party_id, 'order' AS thing, w.role, o.id, o.status, o.created_at, o.updated_at AS ended_at,
           CASE WHEN o.status IN ('INITIAL', 'PENDING', 'AUTHENTICATING') THEN 'IN_USE'
                WHEN o.paid_minor IS NOT NULL OR EXISTS (SELECT 1 FROM pix_payments p WHERE p.company_id = company
                       AND p.order_id = o.id AND p.state NOT IN ('REFUSED', 'FAILED') OFFSET 0) THEN 'OPERATION' END AS ground
      FROM orders o CROSS JOIN LATERAL (VALUES (o.customer_id, 'customer'), (o.payer_id, 'payer')) w(party_id, role)
     WHERE o.company_id = company AND w.party_id = ANY (people)
    UNION ALL
    SELECT p.payer_id, 'payment', 'payer', p.id, p.state, p.created_at, p.updated_at,
           CASE WHEN p.state IN ('ACCEPTED', 'HELD', 'RETURNING', 'STRANDED') THEN 'IN_USE' ELSE 'OPERATION' END
      FROM pix_payments p WHERE p.company_id = company AND p.payer_id = ANY (people)
    UNION ALL
    SELECT p.receiver_id, 'payout', 'receiver', p.id, p.status, p.created_at, p.updated_at,
           CASE WHEN p.status IN ('INITIAL', 'PENDING', 'ANALYSIS') THEN 'IN_USE'
                WHEN p.message_id IS NOT NULL OR p.paid_at IS NOT NULL THEN 'OPERATION' END
      FROM payouts p WHERE p.company_id = company AND p.receiver_id = ANY (people)
    UNION ALL
    SELECT r.receiver_id, 'refund', 'receiver', r.id, r.state, r.created_at, r.updated_at,
           CASE r.state WHEN 'PENDING' THEN 'IN_USE' ELSE 'OPERATION' END
      FROM refunds r WHERE r.company_id = company AND r.receiver_id = ANY (people)
    UNION ALL
    SELECT m.receiver_id, 'dispute', 'victim', m.id, m.status, m.created_at, m.updated_at,
           CASE m.status WHEN 'OPEN' THEN 'IN_USE' ELSE 'OPERATION' END
      FROM med_objects m WHERE m.company_id = company AND m.receiver_id = ANY (people)
    UNION ALL                                         -- a defense says what was sold to whom: it goes with the payment's payer
    SELECT p.payer_id, 'dispute', 'payer', m.id, m.status, m.created_at, m.updated_at,
           CASE WHEN m.status IN ('OPEN', 'RECEIVED') THEN 'IN_USE' ELSE 'OPERATION' END
      FROM pix_payments p JOIN med_objects m ON m.company_id = company AND m.end_to_end_id = p.end_to_end_id
                                            AND m.object_type = 'INFRINGEMENT_NOTIFICATION' AND m.role = 'RECEIVER'
     WHERE p.company_id = company AND p.payer_id = ANY (people)
    UNION ALL
    SELECT w.party_id, 'subscription', w.role, s.id, s.status, s.created_at, s.updated_at,
           CASE WHEN s.status IN ('INITIAL', 'PENDING_AUTHORIZATION', 'ACCEPTED') THEN 'IN_USE'
                WHEN s.accepted_at IS NOT NULL THEN 'OPERATION' END
      FROM subscriptions s CROSS JOIN LATERAL (
        SELECT s.debtor_id, 'debtor' UNION ALL SELECT s.named_payer_id, 'expected payer' UNION ALL SELECT s.payer_id, 'payer'
        UNION ALL SELECT c.requested_by_id, 'canceler' FROM subscription_cancellations c
                   WHERE c.company_id = company AND c.subscription_id = s.id) w(party_id, role)
     WHERE s.company_id = company AND w.party_id = ANY (people)
    UNION ALL
    SELECT w.party_id, 'accountRequest', w.role, r.id, r.status, r.created_at, c.updated_at,
           CASE WHEN r.status = 'APPROVED' THEN 'RELATION' WHEN r.status = 'REPROVED' AND (r.expires_at > business_now()) IS NOT TRUE THEN NULL
                ELSE 'IN_USE' END
      FROM account_requests r
     CROSS JOIN LATERAL (SELECT r.party_id, 'holder' UNION ALL SELECT unnest(r.representative_ids), 'representative') w(party_id, role)
      LEFT JOIN account_close_requests c ON c.company_id = r.company_id AND c.account_id = r.account_id AND c.status = 'COMPLETED'
     WHERE r.company_id = company AND w.party_id = ANY (people))
  SELECT party_id, thing, role, id, status, created_at, held.ground,
         CASE WHEN held.ground IN ('OPERATION', 'RELATION') THEN
           (date_trunc('year', ended_at AT TIME ZONE 'America/Sao_Paulo') + make_interval(years => years + 1)) AT TIME ZONE 'America/Sao_Paulo'
         END
    FROM found CROSS JOIN LATERAL (SELECT CASE WHEN id IN (SELECT t.id FROM telling t) THEN 'IN_USE' ELSE found.ground END AS ground) held
$$;

CREATE OR REPLACE FUNCTION erase_people(company uuid, erasure uuid, people uuid[], document text, years integer, by text, request text)
RETURNS SETOF erasures LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  asked uuid[] := people;
  kept uuid[];
  things uuid[];
  words text[];
  instead text[];
  e record;
  parties_gone bigint := 0;
  events_gone bigint := 0;
  answers_gone bigint;
  messages_gone bigint;
  lines_gone bigint;
  uploads_gone bigint;
  defenses uuid[];
  documents_gone bigint;
BEGIN
  PERFORM set_config('lastro.company', company::text, false);
  PERFORM 1 FROM parties p WHERE p.company_id = company AND p.id = ANY (people) ORDER BY p.id FOR UPDATE;
  kept := ARRAY(SELECT DISTINCT h.party_id FROM people_held(company, people, years) h
                 WHERE h.ground IS NOT NULL AND (h.until > business_now()) IS NOT FALSE);
  people := ARRAY(SELECT p.id FROM parties p WHERE p.company_id = company AND p.id = ANY (people) AND p.id <> ALL (kept) AND p.erased_at IS NULL);
  things := ARRAY(SELECT DISTINCT h.object_id FROM people_held(company, people, years) h);
  defenses := ARRAY(SELECT m.id FROM med_objects m WHERE m.company_id = company AND m.id = ANY (things)
                       AND m.object_type = 'INFRINGEMENT_NOTIFICATION');
  things := things || ARRAY(
    SELECT c.id FROM subscription_cancellations c WHERE c.company_id = company AND c.subscription_id = ANY (things)
    UNION ALL SELECT unnest(array_append(ARRAY(SELECT a.id FROM payment_attempts a WHERE a.company_id = company AND a.payment_id = p.id), p.id))
      FROM subscription_payments p WHERE p.company_id = company AND p.subscription_id = ANY (things));
  SELECT array_agg(w.word), array_agg(w.instead) INTO words, instead FROM (
    SELECT DISTINCT to_json(k) || ':' || v.word AS word, to_json(k) || ':' || v.instead AS instead FROM (
      SELECT u.keys, to_json(u.word)::text AS word, coalesce(to_json(u.instead)::text, 'null') AS instead FROM parties p CROSS JOIN LATERAL (VALUES
          (p.name, 'NAO IDENTIFICADO', '{name,fullName}'),
          (p.document_number, repeat('0', length(p.document_number)), '{number,document,document_number,payer_document,receiver_document}'),
          (p.document_number, 'NAO IDENTIFICADO', '{key}'), (p.email, 'NAO IDENTIFICADO', '{key}'), (p.phone, 'NAO IDENTIFICADO', '{key}'),
          (p.email, '', '{email}'), (p.phone, '', '{phone}'), (p.ip, '', '{ip}'), (p.birth_date::text, NULL, '{birth_date}'),
          (p.bank ->> 'account', '0', '{account,accountNumber,receiver_account}')) u(word, instead, keys)
       WHERE p.company_id = company AND p.id = ANY (people) AND u.word <> ''
      UNION ALL SELECT ARRAY[a.key]::text, to_json(a.value)::text, '""' FROM parties p CROSS JOIN LATERAL jsonb_each_text(p.address) a
       WHERE p.company_id = company AND p.id = ANY (people) AND a.value <> ''
      UNION ALL SELECT '{key}', to_json(p.pix_key)::text, '"NAO IDENTIFICADO"' FROM payouts p
       WHERE p.company_id = company AND p.id = ANY (things)
      UNION ALL SELECT '{description}', to_json(o.description)::text, to_json(undescribed(o.payment_method))::text FROM orders o
        JOIN pix_payments p ON p.company_id = company AND p.order_id = o.id AND p.remittance = o.description
       WHERE o.company_id = company AND o.id = ANY (things) AND o.origin = 'UNASKED' AND o.payer_id = ANY (people)
      UNION ALL SELECT '{defense}', to_json(m.defense)::text, '"NAO IDENTIFICADO"' FROM med_objects m
       WHERE m.company_id = company AND m.id = ANY (defenses)
      UNION ALL SELECT u.keys, to_json(u.word)::text, coalesce(to_json(u.instead)::text, 'null') FROM account_requests r CROSS JOIN LATERAL (VALUES
          (r.trade_name, NULL, '{trade_name}'), (r.reproved_description, r.reproved_code, '{description,reprovedDescription}')) u(word, instead, keys)
       WHERE r.company_id = company AND r.id = ANY (things) AND r.party_id = ANY (people)) v
     CROSS JOIN LATERAL unnest(v.keys::text[]) k WHERE v.word IS NOT NULL) w;
  FOR e IN SELECT v.id, v.body, worded_anew(v.body, words, instead) AS left_body FROM events v
            WHERE v.company_id = company AND v.reference_id = ANY (things) AND v.body IS NOT NULL FOR UPDATE LOOP
    CONTINUE WHEN e.left_body = e.body;
    INSERT INTO erased_bodies (company_id, event_id, number, erasure_id, sha256, left_sha256)
    SELECT company, e.id, 1 + count(*), erasure, sha256(e.body), sha256(e.left_body) FROM erased_bodies b
     WHERE b.company_id = company AND b.event_id = e.id;
    UPDATE events v SET body = e.left_body WHERE v.company_id = company AND v.id = e.id;
    UPDATE delivery_attempts t SET message = '' WHERE t.company_id = company AND t.event_id = e.id;
    events_gone := events_gone + 1;
  END LOOP;
  UPDATE answers a SET body = worded_anew(a.body, words, instead)
   WHERE a.company_id = company AND a.object_id = ANY (things) AND a.body IS NOT NULL
     AND a.body <> worded_anew(a.body, words, instead);
  GET DIAGNOSTICS answers_gone = ROW_COUNT;
  UPDATE outbox o SET body = n.body FROM (
    SELECT m.id, worded_anew(
             convert_to(regexp_replace(convert_from(m.body, 'UTF8'), '"browser":\{("([^"\\]|\\.)*"|[^"}])*\}', '"browser":null'), 'UTF8'),
             array_append(words, '"address":' || coalesce(to_json(as_json(m.body) #>> '{payer,address}')::text, '""')),
             array_append(instead, '"address":""')) AS body
      FROM outbox m WHERE m.company_id = company AND m.reference_id = ANY (things)) n
   WHERE o.company_id = company AND o.id = n.id AND o.due_at IS NULL AND o.body <> n.body;
  GET DIAGNOSTICS messages_gone = ROW_COUNT;
  UPDATE payout_plan_lines l SET request = '{}', destination = NULL, likeness = NULL FROM payout_plans p
   WHERE l.company_id = company AND p.company_id = company AND p.id = l.plan_id AND l.request <> '{}'
     AND p.status NOT IN ('VALIDATING', 'READY', 'APPROVED', 'APPLYING')
     AND (l.payout_id = ANY (things) OR (l.payout_id IS NULL AND EXISTS (
            SELECT FROM (VALUES (as_json(l.request) #>> '{receiver,document,number}'), (as_json(l.request) #>> '{paymentData,pixKey}'),
                                (l.destination::jsonb #>> '{receiver,document_number}'), (l.destination::jsonb ->> 'key')) said(word)
             WHERE upper(regexp_replace(said.word, '[./-]', '', 'g')) = document
                OR lower(said.word) IN (SELECT lower(u.word) FROM parties p CROSS JOIN LATERAL (VALUES (p.email), (p.phone)) u(word)
                                         WHERE p.company_id = company AND p.id = ANY (asked)))));
  GET DIAGNOSTICS lines_gone = ROW_COUNT;
  UPDATE account_documents d SET sealed = NULL FROM account_requests r
   WHERE d.company_id = company AND d.request_id = ANY (things) AND d.sealed IS NOT NULL AND r.company_id = company AND r.id = d.request_id
     AND (r.party_id = ANY (people) OR (r.representative_ids && people AND d.slot IN ('documentRepresentative', 'selfieRepresentative')));
  GET DIAGNOSTICS uploads_gone = ROW_COUNT;
  UPDATE med_documents d SET sealed = NULL WHERE d.company_id = company AND d.object_id = ANY (defenses) AND d.sealed IS NOT NULL;
  GET DIAGNOSTICS documents_gone = ROW_COUNT;
  UPDATE med_objects m SET defense = 'NAO IDENTIFICADO'
   WHERE m.company_id = company AND m.id = ANY (defenses) AND m.defense IS NOT NULL;
  UPDATE account_requests r SET trade_name = NULL, reproved_description = NULL
   WHERE r.company_id = company AND r.id = ANY (things) AND r.party_id = ANY (people) AND num_nonnulls(r.trade_name, r.reproved_description) > 0;
  UPDATE payouts p SET pix_key = CASE WHEN p.pix_key IS NOT NULL THEN 'NAO IDENTIFICADO' END, qr = NULL, likeness = NULL
   WHERE p.company_id = company AND p.id = ANY (things) AND num_nonnulls(p.pix_key, p.qr, p.likeness) > 0;
  -- What a payer wrote is his; what a company called its order, or printed in a code, is the company's.
  UPDATE orders o SET description = undescribed(o.payment_method) FROM pix_payments p
   WHERE o.company_id = company AND o.id = ANY (things) AND o.origin = 'UNASKED' AND o.payer_id = ANY (people)
     AND p.company_id = company AND p.order_id = o.id AND p.remittance = o.description;
  UPDATE pix_payments p SET remittance = NULL
   WHERE p.company_id = company AND p.id = ANY (things) AND p.payer_id = ANY (people) AND p.remittance IS NOT NULL;
  UPDATE parties p SET name = 'NAO IDENTIFICADO', document_number = repeat('0', length(p.document_number)), email = NULL,
         phone = NULL, birth_date = NULL, address = NULL, ip = NULL, bank = bank || '{"branch": "0", "account": "0"}', erased_at = business_now()
   WHERE p.company_id = company AND p.id = ANY (people);
  GET DIAGNOSTICS parties_gone = ROW_COUNT;
  RETURN QUERY INSERT INTO erasures (company_id, id, reference, erased_by, erased, kept, created_at)
    VALUES (company, erasure, request, by,
            jsonb_build_object('people', parties_gone, 'events', events_gone, 'answers', answers_gone, 'messages', messages_gone,
                               'planLines', lines_gone, 'uploads', uploads_gone, 'defenseDocuments', documents_gone),
            jsonb_build_object('people', cardinality(kept)), business_now())
    RETURNING *;
END $$;

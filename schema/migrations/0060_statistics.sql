-- Every payment writes to each of these. New statistics of one make every session plan each of its statements anew that reads
-- it, which is as much work as taking them, again whenever a table was a tenth larger. What they hold hardly changes as they
-- grow: now they are taken when a table is half as large again.

ALTER TABLE inbox SET (autovacuum_analyze_scale_factor = 0.5);
ALTER TABLE orders SET (autovacuum_analyze_scale_factor = 0.5);
ALTER TABLE history SET (autovacuum_analyze_scale_factor = 0.5);
ALTER TABLE answers SET (autovacuum_analyze_scale_factor = 0.5);
ALTER TABLE events SET (autovacuum_analyze_scale_factor = 0.5);
ALTER TABLE outbox SET (autovacuum_analyze_scale_factor = 0.5);
ALTER TABLE deliveries SET (autovacuum_analyze_scale_factor = 0.5);
ALTER TABLE pix_payments SET (autovacuum_analyze_scale_factor = 0.5);
ALTER TABLE parties SET (autovacuum_analyze_scale_factor = 0.5);
ALTER TABLE transfers SET (autovacuum_analyze_scale_factor = 0.5);
ALTER TABLE entries SET (autovacuum_analyze_scale_factor = 0.5);
ALTER TABLE event_numbers SET (autovacuum_analyze_scale_factor = 0.5);
ALTER TABLE delivery_attempts SET (autovacuum_analyze_scale_factor = 0.5);
ALTER TABLE payouts SET (autovacuum_analyze_scale_factor = 0.5);

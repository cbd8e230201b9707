-- What is counted until the next statistics are changes, and of these tables each row is changed once or twice after it came: at
-- half as many changes as rows they were taken, and each session's plans made anew, at each sixth or quarter more. Now at each half more,
-- as of the tables whose rows are written once.

ALTER TABLE inbox SET (autovacuum_analyze_scale_factor = 1.0);
ALTER TABLE orders SET (autovacuum_analyze_scale_factor = 1.5);
ALTER TABLE outbox SET (autovacuum_analyze_scale_factor = 1.5);
ALTER TABLE deliveries SET (autovacuum_analyze_scale_factor = 1.5);
ALTER TABLE pix_payments SET (autovacuum_analyze_scale_factor = 1.0);
ALTER TABLE payouts SET (autovacuum_analyze_scale_factor = 1.5);

-- Outside a transaction: payouts come back while this is made.
-- How much of what came back waits for people is counted at every scrape.

CREATE INDEX CONCURRENTLY IF NOT EXISTS payout_returns_unfit ON payout_returns (created_at) WHERE is_unfit AND decision_id IS NULL;

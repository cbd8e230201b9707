-- The rows that were there before are looked through while others work.

ALTER TABLE subscriptions VALIDATE CONSTRAINT subscriptions_refused_charge;

-- What was used in each hour, and what AWS Marketplace was told of it. A row is there before anything is sent.
CREATE TABLE marketplace_usage (
  dimension text COLLATE "C" NOT NULL,
  hour timestamptz NOT NULL,
  quantity integer NOT NULL,
  -- Who sends it: AWS counts what two processes send of one hour twice, so nobody takes over from another.
  sender text COLLATE "C",
  -- Sent: AWS has it. Refused: AWS wants it no more. Lost: too late, or the sender is gone and nobody knows whether it had told.
  outcome text CHECK (outcome IN ('Sent', 'Refused', 'Lost')),
  detail text,
  PRIMARY KEY (dimension, hour)
);

CREATE INDEX marketplace_usage_open ON marketplace_usage (hour) WHERE outcome IS NULL;

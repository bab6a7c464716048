-- What one replica of the front door leaves for another for a minute or so: sign-in codes, and tokens that were just renewed.
CREATE TABLE console_handovers (
  -- SHA-256 of the secret that it is known by.
  digest bytea PRIMARY KEY,
  -- Sealed by the service; null while somebody works on it.
  content text,
  expires_at timestamptz NOT NULL
);

CREATE INDEX console_handovers_expiry ON console_handovers (expires_at);

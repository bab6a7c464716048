-- Tokens of API keys. The secret itself is nowhere: only its digest is.
CREATE TABLE api_key_tokens (
  -- The public part of the token.
  id text PRIMARY KEY,
  -- SHA-256 of the whole token; 256 random bits need no slow hash.
  digest bytea NOT NULL,
  project text NOT NULL,
  -- Of the very Project and key it was issued for: a new one by the same name does not inherit it.
  project_uid text NOT NULL,
  name text NOT NULL,
  key_uid text NOT NULL,
  issued_by text NOT NULL,
  issued_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- To within some minutes.
  last_used_at timestamptz
);

CREATE INDEX api_key_tokens_key ON api_key_tokens (project, name);

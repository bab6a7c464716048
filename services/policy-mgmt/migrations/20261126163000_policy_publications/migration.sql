-- Of releases that run side by side the one whose packs the stored rules are as: one row, renewed at every look.
CREATE TABLE policy_publications (
    subject    text        NOT NULL,
    release    text        NOT NULL,
    renewed_at timestamptz NOT NULL,
    CONSTRAINT policy_publications_pkey PRIMARY KEY (subject)
);

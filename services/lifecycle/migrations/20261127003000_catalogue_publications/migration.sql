-- Of releases that run side by side the one whose add-ons the catalogue has: one row, renewed at every look.
CREATE TABLE catalogue_publications (
    subject    text        NOT NULL,
    release    text        NOT NULL,
    renewed_at timestamptz NOT NULL,
    CONSTRAINT catalogue_publications_pkey PRIMARY KEY (subject)
);

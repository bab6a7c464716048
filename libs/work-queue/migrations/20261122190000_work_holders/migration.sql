-- Which process claimed a key last, and when; of a key that nobody holds it tells nothing. Null: claimed before this was noted.
ALTER TABLE work_items ADD COLUMN holder text, ADD COLUMN claimed_at timestamptz;

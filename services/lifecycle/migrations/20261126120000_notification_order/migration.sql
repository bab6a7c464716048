-- When what a message tells happened last, as it was taken here: of one object trouble and its end are told in this order, and a message is
-- as old as this. Of rows from before it is when they were made, which `created_at` says: the column stays empty, and the table is not
-- rewritten while everybody waits. The default comes second, for rows to come alone: a release from before does not name the column.
ALTER TABLE notification_messages ADD COLUMN happened_at timestamptz;
ALTER TABLE notification_messages ALTER COLUMN happened_at SET DEFAULT clock_timestamp();

-- What waits of one object.
CREATE INDEX notification_messages_object ON notification_messages (channel_uid, split_part(subject, ' ', 1)) WHERE state = 'Pending';

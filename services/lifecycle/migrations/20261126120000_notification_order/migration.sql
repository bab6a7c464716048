-- When what a message tells happened last, as it was taken here: of one object trouble and its end are told in this order, and a message is
-- as old as this. The column before it says when the message was made.
ALTER TABLE notification_messages ADD COLUMN happened_at timestamptz NOT NULL DEFAULT clock_timestamp();
UPDATE notification_messages SET happened_at = created_at;

-- What waits of one object.
CREATE INDEX notification_messages_object ON notification_messages (channel_uid, split_part(subject, ' ', 1)) WHERE state = 'Pending';

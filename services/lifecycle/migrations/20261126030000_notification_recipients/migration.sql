-- Who of several has not taken the message yet; null: nobody was asked, or all are asked alike.
ALTER TABLE notification_messages ADD COLUMN outstanding text[];

-- Why the last attempt failed, for the condition of the channel; null where the attempt is all there is to say.
ALTER TABLE notification_standings ADD COLUMN last_reason text;

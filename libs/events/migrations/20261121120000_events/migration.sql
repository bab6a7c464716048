-- What is kept too long is found by when it happened last.
CREATE INDEX resources_last_timestamp ON resources ((object ->> 'lastTimestamp') COLLATE "C");

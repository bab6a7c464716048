-- Up to which change of the events' log they were looked at for channels. One row, which whoever looks takes for the time of it.
CREATE TABLE notification_position (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  revision bigint NOT NULL
);

-- What channels have to tell, and what they told for as long as that is kept. Every time is this server's.
CREATE TABLE notification_messages (
  -- Of the CloudEvent: the same in every attempt, so that receivers can tell a second one.
  id text COLLATE "C" PRIMARY KEY,
  -- Of the very channel: a later one by the same name does not tell what was meant for this one.
  channel_uid text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL,
  -- What it is about and why: of one subject there is a pause between messages.
  subject text COLLATE "C" NOT NULL,
  -- 1 Info, 2 Warning, 3 Critical.
  severity smallint NOT NULL,
  content jsonb NOT NULL,
  -- How often it happened since the message before. Grows until the first attempt, and never after it.
  occurrences integer NOT NULL,
  state text NOT NULL DEFAULT 'Pending' CHECK (state IN ('Pending', 'Delivered', 'Failed', 'Dropped')),
  attempts integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  due_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz
);

CREATE INDEX notification_messages_due ON notification_messages (channel_uid, due_at) WHERE state = 'Pending';
CREATE INDEX notification_messages_project ON notification_messages (project) WHERE state = 'Pending';
CREATE INDEX notification_messages_subject ON notification_messages (channel_uid, subject, due_at);
CREATE INDEX notification_messages_log ON notification_messages (channel_uid, created_at);
CREATE INDEX notification_messages_name ON notification_messages (project, channel);
CREATE INDEX notification_messages_ended ON notification_messages (ended_at) WHERE state <> 'Pending';

-- How often an event had happened when a channel took it last: each occurrence is told once, however often it is seen.
CREATE TABLE notification_told (
  channel_uid text COLLATE "C" NOT NULL,
  event_uid text COLLATE "C" NOT NULL,
  event_count integer NOT NULL,
  told_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (channel_uid, event_uid)
);

CREATE INDEX notification_told_at ON notification_told (told_at);

-- The row is there before anything is sent, and says how it ended once somebody knows.
CREATE TABLE notification_attempts (
  message_id text COLLATE "C" NOT NULL REFERENCES notification_messages ON DELETE CASCADE,
  attempt integer NOT NULL,
  began_at timestamptz NOT NULL DEFAULT now(),
  -- Null until it is known: the process may have died in between.
  outcome text CHECK (outcome IN ('Delivered', 'Retry', 'Failed')),
  http_status integer,
  took_ms integer,
  detail text,
  next_at timestamptz,
  PRIMARY KEY (message_id, attempt)
);

-- How deliveries of a channel go, over all its messages.
CREATE TABLE notification_standings (
  channel_uid text COLLATE "C" PRIMARY KEY,
  project text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL,
  -- Nothing is sent before: the receiver is away, or asked for a pause.
  held_until timestamptz,
  failures_in_a_row integer NOT NULL DEFAULT 0,
  failed bigint NOT NULL DEFAULT 0,
  dropped bigint NOT NULL DEFAULT 0,
  last_delivery_at timestamptz,
  last_failure text
);

CREATE INDEX notification_standings_name ON notification_standings (project, channel);

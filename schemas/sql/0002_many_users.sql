-- Version 2: many users. Dependencies and times to wait for, recalls, accounts
-- (usage, quotas), reservations, search, archives.

ALTER TABLE job ADD COLUMN unmet INTEGER NOT NULL DEFAULT 0
  CHECK (unmet >= 0);                          -- dependencies that have not ended
ALTER TABLE job ADD COLUMN not_before_us INTEGER; -- NULL: no such time, or it has passed
ALTER TABLE job ADD COLUMN ready_us INTEGER NOT NULL DEFAULT 0; -- waits for a device since
ALTER TABLE job ADD COLUMN turn_boot_us INTEGER;  -- when its turn began; NULL without one
ALTER TABLE job ADD COLUMN recalls INTEGER NOT NULL DEFAULT 0; -- attempts it gave up for others
ALTER TABLE job ADD COLUMN log_bytes INTEGER NOT NULL DEFAULT 0; -- on its owner's account
UPDATE job SET ready_us = created_us;
ALTER TABLE event ADD COLUMN uid INTEGER;      -- who asked for it; NULL: nobody, it happened

-- A job is claimable when it is QUEUED, has no unmet dependency and its time
-- has come. By user for fair shares, by age for the bounds of the classes.
DROP INDEX job_ready;
CREATE INDEX job_ready ON job (device, priority, owner_uid, id)
  WHERE state = 'QUEUED' AND unmet = 0 AND not_before_us IS NULL;
CREATE INDEX job_ready_age ON job (device, priority, ready_us)
  WHERE state = 'QUEUED' AND unmet = 0 AND not_before_us IS NULL;
CREATE INDEX job_not_before ON job (not_before_us) WHERE not_before_us IS NOT NULL;
CREATE INDEX job_finished ON job (finished_us) WHERE finished_us IS NOT NULL;

-- job_id waits for on_id.
CREATE TABLE dependency (
  job_id    INTEGER NOT NULL REFERENCES job (id),
  on_id     INTEGER NOT NULL REFERENCES job (id),
  condition TEXT    NOT NULL CHECK (condition IN ('AFTER_OK', 'AFTER_ANY')),
  met       INTEGER NOT NULL DEFAULT 0 CHECK (met IN (0, 1)), -- on_id ended, as wanted
  PRIMARY KEY (job_id, on_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX dependency_on ON dependency (on_id);

-- What each user has used. A row comes with the first job or blob.
CREATE TABLE account (
  uid            INTEGER PRIMARY KEY,
  usage_us       INTEGER NOT NULL DEFAULT 0,   -- turn time, halved every half-life, as of ...
  usage_at_us    INTEGER NOT NULL DEFAULT 0,   -- ... this time
  day            INTEGER NOT NULL DEFAULT 0,   -- UTC day that day_turn_us is of
  day_turn_us    INTEGER NOT NULL DEFAULT 0,   -- turn time of that day
  submissions    REAL    NOT NULL DEFAULT 0,   -- level of the leaking bucket, as of ...
  submissions_us INTEGER NOT NULL DEFAULT 0,   -- ... this time
  blob_bytes     INTEGER NOT NULL DEFAULT 0,   -- of blobs the user wrote
  log_bytes      INTEGER NOT NULL DEFAULT 0    -- of logs of the user's jobs
) STRICT;

-- Limits that differ from the configured ones. 0: no limit.
CREATE TABLE quota_v2 (
  uid   INTEGER NOT NULL,
  name  TEXT    NOT NULL,                      -- see server/queue/quota.h
  value INTEGER NOT NULL CHECK (value >= 0),
  PRIMARY KEY (uid, name)
) STRICT, WITHOUT ROWID;
INSERT INTO quota_v2 SELECT uid, 'queued_jobs', queued_jobs_limit FROM quota;
DROP TABLE quota;
ALTER TABLE quota_v2 RENAME TO quota;

-- Bytes a user wrote, on that user's account.
ALTER TABLE blob_owner ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
UPDATE blob_owner SET size = (SELECT size FROM blob WHERE blob.digest = blob_owner.digest);
INSERT INTO account (uid, blob_bytes)
  SELECT uid, sum(size) FROM blob_owner WHERE true GROUP BY uid;
CREATE TRIGGER blob_owner_insert AFTER INSERT ON blob_owner BEGIN
  INSERT INTO account (uid, blob_bytes) VALUES (NEW.uid, NEW.size)
    ON CONFLICT (uid) DO UPDATE SET blob_bytes = blob_bytes + NEW.size;
END;
CREATE TRIGGER blob_owner_delete AFTER DELETE ON blob_owner BEGIN
  UPDATE account SET blob_bytes = blob_bytes - OLD.size WHERE uid = OLD.uid;
END;
CREATE INDEX blob_touched ON blob (touched_us);

ALTER TABLE device ADD COLUMN drained_us INTEGER;        -- NULL when not drained
ALTER TABLE device ADD COLUMN reserved_uid INTEGER;      -- only this user's jobs start; NULL: everybody's
ALTER TABLE device ADD COLUMN reserved_until_us INTEGER; -- NULL without a reservation
ALTER TABLE device ADD COLUMN reserved_by_uid INTEGER;
ALTER TABLE device ADD COLUMN reserve_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE device ADD COLUMN pace_us INTEGER NOT NULL DEFAULT 0; -- of a lease, smoothed; 0: none yet
ALTER TABLE device ADD COLUMN aged_last INTEGER NOT NULL DEFAULT 0
  CHECK (aged_last IN (0, 1));                 -- the last claim was of a job past its bound

-- Words to find jobs by; filled a moment after their creation (store/search.h).
CREATE VIRTUAL TABLE job_text USING fts5 (owner, words, content = '');
CREATE TABLE job_text_state (last_id INTEGER NOT NULL) STRICT; -- newest job in it
INSERT INTO job_text_state VALUES (0);

CREATE TRIGGER job_count_delete AFTER DELETE ON job BEGIN
  UPDATE job_count SET jobs = jobs - 1 WHERE state = OLD.state;
END;

-- Finished jobs an admin moved to a file of their own under <state>/archive. The
-- file has these same tables, and the bytes that <state>/blobs and <state>/logs
-- held (empty in the live file).
CREATE TABLE archived_job (
  public_id TEXT PRIMARY KEY,
  file      TEXT NOT NULL                      -- name under <state>/archive
) STRICT, WITHOUT ROWID;
CREATE TABLE archived_bytes (
  name  TEXT PRIMARY KEY,                      -- blobs/{digest} or logs/{id}
  bytes BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- State of kernelopt-d, version 1. One file, one writer (the daemon), WAL.
--
-- Read it with `sqlite3 'file:kernelopt.db?mode=ro'` on a stopped daemon or a
-- backup; never open the live file for writing. Times are Unix microseconds
-- (UTC), except *_boot_us: CLOCK_BOOTTIME of the boot in boot_id. Protobuf
-- columns hold messages of proto/kernelopt/v1.

-- One row per job, from CreateJob on, for ever.
CREATE TABLE job (
  id               INTEGER PRIMARY KEY,        -- internal; grows with creation
  public_id        TEXT    NOT NULL UNIQUE,    -- the {id} of jobs/{id}
  owner_uid        INTEGER NOT NULL,           -- SO_PEERCRED of the submitter
  state            TEXT    NOT NULL CHECK (state IN ('QUEUED','HELD','LEASED','RUNNING',
                     'SUCCEEDED','FAILED','CANCELLED','TIMED_OUT','EXPIRED')),
  state_reason     TEXT    NOT NULL DEFAULT '',-- UPPER_SNAKE or ''
  state_message    TEXT    NOT NULL DEFAULT '',-- for people
  priority         INTEGER NOT NULL CHECK (priority IN (1, 2, 3)), -- 1 interactive ... 3 batch
  device           TEXT    NOT NULL,           -- host, GPU-<uuid>
  label            TEXT    NOT NULL DEFAULT '',
  spec             BLOB    NOT NULL,           -- JobSpec, immutable
  request_id       TEXT,                       -- NULL when the client gave none
  request_digest   TEXT,                       -- SHA-256 of the spec as sent; NULL with request_id
  retry_of         TEXT    NOT NULL DEFAULT '',-- jobs/{id} or ''
  revision         INTEGER NOT NULL DEFAULT 1, -- +1 at each change of this row
  attempt          INTEGER NOT NULL DEFAULT 0, -- number of the latest attempt
  epoch            INTEGER NOT NULL DEFAULT 0, -- latest lease epoch; fences results
  worker           TEXT,                       -- instance holding the lease; NULL without one
  boot_id          TEXT,                       -- boot the lease belongs to; NULL without one
  lease_boot_us    INTEGER,                    -- when leased; NULL without a lease
  cancel_us        INTEGER,                    -- CancelJob while leased; NULL otherwise
  queue_deadline_us INTEGER NOT NULL,          -- then EXPIRED, unless leased before
  created_us       INTEGER NOT NULL,
  leased_us        INTEGER,                    -- first lease; NULL before
  started_us       INTEGER,                    -- turn of the last attempt; NULL before
  finished_us      INTEGER,                    -- end; NULL before
  summary          BLOB,                       -- ResultSummary; NULL unless SUCCEEDED
  CHECK ((finished_us IS NOT NULL) =
         (state IN ('SUCCEEDED','FAILED','CANCELLED','TIMED_OUT','EXPIRED'))),
  CHECK ((worker IS NOT NULL) = (state IN ('LEASED','RUNNING'))),
  CHECK ((boot_id IS NOT NULL) = (worker IS NOT NULL)),
  CHECK ((lease_boot_us IS NOT NULL) = (worker IS NOT NULL)),
  CHECK ((summary IS NOT NULL) = (state = 'SUCCEEDED'))
) STRICT;

CREATE INDEX job_ready  ON job (device, priority, id) WHERE state = 'QUEUED';
CREATE INDEX job_leased ON job (device) WHERE state IN ('LEASED','RUNNING');
CREATE INDEX job_deadline ON job (queue_deadline_us) WHERE state IN ('QUEUED','HELD');
CREATE INDEX job_live_owner ON job (owner_uid)
  WHERE state IN ('QUEUED','HELD','LEASED','RUNNING');
CREATE INDEX job_owner ON job (owner_uid, id);
CREATE INDEX job_state ON job (state, id);
CREATE UNIQUE INDEX job_request ON job (owner_uid, request_id) WHERE request_id IS NOT NULL;

-- Jobs per state, kept by the triggers below so that status never counts rows.
CREATE TABLE job_count (
  state TEXT PRIMARY KEY,
  jobs  INTEGER NOT NULL CHECK (jobs >= 0)
) STRICT;
INSERT INTO job_count VALUES ('QUEUED',0),('HELD',0),('LEASED',0),('RUNNING',0),('SUCCEEDED',0),
  ('FAILED',0),('CANCELLED',0),('TIMED_OUT',0),('EXPIRED',0);
CREATE TRIGGER job_count_insert AFTER INSERT ON job BEGIN
  UPDATE job_count SET jobs = jobs + 1 WHERE state = NEW.state;
END;
CREATE TRIGGER job_count_update AFTER UPDATE OF state ON job WHEN OLD.state <> NEW.state BEGIN
  UPDATE job_count SET jobs = jobs - 1 WHERE state = OLD.state;
  UPDATE job_count SET jobs = jobs + 1 WHERE state = NEW.state;
END;

-- Every try of a job on a worker.
CREATE TABLE attempt (
  job_id     INTEGER NOT NULL REFERENCES job (id),
  number     INTEGER NOT NULL,                 -- 1, 2, 3...
  epoch      INTEGER NOT NULL,                 -- of the lease
  worker     TEXT    NOT NULL,                 -- instance id
  device     TEXT    NOT NULL,
  leased_us  INTEGER NOT NULL,
  ended_us   INTEGER,                          -- NULL while it runs
  end_reason TEXT    NOT NULL DEFAULT '',      -- see Attempt.end_reason in job.proto
  PRIMARY KEY (job_id, number)
) STRICT, WITHOUT ROWID;

-- At most one accepted result per job: the primary key says so.
CREATE TABLE result (
  job_id  INTEGER PRIMARY KEY REFERENCES job (id),
  attempt INTEGER NOT NULL,                    -- number of the attempt that made it
  result  BLOB    NOT NULL                     -- JobResult
) STRICT;

-- Every change of a job, in the order of commits.
CREATE TABLE event (
  seq      INTEGER PRIMARY KEY AUTOINCREMENT,
  job_id   INTEGER NOT NULL REFERENCES job (id),
  revision INTEGER NOT NULL,                   -- job.revision after the change
  time_us  INTEGER NOT NULL,
  state    TEXT    NOT NULL,                   -- job.state after the change
  reason   TEXT    NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX event_job ON event (job_id, revision);

-- Bytes on disk under <state>/blobs; the row is committed after their fsync.
CREATE TABLE blob (
  digest     TEXT PRIMARY KEY,                 -- SHA-256, lower-case hex
  size       INTEGER NOT NULL,                 -- bytes
  touched_us INTEGER NOT NULL                  -- last write or pin; GC counts from it
) STRICT, WITHOUT ROWID;

-- Who wrote a blob: nobody else may use its digest.
CREATE TABLE blob_owner (
  uid    INTEGER NOT NULL,
  digest TEXT    NOT NULL REFERENCES blob (digest) ON DELETE CASCADE,
  PRIMARY KEY (uid, digest)
) STRICT, WITHOUT ROWID;

-- Blobs a job names; they stay as long as the job.
CREATE TABLE job_blob (
  job_id INTEGER NOT NULL REFERENCES job (id),
  digest TEXT    NOT NULL REFERENCES blob (digest),
  PRIMARY KEY (job_id, digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX job_blob_digest ON job_blob (digest);

-- Every device a worker ever attached for.
CREATE TABLE device (
  name           TEXT PRIMARY KEY,             -- host, GPU-<uuid>
  report         BLOB    NOT NULL,             -- Device as the worker sent it
  seen_us        INTEGER NOT NULL,             -- last attach or detach
  drained        INTEGER NOT NULL DEFAULT 0 CHECK (drained IN (0, 1)),
  drain_reason   TEXT    NOT NULL DEFAULT '',
  drained_by_uid INTEGER                       -- NULL when not drained
) STRICT, WITHOUT ROWID;

-- Switches of the whole daemon: `paused` holds the reason while paused.
CREATE TABLE switch (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Limits that differ from the configured ones.
CREATE TABLE quota (
  uid               INTEGER PRIMARY KEY,
  queued_jobs_limit INTEGER NOT NULL CHECK (queued_jobs_limit >= 0) -- 0: none
) STRICT;

-- Who changed what.
CREATE TABLE audit (
  seq     INTEGER PRIMARY KEY AUTOINCREMENT,
  time_us INTEGER NOT NULL,
  uid     INTEGER NOT NULL,
  action  TEXT    NOT NULL,                    -- UPPER_SNAKE
  target  TEXT    NOT NULL,                    -- resource name
  detail  TEXT    NOT NULL DEFAULT ''
) STRICT;

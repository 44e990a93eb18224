-- Version 3: faults of devices. A fault is a lease that the system, not the
-- kernel, ended.

ALTER TABLE device ADD COLUMN faults INTEGER NOT NULL DEFAULT 0;     -- in a row, until a result comes
ALTER TABLE device ADD COLUMN fault_jobs INTEGER NOT NULL DEFAULT 0; -- jobs these were of
ALTER TABLE device ADD COLUMN fault_users INTEGER NOT NULL DEFAULT 0; -- and users
ALTER TABLE device ADD COLUMN fault_job TEXT NOT NULL DEFAULT '';    -- public id of the last of them
ALTER TABLE device ADD COLUMN fault_uid INTEGER;                     -- its owner
ALTER TABLE device ADD COLUMN fault TEXT NOT NULL DEFAULT '';        -- what was said last
ALTER TABLE device ADD COLUMN quarantined_until_us INTEGER;          -- NULL: never was, or was resumed
ALTER TABLE device ADD COLUMN quarantined_uid INTEGER;               -- whose jobs do not start; NULL: nobody's

-- The store itself: one row.
CREATE TABLE csi4j_claim_store (
  only_one smallint PRIMARY KEY CHECK (only_one = 1),
  -- Created with the store. After restoring an older copy of the files, delete this row in it.
  mark uuid NOT NULL,
  -- Number of writes; a write locks this row, so versions are committed in their order.
  version bigint NOT NULL,
  -- Writes up to this one are no longer in csi4j_claim_write.
  forgotten bigint NOT NULL,
  -- The cluster, the table and the timeline in which the mark was created: anywhere else the store is
  -- a copy. A star after them means that a standby that takes over has all writes.
  home text
);

-- The current records, by a name that sorts like their volumes: claims; volumes of the catalog, with
-- the first byte 0; records of the cluster, with the first byte 1. For a name of more than 2,600
-- bytes, the column has the first 2,569 and the SHA-256 digest; the name is then in the record, too.
CREATE TABLE csi4j_claim (
  name bytea PRIMARY KEY,
  version bigint NOT NULL,
  record bytea NOT NULL
);

-- The last writes, for watches.
CREATE TABLE csi4j_claim_write (
  version bigint PRIMARY KEY,
  name bytea NOT NULL,
  -- Null for a removed record.
  record bytea
);

-- For tables that an earlier version created.
ALTER TABLE csi4j_claim_store ADD COLUMN IF NOT EXISTS home text;
ALTER TABLE csi4j_claim_write ALTER COLUMN record DROP NOT NULL;

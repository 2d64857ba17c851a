-- The store itself: one row.
CREATE TABLE csi4j_claim_store (
  only_one smallint PRIMARY KEY CHECK (only_one = 1),
  -- Made with the store. After an older copy of the files was put back, delete this row in it.
  mark uuid NOT NULL,
  -- How often anything was written; a write holds this row, so versions are committed in their order.
  version bigint NOT NULL,
  -- Writes up to this one are no longer in csi4j_claim_write.
  forgotten bigint NOT NULL,
  -- The cluster, the table and the timeline in which the mark was made: elsewhere it is a copy. A
  -- star behind them says that a standby that takes over has all that was written.
  home text
);

-- The records as they are, by a name that sorts as the volumes do: claims, behind a byte 0 the
-- volumes of the catalog, behind a byte 1 what belongs to the cluster. Of a name with more than 2,600
-- bytes it has the first 2,569 and the SHA-256 digest; the name is then in the record, too.
CREATE TABLE csi4j_claim (
  name bytea PRIMARY KEY,
  version bigint NOT NULL,
  record bytea NOT NULL
);

-- The last writes, for watches.
CREATE TABLE csi4j_claim_write (
  version bigint PRIMARY KEY,
  name bytea NOT NULL,
  -- Nothing for a record that was removed.
  record bytea
);

-- For tables that were made before.
ALTER TABLE csi4j_claim_store ADD COLUMN IF NOT EXISTS home text;
ALTER TABLE csi4j_claim_write ALTER COLUMN record DROP NOT NULL;

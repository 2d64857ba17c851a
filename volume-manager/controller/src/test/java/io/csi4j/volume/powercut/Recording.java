package io.csi4j.volume.powercut;

import java.util.List;

/**
 * A disk and its history, while a host worked on it.
 *
 * @param scene what the host did
 * @param base the disk at the beginning
 * @param before what the host had been told before
 * @param from the first entry before which the power may be cut; what is earlier made the stage
 * @param log the history
 */
record Recording(Scene scene, DiskImage base, Ledger before, int from, List<DiskLog.Entry> log) {

  /** What a host does while it is recorded. */
  enum Scene {
    /** Mounts, unmounts, grows, claims, makes and deletes, as fast as it can. */
    WORK,
    /** Starts after a power cut, mounts again what is wanted, and works. */
    RECOVERY,
    /** The same, after its state was deleted: identity files of volumes are all that is left. */
    REBUILD
  }

  Recording {
    log = List.copyOf(log);
  }
}

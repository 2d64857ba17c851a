package io.csi4j.mount.model;

import java.util.List;

/**
 * The changes between two looks at the table.
 *
 * @param now the newer look
 * @param added the mounts that only the newer one has, in the kernel's order
 * @param removed the mounts that only the older one has
 * @since 1.0
 */
public record MountChanges(MountSnapshot now, List<MountRecord> added, List<MountRecord> removed) {

  /** Copies the lists. */
  public MountChanges {
    added = List.copyOf(added);
    removed = List.copyOf(removed);
  }

  /** Whether nothing came or went. */
  public boolean isEmpty() {
    return added.isEmpty() && removed.isEmpty();
  }
}

package io.csi4j.mount.internal.table;

import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountHealth;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What the types of filesystems tell of the health of their mounts.
 *
 * <p>What was told of a mount is remembered by the number that no other gets, for a number of
 * mounts: its type never changes, and reading it costs more than the look at its path.
 */
final class HealthByType {

  /** A power of two. */
  private static final int REMEMBERED = 1024;

  private final StatmountReader mounts;

  /** In each place the last number that belongs there, doubled, plus one if a server answers. */
  private final AtomicLongArray known = new AtomicLongArray(REMEMBERED);

  HealthByType(StatmountReader mounts) {
    this.mounts = mounts;
  }

  /** That of a mount by its unique number; nothing if it is gone or out of this namespace. */
  Optional<MountHealth> of(long id) {
    int place = (int) id & (REMEMBERED - 1);
    long entry = known.get(place);
    if (entry >>> 1 == id) {
      return Optional.of((entry & 1) == 0 ? MountHealth.OK : MountHealth.UNKNOWN);
    }
    Optional<MountHealth> health = mounts.type(id).map(HealthByType::of);
    health.ifPresent(each -> known.set(place, id << 1 | (each == MountHealth.OK ? 0 : 1)));
    return health;
  }

  /** That of any mount of this type. */
  static MountHealth of(KernelText type) {
    return FilesystemTypes.hasServer(new String(type.bytes(), StandardCharsets.US_ASCII))
        ? MountHealth.UNKNOWN
        : MountHealth.OK;
  }
}

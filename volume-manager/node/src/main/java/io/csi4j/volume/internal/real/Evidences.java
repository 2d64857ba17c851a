package io.csi4j.volume.internal.real;

import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountIdentity;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.volume.internal.record.Evidence;

/** The evidence that is kept of a mount. */
final class Evidences {

  private static final KernelText READ_ONLY = KernelText.of("ro");

  private Evidences() {}

  static Evidence of(MountRecord record) {
    return new Evidence(
        record.ref().encode(),
        record.type().toString(),
        record.source().toString(),
        root(record).toString(),
        isReadOnly(record));
  }

  /** The root without the kernel's mark: a mount looks the same after its source was deleted. */
  private static KernelText root(MountRecord record) {
    return new MountIdentity.Reusable(record.id(), record.device(), record.root()).root();
  }

  /** Whether the mount, or the filesystem behind it, takes no writes. */
  private static boolean isReadOnly(MountRecord record) {
    return record.isReadOnly()
        || (!record.options().isEmpty() && record.options().get(0).equals(READ_ONLY));
  }
}

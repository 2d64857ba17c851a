package io.csi4j.volume.internal.layout;

import io.csi4j.volume.internal.text.HashedName;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.WorkloadId;
import java.util.Optional;

/** A use of which only the directory is left: its workload is not known any more. */
public final class StrayUse {

  private static final Namespace NAMESPACE = Namespace.of("?");

  private StrayUse() {}

  /** The use that a directory of a volume stands for. */
  public static UsageKey of(VolumeIdentity identity, String directory) {
    return UsageKey.of(
        VolumeKey.of(NAMESPACE, VolumeLayout.id(identity)), WorkloadId.of(directory));
  }

  /** The name of the directory, if the use is a stray one. */
  public static Optional<String> directory(UsageKey usage) {
    return isStray(usage) ? Optional.of(usage.workload().value()) : Optional.empty();
  }

  /** The stray use that a use of a host would be, had its name been lost. */
  public static UsageKey of(VolumeIdentity identity, UsageKey usage) {
    return of(identity, VolumeLayout.id(usage));
  }

  /** Whether it is; a host cannot ask for one. */
  public static boolean isStray(UsageKey usage) {
    // A name that is none of ours must not become a path.
    return usage.volume().namespace().equals(NAMESPACE)
        && HashedName.isName(usage.workload().value());
  }
}

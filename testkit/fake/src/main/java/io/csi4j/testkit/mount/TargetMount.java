package io.csi4j.testkit.mount;

import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountResult;
import io.csi4j.mount.model.Propagation;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** The mount that is at a target already, compared with the one that is asked for. */
final class TargetMount {

  private final Mount mount;
  private final List<String> differences = new ArrayList<>();

  TargetMount(Mount mount) {
    this.mount = mount;
  }

  <T> void expect(String field, T wanted, Function<Mount, T> there) {
    if (!there.apply(mount).equals(wanted)) {
      differences.add(field);
    }
  }

  /**
   * Expects the propagation. A mount that receives shows so only if there was one to receive from.
   */
  void expectPropagation(Propagation wanted, Mount source) {
    boolean sends = mount.peers != null;
    boolean receives = sends || mount.master != null;
    boolean sourceReceives = source.peers != null || source.master != null;
    boolean fits =
        switch (wanted) {
          case PRIVATE -> !receives;
          case HOST_TO_CONTAINER -> !sends && (receives || !sourceReceives);
          case BIDIRECTIONAL -> sends;
        };
    if (!fits) {
      differences.add("propagation");
    }
  }

  MountResult sameOrRefuse(String doing, MountPath target, String bootId) {
    if (differences.isEmpty()) {
      return new MountResult(Records.ref(mount, bootId), false);
    }
    throw KernelErrors.refused(
            Reason.TARGET_OCCUPIED,
            doing,
            "another mount is there, "
                + Records.record(mount, bootId)
                + ", which differs in "
                + String.join(" and ", differences),
            "Unmount it first, or choose another target",
            target)
        .occupant(Records.record(mount, bootId))
        .build();
  }
}

package io.csi4j.mount.internal.change;

import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.Propagation;
import io.csi4j.mount.model.PropagationTags;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** The mount that is at a target already, compared with the one that is asked for. */
final class MountAtTarget {

  private final MountRecord mount;
  private final List<String> differences = new ArrayList<>();

  MountAtTarget(MountRecord mount) {
    this.mount = mount;
  }

  void expect(String field, Object there, Object wanted) {
    if (!there.equals(wanted)) {
      differ(field, there, wanted);
    }
  }

  void expectFlags(Collection<MountFlag> wanted) {
    expect("flags", words(mount.flags()), words(wanted));
  }

  /**
   * Expects what a mount from that source has after its propagation was set. One that receives
   * shows so only if there was a mount to receive from.
   */
  void expectPropagation(MountRecord from, Propagation wanted) {
    PropagationTags there = mount.propagation();
    boolean fits =
        switch (wanted) {
          case PRIVATE -> !there.sends() && !there.receives();
          case HOST_TO_CONTAINER ->
              !there.sends() && (there.receives() || !from.propagation().receives());
          case BIDIRECTIONAL -> there.sends();
        };
    if (!fits) {
      differ("propagation", there, wanted.kernelWord());
    }
  }

  /**
   * The reference to it, if nothing differs.
   *
   * @throws MountException with {@link Reason#TARGET_OCCUPIED}, naming what differs
   */
  MountRef sameOrRefuse(String doing, MountPath target) {
    if (differences.isEmpty()) {
      return mount.ref();
    }
    throw MountException.builder(
            Reason.TARGET_OCCUPIED,
            doing
                + " was refused: another mount is there, "
                + mount
                + ". It differs in "
                + String.join(" and in ", differences)
                + ". Unmount it first, or choose another target.")
        .target(target)
        .occupant(mount)
        .build();
  }

  private void differ(String field, Object there, Object wanted) {
    differences.add(field + " (" + there + " instead of " + wanted + ")");
  }

  private static String words(Collection<MountFlag> flags) {
    return flags.isEmpty()
        ? "none"
        : flags.stream().sorted().map(MountFlag::word).collect(Collectors.joining(","));
  }
}

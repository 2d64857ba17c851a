package io.csi4j.mount.internal.change;

import io.csi4j.mount.Mounts;
import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.KernelFeatures;
import io.csi4j.mount.internal.table.KernelTable;
import io.csi4j.mount.model.MountSettings;
import io.csi4j.mount.real.HiddenCalls;
import java.util.Set;

/** The kernels on which everything is tested: this one, and older ones made from it. */
enum Rung {
  /** All that this kernel has. */
  BEST(0, true),
  /** Before 5.12: flags cannot be set on a tree. */
  NO_SETATTR(0, true),
  /** Before 6.8: mounts have reusable numbers only. */
  NO_UNIQUE_IDS(0, true),
  /** Before 5.2. */
  OLDEST(0, true),
  /** A filter that hides the calls, known from the start. */
  HIDDEN(Abi.ENOSYS, true),
  /** An old container's filter, known from the start. */
  FORBIDDEN(Abi.EPERM, true),
  /** A filter that came after the features were tried. */
  FORBIDDEN_LATER(Abi.EPERM, false);

  private static final int[] NEW_CALLS = {
    HiddenCalls.STATX,
    HiddenCalls.OPEN_TREE,
    HiddenCalls.MOVE_MOUNT,
    HiddenCalls.OPENAT2,
    HiddenCalls.MOUNT_SETATTR,
    HiddenCalls.STATMOUNT,
    HiddenCalls.LISTMOUNT
  };
  private static final int[] CHANGING_CALLS = {
    HiddenCalls.OPEN_TREE, HiddenCalls.OPENAT2, HiddenCalls.MOUNT_SETATTR
  };

  private final int errno;
  private final boolean isProbed;

  Rung(int errno, boolean isProbed) {
    this.errno = errno;
    this.isProbed = isProbed;
  }

  /** What is done on a kernel. */
  interface Body {
    void run(Mounts mounts, Kernel kernel) throws Exception;
  }

  /** Does it on that kernel. */
  void run(Body body) throws Exception {
    Kernel real = RunningKernel.kernel();
    if (errno == 0) {
      KernelFeatures features = real.features();
      for (Feature feature : missing()) {
        features = features.without(feature, "it is left out");
      }
      run(real.with(real.calls(), features), body);
      return;
    }
    HiddenCalls.on(
        errno,
        () -> {
          KernelFeatures features = isProbed ? KernelFeatures.probe(real.calls()) : real.features();
          run(real.with(real.calls(), features), body);
          return true;
        },
        isProbed ? NEW_CALLS : CHANGING_CALLS);
  }

  private Set<Feature> missing() {
    return switch (this) {
      case NO_SETATTR -> Set.of(Feature.MOUNT_SETATTR);
      case NO_UNIQUE_IDS -> Set.of(Feature.STATX_UNIQUE_ID, Feature.STATMOUNT, Feature.LISTMOUNT);
      case OLDEST -> Set.of(Feature.values());
      default -> Set.of();
    };
  }

  private static void run(Kernel kernel, Body body) throws Exception {
    body.run(mounts(kernel), kernel);
  }

  static Mounts mounts(Kernel kernel) {
    return RunningKernel.mounts(kernel, new KernelTable(kernel), MountSettings.DEFAULT);
  }
}

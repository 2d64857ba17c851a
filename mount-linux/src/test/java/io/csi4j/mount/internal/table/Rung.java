package io.csi4j.mount.internal.table;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.KernelFeatures;
import io.csi4j.mount.real.HiddenCalls;
import java.util.concurrent.Callable;
import java.util.function.Function;

/** A rung of the ladder of ways to look at paths: a kernel that lacks what is above it. */
enum Rung {
  /** The kernel as it is. */
  NEWEST(false, true, true, true),
  /** Linux 5.8 to 6.7. */
  REUSABLE_IDS(false, false, true, true),
  /** The kernel as it is, with a filter that forbids {@code openat2} only. */
  NEWEST_WITHOUT_OPENAT2(false, true, true, false),
  /** Linux 5.6 and 5.7. */
  OPENAT2(false, false, false, true),
  /** Linux 3.15 to 5.5. */
  FDINFO(false, false, false, false),
  /** The kernel as it is, with a filesystem whose mounts must not be touched. */
  NEWEST_CAREFUL(true, true, true, true),
  /** Linux 5.6 to 6.7, with such a filesystem. */
  REUSABLE_IDS_CAREFUL(true, false, true, true),
  /** Linux 3.15 to 5.5, with such a filesystem. */
  FDINFO_CAREFUL(true, false, false, false),
  /** A filter that says the newer calls do not exist. */
  FILTER_ENOSYS(false, false, false, false) {
    @Override
    <T> T with(Function<MountTable, T> work) {
      return filtered(Abi.ENOSYS, work);
    }
  },
  /** A filter that says the newer calls are not permitted. */
  FILTER_EPERM(false, false, false, false) {
    @Override
    <T> T with(Function<MountTable, T> work) {
      return filtered(Abi.EPERM, work);
    }
  };

  private final boolean careful;
  private final boolean uniqueIds;
  private final boolean statx;
  private final boolean openat2;

  Rung(boolean careful, boolean uniqueIds, boolean statx, boolean openat2) {
    this.careful = careful;
    this.uniqueIds = uniqueIds;
    this.statx = statx;
    this.openat2 = openat2;
  }

  /** Whether references have numbers here that no other mount gets. */
  boolean hasUniqueIds() {
    return uniqueIds && RunningKernel.kernel().features().hasUniqueIds();
  }

  /** The kernel of this rung. */
  Kernel kernel() {
    Kernel kernel = RunningKernel.kernel();
    KernelFeatures features = kernel.features();
    if (!uniqueIds) {
      features = without(features, Feature.STATX_UNIQUE_ID, Feature.STATMOUNT, Feature.LISTMOUNT);
    }
    if (!statx) {
      features = without(features, Feature.STATX_MOUNT_ROOT);
    }
    if (!openat2) {
      features = without(features, Feature.OPENAT2);
    }
    return kernel.with(kernel.calls(), features);
  }

  private static KernelFeatures without(KernelFeatures features, Feature... missing) {
    for (Feature feature : missing) {
      features = features.without(feature, "the test does without");
    }
    return features;
  }

  /** Whether its kernel may tear a reading of the table, so that two have to agree. */
  boolean readsTwice() {
    return !statx || !RunningKernel.kernel().features().has(Feature.STATX_MOUNT_ROOT);
  }

  /** Works with the table of this rung. */
  <T> T with(Function<MountTable, T> work) {
    return work.apply(RunningKernel.table(kernel(), () -> careful));
  }

  private static <T> T filtered(int errno, Function<MountTable, T> work) {
    Callable<T> there =
        () -> {
          Kernel kernel = RunningKernel.kernel();
          Kernel older = kernel.with(kernel.calls(), KernelFeatures.probe(kernel.calls()));
          if (older.features().has(Feature.OPENAT2) || older.features().hasUniqueIds()) {
            throw new AssertionError("the filter does not hide the calls");
          }
          return work.apply(RunningKernel.table(older, () -> false));
        };
    try {
      return HiddenCalls.on(
          errno,
          there,
          HiddenCalls.STATX,
          HiddenCalls.OPENAT2,
          HiddenCalls.STATMOUNT,
          HiddenCalls.LISTMOUNT);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}

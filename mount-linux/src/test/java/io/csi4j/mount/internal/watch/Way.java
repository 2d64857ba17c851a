package io.csi4j.mount.internal.watch;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.mount.MountWatch;
import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.KernelFeatures;
import io.csi4j.mount.model.MountEvent;
import io.csi4j.mount.real.HiddenCalls;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** The ways in which kernels tell of changes. */
@SuppressWarnings("ImmutableEnumChecker") // filled once, by the constructor
enum Way {
  /** Each mount that comes and goes (6.15). */
  FANOTIFY {
    @Override
    void assumeHere() {
      KernelFeatures features = RunningKernel.kernel().features();
      assumeTrue(
          features.has(Feature.FANOTIFY_MOUNTS),
          () -> "no events of mounts: " + features.obstacle(Feature.FANOTIFY_MOUNTS).orElseThrow());
    }
  },
  /** That something changed, with a table of unique ids (6.8). */
  POLL(Feature.FANOTIFY_MOUNTS),
  /** That something changed, with a table of text alone. */
  POLL_TEXT(Feature.FANOTIFY_MOUNTS, Feature.LISTMOUNT, Feature.STATMOUNT, Feature.STATX_UNIQUE_ID),
  /** A filter that refuses what the kernel would have had. */
  FILTERED {
    @Override
    MountWatch.Watching start(Consumer<MountEvent> listener) throws Exception {
      return HiddenCalls.on(Abi.EPERM, () -> super.start(listener), HiddenCalls.FANOTIFY_INIT);
    }
  };

  private final Set<Feature> missing = EnumSet.noneOf(Feature.class);

  Way(Feature... missing) {
    this.missing.addAll(List.of(missing));
  }

  /**
   * Skips the test where the running kernel cannot tell in this way. A test that begins threads
   * asks before it does, the others leave it to {@link #start}.
   */
  void assumeHere() {}

  /** Starts a watch on a kernel that tells in this way. */
  MountWatch.Watching start(Consumer<MountEvent> listener) throws Exception {
    assumeHere();
    return RunningKernel.watch(kernel()).start(listener);
  }

  private Kernel kernel() {
    Kernel kernel = RunningKernel.kernel();
    KernelFeatures features = kernel.features();
    for (Feature feature : missing) {
      features = features.without(feature, "the test does without");
    }
    return kernel.with(kernel.calls(), features);
  }
}

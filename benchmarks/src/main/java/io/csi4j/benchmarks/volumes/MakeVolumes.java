package io.csi4j.benchmarks.volumes;

import io.csi4j.client.AccessMode;
import io.csi4j.client.VolumeId;
import io.csi4j.mount.MountPath;
import io.csi4j.volume.ManagerSettings;
import io.csi4j.volume.MountRequest;
import io.csi4j.volume.UsageKey;
import io.csi4j.volume.VolumeKey;
import io.csi4j.volume.WorkloadId;
import io.csi4j.volume.internal.engine.EngineParts;
import io.csi4j.volume.internal.engine.VolumeEngine;
import io.csi4j.volume.internal.port.CrashPoints;
import io.csi4j.volume.internal.real.RealParts;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.JournalStateStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;

/**
 * Mounts volumes through the real engine, and leaves them mounted. Arguments: the directory of the
 * manager, a directory that all volumes show, how many.
 */
public final class MakeVolumes {

  /** So that the volumes that wait are not what is measured. */
  private static final int AT_A_TIME = 64;

  private MakeVolumes() {}

  /** Mounts them, and prints how long it took and with how many threads. */
  public static void main(String[] words) throws IOException {
    Path root = Path.of(words[0]);
    int count = Integer.parseInt(words[2]);
    Files.createDirectories(root);
    long begun = System.nanoTime();
    try (RealParts real =
            RealParts.open(MountPath.of(root), ManagerSettings.defaults(), Optional.empty());
        JournalStateStore state =
            JournalStateStore.open(
                real.layout().state().toPath(), JournalSettings.builder().build())) {
      VolumeEngine engine = VolumeEngine.open(parts(real, state, MountPath.of(words[1])));
      Semaphore room = new Semaphore(AT_A_TIME);
      CompletableFuture<?>[] all =
          IntStream.range(0, count)
              .mapToObj(
                  i -> {
                    room.acquireUninterruptibly();
                    return engine.mount(request(i)).whenComplete((done, failed) -> room.release());
                  })
              .toArray(CompletableFuture<?>[]::new);
      CompletableFuture.allOf(all).join();
      System.out.printf(
          "%d volumes mounted in %.1f s, by %d threads of the manager%n",
          count, (System.nanoTime() - begun) / 1e9, AdoptVolumes.threads());
      engine.close().join();
    }
  }

  /** The real ones, but for the plugin. */
  private static EngineParts parts(RealParts real, JournalStateStore state, MountPath source) {
    EngineParts all = real.parts(state, CrashPoints.NONE, event -> {});
    return new EngineParts(
        all.clock(),
        all.scheduler(),
        all.kernel(),
        new BindingPlugin(source),
        all.state(),
        all.directories(),
        all.layout(),
        all.settings(),
        all.points(),
        all.rules(),
        all.events());
  }

  static UsageKey usage(int i) {
    return UsageKey.of(VolumeKey.of("volume-" + i), WorkloadId.of("workload-" + i));
  }

  private static MountRequest request(int i) {
    return MountRequest.builder(
            BindingPlugin.ID, usage(i), VolumeId.of("id-" + i), AccessMode.SINGLE_NODE_WRITER)
        .build();
  }
}

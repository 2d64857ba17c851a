package io.csi4j.benchmarks.journal;

import io.csi4j.benchmarks.MountingPlugin;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.engine.EngineParts;
import io.csi4j.volume.internal.engine.VolumeEngine;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.real.RealParts;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkContext;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.journal.JournalStateStore;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** The records that the journal receives while a volume is mounted and unmounted. */
final class OneMount {

  private static final int TIMES = 20;
  private static final Set<String> WRITES = Set.of("put", "remove", "bury", "settle");

  private final List<Double> bytes = new ArrayList<>();
  private final List<Double> records = new ArrayList<>();

  /** Mounts volumes one after the other below {@code root}. Each volume shows {@code source}. */
  OneMount(Path root, Path source) throws IOException {
    Files.createDirectories(root);
    try (RealParts real =
            RealParts.open(MountPath.of(root), ManagerSettings.defaults(), Optional.empty());
        JournalStateStore state =
            JournalStateStore.open(real.layout().state().toPath(), JournalSettings.defaults())) {
      AtomicInteger written = new AtomicInteger();
      VolumeEngine engine =
          VolumeEngine.open(
              parts(
                  real,
                  counted(state, written),
                  new MountingPlugin(new MountingPlugin.Binds(MountPath.of(source)))));
      for (int i = 0; i < TIMES; i++) {
        long room = Appends.room(state);
        int before = written.get();
        VolumeUse usage = VolumeUse.of(VolumeKey.of("volume-" + i), WorkloadId.of("workload-" + i));
        engine
            .mount(
                MountRequest.builder(
                        MountingPlugin.ID,
                        usage,
                        VolumeId.of("id-" + i),
                        AccessMode.SINGLE_NODE_WRITER)
                    .build())
            .join();
        engine.unmount(usage).join();
        bytes.add((double) (room - Appends.room(state)));
        records.add((double) (written.get() - before));
      }
      engine.close().join();
    }
  }

  private static EngineParts parts(RealParts real, StateStore state, MountingPlugin plugin) {
    EngineParts all =
        real.parts(
            state,
            CrashPoint.Listener.NONE,
            event -> {},
            asked -> {},
            (operation, call) -> WorkContext.none());
    return new EngineParts(
        all.clock(),
        all.scheduler(),
        all.kernel(),
        plugin,
        all.state(),
        all.directories(),
        all.layout(),
        all.settings(),
        all.points(),
        all.events(),
        all.claims());
  }

  private static StateStore counted(StateStore state, AtomicInteger written) {
    return (StateStore)
        Proxy.newProxyInstance(
            StateStore.class.getClassLoader(),
            new Class<?>[] {StateStore.class},
            (proxy, method, arguments) -> {
              if (WRITES.contains(method.getName())) {
                written.incrementAndGet();
              }
              try {
                return method.invoke(state, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** Returns the number of bytes written for each volume. */
  List<Double> bytes() {
    return bytes;
  }

  /** Returns the number of records written for each volume. */
  List<Double> records() {
    return records;
  }
}

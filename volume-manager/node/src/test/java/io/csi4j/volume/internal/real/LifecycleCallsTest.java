package io.csi4j.volume.internal.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.MountTable;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.ScriptedCalls;
import io.csi4j.mount.internal.kernel.ScriptedCalls.Call;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.NeedsUniqueIds;
import io.csi4j.mount.real.Scratch;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.DiskFile;
import io.csi4j.volume.internal.disk.RealDisk;
import io.csi4j.volume.internal.engine.EngineParts;
import io.csi4j.volume.internal.engine.VolumeEngine;
import io.csi4j.volume.internal.journal.Journal;
import io.csi4j.volume.internal.layout.VolumeDirectories;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.real.SystemKernelMounts.KernelView;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkContext;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.state.JournalSettings;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * The calls that the manager makes to mount one volume and to unmount it: to the kernel about
 * mounts, and to the disk for directories and for the journal. Each figure is exact, so that one
 * more look shows in a review. The kernel and the disk are real; the plugin creates a directory at
 * the target and mounts nothing.
 */
@MountTest
@NeedsUniqueIds
class LifecycleCallsTest {

  private static final PluginId PLUGIN = PluginId.of("fake.csi4j.example");
  private static final VolumeId VOLUME = VolumeId.of("volume");
  private static final VolumeUse USE =
      VolumeUse.of(VolumeKey.of("volume"), WorkloadId.of("workload"));

  private final List<Call> kernel = Collections.synchronizedList(new ArrayList<>());
  private final List<String> disk = Collections.synchronizedList(new ArrayList<>());

  /** Returns the number of calls of each kind since the last time. */
  private Map<String, Integer> counted() {
    Map<String, Integer> all = new TreeMap<>();
    kernel.forEach(call -> all.merge("kernel " + call.name(), 1, Integer::sum));
    disk.forEach(call -> all.merge(call, 1, Integer::sum));
    kernel.clear();
    disk.clear();
    return all;
  }

  /** Returns the disk, or a file on it, with its calls counted. */
  private <T> T counting(String name, Class<T> port, T real) {
    return port.cast(
        Proxy.newProxyInstance(
            port.getClassLoader(),
            new Class<?>[] {port},
            (proxy, method, arguments) -> {
              disk.add(name + " " + method.getName());
              try {
                Object answer = method.invoke(real, arguments);
                return answer instanceof DiskFile file
                    ? counting(name + " file", DiskFile.class, file)
                    : answer;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  private KernelView view() {
    Kernel real = RunningKernel.kernel();
    Kernel counted = real.with(ScriptedCalls.recording(real.calls(), kernel), real.features());
    // Not careful, regardless of the modules that this kernel has loaded.
    MountTable table = RunningKernel.table(counted, () -> false);
    return new KernelView(table, Mounts.system(), Optional.of(RunningKernel.watch(real)));
  }

  private static void mountAndUnmount(VolumeEngine engine) {
    engine
        .mount(MountRequest.builder(PLUGIN, USE, VOLUME, AccessMode.SINGLE_NODE_WRITER).build())
        .join();
    assertThat(engine.unmount(USE).join()).isEqualTo(UnmountOutcome.LAST);
  }

  @Test
  void oneMountAndUnmountMakesTheseCallsAndNoOther(Scratch scratch) throws Exception {
    Path root = scratch.file("root");
    try (FakeCsiPlugin plugin =
            FakeCsiPlugin.builder()
                .shape(PluginShape.nodeOnly())
                .effects(NodeEffects.files())
                .open();
        RealParts real =
            RealParts.open(
                scratch.path("root"), ManagerSettings.defaults(), Optional.empty(), view())) {
      plugin.addVolume(VOLUME);
      VolumeDirectories directories =
          new VolumeDirectories(counting("disk", Disk.class, new RealDisk()), real.layout());
      PluginBinding binding =
          PluginBinding.builder(PLUGIN, plugin.nodeEndpoint())
              .policy(MountPolicy.builder().requireMount(false).build())
              .build();
      assertThat(real.plugins().register(binding)).isEmpty();
      directories.prepareRoot();
      try (directories;
          Journal journal =
              Journal.open(
                  counting("journal", Disk.class, new RealDisk()),
                  root.resolve("state"),
                  JournalSettings.builder().acceptAnyFilesystem(true).build())) {
        EngineParts usual =
            real.parts(
                journal,
                CrashPoint.Listener.NONE,
                event -> {},
                asked -> {},
                (operation, call) -> WorkContext.none());
        VolumeEngine engine =
            VolumeEngine.open(
                new EngineParts(
                    usual.clock(),
                    usual.scheduler(),
                    usual.kernel(),
                    usual.plugins(),
                    usual.state(),
                    directories,
                    usual.layout(),
                    usual.settings(),
                    usual.points(),
                    usual.events(),
                    usual.claims()));
        // The first request connects the plugin and saves it.
        mountAndUnmount(engine);
        counted();

        mountAndUnmount(engine);

        assertThat(counted())
            .containsOnly(
                entry("kernel statx", 26),
                entry("disk look", 10),
                entry("disk status", 28),
                entry("disk list", 4),
                entry("disk read", 1),
                entry("disk createDirectory", 4),
                entry("disk write", 1),
                entry("disk rename", 1),
                entry("disk deleteFile", 1),
                entry("disk removeDirectory", 4),
                entry("journal look", 12),
                entry("journal file write", 6),
                entry("journal file sync", 3));
        engine.close().join();
      }
    }
  }
}

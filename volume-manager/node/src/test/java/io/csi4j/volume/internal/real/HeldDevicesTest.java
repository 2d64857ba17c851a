package io.csi4j.volume.internal.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.DeleteVolumeRequest;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.real.LoopDevice;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.NeedsRoot;
import io.csi4j.mount.real.Scratch;
import io.csi4j.testkit.hostpath.HostPathPlugin;
import io.csi4j.volume.internal.disk.FileFacts;
import io.csi4j.volume.internal.disk.RealDisk;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.internal.time.Waits;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.UnmountOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Devices of this machine, held open. */
@MountTest
class HeldDevicesTest {

  private static final PluginId PLUGIN = PluginId.of("hostpath");

  private final List<String> failures = new CopyOnWriteArrayList<>();
  private final List<String> ended = new CopyOnWriteArrayList<>();

  @Test
  @NeedsRoot("a loop device")
  void aDeviceThatIsHeldIsNotTakenAway(Scratch scratch) throws Exception {
    LoopDevice disk = LoopDevice.ext4(scratch);
    try (OnDemandThreads threads = new OnDemandThreads("held", 2)) {
      HeldDevices held = new HeldDevices(new DeviceNodes(new RealDisk()), threads);
      MountPath node = MountPath.of(disk.path());
      String number = new RealDisk().facts(node.toPath()).map(FileFacts::device).orElseThrow();
      Path backing =
          Path.of("/sys/block", disk.path().substring("/dev/".length()), "loop/backing_file");
      assertThat(held.hold(node, number, it -> it.ifPresent(failures::add))).isTrue();
      long opened = number(disk.path());
      Waits.until(() -> isOpen(opened));
      assertThat(held.hold(node, number, it -> failures.add("again"))).isFalse();

      disk.close();

      assertThat(backing).exists();
      List<String> closed = new CopyOnWriteArrayList<>();
      assertThat(held.letGo(node, () -> closed.add("closed"))).isTrue();
      Waits.until(() -> !closed.isEmpty());
      Waits.until(() -> !Files.exists(backing));
      assertThat(held.letGo(node, () -> closed.add("again"))).isFalse();
      assertThat(failures).isEmpty();
    }
  }

  @Test
  @NeedsRoot("a loop device")
  void aPublishedDeviceIsHeldInEachProcessAndItsPluginCanTakeItAway(@TempDir Path temp)
      throws Exception {
    List<VolumeCapability> asBlock = List.of(VolumeCapability.block(AccessMode.SINGLE_NODE_WRITER));
    try (HostPathPlugin plugin = HostPathPlugin.builder(temp.resolve("data")).open();
        CsiPlugin client = CsiPlugin.connect(plugin.endpoint())) {
      Volume volume =
          client
              .controller()
              .createVolume(
                  CreateVolumeRequest.builder("v1", asBlock)
                      .capacityRange(CapacityRange.atLeast(1 << 20))
                      .build());
      assumeThat(plugin.limits()).as("needs a loop device").isEmpty();
      VolumeUse usage = VolumeUse.of(VolumeKey.of("db-1"), WorkloadId.of("web"));
      long device;
      try (VolumeManager manager = manager(plugin, temp)) {
        String target =
            manager
                .mount(
                    MountRequest.builder(PLUGIN, usage, volume.id(), AccessMode.SINGLE_NODE_WRITER)
                        .block(true)
                        .volumeContext(volume.context())
                        .build())
                .path()
                .toString();
        device = number(target);
        Waits.until(() -> isOpen(device));
        assertThat(open(fd -> Files.readSymbolicLink(fd).toString().equals(target)))
            .as("it is opened by another path, which does not keep the mount in use")
            .isFalse();
      }
      Waits.until(() -> !isOpen(device));

      try (VolumeManager manager = manager(plugin, temp)) {
        Waits.until(() -> isOpen(device));
        assertThat(manager.unmount(usage)).isEqualTo(UnmountOutcome.LAST);
        assertThat(isOpen(device)).isFalse();
      }
      client.controller().deleteVolume(DeleteVolumeRequest.builder(volume.id()).build());
      assertThat(plugin.contents().volumes()).isEmpty();
      plugin.assertLawful();
    }
  }

  private static VolumeManager manager(HostPathPlugin plugin, Path temp) {
    return VolumeManager.builder(temp.resolve("root"))
        .plugin(
            PluginBinding.builder(PLUGIN, plugin.nodeEndpoint())
                .policy(MountPolicy.builder().holdDevices(true).build())
                .build())
        .open();
  }

  @Test
  void anotherDeviceTakesThePlaceOfOneAndAfterClosingNoneIsHeld() {
    List<String> open = new CopyOnWriteArrayList<>();
    HeldDevices held =
        new HeldDevices(
            (path, number) -> {
              open.add(number);
              return () -> open.remove(number);
            },
            Runnable::run);
    MountPath node = MountPath.of("/srv/t");

    assertThat(held.hold(node, "7:1", it -> it.ifPresent(failures::add))).isTrue();
    assertThat(held.hold(node, "7:2", it -> it.ifPresent(failures::add))).isTrue();
    assertThat(open).containsExactly("7:2");
    held.close();
    assertThat(held.hold(node, "7:3", it -> failures.add("held"))).isFalse();

    assertThat(open).isEmpty();
    assertThat(failures).isEmpty();
  }

  @Test
  void aReleaseWaitsForADeviceThatIsBeingClosedAlready() {
    Queue<Runnable> later = new ArrayDeque<>();
    HeldDevices held =
        new HeldDevices((path, number) -> () -> ended.add("closed " + number), later::add);
    MountPath node = MountPath.of("/srv/t");
    assertThat(held.hold(node, "7:1", it -> it.ifPresent(failures::add))).isTrue();
    later.remove().run();
    assertThat(held.letGo(node, () -> ended.add("first"))).isTrue();

    assertThat(held.letGo(node, () -> ended.add("second"))).isTrue();

    assertThat(ended).isEmpty();
    later.remove().run();
    assertThat(ended)
        .startsWith("closed 7:1")
        .containsExactlyInAnyOrder("closed 7:1", "first", "second");
    assertThat(held.letGo(node, () -> ended.add("third"))).isFalse();
    assertThat(failures).isEmpty();
  }

  @Test
  void aDeviceThatOpensAfterItsManagerHasEndedIsClosedWithoutATrace() {
    Queue<Runnable> later = new ArrayDeque<>();
    HeldDevices held =
        new HeldDevices((path, number) -> () -> ended.add("closed " + number), later::add);
    Consumer<Optional<String>> over =
        problem -> {
          throw new RejectedExecutionException("the manager has ended");
        };
    assertThat(held.hold(MountPath.of("/srv/t"), "7:1", over)).isTrue();

    assertThatNoException().isThrownBy(() -> later.remove().run());

    held.close();
    later.remove().run();
    assertThat(ended).containsExactly("closed 7:1");
  }

  private static long number(String device) throws IOException {
    return (Long) Files.getAttribute(Path.of(device), "unix:rdev");
  }

  /** Whether this process has a device open, by whatever path. */
  private static boolean isOpen(long number) {
    return open(fd -> Files.getAttribute(fd, "unix:rdev").equals(number));
  }

  private static boolean open(Question question) {
    try (var all = Files.list(Path.of("/proc/self/fd"))) {
      return all.anyMatch(
          fd -> {
            try {
              return question.of(fd);
            } catch (IOException gone) {
              return false;
            }
          });
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** A question about a descriptor. */
  private interface Question {
    boolean of(Path descriptor) throws IOException;
  }
}

package io.csi4j.volume.manager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.real.Eventually;
import io.csi4j.mount.real.FuseServer;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.NeedsRoot;
import io.csi4j.mount.real.Scratch;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.state.MemoryMedium;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A mount whose server hangs comes over the directory of the manager, or over one above it. */
@MountTest
@NeedsRoot("/dev/fuse")
class HungMountOverTheRootTest {

  private static final PluginId PLUGIN = PluginId.of("fake.csi4j.example");
  private static final VolumeId VOLUME = VolumeId.of("vol-1");
  private static final VolumeUse USE = VolumeUse.of(VolumeKey.of("data"), WorkloadId.of("web"));

  private final List<VolumeEvent> events = new CopyOnWriteArrayList<>();

  private boolean isReported() {
    return events.stream()
        .anyMatch(
            event ->
                event instanceof VolumeEvent.Noticed noticed
                    && noticed.message().code() == OperatorCode.ROOT_OVERMOUNTED);
  }

  private static MountRequest request() {
    return MountRequest.builder(PLUGIN, USE, VOLUME, AccessMode.SINGLE_NODE_WRITER).build();
  }

  @ParameterizedTest
  @ValueSource(strings = {"above", "above/root", "above/root/v"})
  void requestsAreRefusedAtOnceUntilItIsGone(String covered, Scratch scratch) {
    scratch.directory("above");
    try (FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.nodeOnly())) {
      fake.addVolume(VOLUME);
      try (VolumeManager manager =
          VolumeManager.builder(scratch.file("above/root"))
              .state(MemoryMedium.create().open())
              .listener(events::add)
              .plugin(
                  PluginBinding.builder(PLUGIN, fake.nodeEndpoint())
                      .policy(MountPolicy.builder().requireMount(false).build())
                      .build())
              .open()) {
        try (FuseServer server = FuseServer.mount(scratch.path(covered))) {
          server.hang();
          Eventually.isTrue("the mount is reported", this::isReported);

          assertThatExceptionOfType(VolumeException.class)
              .isThrownBy(() -> manager.mount(request()))
              .satisfies(
                  failure -> assertThat(failure.code()).isEqualTo(OperatorCode.ROOT_OVERMOUNTED));
          server.recover();
        }
        Eventually.isTrue(
            "it is gone",
            () -> {
              try {
                return manager.mount(request()).usage().equals(USE);
              } catch (VolumeException e) {
                return false;
              }
            });
        assertThat(manager.unmount(USE)).isEqualTo(UnmountOutcome.LAST);
      }
    }
  }
}

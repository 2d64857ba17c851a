package io.csi4j.volume.manager;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.state.MemoryMedium;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plugins that are registered under another name than they give themselves. */
class OtherNameTest {

  private static final PluginShape SHAPE = PluginShape.nodeOnly();
  private static final String OWN = SHAPE.name().value();
  private static final VolumeId HANDLE = VolumeId.of("vol-1");

  @TempDir private Path temp;

  /** Mounts twice with a plugin of this name, and returns what was told of names. */
  private List<String> toldOf(String id, ConnectOptions options) {
    List<VolumeEvent> events = new CopyOnWriteArrayList<>();
    try (FakeCsiPlugin fake = FakeCsiPlugin.open(SHAPE)) {
      fake.addVolume(HANDLE);
      try (VolumeManager manager =
          VolumeManager.builder(temp.resolve("root"))
              .state(MemoryMedium.create().open())
              .listener(events::add)
              .plugin(
                  PluginBinding.builder(PluginId.of(id), fake.nodeEndpoint())
                      .policy(MountPolicy.builder().requireMount(false).build())
                      .connectOptions(options)
                      .build())
              .open()) {
        for (String workload : List.of("web", "job")) {
          VolumeUse usage = VolumeUse.of(VolumeKey.of("data"), WorkloadId.of(workload));
          assertThat(
                  manager
                      .mount(
                          MountRequest.builder(
                                  PluginId.of(id), usage, HANDLE, AccessMode.SINGLE_NODE_WRITER)
                              .build())
                      .usage())
              .isEqualTo(usage);
          assertThat(manager.unmount(usage)).isEqualTo(UnmountOutcome.LAST);
        }
      }
    }
    return events.stream()
        .filter(VolumeEvent.Noticed.class::isInstance)
        .map(event -> ((VolumeEvent.Noticed) event).message())
        .filter(message -> message.code() == OperatorCode.PLUGIN_NAME_DIFFERS)
        .map(OperatorMessage::line)
        .toList();
  }

  @Test
  void itIsToldOnceWithBothNames() {
    assertThat(toldOf("ebs", ConnectOptions.defaults()))
        .singleElement()
        .asString()
        .contains("it is registered as 'ebs', but reports the name '" + OWN + "'");
  }

  @Test
  void itIsNotToldWhereTheHostDemandsTheName() {
    assertThat(toldOf("ebs", ConnectOptions.builder().requireName(SHAPE.name()).build())).isEmpty();
  }

  @Test
  void itIsNotToldOfAPluginWithTheNameItIsRegisteredUnder() {
    assertThat(toldOf(OWN, ConnectOptions.defaults())).isEmpty();
  }
}

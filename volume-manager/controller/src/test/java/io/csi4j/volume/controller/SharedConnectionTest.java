package io.csi4j.volume.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.internal.time.Waits;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.SupervisedPlugin;
import io.csi4j.volume.plugin.supervision.PluginSupervisor;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.store.local.LocalStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A manager, a supervisor and a controller of one host, and the connections that a plugin sees. */
class SharedConnectionTest {

  private static final PluginId ID = PluginId.of("fake");
  private static final AccessMode MODE = AccessMode.SINGLE_NODE_WRITER;

  @TempDir private Path temp;
  private FakeCsiPlugin plugin;
  private VolumeManager manager;
  private PluginSupervisor supervisor;
  private SupervisedPlugin watched;
  private VolumeController controller;

  @BeforeEach
  void open() {
    plugin =
        FakeCsiPlugin.builder()
            .shape(PluginShape.noAttach())
            .effects(NodeEffects.files())
            .directory(temp.resolve("sockets"))
            .open();
    manager = VolumeManager.builder(temp.resolve("n1")).state(MemoryMedium.create().open()).open();
    supervisor = PluginSupervisor.open(manager.plugins());
    watched = supervise(Duration.ofSeconds(5));
    controller =
        VolumeController.builder(manager.plugins(), LocalStore.on(MemoryMedium.create().open()))
            .open();
  }

  private SupervisedPlugin supervise(Duration probeLimit) {
    SupervisedPlugin supervised =
        supervisor.supervise(
            PluginConfig.builder("fake", temp.resolve("sockets"))
                .role("monolith")
                .volumeRoot(temp.resolve("n1"))
                .startInterval(Duration.ofMillis(20))
                .probeInterval(Duration.ofMillis(20))
                .probeLimit(probeLimit)
                .failuresToUnhealthy(1)
                // The plugin makes directories only, so that everybody may run this.
                .policy(MountPolicy.builder().requireMount(false).build())
                .build());
    manager.plugins().await(ID, PluginRole.CONTROLLER, Duration.ofMinutes(1)).join();
    return supervised;
  }

  @AfterEach
  void close() {
    plugin.clearFaults();
    plugin.release();
    controller.close();
    supervisor.close();
    manager.close();
    Waits.until(() -> accepted() == 0);
    plugin.close();
  }

  /** How many connections the plugin has accepted and not lost; it renames its socket. */
  private long accepted() {
    try {
      String there = " " + plugin.endpoint().path().getParent() + "/";
      List<String> sockets = Files.readAllLines(Path.of("/proc/net/unix"));
      return sockets.stream().filter(each -> each.contains(there) && each.contains(" 03 ")).count();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private CatalogVolume create(String name) {
    return controller.create(
        VolumeKey.of(name),
        VolumeSpec.builder(ID)
            .use(MODE, AttachmentMode.FILESYSTEM)
            .capacity(CapacityRange.atLeast(1 << 20))
            .build());
  }

  private void mount(CatalogVolume volume) {
    VolumeUse usage = VolumeUse.of(volume.key(), WorkloadId.of("web"));
    assertThat(
            manager
                .mount(
                    MountRequest.builder(ID, usage, volume.id(), MODE)
                        .volumeContext(volume.context())
                        .build())
                .usage())
        .isEqualTo(usage);
  }

  private long probes() {
    return plugin.journal().operations().stream().filter(CsiOperation.PROBE::equals).count();
  }

  @Test
  void nodeCallsProbesAndControllerCallsUseOneConnection() {
    mount(create("db"));
    long before = probes();
    Waits.until(() -> probes() > before);

    assertThat(accepted()).isEqualTo(1);
    plugin.assertLawful();
  }

  @Test
  void aProbeThatHangsHoldsUpNeitherNodesNorControllers() {
    mount(create("db"));
    long before = probes();
    plugin.inject(Fault.hang(), When.calling(CsiOperation.PROBE));
    Waits.until(() -> probes() > before);

    mount(create("other"));

    assertThat(accepted()).isEqualTo(1);
  }

  @Test
  void aProbeThatIsNotAnsweredInTimeLeavesTheConnection() {
    watched.close();
    watched = supervise(Duration.ofMillis(50));
    Waits.until(() -> accepted() == 1);
    plugin.inject(Fault.hang(), When.calling(CsiOperation.PROBE));

    Waits.until(() -> watched.health().reason() == Reason.SILENT);

    assertThat(accepted()).isEqualTo(1);
  }

  @Test
  void aPluginThatWasRestartedIsReachedByAllOverOneNewConnection() {
    mount(create("db"));

    plugin.restart();
    // A probe may have met nobody, and then the plugin is unhealthy until one is answered.
    long before = probes();
    Waits.until(() -> probes() > before + 1);

    mount(create("other"));
    Waits.until(() -> probes() > before + 3);
    assertThat(accepted()).isEqualTo(1);
    plugin.assertLawful();
  }

  @Test
  void closingAControllerEndsItsCallsAndNoOthers() {
    CatalogVolume db = create("db");
    plugin.inject(Fault.hang(), When.calling(CsiOperation.CREATE_VOLUME));
    CompletionStage<CatalogVolume> hangs =
        controller
            .async()
            .create(
                VolumeKey.of("other"),
                VolumeSpec.builder(ID).use(MODE, AttachmentMode.FILESYSTEM).build());
    Waits.until(
        () ->
            plugin.journal().operations().stream()
                    .filter(CsiOperation.CREATE_VOLUME::equals)
                    .count()
                == 2);

    controller.close();

    Waits.until(() -> hangs.toCompletableFuture().isCompletedExceptionally());
    mount(db);
    assertThat(accepted()).isEqualTo(1);
  }
}

package io.csi4j.volume.controller;

import static io.csi4j.client.model.CsiOperation.CONTROLLER_PUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_GET_INFO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimEvent;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.internal.time.Waits;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginEvent;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginFingerprint.Change.Part;
import io.csi4j.volume.plugin.PluginFingerprint.NodeFacts;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.plugin.supervision.PluginSupervisor;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.store.local.MemoryStore;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node that takes fewer volumes than its plugin has said is noticed when an attach is refused.
 */
class MovedLimitTest {

  private static final Clock CLOCK = Clock.fixed(Instant.EPOCH, ZoneOffset.UTC);
  private static final PluginId ID = PluginId.of("fake");
  private static final VolumeKey DB = VolumeKey.of("db");
  private static final Claim.Use USE =
      new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM);

  private static NodeFacts node(PluginRegistry registry) {
    return registry.get(ID, PluginRole.NODE).fingerprint().orElseThrow().node().orElseThrow();
  }

  @Test
  void anAttachThatFindsTheNodeFullHasItsPluginAskedAgain(@TempDir Path directory)
      throws Exception {
    PluginRegistry registry = InMemoryPluginRegistry.open();
    List<PluginFingerprint.Change> changes = new CopyOnWriteArrayList<>();
    try (FakeCsiPlugin plugin =
            FakeCsiPlugin.builder()
                .shape(PluginShape.full().maxVolumesPerNode(8))
                .directory(directory.resolve("sockets"))
                .open();
        AutoCloseable telling =
            registry.listen(
                PluginRole.NODE,
                event -> {
                  if (event instanceof PluginEvent.Fingerprinted told) {
                    changes.addAll(told.changes());
                  }
                });
        PluginSupervisor supervisor = PluginSupervisor.open(registry);
        VolumeController controller =
            VolumeController.builder(registry, LocalStore.on(MemoryMedium.create().open()))
                .settings(ControllerSettings.builder().policy(policy -> policy.attempts(1)).build())
                .open()) {
      var unused =
          supervisor.supervise(
              PluginConfig.builder("fake", directory.resolve("sockets"))
                  .role("monolith")
                  .volumeRoot(directory.resolve("volumes"))
                  .build());
      registry.await(ID, PluginRole.NODE, Duration.ofMinutes(1)).join();
      NodeId nodeId = node(registry).nodeId().orElseThrow();
      assertThat(node(registry).maxVolumes()).hasValue(8);
      assertThat(plugin.journal().calls(NODE_GET_INFO)).hasSize(1);
      controller.create(
          DB,
          VolumeSpec.builder(ID)
              .use(USE.mode(), USE.attachment())
              .capacity(CapacityRange.atLeast(1 << 20))
              .build());

      // Something else has taken all slots but two meanwhile.
      plugin.inject(
          Fault.change(NODE_GET_INFO, "{\"max_volumes_per_node\": 2}"),
          When.calling(NODE_GET_INFO));
      plugin.inject(
          Fault.fail(StatusCode.RESOURCE_EXHAUSTED, "no slot"),
          When.calling(CONTROLLER_PUBLISH_VOLUME).once());
      ClaimCoordinator claims =
          new ClaimCoordinator(
              new ClaimBook(new MemoryStore(), CLOCK),
              controller.attachments(),
              CLOCK,
              ClaimEvent.Listener.none());
      ClaimException full =
          catchThrowableOfType(
              ClaimException.class,
              () ->
                  claims.acquire(
                      ClaimRequest.builder(
                              VolumeUse.of(DB, WorkloadId.of("web")),
                              NodeName.of("n1"),
                              USE,
                              ClaimMode.WRITE)
                          .nodeId(nodeId)
                          .build()));

      assertThat(full.code()).isEqualTo(OperatorCode.CLAIM_EXHAUSTED);
      Waits.until(() -> node(registry).maxVolumes().orElse(0) == 2);
      assertThat(plugin.journal().calls(NODE_GET_INFO)).hasSize(2);
      Waits.until(() -> !changes.isEmpty());
      assertThat(changes)
          .singleElement()
          .isInstanceOfSatisfying(
              PluginFingerprint.Change.Value.class,
              change -> {
                assertThat(change.part()).isEqualTo(Part.MAX_VOLUMES);
                assertThat(change.values().value()).isEqualTo("'8' -> '2'");
              });
      plugin.assertLawful();
    }
  }
}

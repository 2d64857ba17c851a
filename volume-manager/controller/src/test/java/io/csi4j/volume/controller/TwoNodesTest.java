package io.csi4j.volume.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.ControllerPublishVolumeRequest;
import io.csi4j.client.controller.ControllerUnpublishVolumeRequest;
import io.csi4j.client.controller.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.controller.ValidationResult;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.real.Eventually;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.model.PluginContents;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimOverride;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.ReleaseProof;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.claim.spi.AttachmentTask;
import io.csi4j.volume.claim.spi.ControllerAnswer;
import io.csi4j.volume.claim.spi.StorageController;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.NodeClaims;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.store.local.MemoryStore;
import io.csi4j.volume.upkeep.CalledAttachments;
import io.csi4j.volume.upkeep.Drift;
import io.csi4j.volume.upkeep.DriftCheck;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A volume goes from one node to another, over real sockets, and never to both at once. */
class TwoNodesTest {

  private static final PluginId PLUGIN = PluginId.of("fake.csi4j.example");
  private static final VolumeId HANDLE = VolumeId.of("vol-1");
  private static final VolumeKey KEY = VolumeKey.of("db");
  private static final VolumeUse ON_A = VolumeUse.of(KEY, WorkloadId.of("web-a"));
  private static final VolumeUse ON_B = VolumeUse.of(KEY, WorkloadId.of("web-b"));
  private static final AccessMode MODE = AccessMode.SINGLE_NODE_SINGLE_WRITER;

  /** The calls that bring a volume to a node and back. */
  private static final Set<CsiOperation> MOVING =
      Set.of(
          CsiOperation.CONTROLLER_PUBLISH_VOLUME,
          CsiOperation.CONTROLLER_UNPUBLISH_VOLUME,
          CsiOperation.NODE_STAGE_VOLUME,
          CsiOperation.NODE_PUBLISH_VOLUME,
          CsiOperation.NODE_UNPUBLISH_VOLUME,
          CsiOperation.NODE_UNSTAGE_VOLUME);

  @TempDir private Path temp;
  private FakeCsiPlugin fake;
  private CsiPlugin controller;
  private final MemoryStore store = new MemoryStore();
  private final ClaimBook book = new ClaimBook(store, Clock.systemUTC());
  private ClaimCoordinator claims;
  private Host a;
  private Host b;

  /** One machine with its manager. */
  private final class Host implements AutoCloseable {
    private final NodeName name;
    private final NodeId nodeId;
    private final VolumeManager manager;

    /** Held up while not done: the machine stands still in its question. */
    private volatile CompletableFuture<Void> gate = CompletableFuture.completedFuture(null);

    private volatile boolean asks;

    Host(String name) {
      this.name = NodeName.of(name);
      try (CsiPlugin node = CsiPlugin.connect(fake.nodeEndpoint(NodeId.of(name)))) {
        nodeId = node.node().getInfo().nodeId();
      }
      NodeClaims.Confirmation real = book::standing;
      NodeClaims.Confirmation paused =
          (usage, epoch) -> {
            asks = true;
            gate.join();
            return real.standing(usage, epoch);
          };
      manager =
          VolumeManager.builder(temp.resolve(name))
              .state(MemoryMedium.create().open())
              .claims(
                  NodeClaims.builder(this.name, paused)
                      .patience(Duration.ofSeconds(60))
                      .interval(Duration.ofMillis(50))
                      .build())
              .plugin(
                  PluginBinding.builder(PLUGIN, fake.nodeEndpoint(NodeId.of(name)))
                      // The plugin makes directories only, so that everybody may run this.
                      .policy(MountPolicy.builder().requireMount(false).build())
                      .build())
              .open();
    }

    ClaimGrant claim(VolumeUse usage) {
      return claims.acquire(
          ClaimRequest.builder(
                  usage, name, new Claim.Use(MODE, AttachmentMode.FILESYSTEM), ClaimMode.WRITE)
              .nodeId(nodeId)
              .build());
    }

    MountRequest request(ClaimGrant grant) {
      return MountRequest.builder(PLUGIN, grant.usage(), HANDLE, MODE).claim(grant).build();
    }

    NodeReceipt receipt(VolumeUse usage, long epoch) {
      return manager.receipt(usage, epoch, PLUGIN, HANDLE);
    }

    @Override
    public void close() {
      gate.complete(null);
      manager.close();
    }
  }

  /** The controller of the plugin, over its socket. */
  private final class OverSocket implements StorageController {
    @Override
    public boolean attaches(VolumeKey volume) {
      return controller
          .controller()
          .getCapabilities()
          .offers(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME);
    }

    @Override
    public ControllerAnswer attach(AttachmentTask task, Guard guard) {
      return guarded(
          guard,
          () ->
              new ControllerAnswer.Attached(
                  controller
                      .controller()
                      .publishVolume(
                          ControllerPublishVolumeRequest.builder(
                                  HANDLE, task.nodeId(), VolumeCapability.mount(MODE))
                              .readonly(task.readonly())
                              .build())
                      .publishContext()));
    }

    @Override
    public ControllerAnswer detach(AttachmentTask task, Guard guard) {
      return guarded(
          guard,
          () -> {
            controller
                .controller()
                .unpublishVolume(
                    ControllerUnpublishVolumeRequest.builder(HANDLE, task.nodeId()).build());
            return new ControllerAnswer.Detached();
          });
    }

    private ControllerAnswer guarded(Guard guard, Supplier<ControllerAnswer> call) {
      if (!guard.isWanted()) {
        return new ControllerAnswer.NotSent();
      }
      try {
        return call.get();
      } catch (CsiException failed) {
        return ControllerAnswer.Failed.of(failed.failure());
      }
    }
  }

  @BeforeEach
  void open() {
    fake =
        FakeCsiPlugin.builder()
            .shape(PluginShape.full())
            .nodes(NodeId.of("a"), NodeId.of("b"))
            .open();
    fake.addVolume(HANDLE);
    controller = CsiPlugin.connect(fake.endpoint());
    ValidationResult valid =
        controller
            .controller()
            .validateVolumeCapabilities(
                ValidateVolumeCapabilitiesRequest.builder(
                        HANDLE, List.of(VolumeCapability.mount(MODE)))
                    .build());
    assertThat(valid).isNotNull();
    claims = new ClaimCoordinator(book, new OverSocket(), Clock.systemUTC(), event -> {});
    a = new Host("a");
    b = new Host("b");
  }

  @AfterEach
  void close() {
    a.close();
    b.close();
    controller.close();
    fake.close();
  }

  private List<String> calls() {
    return fake.journal().calls(HANDLE).stream()
        .filter(call -> MOVING.contains(call.operation()))
        .map(TwoNodesTest::word)
        .toList();
  }

  private static String word(RecordedCall call) {
    return call.operation().rpcName();
  }

  private List<NodeId> published() {
    return fake.contents().published().stream().map(PluginContents.Published::node).toList();
  }

  private static VolumeException refused(Runnable mounting, OperatorCode code) {
    VolumeException failure = catchThrowableOfType(VolumeException.class, mounting::run);
    assertThat(failure).isNotNull();
    assertThat(failure.code()).isEqualTo(code);
    return failure;
  }

  private void assertNoDrift() {
    DriftCheck drift = CalledAttachments.check(controller.controller(), store);
    assertThat(drift.look(Map.of(HANDLE, KEY)).findings()).isEmpty();
  }

  @Test
  @Tag("A22")
  void nomad11892_aVolumeGoesFromOneNodeToAnotherWithTheReceiptOfTheFirst() {
    ClaimGrant first = a.claim(ON_A);
    assertThat(a.manager.mount(a.request(first)).usage()).isEqualTo(ON_A);
    assertThat(published()).containsExactly(NodeId.of("a"));
    assertNoDrift();
    assertThat(catchThrowableOfType(ClaimException.class, () -> b.claim(ON_B)).code())
        .isEqualTo(OperatorCode.CLAIM_HELD_BY);

    assertThat(claims.release(ON_A)).isInstanceOf(ClaimProgress.WaitsForNode.class);
    refused(() -> a.receipt(ON_A, first.epoch()), OperatorCode.RECEIPT_REFUSED);
    assertThat(a.manager.unmount(ON_A)).isEqualTo(UnmountOutcome.LAST);
    NodeReceipt receipt = a.receipt(ON_A, first.epoch());
    assertThat(receipt.staging()).isEqualTo(NodeReceipt.Staging.GONE);
    assertThat(claims.confirmRelease(receipt)).isEqualTo(new ClaimProgress.Gone(ON_A));

    ClaimGrant second = b.claim(ON_B);
    assertThat(b.manager.mount(b.request(second)).usage()).isEqualTo(ON_B);
    assertThat(published()).containsExactly(NodeId.of("b"));
    assertNoDrift();
    assertThat(calls())
        .as("A22: the node gives back before the cluster does")
        .containsExactly(
            "ControllerPublishVolume",
            "NodeStageVolume",
            "NodePublishVolume",
            "NodeUnpublishVolume",
            "NodeUnstageVolume",
            "ControllerUnpublishVolume",
            "ControllerPublishVolume",
            "NodeStageVolume",
            "NodePublishVolume");
    fake.assertLawful();
  }

  @Test
  @Tag("K5")
  void kubernetes61832_aNodeThatStoodStillBeforeItMountedFindsItsClaimGoneAndMountsNothing()
      throws Exception {
    ClaimGrant first = a.claim(ON_A);
    a.gate = new CompletableFuture<>();
    CompletableFuture<MountedVolume> mounting =
        a.manager.async().mount(a.request(first)).toCompletableFuture();
    Eventually.isTrue("it asks", () -> a.asks);

    assertThat(claims.release(ON_A)).isInstanceOf(ClaimProgress.WaitsForNode.class);
    assertThat(claims.nodeIsDown(a.name).get(0)).isInstanceOf(ClaimProgress.NeedsProof.class);
    assertThat(
            claims.confirmRelease(
                new ReleaseProof.PowerOff(
                    ON_A, first.epoch(), a.name, new ReasonText("the rack has no power"))))
        .isEqualTo(new ClaimProgress.Gone(ON_A));
    ClaimGrant second = b.claim(ON_B);
    assertThat(b.manager.mount(b.request(second)).usage()).isEqualTo(ON_B);
    a.gate.complete(null);

    ExecutionException failure =
        catchThrowableOfType(ExecutionException.class, () -> mounting.get(60, TimeUnit.SECONDS));
    VolumeException fenced = (VolumeException) failure.getCause();
    assertThat(fenced.code()).as("K5: refused").isEqualTo(OperatorCode.FENCED);
    assertThat(fenced)
        .hasMessageContaining(
            "its claim has epoch " + first.epoch() + ", and the volume's is " + second.epoch());
    assertThat(published()).containsExactly(NodeId.of("b"));
    assertThat(a.manager.volumes()).as("K5: nothing is taken").isEmpty();
    assertThat(a.receipt(ON_A, first.epoch()).epoch()).isEqualTo(first.epoch());
    assertNoDrift();
    fake.assertLawful();
  }

  @Test
  void aNodeThatWasOverriddenWhileMountedReleasesItsMountsWhenItComesBack() {
    a.manager.reconcile(List.of());
    ClaimGrant first = a.claim(ON_A);
    assertThat(a.manager.mount(a.request(first)).usage()).isEqualTo(ON_A);
    a.gate = new CompletableFuture<>();

    // Somebody answers for what is not so: the node stands still, and still has it mounted.
    assertThat(claims.release(ON_A)).isInstanceOf(ClaimProgress.WaitsForNode.class);
    assertThat(
            claims.confirmRelease(
                new ReleaseProof.OperatorOverride(
                    ON_A,
                    first.epoch(),
                    new ClaimOverride.Person("ops"),
                    new ReasonText("the node is scrap"),
                    ReleaseProof.Covers.NODE_AND_STORAGE)))
        .isEqualTo(new ClaimProgress.Gone(ON_A));
    assertThat(published()).containsExactly(NodeId.of("a"));
    a.gate.complete(null);

    // It notices by itself, whatever its host asks for.
    Eventually.isTrue("its mounts are gone", () -> published().isEmpty());
    Eventually.isTrue("it has forgotten them", () -> a.manager.volumes().isEmpty());
    refused(() -> a.manager.mount(a.request(first)), OperatorCode.FENCED);
    // What the storage system was not told is found, and repaired as the policy allows.
    DriftCheck drift = CalledAttachments.check(controller.controller(), store);
    DriftCheck.Report report = drift.look(Map.of(HANDLE, KEY));
    assertThat(report.findings())
        .containsExactly(new Drift.UnknownAttachment(KEY, HANDLE, NodeId.of("a")));
    assertThat(
            drift.repair(
                report,
                new DriftCheck.Policy(false, true),
                DriftCheck.Repair.by(claims, failed -> {})))
        .hasSize(1);
    ClaimGrant second = b.claim(ON_B);
    assertThat(b.manager.mount(b.request(second)).usage()).isEqualTo(ON_B);
    assertThat(published()).containsExactly(NodeId.of("b"));
    assertNoDrift();
    // What was answered for is what the spec forbids: to detach what is still mounted.
    assertThat(fake.verdict().breaches())
        .extracting(breach -> breach.duty().toString())
        .containsOnly("D-145", "D-146", "D-147", "D-148", "D-149");
  }

  @Test
  void aClaimThatWasRemovedIsMissingToItsNode() {
    ClaimGrant first = a.claim(ON_A);
    ClaimBook empty = new ClaimBook(new MemoryStore(), Clock.systemUTC());

    assertThat(empty.standing(ON_A, first.epoch())).isEqualTo(new ClaimStanding.Missing());
  }
}

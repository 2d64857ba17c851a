package io.csi4j.volume.cluster;

import static io.csi4j.volume.cluster.ClusterWorld.A;
import static io.csi4j.volume.cluster.ClusterWorld.B;
import static io.csi4j.volume.cluster.ClusterWorld.LIMIT;
import static io.csi4j.volume.cluster.ClusterWorld.REQUEST;
import static io.csi4j.volume.cluster.ClusterWorld.WEB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.mount.real.Eventually;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import io.csi4j.volume.agent.ControlPlane;
import io.csi4j.volume.agent.NodeAgent;
import io.csi4j.volume.catalog.ClusterIdentity;
import io.csi4j.volume.catalog.ExpectedInstances;
import io.csi4j.volume.catalog.PluginView;
import io.csi4j.volume.catalog.VolumeChange;
import io.csi4j.volume.claim.ClaimEvent;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimOverride;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.ClaimsOfNode;
import io.csi4j.volume.controller.ClusterSetup;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.controller.JobVolumes;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimQuestion;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.NodeExpansion;
import io.csi4j.volume.node.NodeOrders;
import io.csi4j.volume.node.NodeReport;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.PluginOnNode;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.store.local.MemoryStore;
import io.csi4j.volume.workload.VolumeRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A control plane whose store, storage system or nodes have trouble with one volume. */
class ClusterTroubleTest {

  /** The use of another volume by the same workload. */
  private static final VolumeUse LOG = VolumeUse.of(VolumeKey.of("log"), WEB.workload());

  private static final ReasonText OFF = new ReasonText("its power is off");

  @TempDir private Path temp;
  private final TroubledStore store = new TroubledStore();
  private ClusterWorld world;
  private Cluster cluster;
  private NodeAgent a;
  private NodeAgent b;

  @BeforeEach
  void open() throws IOException {
    world = new ClusterWorld(temp);
    cluster =
        Cluster.builder(world.plugins, store)
            .listener(this::on)
            .patience(Duration.ofMillis(200))
            .upkeep(false)
            .open();
    a = world.agent(A, cluster);
    b = world.agent(B, cluster);
    a.exchange();
    b.exchange();
  }

  @AfterEach
  void close() {
    a.close();
    b.close();
    cluster.close();
    world.close();
  }

  /** The volume whose record cannot be read once when its claim is gone. */
  private VolumeKey troubled = VolumeKey.of("none");

  private void on(ClaimEvent event) {
    if (event instanceof ClaimEvent.Freed freed && freed.usage().volume().equals(troubled)) {
      store.failNextRead(troubled);
    }
  }

  private void acquireBoth() {
    assertThat(cluster.acquire(A, WEB, REQUEST).usage()).isEqualTo(WEB);
    assertThat(cluster.acquire(A, LOG, REQUEST).usage()).isEqualTo(LOG);
  }

  private void mountBoth() {
    acquireBoth();
    assertThat(a.mount(WEB).usage()).isEqualTo(WEB);
    assertThat(a.mount(LOG).usage()).isEqualTo(LOG);
  }

  /** An exchange alone may miss a claim then, and drops nothing because of that. */
  @Test
  void aClaimThatNoWatchHasToldYetIsMountedAndGivenBack() {
    store.silence(true);
    acquireBoth();
    a.exchange();

    assertThat(a.mount(WEB).usage()).isEqualTo(WEB);
    a.exchange();
    assertThat(a.manager().hasMount(WEB)).isTrue();
    a.release(WEB);
    a.release(LOG);

    assertThat(a.manager().hasMount(WEB)).isFalse();
    assertThat(cluster.claims().ofNode(A).all()).isEmpty();
  }

  @Test
  void aVolumeWhoseRecordCannotBeReadKeepsNoOtherClaimOfANodeThatIsOff() {
    acquireBoth();
    troubled = WEB.volume();

    ControllerException failed =
        catchThrowableOfType(ControllerException.class, () -> cluster.nodeIsOff(A, OFF));

    assertThat(failed.code()).isEqualTo(OperatorCode.CATALOG_DOWN);
    assertThat(failed).hasNoSuppressedExceptions();
    assertThat(cluster.claims().ofNode(A).all()).isEmpty();
    assertThat(cluster.nodeIsOff(A, OFF)).isEmpty();
  }

  @Test
  void aRecordThatCannotBeReadKeepsNoOtherVolumeOfItsNode() {
    mountBoth();
    store.damage(LOG.volume());

    NodeOrders orders = cluster.exchange(report(A, 100));

    assertThat(orders.complete()).isFalse();
    assertThat(orders.wanted()).extracting(each -> each.use().usage()).containsExactly(WEB);
    ClaimsOfNode now = cluster.claims().ofNode(A);
    assertThat(now.uncertain()).extracting(ClaimEpoch::usage).containsExactly(LOG);
    assertThat(now.unreadable())
        .extracting(OperatorMessage::code)
        .containsExactly(OperatorCode.CATALOG_UNREADABLE);
    cluster.release(WEB);
    a.exchange();
    assertThat(cluster.claims().ofNode(A).all()).extracting(ClaimEpoch::usage).containsExactly(LOG);
  }

  @Test
  void aUseThatLeavesAndWhoseRecordCannotBeReadKeepsNoOtherVolumeOfItsNode() {
    mountBoth();
    cluster.release(LOG);
    store.damage(LOG.volume());

    NodeOrders orders = cluster.exchange(report(A, 100));

    assertThat(orders.complete()).isFalse();
    assertThat(orders.leaving()).isEmpty();
    assertThat(orders.wanted()).extracting(each -> each.use().usage()).containsExactly(WEB);
  }

  @Test
  void aNodeThatIsOffLosesAlsoTheClaimWhoseRecordCannotBeRead() {
    acquireBoth();
    store.damage(WEB.volume());

    List<JobVolumes.Released> ended = cluster.nodeIsOff(A, OFF);

    assertThat(ended)
        .extracting(JobVolumes.Released::claim)
        .hasExactlyElementsOfTypes(ClaimProgress.Gone.class, ClaimProgress.WaitsForStorage.class);
    assertThat(ended.get(0).claim()).isEqualTo(new ClaimProgress.Gone(LOG));
    assertThat(cluster.claims().ofNode(A).all()).isEmpty();
  }

  @Test
  void aNodeWhoseRecordCannotBeReadLosesItsClaimsAndIsForgotten() {
    acquireBoth();
    store.damage(A);

    ControllerException unnoted =
        catchThrowableOfType(ControllerException.class, () -> cluster.nodeIsFenced(A, OFF));

    assertThat(unnoted.code()).isEqualTo(OperatorCode.CATALOG_UNREADABLE);
    assertThat(unnoted.outcome()).isEqualTo(ChangeOutcome.HELD);
    assertThat(unnoted).hasNoSuppressedExceptions();
    assertThat(cluster.claims().ofNode(A).all()).isEmpty();
    assertThat(world.publishedOn()).isEmpty();
    cluster.forgetNode(A);
    assertThat(cluster.nodes().find(A)).isEmpty();
    a.exchange();
    assertThat(cluster.nodesFor(WEB, REQUEST).nodes()).containsExactly(A, B);
  }

  @Test
  void aNodeThatIsOffOrFencedIsACandidateAgainWithItsNextReport() {
    assertThat(cluster.nodeIsOff(A, OFF)).isEmpty();
    assertThat(cluster.nodesFor(WEB, REQUEST).nodes()).containsExactly(B);
    assertThat(cluster.nodeIsFenced(B, OFF)).isEmpty();
    assertThat(cluster.nodesFor(WEB, REQUEST).nodes()).isEmpty();

    b.exchange();

    assertThat(cluster.nodesFor(WEB, REQUEST).nodes()).containsExactly(B);
  }

  @Test
  void aReportFromBeforeAnAttestationDoesNotBringItsNodeBack() {
    cluster.exchange(report(A, 100));
    cluster.exchange(report(A, 101));
    assertThat(cluster.nodeIsOff(A, OFF)).isEmpty();

    cluster.exchange(report(A, 101)); // it was sent again, and is late
    assertThat(cluster.nodes().get(A).away()).contains(OFF);

    cluster.exchange(report(A, 102));
    assertThat(cluster.nodes().get(A).away()).isEmpty();
  }

  @Test
  void aVolumeIsCreatedWhereItsNodeCanUseIt() throws IOException {
    Topology east = Topology.of(Map.of("zone", "east"));
    Topology west = Topology.of(Map.of("zone", "west"));
    try (ClusterWorld zones =
            new ClusterWorld(temp.resolve("zones"), PluginShape.full().topologies(east, west));
        Cluster two = zones.cluster(new MemoryStore());
        NodeAgent inWest = zones.agent(B, two)) {
      ControllerException unknown =
          catchThrowableOfType(ControllerException.class, () -> two.acquire(B, WEB, REQUEST));
      assertThat(unknown.code()).isEqualTo(OperatorCode.NODE_UNKNOWN);
      assertThat(zones.storage.contents().volumes()).isEmpty();
      inWest.exchange();

      ClaimGrant grant = two.acquire(B, WEB, REQUEST);

      assertThat(two.volumes().find(WEB.volume()).orElseThrow().topologies()).containsExactly(west);
      assertThat(inWest.mount(WEB).usage()).isEqualTo(WEB);
      assertThat(two.acquire(B, WEB, REQUEST)).as("the same again").isEqualTo(grant);
      inWest.release(WEB);
      zones.storage.assertLawful();
    }
  }

  @Test
  void aNodeWithAClaimThatCannotBeReadIsNotForgotten() {
    store.damageClaim(LOG.volume());

    ControllerException refused =
        catchThrowableOfType(ControllerException.class, () -> cluster.forgetNode(A));

    assertThat(refused.code()).isEqualTo(OperatorCode.NODE_CLAIMED);
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.HELD);
    assertThat(cluster.nodes().find(A)).isPresent();
  }

  @Test
  void onlyANodeThatUsesAVolumeReportsItsExpansion() {
    cluster.acquire(A, WEB, REQUEST);
    a.mount(WEB);
    cluster.volumes().expand(WEB.volume(), CapacityRange.atLeast(32 << 20));
    CapacityRange size = pending(WEB.volume()).orElseThrow();
    NodeExpansion done = new NodeExpansion(WEB.volume(), size, Optional.empty());

    assertThat(cluster.exchange(report(B, 100, done)).wanted()).isEmpty();
    assertThat(pending(WEB.volume())).contains(size);

    assertThat(cluster.exchange(report(A, 100, done)).wanted()).hasSize(1);
    assertThat(pending(WEB.volume())).isEmpty();
  }

  /** A volume that both nodes may write. */
  private static final VolumeRequest SHARED =
      REQUEST.toBuilder().accessMode(AccessMode.MULTI_NODE_MULTI_WRITER).build();

  private static final VolumeUse OTHER = VolumeUse.of(WEB.volume(), WorkloadId.of("other"));

  private long expansions(NodeName node) {
    return world.storage.journal().calls().stream()
        .filter(call -> call.operation() == CsiOperation.NODE_EXPAND_VOLUME)
        .filter(call -> call.node().equals(Optional.of(NodeId.of(node.value()))))
        .count();
  }

  private void growShared(NodeAgent... mounting) {
    cluster.acquire(A, WEB, SHARED);
    cluster.acquire(B, OTHER, SHARED);
    a.mount(WEB);
    for (NodeAgent each : mounting) {
      each.mount(OTHER);
    }
    cluster.volumes().expand(WEB.volume(), CapacityRange.atLeast(32 << 20));
    assertThat(pending(WEB.volume())).isPresent();
  }

  @Test
  void aSizeIsPendingUntilAllNodesThatUseTheVolumeFollowIt() {
    try (Cluster next = world.cluster(store)) {
      b.close();
      b = world.agent(B, next);
      growShared(b);

      a.exchange();
      a.exchange();
      assertThat(pending(WEB.volume())).as("node b has not reported").isPresent();
      assertThat(expansions(A)).as("once is enough").isEqualTo(1);
      b.exchange();

      assertThat(expansions(B)).isEqualTo(1);
      assertThat(pending(WEB.volume())).isEmpty();
      a.exchange(); // its report has the size still, and its orders do not
      a.exchange();
      b.exchange();
      assertThat(cluster.nodes().get(A).expanded()).isEmpty();
      assertThat(cluster.nodes().get(B).expanded()).isEmpty();
    }
    world.storage.assertLawful();
  }

  @Test
  void aNodeThatCannotFollowASizeKeepsNoOtherFromFollowingIt() {
    growShared(b);
    FaultRule refusing =
        world.storage.inject(
            Fault.fail(StatusCode.OUT_OF_RANGE, "too large for this filesystem"),
            When.calling(CsiOperation.NODE_EXPAND_VOLUME));
    a.exchange();
    refusing.close();

    b.exchange();
    a.exchange();
    b.exchange();

    assertThat(expansions(A)).as("it was refused for good").isEqualTo(1);
    assertThat(expansions(B)).isEqualTo(1);
    assertThat(cluster.volumes().changes(WEB.volume()))
        .extracting(VolumeChange::progress)
        .containsExactly(VolumeChange.Progress.INFEASIBLE_ON_NODE);
    assertThat(cluster.nodes().get(A).expanded()).isEmpty();
    assertThat(cluster.nodes().get(B).expanded()).hasSize(1);
    world.storage.assertLawful();
  }

  @Test
  void aSizeIsNotPendingForANodeThatHasGivenTheVolumeBack() {
    growShared();
    a.exchange();
    assertThat(pending(WEB.volume())).isPresent();
    cluster.release(OTHER);
    b.exchange();

    a.exchange();

    assertThat(pending(WEB.volume())).isEmpty();
    assertThat(expansions(B)).isZero();
  }

  @Test
  void aUseWhoseVolumeIsNotOnRecordAnyMoreIsGivenBack() {
    cluster.acquire(A, WEB, REQUEST);
    a.mount(WEB);
    cluster.release(WEB);
    forgetVolume();

    assertThat(cluster.exchange(report(A, 100)).leaving())
        .singleElement()
        .satisfies(
            leaving -> {
              assertThat(leaving.claim().usage()).isEqualTo(WEB);
              assertThat(leaving.volume()).isEmpty();
            });
    a.exchange();

    assertThat(world.publishedOn()).isEmpty();
    assertThat(cluster.claims().ofNode(A).all()).isEmpty();
  }

  @Test
  void aUseWhoseVolumeWasTakenOffTheRecordIsGivenBackByItsNode() {
    cluster.acquire(A, WEB, REQUEST);
    a.mount(WEB);
    forgetVolume();
    NodeOrders orders = cluster.exchange(report(A, 100));
    assertThat(orders.complete()).isTrue();
    assertThat(orders.wanted()).isEmpty();
    assertThat(orders.held()).extracting(ClaimEpoch::usage).containsExactly(WEB);
    VolumeException refused = catchThrowableOfType(VolumeException.class, () -> a.refresh(WEB));
    assertThat(refused.code()).isEqualTo(OperatorCode.CLAIM_MISSING);
    assertThat(refused.operatorMessage().seen().text())
        .isEqualTo(
            "node 'a' cannot mount with its claim: it is unknown whether the volume is attached, "
                + "or the volume is not recorded");

    a.release(WEB);

    assertThat(a.manager().hasMount(WEB)).isFalse();
    assertThat(cluster.claims().ofNode(A).all()).isEmpty();
    assertThat(world.publishedOn()).isEmpty();
  }

  @Test
  void aClaimWhoseAttachmentIsUncertainIsGivenBackByItsNode() {
    FaultRule lost =
        world.storage.inject(
            Fault.applyThenFail(StatusCode.DEADLINE_EXCEEDED, "the line was cut"),
            When.calling(CsiOperation.CONTROLLER_PUBLISH_VOLUME));
    ClaimException uncertain =
        catchThrowableOfType(ClaimException.class, () -> cluster.acquire(A, WEB, REQUEST));
    assertThat(uncertain.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(cluster.claims().ofNode(A).uncertain())
        .extracting(ClaimEpoch::usage)
        .containsExactly(WEB);
    lost.close();

    a.release(WEB);

    assertThat(cluster.claims().ofNode(A).all()).isEmpty();
    assertThat(world.publishedOn()).isEmpty();
    assertThat(cluster.acquire(B, WEB, REQUEST).usage()).isEqualTo(WEB);
  }

  private void forgetVolume() {
    assertThat(
            cluster
                .volumes()
                .deregister(
                    WEB.volume(), new ClaimOverride.Person("ada"), new ReasonText("it was moved")))
        .isTrue();
  }

  // ---- health

  /** The words of a plugin before CSI 1.13 for a fault. */
  private static final String SAID = "DATA_LOSS DiskGone: block 7";

  @Test
  void theHealthOfAVolumeIsWhatItsStorageSystemAndItsNodesReport() {
    cluster.acquire(A, WEB, REQUEST);
    VolumeHealthEntry lost =
        VolumeHealthEntry.of(
            VolumeHealthEntry.Status.DATA_LOSS, HealthReason.of("DiskGone"), "block 7");
    VolumeHealthEntry slow =
        VolumeHealthEntry.of(
            VolumeHealthEntry.Status.DEGRADED, HealthReason.of("Slow"), "a path is gone");
    CatalogVolume volume = cluster.volumes().find(WEB.volume()).orElseThrow();
    world.storage.health(volume.id(), lost);
    VolumeHealth.Source node =
        new VolumeHealth.Source(VolumeHealth.Source.Kind.NODE, Optional.of(A));
    VolumeHealth seen =
        new VolumeHealth(
            List.of(new VolumeHealth.Finding(slow, node, Instant.EPOCH, Instant.EPOCH)));
    NodeReport report = unwell(volume, seen);

    try (Cluster kept = kept("one")) {
      cluster.exchange(report);
      Eventually.isTrue("both are known", () -> kept.health(WEB.volume()).findings().size() == 2);

      assertThat(kept.health(WEB.volume()).findings())
          .extracting(VolumeHealth.Finding::source)
          .containsExactly(node, VolumeHealth.Source.controller());
      assertThat(kept.health(WEB.volume()).findings())
          .extracting(each -> each.entry().message())
          .containsExactly("a path is gone", SAID);
      assertThat(kept.health(LOG.volume()).isWell()).isTrue();
      kept.nodeIsOff(A, OFF);
      assertThat(kept.health(WEB.volume()).findings())
          .extracting(each -> each.entry().message())
          .containsExactly(SAID);
    }
  }

  private static NodeReport unwell(CatalogVolume volume, VolumeHealth health) {
    VolumeStatus status =
        new VolumeStatus(
            volume.plugin(),
            volume.id(),
            PathStatus.PRESENT,
            List.of(new VolumeStatus.Use(WEB, PathStatus.PRESENT, false, Path.of("/v"))),
            List.of(),
            Map.of(),
            AccessMode.SINGLE_NODE_SINGLE_WRITER,
            Optional.empty(),
            false,
            Optional.empty(),
            health);
    return new NodeReport(
        A,
        Optional.empty(),
        "boot",
        Instant.EPOCH,
        1,
        false,
        List.of(),
        List.of(status),
        List.of(),
        List.of(),
        List.of(),
        Optional.empty());
  }

  @Test
  void theInstancesOfAPluginAreCountedOnTheNodesOnRecord() {
    ExpectedInstances expected = new ExpectedInstances(1, 3);
    assertThat(cluster.plugin(ClusterWorld.PLUGIN, expected).nodes())
        .isEqualTo(new PluginView.Count(2, 2, 3));

    try (Cluster next = world.cluster(store)) {
      assertThat(next.plugin(ClusterWorld.PLUGIN, expected).nodes())
          .as("known from records alone")
          .isEqualTo(new PluginView.Count(2, 2, 3));
      assertThat(next.plugin(ClusterWorld.PLUGIN, expected).controllers().registered())
          .isEqualTo(1);
    }
  }

  private Optional<CapacityRange> pending(VolumeKey volume) {
    return cluster.volumes().find(volume).orElseThrow().pendingOnNode();
  }

  @ParameterizedTest
  @Timeout(60)
  @EnumSource(
      value = CsiOperation.class,
      names = {"CONTROLLER_UNPUBLISH_VOLUME", "DELETE_VOLUME"})
  void aStorageSystemThatHangsForOneVolumeHoldsNoOtherOfTheNodeUp(CsiOperation hanging) {
    VolumeRequest ephemeral =
        REQUEST.toBuilder()
            .created(REQUEST.created().orElseThrow().toBuilder().ephemeral(true))
            .build();
    cluster.acquire(A, WEB, ephemeral);
    a.mount(WEB);
    cluster.acquire(A, LOG, REQUEST);
    world.storage.inject(Fault.hang(), When.calling(hanging));

    a.release(WEB);

    assertThat(a.mount(LOG).usage()).isEqualTo(LOG);
    assertThat(cluster.claims().ofNode(A).all()).extracting(ClaimEpoch::usage).containsExactly(LOG);
    assertThat(cluster.volumes().record(WEB.volume())).as("it is not gone").isPresent();
    world.storage.journal().await(call -> call.operation() == hanging, LIMIT);
  }

  @Test
  @Timeout(60)
  void anExpansionThatHangsHoldsNoOtherVolumeOfTheNodeUp() {
    mountBoth();
    cluster.volumes().expand(WEB.volume(), CapacityRange.atLeast(32 << 20));
    NodeExpansion done =
        new NodeExpansion(WEB.volume(), pending(WEB.volume()).orElseThrow(), Optional.empty());
    world.storage.inject(Fault.hang(), When.calling(CsiOperation.CONTROLLER_EXPAND_VOLUME));
    var unused = cluster.volumes().async().expand(WEB.volume(), CapacityRange.atLeast(64 << 20));

    for (int number = 100; number < 103; number++) {
      assertThat(cluster.exchange(report(A, number, done)).wanted())
          .extracting(each -> each.use().usage())
          .containsExactly(WEB, LOG);
    }
  }

  @Test
  void aReportThatArrivesAfterItsSuccessorChangesNothingOfItsNode() {
    List<NodeReport> sent = new ArrayList<>();
    ControlPlane line =
        new ControlPlane() {
          @Override
          public NodeOrders exchange(NodeReport report) {
            sent.add(report);
            return cluster.exchange(report);
          }

          @Override
          public ClaimStanding standing(ClaimQuestion question) {
            return cluster.standing(question);
          }

          @Override
          public VolumeVerdict verdict(ClaimQuestion question) {
            return cluster.verdict(question);
          }
        };
    b.close();
    b = world.agent(B, line);
    b.exchange();
    NodeReport last = sent.get(0);

    cluster.exchange(later(last, last.number() + 2, last.plugins()));
    cluster.exchange(later(last, last.number() + 1, List.of()));
    assertThat(cluster.nodesFor(WEB, REQUEST).nodes()).containsExactly(A, B);

    cluster.exchange(later(last, last.number() + 3, List.of()));
    assertThat(cluster.nodesFor(WEB, REQUEST).nodes()).containsExactly(A);
  }

  @Test
  void aControlPlaneBringsOnWhatAnotherHasBegunAndOneAtATimeDoesSo() {
    cluster.acquire(A, WEB, REQUEST);
    a.mount(WEB);
    FaultRule busy =
        world.storage.inject(
            Fault.fail(StatusCode.UNAVAILABLE, "the storage is busy"),
            When.calling(CsiOperation.CONTROLLER_UNPUBLISH_VOLUME));
    a.release(WEB);
    assertThat(cluster.claims().nodeIsDown(A)).isEmpty();
    assertThat(world.storage.contents().idle()).isFalse();
    busy.close();

    try (Cluster one = kept("one");
        Cluster two = kept("two")) {
      Eventually.isTrue("it is detached", () -> world.storage.contents().idle());
      Eventually.isTrue(
          "one has the chore",
          () ->
              one.volumes().status().chores().contains("resume")
                  != two.volumes().status().chores().contains("resume"));
    }
  }

  private Cluster kept(String name) {
    return Cluster.builder(world.plugins, store)
        .controller(parts -> parts.controlPlane(name))
        .keeper(
            keeper ->
                keeper.every("resume", Duration.ofMillis(20)).every("reap", Duration.ofMillis(20)))
        .open();
  }

  @Test
  void theOrdersNameTheClusterOnceItHasAnIdentity() {
    assertThat(cluster.exchange(report(A, 100)).cluster()).isEmpty();

    ClusterIdentity identity = new ClusterSetup(store).create();

    assertThat(cluster.exchange(report(A, 101)).cluster()).contains(identity.value());
  }

  private static NodeReport later(NodeReport report, long number, List<PluginOnNode> plugins) {
    return new NodeReport(
        report.node(),
        report.cluster(),
        report.boot(),
        report.at(),
        number,
        report.draining(),
        plugins,
        report.volumes(),
        report.ended(),
        report.receipts(),
        report.expansions(),
        Optional.empty());
  }

  private static NodeReport report(NodeName node, long number, NodeExpansion... expansions) {
    return new NodeReport(
        node,
        Optional.empty(),
        "boot",
        Instant.EPOCH,
        number,
        false,
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(expansions),
        Optional.empty());
  }

  @Test
  void aWorkloadThatEndsAfterItsNodeWasFencedHasNothingMountedThere() throws IOException {
    PluginShape shape = PluginShape.full().with(Quirk.DETACHES_WHAT_IS_IN_USE);
    try (ClusterWorld fencing = new ClusterWorld(temp.resolve("fencing"), shape);
        Cluster plane = fencing.cluster(new MemoryStore());
        NodeAgent agent =
            fencing.agent(
                A, plane, parts -> parts.claims(terms -> terms.interval(Duration.ofMinutes(1))))) {
      ClusterWorld.awaitPlugin(agent);
      agent.exchange();
      plane.acquire(A, WEB, REQUEST);
      agent.mount(WEB);
      assertThat(plane.nodeIsFenced(A, OFF))
          .extracting(JobVolumes.Released::claim)
          .containsExactly(new ClaimProgress.Gone(WEB));

      agent.release(WEB);

      assertThat(fencing.publishedOn()).as("no round of the claims has come meanwhile").isEmpty();
      assertThat(agent.manager().hasMount(WEB)).isFalse();
    }
  }
}

package io.csi4j.volume.cluster;

import static io.csi4j.volume.cluster.ClusterWorld.A;
import static io.csi4j.volume.cluster.ClusterWorld.B;
import static io.csi4j.volume.cluster.ClusterWorld.JOB;
import static io.csi4j.volume.cluster.ClusterWorld.REQUEST;
import static io.csi4j.volume.cluster.ClusterWorld.WEB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.real.Eventually;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import io.csi4j.testkit.model.PluginContents;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.referee.DutyId;
import io.csi4j.volume.agent.ControlPlane;
import io.csi4j.volume.agent.NodeAgent;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.controller.JobVolumes;
import io.csi4j.volume.model.AttachmentMode;
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
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.NodeOrders;
import io.csi4j.volume.node.NodeReport;
import io.csi4j.volume.node.PluginOnNode;
import io.csi4j.volume.placement.Placement;
import io.csi4j.volume.plugin.PluginDrain;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.local.MemoryStore;
import io.csi4j.volume.workload.VolumeRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A control plane and the agents of two nodes, in one process. */
class ClusterTest {

  private static final Set<CsiOperation> MOVING =
      Set.of(
          CsiOperation.CREATE_VOLUME,
          CsiOperation.DELETE_VOLUME,
          CsiOperation.CONTROLLER_PUBLISH_VOLUME,
          CsiOperation.CONTROLLER_UNPUBLISH_VOLUME,
          CsiOperation.NODE_STAGE_VOLUME,
          CsiOperation.NODE_PUBLISH_VOLUME,
          CsiOperation.NODE_UNPUBLISH_VOLUME,
          CsiOperation.NODE_UNSTAGE_VOLUME);

  private static final AccessMode MODE = AccessMode.SINGLE_NODE_WRITER;
  private static final AttachmentMode FILES = AttachmentMode.FILESYSTEM;
  private static final VolumeUse LOG = VolumeUse.of(VolumeKey.of("log"), WEB.workload());
  private static final VolumeUse THERE = VolumeUse.of(VolumeKey.of("there"), WEB.workload());

  @TempDir private Path temp;
  private final MemoryStore store = new MemoryStore();
  private final Line line = new Line();
  private ClusterWorld world;
  private Cluster cluster;
  private NodeAgent a;
  private NodeAgent b;

  /** The line between the nodes and the control plane. */
  private final class Line implements ControlPlane {

    private UnaryOperator<NodeOrders> orders = UnaryOperator.identity();
    private boolean isCut;
    private Optional<NodeReport> last = Optional.empty();

    @Override
    public NodeOrders exchange(NodeReport report) {
      check();
      last = Optional.of(report);
      return orders.apply(cluster.exchange(report));
    }

    @Override
    public ClaimStanding standing(ClaimQuestion question) {
      check();
      return cluster.standing(question);
    }

    @Override
    public VolumeVerdict verdict(ClaimQuestion question) {
      check();
      return cluster.verdict(question);
    }

    private void check() {
      if (isCut) {
        throw new CutOffException();
      }
    }
  }

  /** No control plane can be reached. */
  private static final class CutOffException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  @BeforeEach
  void open() throws IOException {
    world = new ClusterWorld(temp);
    cluster = world.cluster(store);
    a = world.agent(A, line);
    b = world.agent(B, line);
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

  private List<String> calls() {
    return world.storage.journal().calls().stream()
        .map(RecordedCall::operation)
        .filter(MOVING::contains)
        .map(CsiOperation::rpcName)
        .toList();
  }

  @Test
  void aVolumeOfAJobIsCreatedMountedGivenBackAndMountedOnAnotherNode() {
    assertThat(cluster.nodesFor(WEB, REQUEST).nodes()).containsExactly(A, B);

    ClaimGrant grant = cluster.acquire(A, WEB, REQUEST);
    MountedVolume mounted = a.mount(WEB);
    assertThat(mounted.usage()).isEqualTo(WEB);
    assertThat(Files.isDirectory(mounted.path())).isTrue();
    assertThat(a.mount(WEB)).as("the same again").isEqualTo(mounted);
    assertThat(cluster.acquire(A, WEB, REQUEST)).as("the same again").isEqualTo(grant);
    assertThat(world.publishedOn()).containsExactly("a");
    assertThat(
            catchThrowableOfType(ClaimException.class, () -> cluster.acquire(B, JOB, REQUEST))
                .code())
        .isEqualTo(OperatorCode.CLAIM_HELD_BY);

    a.release(WEB);
    assertThat(world.storage.contents().idle()).isTrue();
    cluster.acquire(B, JOB, REQUEST);
    assertThat(b.mount(JOB).usage()).isEqualTo(JOB);
    assertThat(world.publishedOn()).containsExactly("b");
    assertThat(calls())
        .containsExactly(
            "CreateVolume",
            "ControllerPublishVolume",
            "NodeStageVolume",
            "NodePublishVolume",
            "NodeUnpublishVolume",
            "NodeUnstageVolume",
            "ControllerUnpublishVolume",
            "ControllerPublishVolume",
            "NodeStageVolume",
            "NodePublishVolume");
    world.storage.assertLawful();
  }

  @Test
  void aReleaseOfTheControlPlaneIsDoneByTheNextExchange() {
    cluster.acquire(A, WEB, REQUEST);
    a.mount(WEB);

    JobVolumes.Released released = cluster.release(WEB);
    assertThat(released.claim()).isInstanceOf(ClaimProgress.WaitsForNode.class);
    assertThat(world.publishedOn()).containsExactly("a");
    a.exchange();

    assertThat(world.storage.contents().idle()).isTrue();
    assertThat(cluster.claims().resume(WEB)).isEqualTo(new ClaimProgress.Gone(WEB));
    world.storage.assertLawful();
  }

  @Test
  void aVolumeThatIsNotRetainedIsDeletedWithTheReceiptOfItsNode() {
    cluster.acquire(
        A,
        WEB,
        REQUEST.toBuilder()
            .created(REQUEST.created().orElseThrow().toBuilder().ephemeral(true))
            .build());
    a.mount(WEB);

    a.release(WEB);

    assertThat(world.storage.contents().empty()).isTrue();
    assertThat(cluster.volumes().record(WEB.volume())).isEmpty();
    world.storage.assertLawful();
  }

  @Test
  void aVolumeOfAJobIsMadeAndMountedAsItsSpecSays() {
    cluster.acquire(
        A,
        WEB,
        REQUEST.toBuilder()
            .created(
                VolumeSpec.builder(ClusterWorld.PLUGIN)
                    .parameters(Map.of("tier", "fast"))
                    .mutableParameters(Map.of("iops", "300"))
                    .mountOptions(MountOptions.none().withFsType("xfs")))
            .mountOptions(MountOptions.none().withFlags(MountFlags.of("noatime")))
            .build());
    a.mount(WEB);

    WireMessage created = request(CsiOperation.CREATE_VOLUME);
    assertThat(created.map("parameters")).isEqualTo(Map.of("tier", "fast"));
    assertThat(created.map("mutable_parameters")).isEqualTo(Map.of("iops", "300"));
    for (CsiOperation each :
        List.of(CsiOperation.CONTROLLER_PUBLISH_VOLUME, CsiOperation.NODE_STAGE_VOLUME)) {
      WireMessage mount = request(each).message("volume_capability").message("mount");
      assertThat(mount.text("fs_type")).as(each.rpcName()).isEqualTo("xfs");
      assertThat(mount.texts("mount_flags")).as(each.rpcName()).containsExactly("noatime");
    }
    world.storage.assertLawful();
  }

  private WireMessage request(CsiOperation operation) {
    return world.storage.journal().calls(operation).get(0).request();
  }

  /** The claim has the options of the volume and those of the request; the report compares both. */
  @Test
  void aUseWithMountOptionsIsPlacedWhereItIsClaimed() {
    VolumeRequest xfs = mounted("xfs");
    cluster.acquire(A, WEB, xfs);

    assertThat(cluster.nodesFor(WEB, xfs).nodes()).containsExactly(A);
    Placement.Report other = cluster.nodesFor(WEB, mounted("btrfs"));
    assertThat(other.nodes()).isEmpty();
    assertThat(other.excluded().get(0).why())
        .extracting(OperatorMessage::code)
        .containsExactly(OperatorCode.CLAIM_OTHER_USE);
  }

  private static VolumeRequest mounted(String filesystem) {
    return REQUEST.toBuilder()
        .mountOptions(MountOptions.none().withFsType(filesystem))
        .created(
            REQUEST.created().orElseThrow().toBuilder()
                .mountOptions(MountOptions.none().withFlags(MountFlags.of("noatime"))))
        .build();
  }

  @Test
  void aUseThatIsNotClaimedForTheNodeIsNotMounted() {
    cluster.acquire(A, WEB, REQUEST);

    assertThat(catchThrowableOfType(VolumeException.class, () -> b.mount(WEB)).code())
        .isEqualTo(OperatorCode.CLAIM_MISSING);
    b.release(WEB);
    assertThat(a.mount(WEB).usage()).isEqualTo(WEB);
    world.storage.assertLawful();
  }

  @Test
  void aFilesystemFollowsTheSizeOfItsVolumeWhereItIsMountedAndWhereItIsMountedNext() {
    cluster.acquire(A, WEB, REQUEST);
    a.mount(WEB);

    cluster.volumes().expand(WEB.volume(), CapacityRange.atLeast(32 << 20));
    assertThat(cluster.volumes().find(WEB.volume()).orElseThrow().pendingOnNode()).isPresent();
    a.exchange();
    assertThat(cluster.volumes().find(WEB.volume()).orElseThrow().pendingOnNode()).isEmpty();

    a.release(WEB);
    cluster.volumes().expand(WEB.volume(), CapacityRange.atLeast(64 << 20));
    cluster.acquire(B, WEB, REQUEST);
    b.mount(WEB);
    b.exchange();
    assertThat(cluster.volumes().find(WEB.volume()).orElseThrow().pendingOnNode()).isEmpty();
    world.storage.assertLawful();
  }

  @Test
  void aNodeThatIsCutOffKeepsWhatItHasTakesNothingNewAndGivesBackWhenItIsThereAgain() {
    cluster.acquire(A, WEB, REQUEST);
    a.mount(WEB);
    line.isCut = true;
    a.close();
    a = world.agent(A, line);

    assertThat(catchThrowableOfType(CutOffException.class, () -> a.exchange())).isNotNull();
    assertThat(catchThrowableOfType(CutOffException.class, () -> a.mount(WEB))).isNotNull();
    assertThat(catchThrowableOfType(CutOffException.class, () -> a.release(WEB))).isNotNull();
    assertThat(a.manager().hasMount(WEB)).isTrue();
    assertThat(cluster.release(WEB).claim()).isInstanceOf(ClaimProgress.WaitsForNode.class);
    assertThat(
            catchThrowableOfType(ClaimException.class, () -> cluster.acquire(B, JOB, REQUEST))
                .code())
        .isEqualTo(OperatorCode.CLAIM_HELD_BY);

    line.isCut = false;
    a.exchange();
    assertThat(world.storage.contents().idle()).isTrue();
    cluster.acquire(B, JOB, REQUEST);
    assertThat(b.mount(JOB).usage()).isEqualTo(JOB);
    world.storage.assertLawful();
  }

  @Test
  void aFencedNodeLosesItsClaimsByTheProofAndItsVolumesWhenTheStorageHasDetachedThem() {
    cluster.acquire(A, WEB, REQUEST);
    a.mount(WEB);
    line.isCut = true;
    assertThat(cluster.claims().nodeIsDown(A).get(0)).isInstanceOf(ClaimProgress.Held.class);
    Fault refused = Fault.fail(StatusCode.UNAVAILABLE, "the storage is busy");
    FaultRule busy =
        world.storage.inject(refused, When.calling(CsiOperation.CONTROLLER_UNPUBLISH_VOLUME));

    List<JobVolumes.Released> ended =
        cluster.nodeIsFenced(A, new ReasonText("its port at the switch is off"));

    assertThat(ended).hasSize(1);
    assertThat(ended.get(0).claim()).isInstanceOf(ClaimProgress.WaitsForStorage.class);
    assertThat(catchThrowableOfType(ClaimException.class, () -> ended.get(0).requireGone()).code())
        .isEqualTo(OperatorCode.DETACH_FAILED);
    assertThat(cluster.nodeIsFenced(A, new ReasonText("once more"))).isEmpty();
    assertThat(
            catchThrowableOfType(ClaimException.class, () -> cluster.acquire(B, JOB, REQUEST))
                .code())
        .isEqualTo(OperatorCode.CLAIM_HELD_BY);

    line.isCut = false;
    Eventually.isTrue("the node has unmounted it", () -> world.publishedOn().isEmpty());
    Eventually.isTrue("and unstaged it", () -> world.storage.contents().staged().isEmpty());
    Eventually.isTrue("and has the plugin's answer", () -> a.manager().volumes().isEmpty());
    busy.close();
    assertThat(cluster.claims().resume(WEB)).isEqualTo(new ClaimProgress.Gone(WEB));
    cluster.acquire(B, JOB, REQUEST);
    assertThat(b.mount(JOB).usage()).isEqualTo(JOB);
    assertThat(catchThrowableOfType(VolumeException.class, () -> a.mount(WEB)).code())
        .isEqualTo(OperatorCode.CLAIM_MISSING);
    assertThat(world.storage.verdict().broken())
        .as("a fenced node is detached while it has the volume, and by the proof alone")
        .extracting(DutyId::toString)
        .containsExactlyInAnyOrder("D-145", "D-146", "D-147", "D-148", "D-149");
  }

  @Test
  void aPluginThatHangsHoldsNoOtherVolumeUp() {
    cluster.acquire(A, WEB, REQUEST);
    cluster.acquire(A, LOG, REQUEST);
    a.mount(WEB);
    VolumeId first = world.storage.contents().published().get(0).volume();
    a.mount(LOG);
    cluster.release(WEB);
    cluster.release(LOG);
    world.storage.inject(
        Fault.hang(), When.calling(CsiOperation.NODE_UNPUBLISH_VOLUME).ofVolume(first));

    a.exchange();

    assertThat(world.storage.contents().published())
        .extracting(PluginContents.Published::volume)
        .containsExactly(first);
    assertThat(cluster.claims().ofNode(A).all()).extracting(ClaimEpoch::usage).containsExactly(WEB);
  }

  @Test
  void aRebootedNodeMountsAgainWhatItHasClaimsFor() {
    cluster.acquire(A, WEB, REQUEST);
    a.mount(WEB);
    a.close();
    world.kernel.reboot();
    a = world.agent(A, line);
    assertThat(a.manager().hasMount(WEB)).isFalse();

    a.exchange();

    Eventually.isTrue("it is there without being asked for", () -> a.manager().hasMount(WEB));
    assertThat(a.mount(WEB).usage()).isEqualTo(WEB);
  }

  @Test
  void ordersThatAreLateTakeNothingFromAWorkload() {
    cluster.acquire(A, WEB, REQUEST);
    a.mount(WEB);
    cluster.release(WEB);
    List<NodeOrders> seen = new ArrayList<>();
    line.orders =
        orders -> {
          seen.add(orders);
          return orders;
        };
    a.exchange();
    assertThat(seen.get(0).leaving()).hasSize(1);
    cluster.acquire(A, WEB, REQUEST);
    a.mount(WEB);
    line.orders =
        orders ->
            new NodeOrders(
                A,
                orders.answers(),
                Optional.empty(),
                seen.get(0).wanted(),
                seen.get(0).leaving(),
                List.of(),
                true);

    a.exchange();

    assertThat(a.manager().hasMount(WEB)).isTrue();
    assertThat(world.publishedOn()).containsExactly("a");
    world.storage.assertLawful();
  }

  @Test
  void ordersForAnotherReportAreNotUsed() {
    line.orders =
        orders ->
            new NodeOrders(
                A,
                orders.answers() - 1,
                Optional.empty(),
                orders.wanted(),
                orders.leaving(),
                List.of(),
                true);

    VolumeException refused = catchThrowableOfType(VolumeException.class, () -> a.exchange());

    assertThat(refused.code()).isEqualTo(OperatorCode.CLAIM_UNCONFIRMED);
    assertThat(refused.outcome()).isEqualTo(VolumeException.Outcome.REFUSED);
  }

  // ---- the nodes on record

  @Test
  void aControlPlaneThatHasHeardNoNodeClaimsAndAttachesForThose() {
    NodeName unknown = NodeName.of("c");
    try (Cluster next = world.cluster(store)) {
      assertThat(next.nodesFor(WEB, REQUEST).nodes()).containsExactly(A, B);
      assertThat(
              catchThrowableOfType(
                      ControllerException.class, () -> next.acquire(unknown, WEB, REQUEST))
                  .code())
          .isEqualTo(OperatorCode.NODE_UNKNOWN);
      assertThat(world.storage.contents().volumes()).isEmpty();

      ClaimGrant grant = next.acquire(A, WEB, REQUEST);

      assertThat(grant.node()).isEqualTo(A);
    }
    assertThat(a.mount(WEB).usage()).isEqualTo(WEB);
    assertThat(world.publishedOn()).containsExactly("a");
    world.storage.assertLawful();
  }

  @Test
  void aReportWithTheSameFactsWritesNothing() {
    RecordKey key = new RecordKey(RecordKey.Space.CLUSTER, "node/a");
    Optional<StoredRecord> written = store.read(key);
    assertThat(written).isPresent();

    a.exchange();
    a.exchange();

    assertThat(store.read(key)).isEqualTo(written);
  }

  @Test
  void aNodeThatAnOperatorDrainsKeepsWhatItHasAndGetsNothingNew() {
    ClaimGrant grant = cluster.acquire(A, WEB, REQUEST);
    a.mount(WEB);
    ReasonText why = new ReasonText("it gets new disks");

    assertThat(cluster.drain(A, why).drained()).contains(why);

    assertThat(cluster.acquire(A, WEB, REQUEST)).as("the same again").isEqualTo(grant);
    a.exchange();
    assertThat(a.mount(WEB).usage()).isEqualTo(WEB);
    assertThat(a.refresh(WEB).usage()).isEqualTo(WEB);
    isRefused(OperatorCode.NODE_DRAINING, A, "an operator is draining node 'a': it gets new disks");
    a.release(WEB);
    isRefused(OperatorCode.NODE_DRAINING, A, "an operator is draining node 'a': it gets new disks");

    assertThat(cluster.undrain(A).drained()).isEmpty();
    assertThat(cluster.acquire(A, LOG, REQUEST).node()).isEqualTo(A);
  }

  @Test
  void aNodeThatDrainsItselfGetsNothingNewUntilItSaysOtherwise() {
    a.drain();
    isRefused(OperatorCode.NODE_DRAINING, A, "node 'a' reports that it is draining");
    cluster.undrain(A);
    isRefused(OperatorCode.NODE_DRAINING, A, "node 'a' reports that it is draining");

    a.undrain();

    assertThat(cluster.acquire(A, LOG, REQUEST).node()).isEqualTo(A);
  }

  @Test
  void aNodeThatIsOffGetsNothingBeforeItsNextReport() {
    cluster.nodeIsOff(A, new ReasonText("its plug is pulled"));
    try (Cluster next = world.cluster(store)) {
      assertThat(next.nodesFor(LOG, REQUEST).nodes()).containsExactly(B);
    }
    isRefused(OperatorCode.NODE_AWAY, A, "node 'a': its plug is pulled");

    a.exchange();

    assertThat(cluster.acquire(A, LOG, REQUEST).node()).isEqualTo(A);
  }

  @Test
  void aNodeGetsClaimsOnceItHasReportedWhatThePluginSaysOfItself() {
    a.exchange();
    NodeReport full = line.last.orElseThrow();
    PluginOnNode ready = full.plugins().get(0);
    RegisteredPlugin silent =
        new RegisteredPlugin(
            ready.plugin().registration(), ready.plugin().health(), Optional.empty(), false);
    PluginOnNode unasked = new PluginOnNode(silent, false, OptionalLong.empty(), ready.storage());

    cluster.exchange(report(full, full.number() + 1, List.of()));
    isRefused(
        OperatorCode.PLUGIN_NOT_REGISTERED,
        A,
        "node 'a' has not reported plugin 'fake.csi4j.example' with the role NODE; claim again"
            + " once it has");

    cluster.exchange(report(full, full.number() + 2, List.of(unasked)));
    isRefused(
        OperatorCode.PLUGIN_NOT_READY,
        A,
        "node 'a' has not reported yet what plugin 'fake.csi4j.example' reports about itself;"
            + " claim again once it has");

    cluster.exchange(report(full, full.number() + 3, full.plugins()));
    ClaimGrant grant = cluster.acquire(A, LOG, REQUEST);
    cluster.exchange(report(full, full.number() + 4, List.of()));
    assertThat(cluster.acquire(A, LOG, REQUEST)).as("the same again").isEqualTo(grant);
  }

  @Test
  void aNodeThatDrainsThePluginIsNoCandidateUntilItReportsOtherwise() {
    try (PluginDrain drain = a.manager().drain(ClusterWorld.PLUGIN, ClusterWorld.LIMIT)) {
      assertThat(drain.plugin()).isEqualTo(ClusterWorld.PLUGIN);
      a.exchange();

      assertThat(line.last.orElseThrow().plugins())
          .extracting(PluginOnNode::draining)
          .containsExactly(true);
      assertThat(cluster.nodesFor(LOG, REQUEST).nodes()).containsExactly(B);
      OperatorMessage why = cluster.nodesFor(LOG, REQUEST).excluded().get(0).why().get(0);
      assertThat(why.code()).isEqualTo(OperatorCode.PLUGIN_DRAINING);
      assertThat(why.seen().text()).isEqualTo("node 'a' is draining plugin 'fake.csi4j.example'");
      VolumeException refused =
          catchThrowableOfType(VolumeException.class, () -> cluster.acquire(A, LOG, REQUEST));
      assertThat(refused.code()).isEqualTo(OperatorCode.PLUGIN_DRAINING);
    }

    a.exchange();

    assertThat(cluster.nodesFor(LOG, REQUEST).nodes()).containsExactly(A, B);
  }

  @Test
  void aPluginWithoutAControllerNeedsNothingAtTheControlPlane() throws IOException {
    VolumeId id = VolumeId.of("vol-static");
    VolumeSpec spec = VolumeSpec.builder(ClusterWorld.PLUGIN).use(MODE, FILES).build();
    VolumeRequest request = VolumeRequest.csi("db").accessMode(MODE).attachment(FILES).build();
    try (ClusterWorld nodes = new ClusterWorld(temp.resolve("nodes"), PluginShape.nodeOnly());
        MemoryStore shared = new MemoryStore();
        Cluster plane =
            Cluster.builder(shared)
                .nodeOnly(ClusterWorld.PLUGIN)
                .patience(ClusterWorld.LIMIT)
                .open();
        Cluster unheard = Cluster.builder(shared).nodeOnly(ClusterWorld.PLUGIN).open();
        Cluster untold = Cluster.builder(shared).open();
        NodeAgent agent = nodes.agent(A, plane, parts -> parts.patience(ClusterWorld.LIMIT))) {
      nodes.storage.addVolume(id, CapacityRange.exactly(1 << 30), VolumeContext.empty());
      agent.awaitPlugin(ClusterWorld.PLUGIN, ClusterWorld.LIMIT);
      plane.volumes().register(CatalogVolume.builder(WEB.volume(), spec, id).build());

      assertThat(plane.nodesFor(WEB, request).nodes()).containsExactly(A);
      ClaimException unknown =
          catchThrowableOfType(ClaimException.class, () -> untold.acquire(A, WEB, request));
      assertThat(unknown.code())
          .as("a node does not know whether its plugin has a controller elsewhere")
          .isEqualTo(OperatorCode.PLUGIN_NOT_REGISTERED);
      ClaimGrant grant = unheard.acquire(A, WEB, request);
      assertThat(plane.acquire(A, WEB, request)).isEqualTo(grant);
      assertThat(agent.mount(WEB).usage()).isEqualTo(WEB);
      assertThat(nodes.publishedOn()).containsExactly("a");
      ClaimException held =
          catchThrowableOfType(ClaimException.class, () -> plane.release(WEB).requireGone());
      assertThat(held.code()).isEqualTo(OperatorCode.CLAIM_BEING_RELEASED);
      assertThat(held.outcome()).isEqualTo(ChangeOutcome.UNAVAILABLE);

      agent.release(WEB);

      plane.release(WEB).requireGone();
      assertThat(nodes.publishedOn()).isEmpty();
      assertThat(nodes.storage.contents().idle()).isTrue();
      nodes.storage.assertLawful();
      plane.volumes().deregister(WEB.volume());
      assertThat(plane.volumes().find(WEB.volume())).isEmpty();
    }
  }

  @Test
  void aControlPlaneWithADirectoryClosesTheStoreThatItHasOpenedThere() {
    a.exchange();
    for (int life = 1; life <= 2; life++) {
      try (Cluster alone =
          Cluster.builder(temp.resolve("store"))
              .plugin(ClusterWorld.PLUGIN, world.storage.endpoint())
              .open()) {
        alone.exchange(line.last.orElseThrow());
        assertThat(alone.acquire(A, WEB, REQUEST).node()).isEqualTo(A);
      }
    }
  }

  private static NodeReport report(NodeReport like, long number, List<PluginOnNode> plugins) {
    return new NodeReport(
        like.node(),
        like.cluster(),
        like.boot(),
        like.at(),
        number,
        like.draining(),
        plugins,
        like.volumes(),
        like.ended(),
        like.receipts(),
        like.expansions(),
        like.asked());
  }

  /** No new volume and no volume that is there is placed on a node, or claimed for it. */
  private void isRefused(OperatorCode code, NodeName node, String seen) {
    VolumeException uncreated =
        catchThrowableOfType(VolumeException.class, () -> cluster.acquire(node, LOG, REQUEST));
    assertThat(uncreated.code()).isEqualTo(code);
    assertThat(uncreated.operatorMessage().seen().text()).isEqualTo(seen);
    assertThat(cluster.nodesFor(LOG, REQUEST).nodes()).containsExactly(B);
    assertThat(cluster.nodesFor(LOG, REQUEST).excluded().get(0).why())
        .extracting(OperatorMessage::code)
        .containsExactly(code);
    cluster.acquire(B, THERE, REQUEST);
    b.exchange();
    cluster.release(THERE);
    b.exchange();
    ClaimException unclaimed =
        catchThrowableOfType(ClaimException.class, () -> cluster.acquire(node, THERE, REQUEST));
    assertThat(unclaimed.code()).isEqualTo(code);
    assertThat(unclaimed.operatorMessage().seen().text()).isEqualTo(seen);
    assertThat(cluster.nodesFor(THERE, REQUEST).nodes()).containsExactly(B);
    assertThat(cluster.nodesFor(THERE, REQUEST).excluded().get(0).why())
        .extracting(OperatorMessage::code)
        .containsExactly(code);
  }

  @Test
  void onlyANodeWithoutClaimsIsForgotten() {
    cluster.acquire(A, WEB, REQUEST);
    a.mount(WEB);
    cluster.drain(A, new ReasonText("it is sold"));
    ControllerException refused =
        catchThrowableOfType(ControllerException.class, () -> cluster.forgetNode(A));
    assertThat(refused.code()).isEqualTo(OperatorCode.NODE_CLAIMED);
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(cluster.nodes().find(A)).isPresent();
    a.release(WEB);

    cluster.forgetNode(A);
    cluster.forgetNode(A);

    assertThat(cluster.nodes().find(A)).isEmpty();
    assertThat(cluster.nodesFor(WEB, REQUEST).nodes()).containsExactly(B);
    a.exchange();
    assertThat(cluster.acquire(A, WEB, REQUEST).node()).isEqualTo(A);
  }
}

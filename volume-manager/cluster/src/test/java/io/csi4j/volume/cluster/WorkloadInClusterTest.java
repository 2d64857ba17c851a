package io.csi4j.volume.cluster;

import static io.csi4j.volume.cluster.ClusterWorld.A;
import static io.csi4j.volume.cluster.ClusterWorld.B;
import static io.csi4j.volume.cluster.ClusterWorld.JOB;
import static io.csi4j.volume.cluster.ClusterWorld.PLUGIN;
import static io.csi4j.volume.cluster.ClusterWorld.REQUEST;
import static io.csi4j.volume.cluster.ClusterWorld.WEB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.mount.model.FileOwnership;
import io.csi4j.mount.real.Eventually;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import io.csi4j.volume.agent.ControlPlane;
import io.csi4j.volume.agent.NodeAgent;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.ClaimQuestion;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.SelinuxLabel;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.model.WorkloadFacts;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.NodeOrders;
import io.csi4j.volume.node.NodeReport;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.store.local.MemoryStore;
import io.csi4j.volume.workload.VolumeRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a workload brings to its volume, from its job to the calls on its node. */
class WorkloadInClusterTest {

  private static final List<CsiOperation> MOUNTING =
      List.of(
          CsiOperation.CONTROLLER_PUBLISH_VOLUME,
          CsiOperation.NODE_STAGE_VOLUME,
          CsiOperation.NODE_PUBLISH_VOLUME);
  private static final WorkloadFacts FACTS =
      WorkloadFacts.of(WEB).withUid("u-1").withServiceAccount("front");
  private static final SelinuxLabel LABEL =
      SelinuxLabel.of("system_u:object_r:container_file_t:s0:c1,c2");
  private static final String LABEL_FLAG = "context=\"" + LABEL + "\"";
  private static final VolumeRequest TOLD = REQUEST.toBuilder().workloadFacts(FACTS).build();
  private static final VolumeUse THERE = VolumeUse.of(VolumeKey.of("there"), WEB.workload());

  @TempDir private Path temp;
  private final MemoryStore store = new MemoryStore();
  private ClusterWorld world;
  private Cluster cluster;
  private NodeAgent a;
  private NodeAgent b;

  /** The control plane that is open now. */
  private final ControlPlane current =
      new ControlPlane() {
        @Override
        public NodeOrders exchange(NodeReport report) {
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

  @BeforeEach
  void open() throws IOException {
    open("world", PluginShape.full().with(Quirk.WORKLOAD_FACTS_TAKEN));
  }

  private void open(String directory, PluginShape shape) throws IOException {
    world = new ClusterWorld(temp.resolve(directory), shape);
    cluster = world.cluster(store);
    a = world.agent(A, current);
    b = world.agent(B, current);
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

  private void nextControlPlane() {
    cluster.close();
    cluster = world.cluster(store);
  }

  private List<Map<String, String>> contexts(CsiOperation operation) {
    return world.storage.journal().calls(operation).stream()
        .map(RecordedCall::request)
        .map(request -> request.map("volume_context"))
        .toList();
  }

  private VolumeContext own() {
    return cluster.volumes().find(WEB.volume()).orElseThrow().context();
  }

  private WireMessage lastMount(CsiOperation operation) {
    List<RecordedCall> calls = world.storage.journal().calls(operation);
    return calls.get(calls.size() - 1).request().message("volume_capability").message("mount");
  }

  private List<String> flags(CsiOperation operation) {
    return lastMount(operation).texts("mount_flags");
  }

  private static MountedVolume.Filesystem files(MountedVolume mounted) {
    return (MountedVolume.Filesystem) mounted;
  }

  // ---- facts

  @Test
  void thePluginIsToldOfTheWorkloadWhereItsVolumeIsPublishedAndNowhereElse() {
    cluster.acquire(A, WEB, TOLD);
    a.mount(WEB);

    Map<String, String> own = own().reveal();
    assertThat(contexts(CsiOperation.NODE_PUBLISH_VOLUME))
        .containsExactly(FACTS.addedTo(own()).reveal());
    assertThat(contexts(CsiOperation.NODE_STAGE_VOLUME)).containsExactly(own);
    assertThat(contexts(CsiOperation.CONTROLLER_PUBLISH_VOLUME)).containsExactly(own);
    assertThat(
            world.storage.journal().calls(CsiOperation.CREATE_VOLUME).get(0).request().toString())
        .doesNotContain("pod.uid", "u-1");

    a.release(WEB);
    cluster.acquire(A, JOB, REQUEST);
    a.mount(JOB);
    assertThat(contexts(CsiOperation.NODE_PUBLISH_VOLUME))
        .as("the next workload brings none")
        .containsExactly(FACTS.addedTo(own()).reveal(), own);
    a.release(JOB);
    world.storage.assertLawful();
  }

  @Test
  void anyControlPlaneSaysTheSameAfterTheOneThatClaimedHasEnded() {
    cluster.acquire(A, WEB, TOLD);
    nextControlPlane();

    a.mount(WEB);
    assertThat(contexts(CsiOperation.NODE_PUBLISH_VOLUME))
        .containsExactly(FACTS.addedTo(own()).reveal());

    a.close();
    world.kernel.reboot();
    nextControlPlane();
    a = world.agent(A, current);
    a.exchange();
    Eventually.isTrue("it is mounted again after the boot", () -> a.manager().hasMount(WEB));
    assertThat(contexts(CsiOperation.NODE_PUBLISH_VOLUME))
        .containsExactly(FACTS.addedTo(own()).reveal(), FACTS.addedTo(own()).reveal());
  }

  @Test
  void aRepeatedRequestWithOtherFactsIsRefusedAndNamesTheirKeys() {
    cluster.acquire(A, WEB, TOLD);
    VolumeRequest other =
        REQUEST.toBuilder().workloadFacts(FACTS.withUid("u-2").withServiceAccount("back")).build();

    ClaimException refused =
        catchThrowableOfType(ClaimException.class, () -> cluster.acquire(A, WEB, other));

    assertThat(refused.code()).isEqualTo(OperatorCode.CLAIM_OTHER_USE);
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(refused.operatorMessage().seen().text())
        .contains(
            "claimed it with other workload facts than it requests now"
                + " (csi.storage.k8s.io/pod.uid, csi.storage.k8s.io/serviceAccount.name)");
    assertThat(cluster.nodesFor(WEB, other).nodes()).isEmpty();
    assertThat(cluster.nodesFor(WEB, TOLD).nodes()).containsExactly(A);

    a.mount(WEB);
    assertThat(contexts(CsiOperation.NODE_PUBLISH_VOLUME))
        .containsExactly(FACTS.addedTo(own()).reveal());
    a.release(WEB);
    assertThat(cluster.acquire(A, WEB, other).usage()).isEqualTo(WEB);
  }

  @Test
  void factsThatComeWithARepeatedRequestReachThePluginWithARefresh() {
    cluster.acquire(A, WEB, REQUEST);
    a.mount(WEB);
    cluster.acquire(A, WEB, TOLD);

    a.mount(WEB);
    assertThat(contexts(CsiOperation.NODE_PUBLISH_VOLUME)).containsExactly(own().reveal());
    a.refresh(WEB);
    assertThat(contexts(CsiOperation.NODE_PUBLISH_VOLUME))
        .containsExactly(own().reveal(), FACTS.addedTo(own()).reveal());
  }

  @Test
  void factsUnderAKeyOfTheVolumeItselfAreRefusedAndKeepNoOrdersBack() {
    VolumeContext context = VolumeContext.of(Map.of("csi.storage.k8s.io/pod.uid", "own"));
    world.storage.addVolume(VolumeId.of("there"), CapacityRange.exactly(1 << 30), context);
    cluster
        .volumes()
        .register(
            CatalogVolume.builder(
                    THERE.volume(),
                    VolumeSpec.builder(PLUGIN)
                        .use(AccessMode.SINGLE_NODE_SINGLE_WRITER, AttachmentMode.FILESYSTEM)
                        .build(),
                    VolumeId.of("there"))
                .context(context)
                .build());
    VolumeRequest.Builder request =
        VolumeRequest.builder("data", VolumeRequest.Type.CSI, "there")
            .accessMode(AccessMode.SINGLE_NODE_SINGLE_WRITER)
            .attachment(AttachmentMode.FILESYSTEM);
    VolumeRequest told = request.workloadFacts(FACTS).build();

    VolumeException refused =
        catchThrowableOfType(VolumeException.class, () -> cluster.acquire(A, THERE, told));
    assertThat(refused.code()).isEqualTo(OperatorCode.NOT_ALLOWED_HERE);
    assertThat(refused.outcome()).isEqualTo(VolumeException.Outcome.REFUSED);
    assertThat(refused.operatorMessage().seen().text())
        .isEqualTo(
            "the volume's context already has csi.storage.k8s.io/pod.uid, which the request passes"
                + " as a fact of the workload");
    ClaimRequest claim =
        ClaimRequest.builder(
                THERE,
                A,
                new Claim.Use(AccessMode.SINGLE_NODE_SINGLE_WRITER, AttachmentMode.FILESYSTEM),
                ClaimMode.WRITE)
            .workloadFacts(FACTS)
            .build();
    ClaimException unclaimed =
        catchThrowableOfType(ClaimException.class, () -> cluster.claims().acquire(claim));
    assertThat(unclaimed.code()).isEqualTo(OperatorCode.NOT_ALLOWED_HERE);
    assertThat(unclaimed.operatorMessage().seen().text())
        .isEqualTo(refused.operatorMessage().seen().text());

    cluster.acquire(A, THERE, told.toBuilder().workloadFacts(WorkloadFacts.from(Map.of())).build());
    assertThat(a.mount(THERE).usage()).isEqualTo(THERE);
  }

  // ---- label and group

  private void takeLabels(boolean takes) {
    world.plugins.register(
        PluginRegistration.controller(
            PluginBinding.builder(PLUGIN, world.storage.endpoint())
                .policy(MountPolicy.builder().takesSelinuxLabel(takes).build())
                .build()));
  }

  private static VolumeRequest labelled() {
    return REQUEST.toBuilder()
        .selinuxLabel(LABEL)
        .mountOptions(MountOptions.none().withFlags(MountFlags.of("noatime")))
        .build();
  }

  @Test
  void aLabelGoesToThePluginInEachCallIfThePluginTakesLabels() {
    takeLabels(true);
    cluster.acquire(A, WEB, labelled());
    nextControlPlane();

    assertThat(files(a.mount(WEB)).selinuxLabel()).contains(LABEL);
    for (CsiOperation each : MOUNTING) {
      assertThat(flags(each)).as(each.rpcName()).containsExactly("noatime", LABEL_FLAG);
    }
    takeLabels(false);
    assertThat(cluster.acquire(A, WEB, labelled()).usage())
        .as("existing mounts stay")
        .isEqualTo(WEB);
    a.release(WEB);

    cluster.acquire(A, WEB, labelled());
    assertThat(files(a.mount(WEB)).selinuxLabel()).as("the runtime labels the files").isEmpty();
    for (CsiOperation each : MOUNTING) {
      assertThat(flags(each)).as(each.rpcName()).containsExactly("noatime");
    }
    takeLabels(true);
    assertThat(cluster.acquire(A, WEB, labelled()).usage()).isEqualTo(WEB);
    world.storage.assertLawful();
  }

  private static VolumeRequest owned(FileOwnership ownership) {
    return REQUEST.toBuilder().ownership(ownership).build();
  }

  @Test
  void thePluginMountsForTheGroupIfItOffersThat() {
    cluster.acquire(A, WEB, owned(FileOwnership.ofGroup(2000)));
    nextControlPlane();

    assertThat(files(a.mount(WEB)).volumeMountGroup()).contains("2000");
    for (CsiOperation each : MOUNTING) {
      assertThat(lastMount(each).text("volume_mount_group")).as(each.rpcName()).isEqualTo("2000");
    }
    assertThat(cluster.acquire(A, WEB, owned(FileOwnership.ofGroup(2000))).usage()).isEqualTo(WEB);
    ClaimException refused =
        catchThrowableOfType(
            ClaimException.class,
            () -> cluster.acquire(A, WEB, owned(FileOwnership.ofGroup(3000))));
    assertThat(refused.code()).isEqualTo(OperatorCode.CLAIM_OTHER_USE);
    world.storage.assertLawful();
  }

  @Test
  void anOwnerThatThePluginCannotSetIsLeftToTheHost() {
    cluster.acquire(A, WEB, owned(FileOwnership.builder().user(1000).group(1000).build()));

    assertThat(files(a.mount(WEB)).volumeMountGroup()).isEmpty();
    for (CsiOperation each : MOUNTING) {
      assertThat(lastMount(each).text("volume_mount_group")).as(each.rpcName()).isEmpty();
    }
    world.storage.assertLawful();
  }

  @Test
  void aPluginThatOffersNoGroupsIsGivenNone() throws IOException {
    close();
    open("other", PluginShape.full().without(NodeCapability.VOLUME_MOUNT_GROUP));
    cluster.acquire(A, WEB, owned(FileOwnership.ofGroup(2000)));

    assertThat(files(a.mount(WEB)).volumeMountGroup()).isEmpty();
    for (CsiOperation each : MOUNTING) {
      assertThat(lastMount(each).text("volume_mount_group")).as(each.rpcName()).isEmpty();
    }
    world.storage.assertLawful();
  }
}

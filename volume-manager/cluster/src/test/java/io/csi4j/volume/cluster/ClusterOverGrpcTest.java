package io.csi4j.volume.cluster;

import static io.csi4j.volume.cluster.ClusterWorld.A;
import static io.csi4j.volume.cluster.ClusterWorld.B;
import static io.csi4j.volume.cluster.ClusterWorld.JOB;
import static io.csi4j.volume.cluster.ClusterWorld.REQUEST;
import static io.csi4j.volume.cluster.ClusterWorld.WEB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import io.csi4j.volume.agent.ControlPlane;
import io.csi4j.volume.agent.NodeAgent;
import io.csi4j.volume.cluster.grpc.ClusterEndpoint;
import io.csi4j.volume.cluster.grpc.ControlPlaneServer;
import io.csi4j.volume.cluster.grpc.RemoteControlPlane;
import io.csi4j.volume.controller.ClusterSetup;
import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.ClaimQuestion;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.Pem;
import io.csi4j.volume.model.TlsSettings;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.model.WorkloadFacts;
import io.csi4j.volume.node.NodeOrders;
import io.csi4j.volume.node.NodeReport;
import io.csi4j.volume.store.TestCertificates;
import io.csi4j.volume.store.local.MemoryStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes and several control planes that reach each other over gRPC. */
class ClusterOverGrpcTest {

  @TempDir private Path temp;
  private final MemoryStore store = new MemoryStore();
  private final List<AutoCloseable> open = new ArrayList<>();
  private ClusterWorld world;

  @BeforeEach
  void begin() throws IOException {
    world = opened(new ClusterWorld(temp.resolve("world")));
  }

  @AfterEach
  void close() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  private <T extends AutoCloseable> T opened(T part) {
    open.add(part);
    return part;
  }

  private ClusterEndpoint file(String name) {
    return ClusterEndpoint.unix(temp.resolve(name));
  }

  private ControlPlaneServer serve(Cluster cluster, String name) throws IOException {
    return opened(ControlPlaneServer.open(cluster, file(name)));
  }

  private NodeAgent agent(NodeName node, ClusterEndpoint... endpoints) {
    return opened(world.agent(node, opened(RemoteControlPlane.of(node, List.of(endpoints)))));
  }

  @Test
  void aVolumeMovesBetweenNodesWhileControlPlanesComeAndGo() throws Exception {
    Cluster one = opened(world.cluster(store));
    Cluster two = opened(world.cluster(store));
    ControlPlaneServer first = serve(one, "one");
    ControlPlaneServer second = serve(two, "two");
    NodeAgent a = agent(A, file("one"), file("two"));
    NodeAgent b = agent(B, file("one"), file("two"));
    a.exchange();
    b.exchange();

    one.acquire(A, WEB, REQUEST);
    assertThat(a.mount(WEB).usage()).isEqualTo(WEB);
    assertThat(world.publishedOn()).containsExactly("a");

    first.close();
    a.release(WEB);
    assertThat(world.storage.contents().idle()).isTrue();
    b.exchange();
    two.acquire(B, JOB, REQUEST);
    assertThat(b.mount(JOB).usage()).isEqualTo(JOB);

    second.close();
    VolumeException silent = catchThrowableOfType(VolumeException.class, b::exchange);
    assertThat(silent.code()).isEqualTo(OperatorCode.CONTROL_PLANE_SILENT);
    assertThat(world.publishedOn()).as("existing mounts stay").containsExactly("b");
    serve(two, "one");
    b.exchange();
    b.release(JOB);
    assertThat(world.storage.contents().idle()).isTrue();
    world.storage.assertLawful();
  }

  @Test
  void theFactsOfAWorkloadCrossAfterTheControlPlaneThatClaimedHasEnded() throws Exception {
    world =
        opened(
            new ClusterWorld(
                temp.resolve("told"), PluginShape.full().with(Quirk.WORKLOAD_FACTS_TAKEN)));
    WorkloadFacts facts = WorkloadFacts.of(WEB).withUid("u-1");
    Cluster one = opened(world.cluster(store));
    ControlPlaneServer first = serve(one, "one");
    serve(opened(world.cluster(store)), "two");
    NodeAgent a = agent(A, file("one"), file("two"));
    a.exchange();
    one.acquire(A, WEB, REQUEST.toBuilder().workloadFacts(facts).build());
    first.close();
    one.close();

    a.mount(WEB);

    assertThat(contexts(CsiOperation.NODE_STAGE_VOLUME)).hasSize(1);
    Map<String, String> own = contexts(CsiOperation.NODE_STAGE_VOLUME).get(0);
    assertThat(contexts(CsiOperation.NODE_PUBLISH_VOLUME))
        .containsExactly(facts.addedTo(VolumeContext.of(own)).reveal());
    a.release(WEB);
    world.storage.assertLawful();
  }

  private List<Map<String, String>> contexts(CsiOperation operation) {
    return world.storage.journal().calls(operation).stream()
        .map(call -> call.request().map("volume_context"))
        .toList();
  }

  private static ClaimQuestion question(NodeName node) {
    return ClaimQuestion.of(new ClaimEpoch(node, WEB, 1));
  }

  @Test
  void aRefusalOfTheControlPlaneArrivesWithItsCode() throws Exception {
    Cluster cluster = opened(world.cluster(store));
    serve(cluster, "one");
    RemoteControlPlane remote = opened(RemoteControlPlane.of(A, List.of(file("one"))));
    NodeAgent a = opened(world.agent(A, remote));
    a.exchange();

    assertThat(remote.standing(question(A))).isEqualTo(new ClaimStanding.Missing());
    VolumeException missing = catchThrowableOfType(VolumeException.class, () -> a.mount(WEB));
    assertThat(missing.code()).isEqualTo(OperatorCode.CLAIM_MISSING);
    store.close();
    VolumeException down = catchThrowableOfType(VolumeException.class, () -> a.mount(WEB));
    assertThat(down.code()).isEqualTo(OperatorCode.CLAIM_STORE_DOWN);
    assertThat(down.outcome()).isEqualTo(VolumeException.Outcome.IN_PROGRESS);
  }

  @Test
  void aQuestionWaitsAsLongAsTheHostSays() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    Cluster cluster = opened(world.cluster(store));
    ControlPlane hung = new HungControlPlane(cluster, end);
    opened(ControlPlaneServer.open(hung, file("hung")));
    RemoteControlPlane remote =
        opened(
            RemoteControlPlane.builder(A, List.of(file("hung")))
                .deadline(Duration.ofMillis(50))
                .build());

    VolumeException silent =
        catchThrowableOfType(VolumeException.class, () -> remote.standing(question(A)));

    assertThat(end.getCount()).as("it does not answer meanwhile").isEqualTo(1);
    end.countDown();
    assertThat(silent.code()).isEqualTo(OperatorCode.CONTROL_PLANE_SILENT);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RemoteControlPlane.builder(A, List.of(file("a"))).deadline(Duration.ZERO))
        .withMessage("The deadline has to be positive, not PT0S.");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RemoteControlPlane.builder(A, List.of()))
        .withMessage("A node needs an endpoint of a control plane. Name one.");
  }

  /** Answers no question before it may. */
  private record HungControlPlane(ControlPlane cluster, CountDownLatch end)
      implements ControlPlane {

    private void await() {
      try {
        end.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public NodeOrders exchange(NodeReport report) {
      await();
      return cluster.exchange(report);
    }

    @Override
    public ClaimStanding standing(ClaimQuestion question) {
      await();
      return cluster.standing(question);
    }

    @Override
    public VolumeVerdict verdict(ClaimQuestion question) {
      await();
      return cluster.verdict(question);
    }
  }

  @Test
  void aControlPlaneThatIsCutOffFromItsStoreGivesWayToAnother() throws Exception {
    TroubledStore cutOff = new TroubledStore();
    serve(opened(world.cluster(cutOff)), "one");
    Cluster two = opened(world.cluster(store));
    serve(two, "two");
    RemoteControlPlane remote = opened(RemoteControlPlane.of(A, List.of(file("one"), file("two"))));
    NodeAgent a = opened(world.agent(A, remote));
    cutOff.close();

    a.exchange();
    two.acquire(A, WEB, REQUEST);
    assertThat(a.mount(WEB).usage()).isEqualTo(WEB);

    store.close();
    VolumeException down = catchThrowableOfType(VolumeException.class, () -> a.mount(WEB));
    assertThat(down.code()).isEqualTo(OperatorCode.CLAIM_STORE_DOWN);
  }

  @Test
  void aControlPlaneOfAnotherClusterGivesWayAndIsNotAskedFirst() throws Exception {
    new ClusterSetup(store).create();
    Cluster own = opened(world.cluster(store));
    ControlPlaneServer server = serve(own, "own");
    MemoryStore stores = new MemoryStore();
    new ClusterSetup(stores).create();
    Cluster other = opened(world.cluster(stores));
    serve(other, "other");
    NodeAgent a = agent(A, file("own"), file("other"));
    a.exchange();
    server.close();

    VolumeException refused = catchThrowableOfType(VolumeException.class, a::exchange);
    assertThat(refused.code()).isEqualTo(OperatorCode.CONTROL_PLANE_OTHER);
    assertThat(other.nodes().find(A)).isEmpty();

    serve(own, "own");
    a.exchange();
    own.acquire(A, WEB, REQUEST);
    assertThat(a.mount(WEB).usage()).isEqualTo(WEB);
  }

  @Test
  void aNodeAsksForItselfAlone() throws Exception {
    TestCertificates certificates = new TestCertificates(temp);
    certificates.authority("ca");
    certificates.certificate(
        "server", "control plane", "subjectAltName=DNS:localhost\nextendedKeyUsage=serverAuth\n");
    certificates.certificate("a", "a", "subjectAltName=DNS:a\nextendedKeyUsage=clientAuth\n");
    Cluster cluster = opened(world.cluster(store));
    ControlPlaneServer server =
        opened(
            ControlPlaneServer.open(
                cluster, ClusterEndpoint.tcp("localhost", 0), tls(certificates, "server")));
    List<ClusterEndpoint> there = List.of(server.endpoint());
    NodeAgent a =
        opened(world.agent(A, opened(RemoteControlPlane.of(A, there, tls(certificates, "a")))));
    a.exchange();
    cluster.acquire(A, WEB, REQUEST);
    assertThat(a.mount(WEB).usage()).isEqualTo(WEB);

    RemoteControlPlane impostor = opened(RemoteControlPlane.of(B, there, tls(certificates, "a")));
    VolumeException refused =
        catchThrowableOfType(VolumeException.class, () -> impostor.standing(question(B)));
    assertThat(refused.code()).isEqualTo(OperatorCode.CONTROL_PLANE_REFUSES);
    assertThat(refused.operatorMessage().seen().text())
        .contains("the caller reports as node 'b', but its certificate names [a]");
  }

  private static TlsSettings tls(TestCertificates certificates, String name) {
    return TlsSettings.trusting(Pem.file(certificates.file("ca.pem")))
        .showing(
            new TlsSettings.Certificate(
                Pem.file(certificates.file(name + ".pem")),
                Pem.file(certificates.file(name + ".key"))));
  }

  @Test
  void aNodeWithoutAnEndpointIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RemoteControlPlane.of(A, List.of()))
        .withMessage("A node needs an endpoint of a control plane. Name one.");
  }
}

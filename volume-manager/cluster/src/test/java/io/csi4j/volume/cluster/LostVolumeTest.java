package io.csi4j.volume.cluster;

import static io.csi4j.volume.cluster.ClusterWorld.A;
import static io.csi4j.volume.cluster.ClusterWorld.REQUEST;
import static io.csi4j.volume.cluster.ClusterWorld.WEB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.When;
import io.csi4j.volume.agent.NodeAgent;
import io.csi4j.volume.cluster.grpc.ClusterEndpoint;
import io.csi4j.volume.cluster.grpc.ControlPlaneServer;
import io.csi4j.volume.cluster.grpc.RemoteControlPlane;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.ClaimQuestion;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.store.local.MemoryStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node whose plugin does not find a volume asks a control plane whether the volume exists. */
class LostVolumeTest {

  private static final ReasonText REASON = new ReasonText("so it is");

  @TempDir private Path temp;
  private final MemoryStore store = new MemoryStore();
  private ClusterWorld world;
  private Cluster cluster;
  private ControlPlaneServer server;
  private RemoteControlPlane remote;
  private NodeAgent a;

  @BeforeEach
  void open() throws IOException {
    world = new ClusterWorld(temp.resolve("world"));
    cluster = world.cluster(store);
    ClusterEndpoint endpoint = ClusterEndpoint.unix(temp.resolve("one"));
    server = ControlPlaneServer.open(cluster, endpoint);
    remote = RemoteControlPlane.of(A, List.of(endpoint));
    a = world.agent(A, remote);
    a.exchange();
    cluster.acquire(A, WEB, REQUEST);
  }

  @AfterEach
  void close() {
    a.close();
    remote.close();
    server.close();
    cluster.close();
    world.close();
  }

  private CatalogVolume volume() {
    return cluster.volumes().find(WEB.volume()).orElseThrow();
  }

  private long epoch() {
    return cluster.claims().ofNode(A).taken().get(0).grant().epoch();
  }

  private static ClaimQuestion question(long epoch) {
    return ClaimQuestion.of(new ClaimEpoch(A, WEB, epoch));
  }

  private int stagings() {
    return world.storage.journal().calls(CsiOperation.NODE_STAGE_VOLUME).size();
  }

  @Test
  void aVolumeThatTheStorageHasLostIsHeldUntilItIsThereAndAskedFor() {
    CatalogVolume lost = volume();
    world.storage.forget();

    VolumeException held = catchThrowableOfType(VolumeException.class, () -> a.mount(WEB));

    assertThat(held.code()).isEqualTo(OperatorCode.VOLUME_GONE);
    assertThat(held.outcome()).isEqualTo(VolumeException.Outcome.HELD);
    assertThat(held.operatorMessage().seen().text())
        .contains("NodeStageVolume did not find it", "NOT_FOUND");
    assertThat(stagings()).isEqualTo(1);
    a.exchange();
    assertThat(stagings()).as("nothing is tried unasked").isEqualTo(1);

    world.storage.addVolume(lost.id(), CapacityRange.exactly(16 << 20), lost.context());
    cluster.claims().attachAgain(WEB, epoch());
    assertThat(a.mount(WEB).usage()).isEqualTo(WEB);
    a.release(WEB);
    assertThat(world.storage.contents().idle()).isTrue();
  }

  @Test
  void aVolumeThatOnlyTheNodeDoesNotFindIsTriedAgain() {
    FaultRule behind =
        world.storage.inject(
            Fault.fail(StatusCode.NOT_FOUND, "not yet"),
            When.calling(CsiOperation.NODE_STAGE_VOLUME).once());

    assertThat(a.mount(WEB).usage()).isEqualTo(WEB);

    assertThat(behind.hits()).isEqualTo(1);
    assertThat(stagings()).isEqualTo(2);
    assertThat(world.storage.journal().calls(CsiOperation.CONTROLLER_GET_VOLUME)).hasSize(1);
  }

  @Test
  void theVerdictIsAboutTheVolumeOfACurrentClaim() {
    assertThat(remote.verdict(question(epoch()))).isEqualTo(new VolumeVerdict.Present());
    VolumeVerdict none = new VolumeVerdict.Unknown(new ReasonText("the claim is not current"));
    assertThat(remote.verdict(question(epoch() + 1))).isEqualTo(none);
    long epoch = epoch();
    world.storage.forget();
    assertThat(cluster.nodeIsFenced(A, REASON)).hasSize(1);
    assertThat(remote.verdict(question(epoch))).isEqualTo(none);
  }

  @Test
  void aNodeGetsNoVerdictWithoutTheStore() {
    store.close();
    VolumeException down =
        catchThrowableOfType(VolumeException.class, () -> remote.verdict(question(1)));
    assertThat(down.code()).isEqualTo(OperatorCode.CLAIM_STORE_DOWN);
  }
}

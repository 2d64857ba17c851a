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
import io.csi4j.volume.agent.ControlPlane;
import io.csi4j.volume.agent.NodeAgent;
import io.csi4j.volume.catalog.VolumeChange;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.NodeOrders;
import io.csi4j.volume.node.NodeReport;
import io.csi4j.volume.store.local.MemoryStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The agent of one node, when its plugin, its control plane or its host is in trouble. */
class AgentTroubleTest {

  @TempDir private Path temp;
  private final MemoryStore store = new MemoryStore();
  private final Line line = new Line();
  private ClusterWorld world;
  private Cluster cluster;
  private NodeAgent agent;

  /** The line to the control plane. */
  private final class Line implements ControlPlane {

    private volatile UnaryOperator<NodeOrders> orders = UnaryOperator.identity();

    @Override
    public NodeOrders exchange(NodeReport report) {
      return orders.apply(cluster.exchange(report));
    }

    @Override
    public ClaimStanding standing(VolumeUse usage, long epoch) {
      return cluster.standing(usage, epoch);
    }
  }

  @BeforeEach
  void open() throws IOException {
    world = new ClusterWorld(temp);
    cluster = world.cluster(store);
    agent = world.agent(A, line);
    agent.exchange();
  }

  @AfterEach
  void close() {
    world.storage.release();
    agent.close();
    cluster.close();
    world.close();
  }

  // ---- sizes

  private boolean isGrown() {
    return cluster.volumes().find(WEB.volume()).orElseThrow().pendingOnNode().isEmpty();
  }

  private void mountAndGrow() {
    cluster.acquire(A, WEB, REQUEST);
    agent.mount(WEB);
    cluster.volumes().expand(WEB.volume(), CapacityRange.atLeast(32 << 20));
    assertThat(isGrown()).isFalse();
  }

  @Test
  void aSizeStaysPendingWhileThePluginIsNotUp() {
    mountAndGrow();
    agent.close();
    world.storage.stop();
    agent = world.agent(A, line, UnaryOperator.identity());

    VolumeException refused =
        catchThrowableOfType(VolumeException.class, () -> agent.exchange());

    assertThat(refused.code()).isEqualTo(OperatorCode.PLUGIN_NOT_REGISTERED);
    assertThat(refused.outcome()).isEqualTo(VolumeException.Outcome.REFUSED);
    assertThat(cluster.volumes().changes(WEB.volume()))
        .extracting(VolumeChange::progress)
        .containsExactly(VolumeChange.Progress.PENDING_ON_NODE);
    world.storage.start();
    ClusterWorld.awaitPlugin(agent);
    agent.exchange();
    assertThat(isGrown()).isTrue();
    world.storage.assertLawful();
  }

  @Test
  void aSizeStaysPendingWhenThePluginMayTakeItLater() {
    mountAndGrow();
    FaultRule denied =
        world.storage.inject(
            Fault.fail(StatusCode.PERMISSION_DENIED, "the key has expired"),
            When.calling(CsiOperation.NODE_EXPAND_VOLUME));

    VolumeException refused =
        catchThrowableOfType(VolumeException.class, () -> agent.exchange());

    assertThat(refused.code()).isEqualTo(OperatorCode.CALL_FAILED);
    assertThat(refused.outcome()).isEqualTo(VolumeException.Outcome.REFUSED);
    denied.close();
    agent.exchange();
    assertThat(isGrown()).isTrue();
    world.storage.assertLawful();
  }

  @Test
  void aSizeThatThePluginRefusesForGoodIsNotOrderedAgain() {
    mountAndGrow();
    world.storage.inject(
        Fault.fail(StatusCode.OUT_OF_RANGE, "too large for this filesystem"),
        When.calling(CsiOperation.NODE_EXPAND_VOLUME));

    agent.exchange();
    agent.exchange();

    assertThat(cluster.volumes().changes(WEB.volume()))
        .extracting(VolumeChange::progress)
        .containsExactly(VolumeChange.Progress.INFEASIBLE_ON_NODE);
    assertThat(world.storage.journal().calls(CsiOperation.NODE_EXPAND_VOLUME)).hasSize(1);
  }
}

package io.csi4j.volume.cluster;

import static io.csi4j.volume.cluster.ClusterWorld.A;
import static io.csi4j.volume.cluster.ClusterWorld.B;
import static io.csi4j.volume.cluster.ClusterWorld.REQUEST;
import static io.csi4j.volume.cluster.ClusterWorld.WEB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.volume.agent.NodeAgent;
import io.csi4j.volume.claim.ClaimEvent;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
    cluster = Cluster.builder(world.plugins, store).listener(this::on).open();
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
}

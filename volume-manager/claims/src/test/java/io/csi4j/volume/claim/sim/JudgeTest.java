package io.csi4j.volume.claim.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.claim.sim.World.Count;
import io.csi4j.volume.claim.spi.AttachmentTask;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the simulator says of a detaching, which is the worst that a coordinator can get wrong. */
class JudgeTest {

  private static final VolumeKey VOLUME = VolumeKey.of("v0");
  private static final String MOUNTED = "is detached while it is mounted";

  /** Two processes, and volumes that one node has at a time. */
  private final World world = new World(4, 0, 2, null, false);

  private final SimNode node = world.nodes.get(0);
  private final SimCoordinator slow = world.coordinators.get(0);
  private final SimCoordinator other = world.coordinators.get(1);
  private final ClaimCoordinator claims =
      new ClaimCoordinator(other.process.book, other.controller(), world.clock, event -> {});

  @BeforeEach
  void nobodyActsButTheTest() {
    world.turns().play();
    world.calm = true;
  }

  private static VolumeUse usage(String workload) {
    return VolumeUse.of(VOLUME, WorkloadId.of(workload));
  }

  private AttachmentTask task() {
    return new AttachmentTask(
        VOLUME,
        World.idOf(node.process.name),
        new Claim.Use(world.volumes.get(VOLUME).mode(), AttachmentMode.FILESYSTEM),
        false);
  }

  private void use(String workload) {
    ClaimGrant grant =
        claims.acquire(
            ClaimRequest.builder(usage(workload), node.process.name, task().use(), ClaimMode.WRITE)
                .nodeId(task().nodeId())
                .build());
    long attachment = world.storage.at(VOLUME, task().nodeId()).orElseThrow().generation();
    node.mounts.put(grant.usage(), new SimNode.Mounted(grant.epoch(), true, attachment));
  }

  /** The claim of a workload is on its way back, and its node has unmounted the volume. */
  private SimStore.Look leaving(String workload) {
    use(workload);
    node.mounts.clear();
    other.process.book.advance(usage(workload), ClaimHolder.State.NODE_DETACHED);
    return look();
  }

  private SimStore.Look look() {
    slow.process.book.read(VOLUME);
    return slow.process.lastLook(VOLUME);
  }

  private void judge(SimStore.Look look) {
    SimController.judgeDetached(world, task(), look);
  }

  private void isFound(SimStore.Look look, String violation) {
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> judge(look))
        .withMessageContaining(violation);
  }

  /** Another process ends what the slow one has just begun, and gives the volume to the next. */
  private void isOvertaken() {
    assertThat(claims.resume(usage("web"))).isInstanceOf(ClaimProgress.Gone.class);
    use("job");
  }

  @Test
  void aProcessThatStandsStillBeforeItsCallMayTakeAwayWhatWasAttachedAgain() {
    SimStore.Look look = leaving("web");
    isOvertaken();

    judge(look);

    assertThat(world.counts).containsEntry(Count.LATE_DETACH, 1L);
  }

  /** Seed 188: the restored claims named the use again that the slow process had seen. */
  @Test
  void soItMayIfTheStoreGoesBackMeanwhileToWhatItHasSeen() {
    SimStore.Look look = leaving("web");
    world.store.backUp();
    isOvertaken();
    world.store.restore();

    judge(look);

    assertThat(world.counts).containsEntry(Count.LATE_DETACH, 1L);
  }

  @Test
  void whoBelievesTheRestoredClaimsDetachesWhatIsMounted() {
    leaving("web");
    world.store.backUp();
    isOvertaken();
    world.store.restore();

    isFound(look(), MOUNTED);
  }

  @Test
  void aClaimThatIsInUseIsFoundAlsoIfTheStoreGoesBackBeforeTheCall() {
    world.store.backUp();
    use("web");
    SimStore.Look look = look();
    world.store.restore();

    isFound(look, "is detached under");
  }

  @Test
  void aNodeThatHasItStillMountedIsFoundAlsoIfTheStoreGoesBackBeforeTheCall() {
    SimStore.Look look = leaving("web");
    long attachment = world.storage.at(VOLUME, task().nodeId()).orElseThrow().generation();
    node.mounts.put(usage("web"), new SimNode.Mounted(1, true, attachment));

    isFound(look, MOUNTED);
    world.store.backUp();
    world.store.restore();
    isFound(look, MOUNTED);
  }
}

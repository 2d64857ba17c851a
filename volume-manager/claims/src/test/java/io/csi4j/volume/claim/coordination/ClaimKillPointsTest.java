package io.csi4j.volume.claim.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.NodeId;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimEvent;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.ClaimProgress.Gone;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.spi.AttachmentTask;
import io.csi4j.volume.claim.spi.ControllerAnswer;
import io.csi4j.volume.claim.spi.StorageController;
import io.csi4j.volume.internal.claims.StoredClaims;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.NodeReceipt.Staging;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.store.PassingStore;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.local.MemoryStore;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process is killed at each effect of a claim's way, and the next one goes on. */
class ClaimKillPointsTest {

  private static final Clock CLOCK = Clock.fixed(Instant.EPOCH, ZoneOffset.UTC);
  private static final VolumeUse WEB = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web"));
  private static final NodeName N1 = NodeName.of("n1");
  private static final ClaimRequest WISH =
      ClaimRequest.builder(
              WEB,
              N1,
              new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
              ClaimMode.WRITE)
          .nodeId(NodeId.of("id-n1"))
          .build();

  /** Ends a process. */
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1L;

    Killed() {
      super("killed");
    }
  }

  /** Counts effects, and kills before or after one of them. */
  private static final class Points {
    private final int at;
    private final boolean after;
    private int seen;

    Points(int at, boolean after) {
      this.at = at;
      this.after = after;
    }

    <T> T pass(java.util.function.Supplier<T> effect) {
      boolean here = seen++ == at;
      if (here && !after) {
        throw new Killed();
      }
      T value = effect.get();
      if (here) {
        throw new Killed();
      }
      return value;
    }
  }

  private final MemoryStore store = new MemoryStore();
  private final ScriptedController storage = new ScriptedController();

  private ClaimCoordinator process(Points points) {
    RecordStore line =
        new PassingStore(store) {
          @Override
          public Optional<StoredRecord> read(RecordKey key) {
            return points.pass(() -> store.read(key));
          }

          @Override
          public WriteResult write(List<RecordWrite> writes) {
            return points.pass(() -> store.write(writes));
          }

          @Override
          public Page scan(RecordKey.Space space, Optional<RecordKey> after, int limit) {
            return points.pass(() -> store.scan(space, after, limit));
          }

          @Override
          public void close() {}
        };
    StorageController calls =
        new StorageController() {
          @Override
          public boolean attaches(VolumeKey volume) {
            return storage.attaches(volume);
          }

          @Override
          public ControllerAnswer attach(AttachmentTask task, Guard guard) {
            return points.pass(() -> storage.attach(task, guard));
          }

          @Override
          public ControllerAnswer detach(AttachmentTask task, Guard guard) {
            return points.pass(() -> storage.detach(task, guard));
          }
        };
    return new ClaimCoordinator(
        new ClaimBook(line, CLOCK), calls, CLOCK, ClaimEvent.Listener.none());
  }

  private ClaimCoordinator next() {
    return process(new Points(-1, false));
  }

  private static NodeReceipt receipt(long epoch) {
    return new NodeReceipt(WEB, epoch, N1, "b1", List.of(Path.of("/t")), Staging.GONE);
  }

  /** Goes all the way there and back; true if it was killed on it. */
  private boolean isKilled(ClaimCoordinator claims) {
    try {
      ClaimGrant grant = claims.acquire(WISH);
      ClaimProgress released = claims.release(WEB);
      assertThat(released)
          .isIn(
              StoredClaims.in(store).claim(WEB.volume()).holder(WEB.workload()).stream()
                  .map(holder -> new ClaimProgress.WaitsForNode(WEB, holder))
                  .toList());
      assertThat(claims.confirmRelease(receipt(grant.epoch()))).isEqualTo(new Gone(WEB));
      return false;
    } catch (Killed killed) {
      return true;
    }
  }

  private void assertNothingIsLeftAndItWentInOrder() {
    assertThat(StoredClaims.in(store).claim(WEB.volume()).holders()).isEmpty();
    assertThat(storage.attached).isEmpty();
    assertThat(storage.calls.stream().map(call -> call.substring(0, 6)).distinct().toList())
        .isIn(List.of(), List.of("detach"), List.of("attach", "detach"));
    assertThat(storage.calls.lastIndexOf("attach db@id-n1"))
        .isLessThanOrEqualTo(storage.calls.indexOf("detach db@id-n1"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whereverItIsKilledWhatIsNotWantedIsGivenBackInOrder(boolean after) {
    int points = 0;
    while (isKilled(process(new Points(points, after)))) {
      Optional<ClaimHolder> left =
          StoredClaims.in(store).claim(WEB.volume()).holder(WEB.workload());
      ClaimProgress released = next().release(WEB);
      if (released instanceof ClaimProgress.WaitsForNode waits) {
        assertThat(storage.calls).doesNotContain("detach db@id-n1");
        assertThat(next().confirmRelease(receipt(waits.holder().epoch()))).isEqualTo(new Gone(WEB));
      } else {
        assertThat(released).as("killed at %s, %s left", points, left).isEqualTo(new Gone(WEB));
      }
      assertNothingIsLeftAndItWentInOrder();
      storage.calls.clear();
      points++;
    }
    assertThat(points).as("effects on the way there and back").isEqualTo(16);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whereverItIsKilledWhatIsWantedIsAttachedOnce(boolean after) {
    int points = 0;
    boolean killed = true;
    while (killed) {
      try {
        ClaimGrant grant = process(new Points(points, after)).acquire(WISH);
        assertThat(grant.node()).isEqualTo(N1);
        killed = false;
      } catch (Killed dead) {
        points++;
      }
      ClaimGrant grant = next().acquire(WISH);
      assertThat(storage.attached).containsExactly("db@id-n1");
      assertThat(next().acquire(WISH)).isEqualTo(grant);
      assertThat(next().release(WEB)).isInstanceOf(ClaimProgress.WaitsForNode.class);
      assertThat(next().confirmRelease(receipt(grant.epoch()))).isEqualTo(new Gone(WEB));
      assertNothingIsLeftAndItWentInOrder();
      storage.calls.clear();
    }
    assertThat(points).as("effects of acquiring").isEqualTo(6);
  }

  @Test
  void aSweepGoesOnWithAllThatIsOnItsWay() {
    ClaimGrant grant = next().acquire(WISH);
    assertThat(next().release(WEB)).isInstanceOf(ClaimProgress.WaitsForNode.class);
    int points = 0;
    boolean killed = true;
    while (killed) {
      try {
        ClaimProgress progress =
            points == 0
                ? process(new Points(3, true)).confirmRelease(receipt(grant.epoch()))
                : process(new Points(points, true)).resume(WEB);
        assertThat(progress).isEqualTo(new Gone(WEB));
        killed = false;
      } catch (Killed dead) {
        points++;
      }
    }

    assertThat(next().resume()).isEmpty();
    assertNothingIsLeftAndItWentInOrder();
  }
}

package io.csi4j.volume.upkeep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimEvent;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.ClaimState;
import io.csi4j.volume.claim.NodeAttachment;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.claim.coordination.ScriptedController;
import io.csi4j.volume.claim.store.MemoryClaimStore;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Drift is put right under the rules of claims, and only while it is so. */
class ClaimRepairTest {

  private static final VolumeKey DB = VolumeKey.of("db");
  private static final VolumeId HANDLE = VolumeId.of("vol-1");
  private static final VolumeUse WEB = VolumeUse.of(DB, WorkloadId.of("web"));
  private static final NodeId N1 = NodeId.of("id-n1");
  private static final NodeId N2 = NodeId.of("id-n2");

  private final MemoryClaimStore store = new MemoryClaimStore();
  private final ClaimBook book = new ClaimBook(store, Clock.systemUTC());
  private final ScriptedController storage = new ScriptedController();
  private final ClaimCoordinator claims =
      new ClaimCoordinator(book, storage, Clock.systemUTC(), event -> {});
  private final List<OperatorMessage> told = new ArrayList<>();
  private final DriftRepair repair = DriftRepair.by(claims, told::add);

  private ClaimGrant acquire() {
    return claims.acquire(
        ClaimRequest.builder(
                WEB,
                NodeName.of("n1"),
                new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
                ClaimMode.WRITE)
            .nodeId(N1)
            .attaches(true)
            .build());
  }

  private ClaimHolder holder() {
    return book.read(DB).holder(WEB.workload()).orElseThrow();
  }

  private Drift.LostAttachment lost() {
    return new Drift.LostAttachment(DB, HANDLE, holder());
  }

  private static Drift.UnknownAttachment unknown(NodeId node) {
    return new Drift.UnknownAttachment(DB, HANDLE, node);
  }

  @Test
  void whatIsLostIsAttachedAgainAndWhatItReturnedIsKept() {
    ClaimGrant first = acquire();
    storage.attached.clear();

    assertThat(repair.attachAgain(lost())).isTrue();

    assertThat(storage.attached).containsExactly("db@id-n1");
    assertThat(storage.calls).containsExactly("attach db@id-n1", "attach db@id-n1");
    assertThat(holder().attachment())
        .isEqualTo(new NodeAttachment.Attached(PublishContext.of(Map.of("device", "db@id-n1"))));
    assertThat(holder().epoch()).isEqualTo(first.epoch());
    assertThat(told).isEmpty();
  }

  @Test
  void anotherContextThanBeforeIsKeptAndToldWithTheGrant() {
    List<OperatorMessage> noticed = new ArrayList<>();
    ClaimCoordinator telling =
        new ClaimCoordinator(
            book,
            storage,
            Clock.systemUTC(),
            event -> {
              if (event instanceof ClaimEvent.Noticed notice) {
                noticed.add(notice.message());
              }
            });
    ClaimGrant first = acquire();
    assertThat(first.contextChanged()).isFalse();
    assertThat(telling.attachAgain(WEB, first.epoch()).contextChanged()).isFalse();
    assertThat(noticed).isEmpty();

    PublishContext other = PublishContext.of(Map.of("device", "s3cr3t"));
    storage.next(other);
    ClaimGrant again = telling.attachAgain(WEB, first.epoch());

    assertThat(again.contextChanged()).isTrue();
    assertThat(again.context()).isEqualTo(other);
    assertThat(holder().attachment()).isEqualTo(new NodeAttachment.Attached(other));
    assertThat(noticed)
        .extracting(OperatorMessage::code)
        .containsExactly(OperatorCode.PUBLISH_CONTEXT_CHANGED);
    assertThat(noticed.toString()).doesNotContain("s3cr3t");
    assertThat(acquire().context()).isEqualTo(other);
  }

  @Test
  void whatIsGivenBackByThenIsNotAttachedAgain() {
    assertThat(acquire().epoch()).isEqualTo(1);
    Drift.LostAttachment seen = lost();
    assertThat(claims.release(WEB)).isInstanceOf(ClaimProgress.WaitsForNode.class);
    storage.calls.clear();

    assertThat(repair.attachAgain(seen)).isFalse();

    assertThat(storage.calls).isEmpty();
    assertThat(told).extracting(OperatorMessage::code).containsExactly(OperatorCode.CLAIM_MISSING);
  }

  @Test
  void whyItCannotBeAttachedAgainIsTold() {
    assertThat(acquire().epoch()).isEqualTo(1);
    storage.next(StatusCode.FAILED_PRECONDITION, Outcome.SETTLED);

    assertThat(repair.attachAgain(lost())).isFalse();

    assertThat(told)
        .extracting(OperatorMessage::code)
        .containsExactly(OperatorCode.ATTACHED_ELSEWHERE);
    assertThat(holder().state()).isEqualTo(ClaimState.TAKEN);
  }

  @Test
  void whatNobodyClaimsIsDetachedAndWhatIsClaimedIsNot() {
    assertThat(acquire().epoch()).isEqualTo(1);
    storage.attached.add("db@id-n2");

    assertThat(repair.detach(unknown(N2))).isTrue();
    assertThat(repair.detach(unknown(N1))).isFalse();

    assertThat(storage.attached).containsExactly("db@id-n1");
    assertThat(storage.calls).containsExactly("attach db@id-n1", "detach db@id-n2");
    assertThat(told).isEmpty();
  }

  @Test
  void aClaimOnItsWayBackIsDetachedByItsOwnWayAlone() {
    ClaimGrant grant = acquire();
    assertThat(claims.release(WEB)).isInstanceOf(ClaimProgress.WaitsForNode.class);
    assertThat(repair.detach(unknown(N1))).isFalse();
    book.advance(WEB, ClaimState.NODE_DETACHED);
    assertThat(repair.detach(unknown(N1))).isFalse();
    book.advance(WEB, ClaimState.CONTROLLER_DETACHED);

    assertThat(repair.detach(unknown(N1))).isTrue();
    assertThat(grant.epoch()).isEqualTo(1);
  }

  @Test
  void aDetachWhoseEndIsNotKnownIsSaidToBeSo() {
    storage.next(StatusCode.DEADLINE_EXCEEDED, Outcome.UNCERTAIN);
    ClaimException failed =
        catchThrowableOfType(ClaimException.class, () -> claims.detachUnclaimed(DB, N2));
    assertThat(failed.outcome()).isEqualTo(ClaimException.Outcome.UNCERTAIN);
    assertThat(failed.code()).isEqualTo(OperatorCode.DETACH_FAILED);

    storage.next(StatusCode.UNAVAILABLE, Outcome.SETTLED);
    assertThat(repair.detach(unknown(N2))).isFalse();
    assertThat(told).extracting(OperatorMessage::code).containsExactly(OperatorCode.DETACH_FAILED);
  }
}

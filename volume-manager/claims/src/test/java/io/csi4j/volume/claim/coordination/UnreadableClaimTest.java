package io.csi4j.volume.claim.coordination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimEvent;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.ClaimProgress.Gone;
import io.csi4j.volume.claim.ClaimProgress.Held;
import io.csi4j.volume.claim.ClaimProgress.NeedsProof;
import io.csi4j.volume.claim.ClaimProgress.Unreadable;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.store.local.DamagedClaims;
import io.csi4j.volume.store.local.LocalStore;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Four claims on a disk, two of which cannot be read: all others are brought on. */
class UnreadableClaimTest {

  private static final NodeName NODE = NodeName.of("n1");

  private final MemoryMedium medium = MemoryMedium.create();
  private final ScriptedController storage = new ScriptedController();
  private final List<ClaimEvent> events = new ArrayList<>();
  private LocalStore store = LocalStore.on(medium.open());
  private ClaimCoordinator claims = coordinator();

  private ClaimCoordinator coordinator() {
    Clock clock = Clock.systemUTC();
    return new ClaimCoordinator(new ClaimBook(store, clock), storage, clock, events::add);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static VolumeUse usage(String volume) {
    return VolumeUse.of(VolumeKey.of(volume), WorkloadId.of("web"));
  }

  private static ClaimRequest wish(String volume) {
    return ClaimRequest.builder(
            usage(volume),
            NODE,
            new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
            ClaimMode.WRITE)
        .nodeId(NodeId.of("id-n1"))
        .build();
  }

  /** Claims a to d, does this with each, and damages b and c. */
  private void claimAndDamage(BiConsumer<String, ClaimGrant> then) {
    for (String volume : List.of("a", "b", "c", "d")) {
      then.accept(volume, claims.acquire(wish(volume)));
    }
    store.close();
    DamagedClaims.inANewerFormat(medium, VolumeKey.of("b"));
    DamagedClaims.altogether(medium, VolumeKey.of("c"));
    store = LocalStore.on(medium.open());
    claims = coordinator();
    events.clear();
    storage.calls.clear();
  }

  private void isToldOnce(List<ClaimProgress> round) {
    List<Unreadable> unreadable =
        round.stream().filter(Unreadable.class::isInstance).map(Unreadable.class::cast).toList();
    assertThat(unreadable)
        .extracting(Unreadable::volume)
        .containsExactlyInAnyOrder(Optional.of(VolumeKey.of("b")), Optional.empty());
    assertThat(unreadable)
        .allSatisfy(
            it -> {
              assertThat(it.message().code()).isEqualTo(OperatorCode.CLAIM_UNREADABLE);
              assertThat(it.message().seen().text()).contains("It has format 9, and this version");
            });
    assertThat(events.stream().filter(ClaimEvent.Unreadable.class::isInstance))
        .map(ClaimEvent.Unreadable.class::cast)
        .extracting(ClaimEvent.Unreadable::message)
        .containsExactlyInAnyOrderElementsOf(unreadable.stream().map(Unreadable::message).toList());
    events.clear();
  }

  @Test
  void allOthersAreResumed() {
    claimAndDamage(
        (volume, grant) -> {
          claims.release(usage(volume));
          storage.next(StatusCode.UNAVAILABLE, Outcome.SETTLED);
          claims.confirmRelease(
              new NodeReceipt(
                  grant.usage(),
                  grant.epoch(),
                  NODE,
                  "boot",
                  List.of(Path.of("/t")),
                  NodeReceipt.Staging.GONE));
        });

    List<ClaimProgress> first = claims.resume();

    assertThat(first).hasSize(4).contains(new Gone(usage("a")), new Gone(usage("d")));
    assertThat(storage.calls).containsExactly("detach a@id-n1", "detach d@id-n1");
    isToldOnce(first);
    List<ClaimProgress> next = claims.resume();
    assertThat(next).hasOnlyElementsOfType(Unreadable.class);
    isToldOnce(next);
    assertThat(storage.attached).as("nothing was done").containsExactly("b@id-n1", "c@id-n1");
  }

  @Test
  void ofANodeThatIsDownAllOthersAreSaidToNeedAProof() {
    claimAndDamage((volume, grant) -> claims.release(usage(volume)));

    List<ClaimProgress> waiting = claims.nodeIsDown(NODE);

    assertThat(waiting).hasSize(4);
    assertThat(waiting.stream().filter(NeedsProof.class::isInstance))
        .map(NeedsProof.class::cast)
        .extracting(NeedsProof::usage)
        .containsExactly(usage("a"), usage("d"));
    isToldOnce(waiting);
  }

  @Test
  void allOthersOfANodeThatKnowsNothingOfThemAreFoundAndNoneThatCannotBeRead() {
    claimAndDamage((volume, grant) -> {});

    List<ClaimProgress> orphans = claims.orphans(NODE, Set.of(usage("d")));

    assertThat(orphans).hasSize(3);
    assertThat(orphans.stream().filter(Held.class::isInstance))
        .map(Held.class::cast)
        .extracting(Held::usage)
        .containsExactly(usage("a"));
    isToldOnce(orphans);
  }

  @Test
  void theClaimItselfIsRefusedAndStays() {
    claimAndDamage((volume, grant) -> {});

    for (Runnable work :
        List.<Runnable>of(
            () -> claims.acquire(wish("b")),
            () -> claims.release(usage("b")),
            () -> claims.resume(usage("c")),
            () -> claims.release(usage("c")))) {
      ClaimException refused = catchThrowableOfType(ClaimException.class, work::run);
      assertThat(refused.code()).isEqualTo(OperatorCode.CLAIM_UNREADABLE);
      assertThat(refused.outcome()).isEqualTo(ChangeOutcome.HELD);
    }
    assertThat(storage.calls).isEmpty();
  }
}

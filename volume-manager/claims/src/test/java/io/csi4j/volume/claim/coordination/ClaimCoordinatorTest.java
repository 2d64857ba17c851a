package io.csi4j.volume.claim.coordination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimDecision;
import io.csi4j.volume.claim.ClaimEvent;
import io.csi4j.volume.claim.ClaimEvent.Ended;
import io.csi4j.volume.claim.ClaimEvent.Noticed;
import io.csi4j.volume.claim.ClaimEvent.Started;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimHolder.Attachment.Attached;
import io.csi4j.volume.claim.ClaimOverride;
import io.csi4j.volume.claim.ClaimOverride.Person;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.ClaimProgress.Gone;
import io.csi4j.volume.claim.ClaimProgress.Held;
import io.csi4j.volume.claim.ClaimProgress.NeedsProof;
import io.csi4j.volume.claim.ClaimProgress.WaitsForHost;
import io.csi4j.volume.claim.ClaimProgress.WaitsForNode;
import io.csi4j.volume.claim.ClaimProgress.WaitsForStorage;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.ClaimsOfNode;
import io.csi4j.volume.claim.ReleaseProof;
import io.csi4j.volume.claim.ReleaseProof.Covers;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.time.Waits;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.NodeReceipt.Staging;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumePermission;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadFacts;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.store.PassingStore;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.local.MemoryStore;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ClaimCoordinatorTest {

  private static final VolumeKey DB = VolumeKey.of("db");
  private static final ReasonText WORDS = new ReasonText("rack 7");

  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final Clock clock =
      new Clock() {
        @Override
        public ZoneId getZone() {
          return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
          return this;
        }

        @Override
        public Instant instant() {
          return now;
        }
      };
  private final MemoryStore store = new MemoryStore();
  private final ClaimBook book = new ClaimBook(store, clock);
  private final ScriptedController storage = new ScriptedController();
  private final List<ClaimEvent> events = new ArrayList<>();
  private final ClaimCoordinator claims = new ClaimCoordinator(book, storage, clock, events::add);

  private static VolumeUse usage(String workload) {
    return VolumeUse.of(DB, WorkloadId.of(workload));
  }

  private static ClaimRequest wish(String workload, String node) {
    return wish(workload, node, AccessMode.SINGLE_NODE_MULTI_WRITER, ClaimMode.WRITE);
  }

  private static ClaimRequest wish(
      String workload, String node, AccessMode access, ClaimMode mode) {
    return ClaimRequest.builder(
            usage(workload),
            NodeName.of(node),
            new Claim.Use(access, AttachmentMode.FILESYSTEM),
            mode)
        .nodeId(NodeId.of("id-" + node))
        .build();
  }

  private static NodeReceipt receipt(ClaimGrant grant) {
    return receipt(grant, Staging.GONE);
  }

  private static NodeReceipt receipt(ClaimGrant grant, Staging staging) {
    return new NodeReceipt(
        grant.usage(), grant.epoch(), grant.node(), "b1", List.of(Path.of("/t")), staging);
  }

  private static ClaimException failure(Runnable work) {
    return catchThrowableOfType(ClaimException.class, work::run);
  }

  private ClaimHolder holder(String workload) {
    return book.read(DB).holder(WorkloadId.of(workload)).orElseThrow();
  }

  private List<OperatorCode> noticed() {
    return events.stream()
        .filter(Noticed.class::isInstance)
        .map(event -> ((Noticed) event).message().code())
        .toList();
  }

  @Test
  void whoMayNotUseAVolumeClaimsNothingAndGivesBackWithoutBeingAskedAbout() {
    List<VolumePermission.Request> wishes = new ArrayList<>();
    boolean[] permits = {true};
    ClaimCoordinator strict =
        new ClaimCoordinator(
            book,
            storage,
            clock,
            events::add,
            wish -> {
              wishes.add(wish);
              return permits[0];
            });
    ClaimGrant grant = strict.acquire(wish("web", "n1"));
    permits[0] = false;

    ClaimException refused = failure(() -> strict.acquire(wish("thief", "n1")));

    assertThat(refused.code()).isEqualTo(OperatorCode.VOLUME_NOT_PERMITTED);
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(refused).hasMessageContaining("claiming volume default/db for workload 'thief'");
    assertThat(book.read(DB).holders()).containsOnlyKeys(WorkloadId.of("web"));
    assertThat(storage.calls).containsExactly("attach db@id-n1");
    assertThat(wishes)
        .containsExactly(
            new VolumePermission.Request(usage("web"), Optional.empty(), false),
            new VolumePermission.Request(usage("thief"), Optional.empty(), false));
    assertThat(strict.release(usage("web"))).isInstanceOf(WaitsForNode.class);
    assertThat(strict.confirmRelease(receipt(grant))).isEqualTo(new Gone(usage("web")));
    assertThat(wishes).hasSize(2);
  }

  @Test
  void aClaimGoesToItsNodeAndBackInOrder() {
    ClaimGrant grant = claims.acquire(wish("web", "n1"));

    assertThat(grant)
        .isEqualTo(
            new ClaimGrant(
                usage("web"),
                NodeName.of("n1"),
                1,
                ClaimMode.WRITE,
                PublishContext.of(Map.of("device", "db@id-n1"))));
    assertThat(claims.acquire(wish("web", "n1"))).as("the same again").isEqualTo(grant);
    assertThat(claims.release(usage("web")))
        .isEqualTo(new WaitsForNode(usage("web"), holder("web")));
    assertThat(storage.calls).containsExactly("attach db@id-n1");
    assertThat(claims.confirmRelease(receipt(grant))).isEqualTo(new Gone(usage("web")));
    assertThat(storage.calls).containsExactly("attach db@id-n1", "detach db@id-n1");
    assertThat(book.read(DB).holders()).isEmpty();
    assertThat(claims.confirmRelease(receipt(grant)))
        .as("once more")
        .isEqualTo(new Gone(usage("web")));
  }

  @Test
  void anyProcessKnowsWhatAWorkloadBringsToItsVolume() {
    WorkloadFacts facts = WorkloadFacts.of(usage("web")).withUid("u-1");
    ClaimGrant web = claims.acquire(wish("web", "n1").toBuilder().workloadFacts(facts).build());
    ClaimGrant job = claims.acquire(wish("job", "n1"));
    ClaimCoordinator another =
        new ClaimCoordinator(new ClaimBook(store, clock), storage, clock, events::add);

    assertThat(another.ofNode(NodeName.of("n1")).taken())
        .containsExactlyInAnyOrder(
            new ClaimsOfNode.Taken(web, wish("web", "n1").use(), Optional.of(facts)),
            new ClaimsOfNode.Taken(job, wish("job", "n1").use(), Optional.empty()));
    assertThat(another.acquire(wish("web", "n1"))).as("the same again").isEqualTo(web);
    ClaimException refused =
        failure(
            () ->
                another.acquire(
                    wish("web", "n1").toBuilder()
                        .workloadFacts(WorkloadFacts.of(usage("web")))
                        .build()));
    assertThat(refused.code()).isEqualTo(OperatorCode.CLAIM_OTHER_USE);
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);

    another.release(usage("web"));
    another.confirmRelease(receipt(web, Staging.KEPT_FOR_OTHERS));
    claims.acquire(wish("web", "n1"));
    assertThat(holder("web").facts()).as("a claim after it").isEmpty();
  }

  @Test
  void theClaimsOfANodeAreThoseItMayMountWithAndThoseThatWaitForItsReceipt() {
    ClaimGrant web = claims.acquire(wish("web", "n1"));
    ClaimGrant job = claims.acquire(wish("job", "n1"));
    claims.release(usage("job"));
    VolumeUse elsewhere = VolumeUse.of(VolumeKey.of("other"), WorkloadId.of("web"));
    claims.acquire(
        ClaimRequest.builder(elsewhere, NodeName.of("n2"), wish("web", "n2").use(), ClaimMode.READ)
            .nodeId(NodeId.of("id-n2"))
            .build());
    storage.next(StatusCode.DEADLINE_EXCEEDED, Outcome.UNCERTAIN);
    VolumeUse uncertain = VolumeUse.of(VolumeKey.of("slow"), WorkloadId.of("web"));
    assertThat(
            failure(
                    () ->
                        claims.acquire(
                            ClaimRequest.builder(
                                    uncertain,
                                    NodeName.of("n1"),
                                    wish("web", "n1").use(),
                                    ClaimMode.WRITE)
                                .nodeId(NodeId.of("id-n1"))
                                .build()))
                .code())
        .isEqualTo(OperatorCode.ATTACH_FAILED);

    assertThat(claims.ofNode(NodeName.of("n1")))
        .isEqualTo(
            new ClaimsOfNode(
                List.of(new ClaimsOfNode.Taken(web, wish("web", "n1").use(), Optional.empty())),
                List.of(new ClaimEpoch(NodeName.of("n1"), uncertain, 1)),
                List.of(ClaimEpoch.of(job)),
                List.of()));
    assertThat(claims.confirmRelease(receipt(job, Staging.KEPT_FOR_OTHERS)))
        .isEqualTo(new Gone(job.usage()));
    assertThat(claims.ofNode(NodeName.of("n1")).leaving()).isEmpty();
    assertThat(claims.ofNode(NodeName.of("n1")).all())
        .containsExactly(ClaimEpoch.of(web), new ClaimEpoch(NodeName.of("n1"), uncertain, 1));
    assertThat(claims.ofNode(NodeName.of("n3")))
        .isEqualTo(new ClaimsOfNode(List.of(), List.of(), List.of(), List.of()));
  }

  @Test
  void whatIsNotedIsWrittenAndCallsNoStorageSystem() {
    ClaimGrant grant = claims.acquire(wish("web", "n1"));
    claims.noteRelease(new ClaimEpoch(NodeName.of("n2"), grant.usage(), grant.epoch()));
    assertThat(holder("web").state()).isEqualTo(ClaimHolder.State.TAKEN);

    claims.noteRelease(ClaimEpoch.of(grant));
    assertThat(holder("web").state()).isEqualTo(ClaimHolder.State.UNPUBLISHING);
    claims.noteProof(new ReleaseProof.ByNode(receipt(grant)));
    assertThat(holder("web").state()).isEqualTo(ClaimHolder.State.NODE_DETACHED);
    claims.noteProof(new ReleaseProof.ByNode(receipt(grant)));
    claims.noteRelease(ClaimEpoch.of(grant));
    assertThat(storage.calls).containsExactly("attach db@id-n1");

    assertThat(claims.confirmRelease(receipt(grant))).isEqualTo(new Gone(usage("web")));
    assertThat(storage.calls).containsExactly("attach db@id-n1", "detach db@id-n1");
    claims.noteRelease(ClaimEpoch.of(grant));
    assertThat(book.read(DB).holders()).isEmpty();
  }

  @Test
  void aReleaseOfAnotherEpochOrNodeEndsNoClaim() {
    ClaimGrant first = claims.acquire(wish("web", "n1"));
    claims.release(usage("web"));
    claims.confirmRelease(receipt(first));
    ClaimGrant second = claims.acquire(wish("web", "n2"));

    assertThat(claims.release(ClaimEpoch.of(first))).isEqualTo(new Gone(usage("web")));
    assertThat(claims.release(new ClaimEpoch(NodeName.of("n1"), second.usage(), second.epoch())))
        .isEqualTo(new Gone(usage("web")));

    assertThat(holder("web").state()).isEqualTo(ClaimHolder.State.TAKEN);
    assertThat(claims.release(ClaimEpoch.of(second)))
        .isEqualTo(new WaitsForNode(usage("web"), holder("web")));
    assertThat(holder("web").state()).isEqualTo(ClaimHolder.State.UNPUBLISHING);
  }

  @Test
  @Tag("B7")
  @Tag("L6")
  void whatWasAttachedToANodeIdIsDetachedFromItWhenTheNodeHasAnother() {
    ClaimRequest before = wish("web", "n1");
    ClaimRequest after =
        ClaimRequest.builder(usage("job"), before.node(), before.use(), before.mode())
            .nodeId(NodeId.of("new-id"))
            .build();
    ClaimGrant web = claims.acquire(before);
    ClaimGrant job = claims.acquire(after);
    assertThat(storage.attached).containsExactly("db@id-n1", "db@new-id");

    claims.release(web.usage());
    ClaimCoordinator another = new ClaimCoordinator(book, storage, clock, events::add);
    assertThat(another.confirmRelease(receipt(web))).isEqualTo(new Gone(web.usage()));
    assertThat(storage.attached).containsExactly("db@new-id");
    another.release(job.usage());
    assertThat(another.confirmRelease(receipt(job))).isEqualTo(new Gone(job.usage()));
    assertThat(storage.calls)
        .as("B7 L6: each attachment is detached from the node id that it has")
        .containsExactly(
            "attach db@id-n1", "attach db@new-id", "detach db@id-n1", "detach db@new-id");
  }

  @Test
  void everyBeginningThatIsToldHasOneEnd() {
    storage.next(StatusCode.UNAVAILABLE, Outcome.UNCERTAIN);
    assertThat(failure(() -> claims.acquire(wish("web", "n1"))).code())
        .isEqualTo(OperatorCode.ATTACH_FAILED);
    ClaimGrant grant = claims.acquire(wish("web", "n1"));
    assertThat(failure(() -> claims.confirmRelease(receipt(grant))).code())
        .isEqualTo(OperatorCode.CLAIM_PROOF_UNFIT);
    assertThat(claims.release(usage("web"))).isInstanceOf(WaitsForNode.class);
    assertThat(claims.confirmRelease(receipt(grant))).isEqualTo(new Gone(usage("web")));

    List<ClaimEvent.Work> open = new ArrayList<>();
    for (ClaimEvent event : events) {
      if (event instanceof Started started) {
        open.add(started.work());
      } else if (event instanceof Ended ended) {
        assertThat(open.remove(open.size() - 1)).isEqualTo(ended.work());
      }
    }
    assertThat(open).isEmpty();
    assertThat(
            events.stream()
                .filter(Ended.class::isInstance)
                .flatMap(event -> ((Ended) event).problem().stream())
                .map(message -> message.code()))
        .containsExactly(
            OperatorCode.ATTACH_FAILED, OperatorCode.ATTACH_FAILED, OperatorCode.CLAIM_PROOF_UNFIT);
  }

  @Test
  @Tag("A3")
  void anAttachingWhoseEndIsNotKnownIsDoneAgainOrUndone() {
    storage.next(StatusCode.DEADLINE_EXCEEDED, Outcome.UNCERTAIN);

    ClaimException failure = failure(() -> claims.acquire(wish("web", "n1")));

    assertThat(failure.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(failure.code()).isEqualTo(OperatorCode.ATTACH_FAILED);
    assertThat(claims.resume()).containsExactly(new WaitsForHost(usage("web"), holder("web")));
    ClaimGrant grant = claims.acquire(wish("web", "n1"));
    assertThat(noticed())
        .as("A3: the attach whose answer was lost is repeated for who wants it")
        .containsExactly(OperatorCode.ATTACH_RESUMED);
    assertThat(storage.calls).containsExactly("attach db@id-n1", "attach db@id-n1");
    assertThat(claims.release(usage("web"))).isInstanceOf(WaitsForNode.class);
    assertThat(claims.confirmRelease(receipt(grant))).isEqualTo(new Gone(usage("web")));

    storage.next(StatusCode.DEADLINE_EXCEEDED, Outcome.UNCERTAIN);
    assertThat(failure(() -> claims.acquire(wish("job", "n1"))).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);
    long epoch = holder("job").epoch();
    assertThat(claims.release(usage("job"))).isInstanceOf(WaitsForNode.class);
    storage.calls.clear();
    assertThat(
            claims.confirmRelease(
                new NodeReceipt(
                    usage("job"),
                    epoch,
                    NodeName.of("n1"),
                    "b1",
                    List.of(Path.of("/t")),
                    Staging.GONE)))
        .isEqualTo(new Gone(usage("job")));
    assertThat(storage.calls).containsExactly("detach db@id-n1");
  }

  @Test
  @Tag("A4")
  void whatWasAttachedForAProcessThatDiedIsGivenToTheNextOne() {
    ClaimGrant grant = claims.acquire(wish("web", "n1"));

    ClaimCoordinator next =
        new ClaimCoordinator(
            new ClaimBook(store, clock), storage, clock, ClaimEvent.Listener.none());

    assertThat(next.resume()).isEmpty();
    assertThat(next.acquire(wish("web", "n1")))
        .as("A4: the next process goes on with what was attached")
        .isEqualTo(grant);
    assertThat(storage.calls).containsExactly("attach db@id-n1");
  }

  @Test
  @Tag("A22")
  @Tag("D-50")
  void nomad11776_anotherProcessGoesOnWhereTheNodeWasDone() {
    ClaimGrant grant = claims.acquire(wish("web", "n1"));
    assertThat(claims.release(usage("web"))).isInstanceOf(WaitsForNode.class);
    storage.next(StatusCode.UNAVAILABLE, Outcome.SETTLED);
    assertThat(claims.confirmRelease(receipt(grant))).isInstanceOf(WaitsForStorage.class);
    assertThat(holder("web").state()).isEqualTo(ClaimHolder.State.NODE_DETACHED);

    ClaimCoordinator next =
        new ClaimCoordinator(new ClaimBook(store, clock), storage, clock, events::add);

    assertThat(next.resume()).containsExactly(new Gone(usage("web")));
    assertThat(noticed())
        .as("A22: the cluster goes on after the node has given back")
        .containsExactly(OperatorCode.DETACH_RESUMED);
    assertThat(storage.attached).isEmpty();
    assertThat(storage.calls)
        .containsExactly("attach db@id-n1", "detach db@id-n1", "detach db@id-n1");
  }

  /** Leaves a claim of this volume that has to be detached and nothing else. */
  private VolumeUse owedDetach(String volume, PluginId plugin) {
    VolumeUse usage = VolumeUse.of(VolumeKey.of(volume), WorkloadId.of("web"));
    storage.plugins.put(usage.volume(), plugin);
    ClaimGrant grant =
        claims.acquire(
            ClaimRequest.builder(usage, NodeName.of("n1"), wish("web", "n1").use(), ClaimMode.WRITE)
                .nodeId(NodeId.of("id-n1"))
                .build());
    assertThat(claims.release(usage)).isInstanceOf(WaitsForNode.class);
    storage.next(StatusCode.UNAVAILABLE, Outcome.SETTLED);
    assertThat(claims.confirmRelease(receipt(grant))).isInstanceOf(WaitsForStorage.class);
    return usage;
  }

  @Test
  void aPluginThatDoesNotAnswerHoldsUpNoClaimOfAnother() {
    PluginId slow = PluginId.of("slow");
    for (int i = 1; i <= 5; i++) {
      owedDetach("a" + i, slow);
    }
    VolumeUse other = owedDetach("b", PluginId.of("other"));
    storage.calls.clear();
    storage.silent.add(slow);

    List<ClaimProgress> first = claims.resume();

    assertThat(storage.calls)
        .containsExactly("detach a1@id-n1", "detach a2@id-n1", "detach b@id-n1");
    assertThat(first).hasSize(6).contains(new Gone(other));
    assertThat(first.get(2))
        .isInstanceOfSatisfying(
            WaitsForStorage.class,
            waits -> {
              assertThat(waits.usage().volume()).isEqualTo(VolumeKey.of("a3"));
              assertThat(waits.message().code()).isEqualTo(OperatorCode.DETACH_FAILED);
              assertThat(waits.message().seen().text())
                  .contains(
                      "plugin 'slow' left 2 other calls unanswered, and is called again in the "
                          + "next round");
            });

    storage.calls.clear();
    assertThat(claims.resume()).hasSize(5);
    assertThat(claims.resume()).hasSize(5);
    assertThat(claims.resume()).hasSize(5);
    assertThat(storage.calls)
        .as("each gets its turn")
        .containsExactly(
            "detach a3@id-n1",
            "detach a4@id-n1",
            "detach a5@id-n1",
            "detach a1@id-n1",
            "detach a2@id-n1",
            "detach a3@id-n1");
    storage.silent.clear();
    assertThat(claims.resume()).hasSize(5).hasOnlyElementsOfType(Gone.class);
    assertThat(claims.resume()).isEmpty();
  }

  @Test
  void onlyTheLastOfANodeWhoGoesBackDetaches() {
    ClaimGrant web = claims.acquire(wish("web", "n1"));
    ClaimGrant job = claims.acquire(wish("job", "n1"));
    assertThat(claims.release(usage("web"))).isInstanceOf(WaitsForNode.class);
    assertThat(claims.confirmRelease(receipt(web, Staging.KEPT_FOR_OTHERS)))
        .isEqualTo(new Gone(usage("web")));
    assertThat(storage.attached).containsExactly("db@id-n1");

    assertThat(claims.release(usage("job"))).isInstanceOf(WaitsForNode.class);
    assertThat(failure(() -> claims.confirmRelease(receipt(job, Staging.KEPT_FOR_OTHERS))))
        .extracting(ClaimException::code)
        .isEqualTo(OperatorCode.CLAIM_PROOF_UNFIT);
    assertThat(claims.confirmRelease(receipt(job))).isEqualTo(new Gone(usage("job")));
    assertThat(storage.attached).isEmpty();
  }

  @Test
  void whileItIsDetachedNobodyGetsInBetween() {
    ClaimGrant web = claims.acquire(wish("web", "n1"));
    assertThat(claims.release(usage("web"))).isInstanceOf(WaitsForNode.class);
    List<ClaimException> refused = new ArrayList<>();
    storage.meanwhile(
        () -> {
          refused.add(failure(() -> claims.acquire(wish("job", "n1"))));
          refused.add(failure(() -> claims.acquire(wish("web", "n1"))));
        });

    assertThat(claims.confirmRelease(receipt(web))).isEqualTo(new Gone(usage("web")));

    assertThat(refused)
        .extracting(ClaimException::code)
        .containsExactly(OperatorCode.CLAIM_BEING_RELEASED, OperatorCode.CLAIM_BEING_RELEASED);
    assertThat(refused.get(0).operatorMessage().seen().text())
        .isEqualTo(
            "it is being detached from that node, after workload 'web' on node 'n1' (WRITE,"
                + " NODE_DETACHED, since 0 s)");
    assertThat(claims.acquire(wish("job", "n1")).epoch()).isEqualTo(2);
  }

  @Test
  void oneThreadAtATimeHasItDetachedUntilThatIsWritten() {
    ClaimGrant web = claims.acquire(wish("web", "n1"));
    assertThat(claims.release(usage("web"))).isInstanceOf(WaitsForNode.class);
    List<ClaimProgress> meanwhile = new ArrayList<>();
    storage.meanwhile(() -> meanwhile.add(claims.confirmRelease(receipt(web))));

    assertThat(claims.confirmRelease(receipt(web))).isEqualTo(new Gone(usage("web")));

    assertThat(meanwhile)
        .singleElement()
        .isInstanceOfSatisfying(
            WaitsForStorage.class,
            it -> {
              assertThat(it.message().code()).isEqualTo(OperatorCode.DETACH_RESUMED);
              assertThat(it.message().seen().text())
                  .isEqualTo("another thread of this process is already detaching it");
            });
    assertThat(storage.calls).containsExactly("attach db@id-n1", "detach db@id-n1");
  }

  @Test
  void aReceiptOfAnotherEpochOrNodeOrBeforeTheReleaseProvesNothing() {
    ClaimGrant first = claims.acquire(wish("web", "n1"));
    assertThat(failure(() -> claims.confirmRelease(receipt(first))).operatorMessage().seen().text())
        .isEqualTo(
            "it has not been released: workload 'web' on node 'n1' (WRITE, TAKEN, since 0 s)");
    assertThat(claims.release(usage("web"))).isInstanceOf(WaitsForNode.class);
    assertThat(claims.confirmRelease(receipt(first))).isEqualTo(new Gone(usage("web")));
    ClaimGrant second = claims.acquire(wish("web", "n2"));
    assertThat(claims.release(usage("web"))).isInstanceOf(WaitsForNode.class);

    for (NodeReceipt wrong :
        List.of(
            receipt(first),
            new NodeReceipt(
                usage("web"),
                second.epoch(),
                NodeName.of("n1"),
                "b1",
                List.of(Path.of("/t")),
                Staging.GONE))) {
      ClaimException failure = failure(() -> claims.confirmRelease(wrong));
      assertThat(failure.code()).isEqualTo(OperatorCode.CLAIM_PROOF_UNFIT);
      assertThat(failure.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    }
    assertThat(holder("web").state()).isEqualTo(ClaimHolder.State.UNPUBLISHING);
  }

  @Test
  @Tag("K4")
  void nomad14675_aNodeThatIsDownProvesNothingHoweverLongItIsSilent() {
    ClaimGrant grant = claims.acquire(wish("web", "n1"));
    assertThat(claims.nodeIsDown(NodeName.of("n1")))
        .containsExactly(new Held(usage("web"), holder("web")));
    assertThat(claims.release(usage("web"))).isInstanceOf(WaitsForNode.class);
    now = now.plus(Duration.ofDays(400));

    List<ClaimProgress> waiting = claims.nodeIsDown(NodeName.of("n1"));

    assertThat(waiting).hasSize(1);
    NeedsProof needs = (NeedsProof) waiting.get(0);
    assertThat(needs.choices()).isEqualTo(EnumSet.allOf(ClaimProgress.Choice.class));
    assertThat(needs.message().code())
        .as("K4: a proof is asked for")
        .isEqualTo(OperatorCode.CLAIM_NEEDS_FENCING);
    assertThat(needs.message().next().text())
        .isEqualTo(
            "Let the node come back and send its receipt; or let the storage system detach it, if"
                + " detaching really ends the node's access; or fence the node off the storage; or"
                + " attest that the node is off; or override it with your name and the reason");
    assertThat(noticed()).containsExactly(OperatorCode.CLAIM_NEEDS_FENCING);
    assertThat(failure(() -> claims.acquire(wish("job", "n2"))).code())
        .as("K4: silence frees no claim")
        .isEqualTo(OperatorCode.CLAIM_HELD_BY);
    assertThat(storage.calls).containsExactly("attach db@id-n1");
    assertThat(claims.confirmRelease(receipt(grant))).isEqualTo(new Gone(usage("web")));
  }

  @Test
  void fencingAndPowerOffAndTheStorageSystemAreProofs() {
    NodeName n1 = NodeName.of("n1");
    for (int i = 0; i < 3; i++) {
      long epoch = claims.acquire(wish("web", "n1")).epoch();
      List<ReleaseProof> proofs =
          List.of(
              new ReleaseProof.Fenced(usage("web"), epoch, n1, WORDS),
              new ReleaseProof.PowerOff(usage("web"), epoch, n1, WORDS),
              new ReleaseProof.ByStorage(usage("web"), epoch));
      ReleaseProof proof = proofs.get(i);
      assertThat(failure(() -> claims.confirmRelease(proof)).code())
          .isEqualTo(OperatorCode.CLAIM_PROOF_UNFIT);
      assertThat(claims.release(usage("web"))).isInstanceOf(WaitsForNode.class);
      assertThat(claims.confirmRelease(proof)).isEqualTo(new Gone(usage("web")));
      assertThat(events).contains(new ClaimEvent.Proven(proof));
      assertThat(storage.attached).isEmpty();
    }
    assertThat(book.read(DB).overrides()).isEmpty();
  }

  @Test
  void theStorageSystemTakesItFromAllOfANodeOrFromNone() {
    ClaimGrant web = claims.acquire(wish("web", "n1"));
    ClaimGrant job = claims.acquire(wish("job", "n1"));
    assertThat(claims.release(usage("web"))).isInstanceOf(WaitsForNode.class);
    ReleaseProof proof = new ReleaseProof.ByStorage(usage("web"), web.epoch());

    assertThat(failure(() -> claims.confirmRelease(proof)).code())
        .isEqualTo(OperatorCode.CLAIM_HELD_BY);
    assertThat(claims.release(usage("job"))).isInstanceOf(WaitsForNode.class);
    storage.next(StatusCode.UNAVAILABLE, Outcome.UNCERTAIN);
    assertThat(claims.confirmRelease(proof)).isInstanceOf(WaitsForStorage.class);
    assertThat(holder("job").state()).isEqualTo(ClaimHolder.State.NODE_DETACHED);
    assertThat(holder("web").state()).isEqualTo(ClaimHolder.State.NODE_DETACHED);

    assertThat(claims.resume()).containsExactly(new Gone(usage("job")), new Gone(usage("web")));
    assertThat(storage.calls)
        .containsExactly(
            "attach db@id-n1", "attach db@id-n1", "detach db@id-n1", "detach db@id-n1");
    assertThat(claims.confirmRelease(receipt(job))).isEqualTo(new Gone(usage("job")));
  }

  @Test
  void whatAnOperatorAnswersForIsToldAndKept() {
    long epoch = claims.acquire(wish("web", "n1")).epoch();
    assertThat(claims.release(usage("web"))).isInstanceOf(WaitsForNode.class);

    assertThat(
            claims.confirmRelease(
                new ReleaseProof.OperatorOverride(
                    usage("web"), epoch, new Person("ann"), WORDS, Covers.NODE)))
        .isEqualTo(new Gone(usage("web")));

    assertThat(book.read(DB).overrides())
        .containsExactly(
            new ClaimOverride(
                WorkloadId.of("web"), NodeName.of("n1"), epoch, new Person("ann"), WORDS, now));
    assertThat(noticed()).containsExactly(OperatorCode.CLAIM_OVERRIDDEN);
    assertThat(storage.attached).isEmpty();
    assertThat(claims.acquire(wish("job", "n2")).epoch()).isEqualTo(2);
    assertThat(book.read(DB).overrides()).hasSize(1);
  }

  @Test
  void whatTheStorageSystemDoesNotKnowIsNotDetachedBeforeSomebodyAnswersForIt() {
    ClaimGrant web = claims.acquire(wish("web", "n1"));
    assertThat(claims.release(usage("web"))).isInstanceOf(WaitsForNode.class);
    storage.next(StatusCode.NOT_FOUND, Outcome.SETTLED);
    ClaimProgress stuck = claims.confirmRelease(receipt(web));
    assertThat(((WaitsForStorage) stuck).message().code()).isEqualTo(OperatorCode.DETACH_NOT_KNOWN);

    storage.next(StatusCode.NOT_FOUND, Outcome.SETTLED);
    assertThat(
            claims.confirmRelease(
                new ReleaseProof.PowerOff(usage("web"), web.epoch(), NodeName.of("n1"), WORDS)))
        .isEqualTo(new Gone(usage("web")));

    ClaimGrant job = claims.acquire(wish("job", "n1"));
    assertThat(claims.release(usage("job"))).isInstanceOf(WaitsForNode.class);
    storage.next(StatusCode.INTERNAL, Outcome.SETTLED).next(StatusCode.INTERNAL, Outcome.SETTLED);
    assertThat(claims.confirmRelease(receipt(job))).isInstanceOf(WaitsForStorage.class);
    assertThat(
            claims.confirmRelease(
                new ReleaseProof.OperatorOverride(
                    usage("job"), job.epoch(), new Person("ann"), WORDS, Covers.NODE_AND_STORAGE)))
        .isEqualTo(new Gone(usage("job")));
    assertThat(book.read(DB).overrides()).hasSize(1);
  }

  /** Such a controller fails before it asks whether the volume is to be detached. */
  @Test
  void aPersonAnswersForAVolumeThatTheControllerDoesNotHaveOnRecord() {
    ClaimGrant web = claims.acquire(wish("web", "n1"));
    assertThat(claims.release(usage("web"))).isInstanceOf(WaitsForNode.class);
    storage.isOnRecord = false;
    assertThat(claims.confirmRelease(receipt(web))).isInstanceOf(WaitsForStorage.class);

    assertThat(
            claims.confirmRelease(
                new ReleaseProof.OperatorOverride(
                    usage("web"), web.epoch(), new Person("ann"), WORDS, Covers.NODE_AND_STORAGE)))
        .isEqualTo(new Gone(usage("web")));
    assertThat(book.read(DB).holders()).isEmpty();
  }

  @Test
  void whoAnswersForTheStorageOfAClaimDoesNotAnswerForWhatWasAttachedLater() {
    ClaimCoordinator other =
        new ClaimCoordinator(
            new ClaimBook(store, clock), storage, clock, ClaimEvent.Listener.none());
    storage.meanwhile(
        () -> {
          assertThat(other.release(usage("web"))).isInstanceOf(WaitsForNode.class);
          storage.next(StatusCode.INTERNAL, Outcome.SETTLED);
          assertThat(
                  other.confirmRelease(
                      new ReleaseProof.PowerOff(usage("web"), 1, NodeName.of("n1"), WORDS)))
              .isInstanceOf(WaitsForStorage.class);
        });
    assertThat(failure(() -> claims.acquire(wish("web", "n1"))).code())
        .isEqualTo(OperatorCode.CLAIM_BEING_RELEASED);

    storage.next(StatusCode.INTERNAL, Outcome.SETTLED);
    assertThat(
            other.confirmRelease(
                new ReleaseProof.OperatorOverride(
                    usage("web"), 1, new Person("ann"), WORDS, Covers.NODE_AND_STORAGE)))
        .isEqualTo(new Gone(usage("web")));

    assertThat(book.read(DB).holders()).containsOnlyKeys(WorkloadId.of("left-attached-2"));
    assertThat(storage.attached).containsExactly("db@id-n1");
    assertThat(other.resume()).containsExactly(new Gone(usage("left-attached-2")));
    assertThat(storage.attached).isEmpty();
  }

  @Test
  @Tag("D-47")
  void aStorageSystemWithoutRoomIsAskedAgainLaterAndLater() {
    for (int seconds : new int[] {5, 10, 20}) {
      storage.next(StatusCode.RESOURCE_EXHAUSTED, Outcome.SETTLED);
      assertThat(failure(() -> claims.acquire(wish("web", "n1"))).code())
          .isEqualTo(OperatorCode.CLAIM_EXHAUSTED);
      assertThat(book.read(DB).exhaustedUntil()).contains(now.plusSeconds(seconds));
      int asked = storage.calls.size();
      assertThat(failure(() -> claims.acquire(wish("web", "n1"))).operatorMessage().seen().text())
          .isEqualTo(
              "the storage system had no capacity; the next attempt is in " + seconds + " " + "s");
      assertThat(storage.calls).hasSize(asked);
      now = now.plusSeconds(seconds);
    }

    assertThat(claims.acquire(wish("web", "n1")).epoch()).isEqualTo(1);
    assertThat(book.read(DB).exhaustedUntil()).isEmpty();
  }

  @Test
  void aStorageSystemThatHasItElsewhereIsToldWithWhoClaimsIt() {
    storage.next(StatusCode.FAILED_PRECONDITION, Outcome.SETTLED);

    ClaimException alone = failure(() -> claims.acquire(wish("web", "n1")));

    assertThat(alone.code()).isEqualTo(OperatorCode.ATTACHED_ELSEWHERE);
    assertThat(alone.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(alone.operatorMessage().seen().text())
        .isEqualTo("it says no; no other workload has a claim of it");
    storage.next(StatusCode.FAILED_PRECONDITION, Outcome.SETTLED);
    assertThat(failure(() -> claims.acquire(wish("job", "n1"))).operatorMessage().seen().text())
        .isEqualTo(
            "it says no; it is claimed by workload 'web' on node 'n1' (WRITE, TAKEN, since 0 s)"
                + " too");
    storage.next(StatusCode.ALREADY_EXISTS, Outcome.SETTLED);
    assertThat(failure(() -> claims.acquire(wish("job", "n1"))).code())
        .isEqualTo(OperatorCode.ATTACHED_OTHERWISE);
  }

  private ClaimRequest unnamed() {
    ClaimRequest named = wish("web", "n1");
    return ClaimRequest.builder(named.usage(), named.node(), named.use(), named.mode()).build();
  }

  @Test
  @Tag("D-138")
  void thePluginDecidesWhetherAVolumeIsAttachedAndNotTheRequest() {
    ClaimException refused = failure(() -> claims.acquire(unnamed()));

    assertThat(refused.code()).isEqualTo(OperatorCode.NOT_ALLOWED_HERE);
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(refused.operatorMessage().seen().text())
        .isEqualTo(
            "its plugin attaches it to nodes, but the claim lacks the node id of node 'n1': set the"
                + " node id from the fingerprint of the plugin there");
    assertThat(book.read(DB)).as("nothing is written").isEqualTo(Claim.none(DB));
    assertThat(claims.acquire(wish("web", "n1")).epoch()).isEqualTo(1);
    assertThat(storage.calls).containsExactly("attach db@id-n1");

    storage.attaches = Optional.of(false);
    VolumeKey files = VolumeKey.of("files");
    ClaimRequest wish = wish("web", "n1");
    ClaimGrant plain =
        claims.acquire(
            ClaimRequest.builder(
                    VolumeUse.of(files, WorkloadId.of("web")), wish.node(), wish.use(), wish.mode())
                .nodeId(NodeId.of("id-n1"))
                .build());
    assertThat(book.read(files).holder(plain.usage().workload()).orElseThrow().attachment())
        .isEqualTo(new ClaimHolder.Attachment.NotNeeded());
    assertThat(storage.calls).hasSize(1);
  }

  @Test
  void whatNobodyCanSayIsClaimedByNobodyAndWhatIsClaimedIsGrantedAgain() {
    storage.attaches = Optional.of(false);
    ClaimGrant web = claims.acquire(wish("web", "n1"));
    storage.attaches = Optional.empty();

    ClaimException unknown = failure(() -> claims.acquire(wish("job", "n1")));

    assertThat(unknown.code()).isEqualTo(OperatorCode.PLUGIN_NOT_REGISTERED);
    assertThat(unknown.outcome()).isEqualTo(ChangeOutcome.UNAVAILABLE);
    assertThat(book.read(DB).holders()).containsOnlyKeys(WorkloadId.of("web"));
    assertThat(failure(() -> claims.acquire(wish("job", "n2"))).code())
        .as("refused by the rules before anything else is looked at")
        .isEqualTo(OperatorCode.CLAIM_HELD_BY);
    assertThat(claims.acquire(wish("web", "n1"))).isEqualTo(web);
  }

  @Test
  void aClaimThatWasMadeWithoutAttachingIsRefusedOnceItsPluginAttaches() {
    ClaimHolder held = book.claim(wish("web", "n1"));
    assertThat(held.attachment()).isEqualTo(new ClaimHolder.Attachment.NotNeeded());

    ClaimException refused = failure(() -> claims.acquire(wish("web", "n1")));

    assertThat(refused.code()).isEqualTo(OperatorCode.ATTACHED_OTHERWISE);
    assertThat(refused.operatorMessage().seen().text())
        .isEqualTo(
            "its plugin attaches it to nodes, but it is not attached for workload 'web' on node"
                + " 'n1' (WRITE, TAKEN, since 0 s)");
    assertThat(holder("web")).isEqualTo(held);
    assertThat(storage.calls).isEmpty();
  }

  @Test
  void aClaimThatIsAttachedToAnotherNodeIdIsNotGrantedForThatOne() {
    ClaimGrant web = claims.acquire(wish("web", "n1"));
    ClaimRequest renamed = wish("web", "n1").toBuilder().nodeId(NodeId.of("new-id")).build();

    ClaimException refused = failure(() -> claims.acquire(renamed));

    assertThat(refused.code()).isEqualTo(OperatorCode.ATTACHED_OTHERWISE);
    assertThat(refused.operatorMessage().seen().text())
        .isEqualTo(
            "it is attached to the plugin's node 'id-n1' for workload 'web' on node 'n1' (WRITE,"
                + " TAKEN, since 0 s), not to 'new-id'");
    assertThat(claims.acquire(unnamed())).as("the claim has its node id").isEqualTo(web);
    assertThat(storage.calls).containsExactly("attach db@id-n1");
  }

  @Test
  void whyThereIsNoVolumeForAClaimIsAskedBeforeItIsWritten() {
    ClaimGrant web = claims.acquire(wish("web", "n1"));
    storage.whyNot =
        Optional.of(
            new ClaimDecision.Refused(
                OperatorCode.NOT_ALLOWED_HERE, Optional.empty(), new ReasonText("only to read")));

    ClaimException refused = failure(() -> claims.acquire(wish("job", "n1")));

    assertThat(refused.code()).isEqualTo(OperatorCode.NOT_ALLOWED_HERE);
    assertThat(refused.operatorMessage().seen().text()).isEqualTo("only to read");
    assertThat(book.read(DB).holders()).containsOnlyKeys(WorkloadId.of("web"));
    assertThat(claims.acquire(wish("web", "n1"))).as("that is there").isEqualTo(web);
  }

  @ParameterizedTest
  @EnumSource(
      value = StatusCode.class,
      names = {
        "INVALID_ARGUMENT",
        "NOT_FOUND",
        "OUT_OF_RANGE",
        "PERMISSION_DENIED",
        "UNAUTHENTICATED",
        "UNIMPLEMENTED",
        "ALREADY_EXISTS"
      })
  void aClaimWhoseAttachIsRefusedForGoodIsGivenBackAndKeepsNobodyOut(StatusCode code) {
    storage.next(code, Outcome.SETTLED);

    ClaimException refused = failure(() -> claims.acquire(wish("web", "n1")));

    assertThat(refused.code())
        .isEqualTo(
            code == StatusCode.ALREADY_EXISTS
                ? OperatorCode.ATTACHED_OTHERWISE
                : OperatorCode.ATTACH_REFUSED);
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(refused.operatorMessage().seen().text()).isEqualTo("it says no");
    assertThat(book.read(DB).holders()).isEmpty();
    assertThat(events).contains(new ClaimEvent.Freed(usage("web"), 1));
    assertThat(claims.acquire(wish("job", "n2")).epoch()).isEqualTo(2);
    assertThat(storage.calls).as("no detach").containsExactly("attach db@id-n1", "attach db@id-n2");
  }

  @Test
  void whatAnEarlierCallMayHaveAttachedIsDetachedBeforeARefusedClaimIsFree() {
    storage.next(StatusCode.DEADLINE_EXCEEDED, Outcome.UNCERTAIN);
    assertThat(failure(() -> claims.acquire(wish("web", "n1"))).code())
        .isEqualTo(OperatorCode.ATTACH_FAILED);
    storage
        .next(StatusCode.INVALID_ARGUMENT, Outcome.SETTLED)
        .next(StatusCode.UNAVAILABLE, Outcome.SETTLED);

    assertThat(failure(() -> claims.acquire(wish("web", "n1"))).code())
        .isEqualTo(OperatorCode.ATTACH_REFUSED);

    assertThat(holder("web").state()).isEqualTo(ClaimHolder.State.NODE_DETACHED);
    assertThat(failure(() -> claims.acquire(wish("job", "n2"))).code())
        .isEqualTo(OperatorCode.CLAIM_HELD_BY);
    assertThat(claims.resume()).containsExactly(new Gone(usage("web")));
    assertThat(storage.calls)
        .containsExactly(
            "attach db@id-n1", "attach db@id-n1", "detach db@id-n1", "detach db@id-n1");
  }

  @Test
  void aRefusalThatAnotherRequestOvertakesTakesNothingFromIt() {
    ClaimCoordinator other =
        new ClaimCoordinator(
            new ClaimBook(store, clock), storage, clock, ClaimEvent.Listener.none());
    storage.next(StatusCode.PERMISSION_DENIED, Outcome.SETTLED);
    storage.meanwhile(
        () -> {
          // The first call is on its way, and has its answer; the second is made meanwhile.
          ScriptedController well = new ScriptedController();
          assertThat(other.through(same -> well).acquire(wish("web", "n1")).epoch()).isEqualTo(1);
        });

    assertThat(failure(() -> claims.acquire(wish("web", "n1"))).code())
        .isEqualTo(OperatorCode.ATTACH_REFUSED);

    assertThat(holder("web").state()).isEqualTo(ClaimHolder.State.TAKEN);
    assertThat(holder("web").attachment()).isInstanceOf(Attached.class);
  }

  @Test
  void aNodeThatReadsIsNotMadeAWriterByAnotherWorkload() {
    AccessMode mode = AccessMode.MULTI_NODE_SINGLE_WRITER;
    ClaimGrant reader = claims.acquire(wish("web", "n1", mode, ClaimMode.READ));
    assertThat(reader.epoch()).isEqualTo(1);

    assertThat(failure(() -> claims.acquire(wish("job", "n1", mode, ClaimMode.WRITE))).code())
        .isEqualTo(OperatorCode.ATTACHED_OTHERWISE);
    assertThat(failure(() -> book.change(usage("web"), ClaimMode.WRITE)).code())
        .isEqualTo(OperatorCode.ATTACHED_OTHERWISE);
    assertThat(claims.acquire(wish("job", "n2", mode, ClaimMode.WRITE)).epoch()).isEqualTo(2);
    assertThat(storage.calls).containsExactly("attach db@id-n1 readonly", "attach db@id-n2");
  }

  @Test
  void whatWasAttachedForAClaimThatWentMeanwhileIsOwedByAnEntryOfItsOwn() {
    ClaimCoordinator other =
        new ClaimCoordinator(
            new ClaimBook(store, clock), storage, clock, ClaimEvent.Listener.none());
    storage.meanwhile(
        () -> {
          assertThat(other.release(usage("web"))).isInstanceOf(WaitsForNode.class);
          assertThat(
                  other.confirmRelease(
                      new ReleaseProof.PowerOff(usage("web"), 1, NodeName.of("n1"), WORDS)))
              .isEqualTo(new Gone(usage("web")));
        });

    assertThat(failure(() -> claims.acquire(wish("web", "n1"))).code())
        .isEqualTo(OperatorCode.CLAIM_MISSING);

    assertThat(storage.attached).containsExactly("db@id-n1");
    assertThat(noticed()).containsExactly(OperatorCode.ATTACH_LEFT_OVER);
    assertThat(failure(() -> claims.acquire(wish("job", "n1"))).code())
        .isEqualTo(OperatorCode.CLAIM_BEING_RELEASED);
    assertThat(failure(() -> claims.acquire(wish("job", "n2"))).code())
        .isEqualTo(OperatorCode.CLAIM_HELD_BY);
    assertThat(other.resume()).containsExactly(new Gone(usage("left-attached-2")));
    assertThat(storage.attached).isEmpty();
    assertThat(book.read(DB).holders()).isEmpty();
  }

  @Test
  @Tag("A2")
  void aClaimOfWhichItsNodeKnowsNothingIsToldAndGoesByRelease() {
    long epoch = claims.acquire(wish("web", "n1")).epoch();
    assertThat(claims.acquire(wish("job", "n1")).epoch()).isEqualTo(2);
    now = now.plusSeconds(90);

    List<ClaimProgress> orphans = claims.orphans(NodeName.of("n1"), Set.of(usage("job")));

    assertThat(orphans).containsExactly(new Held(usage("web"), holder("web")));
    assertThat(events.get(events.size() - 1))
        .as("A2: the claim that nobody uses is told with its age")
        .isInstanceOfSatisfying(
            Noticed.class,
            it -> {
              assertThat(it.message().code()).isEqualTo(OperatorCode.CLAIM_ORPHANED);
              assertThat(it.message().seen().text()).isEqualTo("epoch 1 was claimed 90 s ago");
            });
    assertThat(epoch).isEqualTo(1);
    assertThat(claims.orphans(NodeName.of("n2"), Set.of())).isEmpty();
  }

  @Test
  @Tag("D-49")
  void releasingWhatNobodyHasIsNoErrorAndWritesNothing() {
    assertThat(claims.release(usage("web"))).isEqualTo(new Gone(usage("web")));
    assertThat(claims.resume(usage("web"))).isEqualTo(new Gone(usage("web")));
    assertThat(store.read(ClaimCodec.key(DB))).isEmpty();
  }

  @Test
  void nothingIsDetachedOnTheWordOfAStoreThatIsAnotherOne() {
    ClaimGrant grant = claims.acquire(wish("web", "n1"));
    assertThat(claims.release(usage("web"))).isInstanceOf(WaitsForNode.class);
    ClaimBook late = new ClaimBook(store, clock, new StoreIdentity("of yesterday"));
    ClaimCoordinator restarted =
        new ClaimCoordinator(late, storage, clock, ClaimEvent.Listener.none());

    assertThat(failure(() -> restarted.acquire(wish("job", "n1"))).code())
        .isEqualTo(OperatorCode.CLAIM_STORE_WENT_BACK);
    assertThat(failure(() -> restarted.confirmRelease(receipt(grant))).code())
        .isEqualTo(OperatorCode.CLAIM_STORE_WENT_BACK);
    assertThat(storage.calls).containsExactly("attach db@id-n1");
    assertThat(claims.resume(usage("web"))).isEqualTo(new Gone(usage("web")));
  }

  @Test
  void aListenerThatThrowsHarmsNobody() {
    ClaimCoordinator told =
        new ClaimCoordinator(
            book,
            storage,
            clock,
            event -> {
              throw new IllegalStateException("no");
            });

    assertThat(told.acquire(wish("web", "n1")).epoch()).isEqualTo(1);
  }

  // ---- a claim that waits

  @Test
  void aClaimWaitsUntilTheOneInItsWayIsFree() throws Exception {
    ClaimGrant first = claims.acquire(alone("web-1", "n1"));
    CompletableFuture<ClaimGrant> second =
        CompletableFuture.supplyAsync(
            () -> claims.acquire(alone("web-2", "n2"), Duration.ofMinutes(1)));
    assertThatThrownBy(() -> second.get(200, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);

    claims.release(first.usage());
    claims.confirmRelease(receipt(first));

    ClaimGrant granted = second.get(30, TimeUnit.SECONDS);
    assertThat(granted.node()).isEqualTo(NodeName.of("n2"));
    assertThat(granted.epoch()).isGreaterThan(first.epoch());
  }

  @Test
  void aClaimThatHasWaitedInVainSaysWhatIsInItsWay() {
    claims.acquire(alone("web-1", "n1"));

    ClaimException refused =
        failure(() -> claims.acquire(alone("web-2", "n2"), Duration.ofMillis(50)));

    assertThat(refused.code()).isEqualTo(OperatorCode.CLAIM_HELD_BY);
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(book.read(DB).holders()).containsOnlyKeys(WorkloadId.of("web-1"));
    assertThat(events)
        .as("the wait is reported between two tries")
        .contains(
            new ClaimEvent.Started(usage("web-2"), ClaimEvent.Work.WAIT),
            new ClaimEvent.Ended(usage("web-2"), ClaimEvent.Work.WAIT, Optional.empty()));
  }

  @Test
  void whatNoEndOfAnotherClaimChangesIsRefusedAtOnce() {
    ClaimException refused =
        failure(
            () ->
                claims.acquire(
                    wish("web-1", "n1", AccessMode.SINGLE_NODE_READER_ONLY, ClaimMode.WRITE),
                    Duration.ofDays(1)));
    assertThat(refused.code()).isEqualTo(OperatorCode.CLAIM_READ_ONLY);
  }

  @Test
  void anInterruptEndsTheWaitingAndStaysSet() throws Exception {
    claims.acquire(alone("web-1", "n1"));
    AtomicReference<ClaimException> refused = new AtomicReference<>();
    AtomicBoolean isSet = new AtomicBoolean();
    Thread waiting =
        new Thread(
            () -> {
              refused.set(failure(() -> claims.acquire(alone("web-2", "n2"), Duration.ofDays(1))));
              isSet.set(Thread.currentThread().isInterrupted());
            });
    waiting.start();
    waiting.interrupt();
    waiting.join(30_000);

    assertThat(refused.get().code()).isEqualTo(OperatorCode.CLAIM_HELD_BY);
    assertThat(isSet).isTrue();
  }

  @Test
  void aClaimThatWaitsEndsWhenItsStoreIsClosed() throws Exception {
    claims.acquire(alone("web-1", "n1"));
    CompletableFuture<ClaimGrant> second =
        CompletableFuture.supplyAsync(
            () -> claims.acquire(alone("web-2", "n2"), Duration.ofDays(1)));
    assertThatThrownBy(() -> second.get(100, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    store.close();

    assertThatThrownBy(() -> second.get(5, TimeUnit.SECONDS))
        .cause()
        .isInstanceOfSatisfying(
            ClaimException.class,
            closed -> assertThat(closed.code()).isEqualTo(OperatorCode.CLAIM_STORE_DOWN));
  }

  /** Counts the watches on a store. */
  private static final class Watched extends PassingStore {
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger open = new AtomicInteger();

    Watched(RecordStore store) {
      super(store);
    }

    @Override
    public Watch watch(RecordKey.Space space) {
      opened.incrementAndGet();
      open.incrementAndGet();
      Watch watch = super.watch(space);
      return new Watch() {
        @Override
        public Optional<Change> next(Duration wait) throws InterruptedException {
          return watch.next(wait);
        }

        @Override
        public void close() {
          open.decrementAndGet();
          watch.close();
        }
      };
    }
  }

  private static ClaimRequest alone(int volume, String workload) {
    return ClaimRequest.builder(
            VolumeUse.of(VolumeKey.of("db-" + volume), WorkloadId.of(workload)),
            NodeName.of("n1"),
            new Claim.Use(AccessMode.SINGLE_NODE_SINGLE_WRITER, AttachmentMode.FILESYSTEM),
            ClaimMode.WRITE)
        .nodeId(NodeId.of("id-n1"))
        .build();
  }

  @Test
  @Timeout(120)
  void aThousandClaimsThatWaitShareOneWatch() throws Exception {
    int volumes = 500;
    Watched watched = new Watched(store);
    ClaimCoordinator sharing =
        new ClaimCoordinator(
            new ClaimBook(watched, clock), storage, clock, ClaimEvent.Listener.none());
    List<ClaimGrant> first = new ArrayList<>();
    for (int i = 0; i < volumes; i++) {
      first.add(sharing.acquire(alone(i, "web"), Duration.ofDays(1)));
    }
    assertThat(watched.opened).as("nothing waits").hasValue(0);
    AtomicInteger granted = new AtomicInteger();
    List<Thread> waiting = new ArrayList<>();
    for (int i = 0; i < 2 * volumes; i++) {
      ClaimRequest wish = alone(i % volumes, "job-" + i);
      waiting.add(
          new Thread(
              () -> {
                ClaimGrant grant = sharing.acquire(wish, Duration.ofDays(1));
                granted.incrementAndGet();
                sharing.release(grant.usage());
                sharing.confirmRelease(receipt(grant));
              },
              "csi4j-volume-test-claim-" + i));
    }
    waiting.forEach(Thread::start);
    Waits.until(() -> waiting.stream().allMatch(it -> it.getState() == Thread.State.TIMED_WAITING));
    assertThat(watched.open).hasValue(1);

    for (ClaimGrant grant : first) {
      sharing.release(grant.usage());
      sharing.confirmRelease(receipt(grant));
    }
    for (Thread each : waiting) {
      each.join();
    }

    assertThat(granted).hasValue(2 * volumes);
    assertThat(watched.opened).hasValue(1);
    assertThat(watched.open).as("it is closed with the last that waits").hasValue(0);
  }

  /** A store whose watch opens when a test lets it, and fails then. */
  private static final class Stuck extends PassingStore {
    private final AtomicInteger opened = new AtomicInteger();
    private final CountDownLatch left = new CountDownLatch(1);

    Stuck(RecordStore store) {
      super(store);
    }

    @Override
    public Watch watch(RecordKey.Space space) {
      opened.incrementAndGet();
      try {
        assertThat(left.await(60, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      throw new RecordStoreException(
          RecordStoreException.Reason.UNAVAILABLE, "it does not answer", null);
    }
  }

  /** Claims that wait until they fail, each on a thread. */
  private static List<CompletableFuture<ClaimException>> waiting(
      ClaimCoordinator claims, int number, Duration patience) {
    List<Thread> threads = new ArrayList<>();
    List<CompletableFuture<ClaimException>> failures = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      ClaimRequest wish = alone(0, "job-" + i);
      CompletableFuture<ClaimException> failed = new CompletableFuture<>();
      failures.add(failed);
      threads.add(
          new Thread(
              () -> failed.complete(failure(() -> claims.acquire(wish, patience))),
              "csi4j-volume-test-claim-" + i));
    }
    threads.forEach(Thread::start);
    Waits.until(
        () ->
            threads.stream()
                .allMatch(
                    it ->
                        it.getState() == Thread.State.TIMED_WAITING
                            || it.getState() == Thread.State.TERMINATED));
    return failures;
  }

  @Test
  @Timeout(60)
  void aWatchThatDoesNotOpenHoldsNoOtherClaimBeyondItsPatience() throws Exception {
    Stuck stuck = new Stuck(store);
    ClaimCoordinator sharing =
        new ClaimCoordinator(
            new ClaimBook(stuck, clock), storage, clock, ClaimEvent.Listener.none());
    sharing.acquire(alone(0, "web"));
    CompletableFuture<ClaimException> opening = waiting(sharing, 1, Duration.ofDays(1)).get(0);
    Waits.until(() -> stuck.opened.get() == 1);

    for (CompletableFuture<ClaimException> each : waiting(sharing, 20, Duration.ofMillis(200))) {
      assertThat(each.get(30, TimeUnit.SECONDS).code()).isEqualTo(OperatorCode.CLAIM_HELD_BY);
    }

    assertThat(opening).isNotDone();
    assertThat(stuck.opened).hasValue(1);
    stuck.left.countDown();
    assertThat(opening.get(30, TimeUnit.SECONDS).code()).isEqualTo(OperatorCode.CLAIM_STORE_DOWN);
  }

  @Test
  @Timeout(60)
  void aWatchThatCannotBeOpenedFailsAllClaimsThatWaitForIt() throws Exception {
    Stuck stuck = new Stuck(store);
    ClaimCoordinator sharing =
        new ClaimCoordinator(
            new ClaimBook(stuck, clock), storage, clock, ClaimEvent.Listener.none());
    sharing.acquire(alone(0, "web"));
    List<CompletableFuture<ClaimException>> all = waiting(sharing, 20, Duration.ofDays(1));
    stuck.left.countDown();

    for (int i = 0; i < all.size(); i++) {
      ClaimException failed = all.get(i).get(30, TimeUnit.SECONDS);
      assertThat(failed.code()).isEqualTo(OperatorCode.CLAIM_STORE_DOWN);
      assertThat(failed.outcome()).isEqualTo(ChangeOutcome.UNAVAILABLE);
      assertThat(failed).hasMessageContaining("job-" + i);
    }
    assertThat(stuck.opened).hasValue(1);
  }

  /** A store whose watch reports nothing, and ends each wait at once. */
  private static final class Silent extends PassingStore {
    private final List<Duration> waits = new ArrayList<>();
    private final int most;

    Silent(RecordStore store, int most) {
      super(store);
      this.most = most;
    }

    @Override
    public Watch watch(RecordKey.Space space) {
      return new Watch() {
        @Override
        public Optional<Change> next(Duration wait) throws InterruptedException {
          waits.add(wait);
          if (waits.size() == most) {
            throw new InterruptedException();
          }
          return Optional.empty();
        }

        @Override
        public void close() {}
      };
    }
  }

  @Test
  void aClaimThatWaitsAsksLessAndLessOftenWhileNothingChanges() {
    Silent silent = new Silent(store, 8);
    ClaimCoordinator waiting =
        new ClaimCoordinator(
            new ClaimBook(silent, clock), storage, clock, ClaimEvent.Listener.none());
    waiting.acquire(alone("web-1", "n1"));

    assertThat(failure(() -> waiting.acquire(alone("web-2", "n2"), Duration.ofDays(1))).code())
        .isEqualTo(OperatorCode.CLAIM_HELD_BY);
    assertThat(Thread.interrupted()).isTrue();
    long[] seconds = {10, 20, 20, 20, 20, 20, 20, 20};
    assertThat(silent.waits).hasSameSizeAs(seconds);
    for (int i = 0; i < seconds.length; i++) {
      assertThat(silent.waits.get(i))
          .isBetween(Duration.ofSeconds(seconds[i] / 2 - 1), Duration.ofSeconds(seconds[i]));
    }
    assertThat(Set.copyOf(silent.waits.subList(3, seconds.length))).hasSize(5);
  }

  @Test
  void whereTheThreadThatReadsTheWatchIsInterruptedAnotherOneReads() throws Exception {
    List<ClaimGrant> first =
        List.of(claims.acquire(alone(0, "web")), claims.acquire(alone(1, "web")));
    AtomicReference<ClaimException> refused = new AtomicReference<>();
    Thread reading =
        new Thread(
            () -> refused.set(failure(() -> claims.acquire(alone(0, "job"), Duration.ofDays(1)))));
    reading.start();
    Waits.until(() -> reading.getState() == Thread.State.TIMED_WAITING);
    AtomicReference<ClaimGrant> granted = new AtomicReference<>();
    Thread other =
        new Thread(() -> granted.set(claims.acquire(alone(1, "job"), Duration.ofDays(1))));
    other.start();
    Waits.until(() -> other.getState() == Thread.State.TIMED_WAITING);

    reading.interrupt();
    reading.join(30_000);
    assertThat(refused.get().code()).isEqualTo(OperatorCode.CLAIM_HELD_BY);
    claims.release(first.get(1).usage());
    claims.confirmRelease(receipt(first.get(1)));

    other.join(5_000);
    assertThat(granted.get().usage().workload()).isEqualTo(WorkloadId.of("job"));
  }

  private static ClaimRequest alone(String workload, String node) {
    return wish(workload, node, AccessMode.SINGLE_NODE_SINGLE_WRITER, ClaimMode.WRITE);
  }
}

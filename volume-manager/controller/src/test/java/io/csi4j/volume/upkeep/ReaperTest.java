package io.csi4j.volume.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.CsiTransientException;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.claim.coordination.ScriptedController;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.internal.claims.StoredClaims;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.OperatorMessage.Part;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.store.local.DamagedClaims;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.store.local.MemoryStore;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What nobody needs any more is given back by plan, after another look, and never by its age. */
class ReaperTest {

  private static final NodeName HERE = NodeName.of("n1");
  private static final VolumeUse WEB = usage("web");
  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
  private static final Reaper.Throttle AT_ONCE = () -> {};

  private final MemoryStore store = new MemoryStore();
  private final ScriptedController storage = new ScriptedController();
  private final ClaimBook book = book(BEGIN);
  private final ClaimCoordinator claims =
      new ClaimCoordinator(book, storage, clock(BEGIN), event -> {});
  private final ThisNode node = new ThisNode();
  private final Registered plugins = new Registered();
  private final Shortlived ephemeral = new Shortlived();
  private final List<OperatorMessage> told = new ArrayList<>();

  /** A node that wants some uses, and has something of others. */
  private static final class ThisNode implements Reaper.Sources.Node {
    private final Set<VolumeUse> wanted = new HashSet<>();
    private final Set<VolumeUse> there = new HashSet<>();
    private Runnable beforeProof = () -> {};
    private int proofs;

    @Override
    public NodeName name() {
      return HERE;
    }

    @Override
    public boolean wants(VolumeUse usage) {
      return wanted.contains(usage);
    }

    @Override
    public NodeReceipt receipt(VolumeUse usage, long epoch) {
      proofs++;
      beforeProof.run();
      if (there.contains(usage)) {
        throw new VolumeException(
            VolumeException.Outcome.REFUSED,
            Messages.of(OperatorCode.RECEIPT_REFUSED, Subject.of("proving"), "it is mounted"),
            null,
            null);
      }
      return new NodeReceipt(
          usage, epoch, HERE, "boot", List.of(Path.of("/v")), NodeReceipt.Staging.GONE);
    }
  }

  private static final class Registered implements Reaper.Sources.Plugins {
    private final Map<PluginId, Part> unused = new TreeMap<>();
    private final List<PluginId> forgotten = new ArrayList<>();

    @Override
    public Map<PluginId, Part> unused() {
      return Map.copyOf(unused);
    }

    @Override
    public boolean forget(PluginId plugin) {
      return forgotten.add(plugin);
    }
  }

  private static final class Shortlived implements Reaper.Sources.Ephemeral {
    private final List<VolumeKey> pending = new ArrayList<>();
    private final List<VolumeKey> stuck = new ArrayList<>();
    private final List<VolumeKey> unanswered = new ArrayList<>();
    private final List<VolumeKey> asked = new ArrayList<>();

    @Override
    public List<VolumeKey> pending() {
      return List.copyOf(pending);
    }

    @Override
    public boolean delete(VolumeKey volume) {
      if (volume.id().equals("broken")) {
        throw new IllegalStateException("the plugin is down");
      }
      asked.add(volume);
      if (unanswered.contains(volume)) {
        throw unanswered();
      }
      return !stuck.contains(volume) && pending.remove(volume);
    }
  }

  private static ControllerException unanswered() {
    CsiFailure failure =
        CsiFailure.builder(
                CsiEndpoint.of(Path.of("/run/csi.sock")),
                StatusCode.DEADLINE_EXCEEDED,
                Outcome.UNCERTAIN)
            .build();
    return new ControllerException(
        ChangeOutcome.UNCERTAIN,
        Messages.of(OperatorCode.CONTROLLER_CALL_IN_DOUBT, Subject.of("deleting"), "no answer"),
        new CsiTransientException(failure, null));
  }

  private static Clock clock(Instant now) {
    return Clock.fixed(now, ZoneOffset.UTC);
  }

  private ClaimBook book(Instant now) {
    return new ClaimBook(store, clock(now));
  }

  private Reaper reaper(Duration later) {
    return new Reaper(
        book,
        Reaper.Sources.of(claims).with(node).with(plugins).with(ephemeral),
        clock(BEGIN.plus(later)),
        told::add);
  }

  private final Reaper reaper = reaper(Duration.ofSeconds(90));

  private static VolumeUse usage(String workload) {
    return VolumeUse.of(VolumeKey.of("db-" + workload), WorkloadId.of(workload));
  }

  private ClaimGrant acquire(VolumeUse usage, NodeName on) {
    return claims.acquire(wish(usage, on));
  }

  private static ClaimRequest wish(VolumeUse usage, NodeName on) {
    return ClaimRequest.builder(
            usage,
            on,
            new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
            ClaimMode.WRITE)
        .nodeId(NodeId.of("id-" + on))
        .build();
  }

  private List<String> reasons(List<Leftover> plan) {
    return plan.stream()
        .map(item -> item.getClass().getSimpleName() + ": " + item.reason())
        .toList();
  }

  private static List<String> ends(List<Reaper.Result> ends) {
    return ends.stream().map(end -> end.end() + ": " + end.because()).toList();
  }

  private List<String> codes() {
    return told.stream().map(message -> message.code().name()).toList();
  }

  @Test
  void aPlanNamesEachWithItsReasonAndDoesNothing() {
    acquire(WEB, HERE);
    acquire(usage("past"), NodeName.of("n2"));
    assertThat(claims.release(usage("past"))).isInstanceOf(ClaimProgress.WaitsForNode.class);
    plugins.unused.put(PluginId.of("old"), new Part("no volume is of it"));
    ephemeral.pending.add(VolumeKey.of("scratch"));
    List<Claim> before = StoredClaims.in(store).all();

    assertThat(reasons(reaper.plan()))
        .containsExactly(
            "PastClaim: it is UNPUBLISHING, but is not free yet (claimed 90 s ago)",
            "OrphanedClaim: node 'n1' has neither a record nor a mount of it, and its host no"
                + " longer wants it (claimed 90 s ago)",
            "UnusedPlugin: no volume is of it",
            "EphemeralVolume: its workload has ended, but its deletion is not complete");
    assertThat(StoredClaims.in(store).all()).isEqualTo(before);
    assertThat(storage.calls).containsExactly("attach db-web@id-n1", "attach db-past@id-n2");
    assertThat(told).isEmpty();
  }

  @Test
  @Tag("A2")
  void anOrphanedClaimIsReleasedAfterTheProofOfItsNode() {
    acquire(WEB, HERE);

    assertThat(ends(reaper.apply(reaper.plan(), AT_ONCE))).containsExactly("DONE: it is free");

    assertThat(book.read(WEB.volume()).holders()).isEmpty();
    assertThat(storage.calls).containsExactly("attach db-web@id-n1", "detach db-web@id-n1");
    assertThat(codes())
        .as("A2: it is released after its node has proved that nothing is mounted")
        .containsExactly("CLAIM_ORPHANED");
    assertThat(told.get(0).seen().text()).endsWith("no longer wants it (claimed 90 s ago)");
    // Asked when it was planned, when that was looked at again, and after the release: that counts.
    assertThat(node.proofs).isEqualTo(3);
  }

  @Test
  void nothingIsFreedBecauseItIsOld() {
    acquire(WEB, HERE);
    acquire(usage("there"), HERE);
    acquire(usage("elsewhere"), NodeName.of("n2"));
    node.wanted.add(WEB);
    node.there.add(usage("there"));

    assertThat(reaper(Duration.ofDays(3650)).plan()).isEmpty();
  }

  @Test
  void whatWasPlannedIsLeftAloneWhenItIsOtherwiseByThen() {
    acquire(WEB, HERE);
    acquire(usage("job"), HERE);
    plugins.unused.put(PluginId.of("old"), new Part("no volume is of it"));
    ephemeral.pending.add(VolumeKey.of("scratch"));
    List<Leftover> plan = reaper.plan();
    assertThat(plan).hasSize(4);
    node.wanted.add(WEB);
    node.there.add(usage("job"));
    plugins.unused.clear();
    ephemeral.pending.clear();

    assertThat(reaper.apply(plan, AT_ONCE))
        .extracting(Reaper.Result::end)
        .containsOnly(Reaper.Result.End.STALE);

    assertThat(book.isCurrent(WEB, 1)).isTrue();
    assertThat(plugins.forgotten).isEmpty();
    assertThat(told).isEmpty();
  }

  @Test
  void aNodeThatMountsInTheLastMomentGivesNoProofAndKeepsItsClaim() {
    acquire(WEB, HERE);
    List<Leftover> plan = reaper.plan();
    node.beforeProof =
        () -> {
          if (!book.isCurrent(WEB, 1)) {
            node.there.add(WEB);
          }
        };

    assertThat(ends(reaper.apply(plan, AT_ONCE)))
        .containsExactly("FAILED: its node must prove that it has nothing mounted");

    assertThat(book.read(WEB.volume()).holder(WEB.workload()).orElseThrow().state())
        .isEqualTo(ClaimHolder.State.UNPUBLISHING);
    assertThat(storage.calls).containsExactly("attach db-web@id-n1");
  }

  @Test
  void aReleaseThatHadEndedOnItsNodeGoesOnInTheClusterInOrder() {
    acquire(WEB, HERE);
    assertThat(claims.release(WEB)).isInstanceOf(ClaimProgress.WaitsForNode.class);

    assertThat(ends(reaper.apply(reaper.plan(), AT_ONCE))).containsExactly("DONE: it is free");

    assertThat(codes()).containsExactly("DETACH_RESUMED");
    assertThat(storage.calls).containsExactly("attach db-web@id-n1", "detach db-web@id-n1");
  }

  @Test
  void aReleaseOfAnotherNodeWaitsForIt() {
    acquire(WEB, NodeName.of("n2"));
    assertThat(claims.release(WEB)).isInstanceOf(ClaimProgress.WaitsForNode.class);

    assertThat(ends(reaper.apply(reaper.plan(), AT_ONCE)))
        .containsExactly("FAILED: its node must prove that it has nothing mounted");
    assertThat(node.proofs).isZero();
    assertThat(storage.calls).containsExactly("attach db-web@id-n1".replace("n1", "n2"));
  }

  @Test
  void aDetachingThatFailedIsTriedAgainAndOthersGoOn() {
    acquire(WEB, HERE);
    storage.next(StatusCode.INTERNAL, Outcome.UNCERTAIN);
    assertThat(claims.release(WEB)).isInstanceOf(ClaimProgress.WaitsForNode.class);
    assertThat(claims.confirmRelease(node.receipt(WEB, 1)))
        .isInstanceOf(ClaimProgress.WaitsForStorage.class);
    storage.next(StatusCode.INTERNAL, Outcome.UNCERTAIN);
    ephemeral.pending.add(VolumeKey.of("broken"));
    ephemeral.pending.add(VolumeKey.of("scratch"));
    ephemeral.pending.add(VolumeKey.of("slow"));
    ephemeral.stuck.add(VolumeKey.of("slow"));

    List<Reaper.Result> ends = reaper.apply(reaper.plan(), AT_ONCE);

    assertThat(ends)
        .extracting(Reaper.Result::end)
        .containsExactly(
            Reaper.Result.End.FAILED,
            Reaper.Result.End.FAILED,
            Reaper.Result.End.DONE,
            Reaper.Result.End.FAILED);
    assertThat(ends(ends).subList(1, 4))
        .containsExactly(
            "FAILED: the plugin is down", "DONE: it was deleted", "FAILED: it is not deleted yet");
    assertThat(reaper.apply(reaper.plan(), AT_ONCE).get(0).end()).isEqualTo(Reaper.Result.End.DONE);
    assertThat(book.read(WEB.volume()).holders()).isEmpty();
  }

  @Test
  void aPluginThatDoesNotAnswerHoldsUpNoItemOfAnother() {
    PluginId slow = PluginId.of("slow");
    for (int i = 1; i <= 5; i++) {
      storage.plugins.put(usage("a" + i).volume(), slow);
      acquire(usage("a" + i), HERE);
    }
    storage.plugins.put(usage("b").volume(), PluginId.of("other"));
    acquire(usage("b"), HERE);
    storage.calls.clear();
    storage.silent.add(slow);

    List<Reaper.Result> first = reaper.apply(reaper.plan(), AT_ONCE);

    assertThat(storage.calls)
        .containsExactly("detach db-a1@id-n1", "detach db-a2@id-n1", "detach db-b@id-n1");
    assertThat(ends(first).get(2))
        .startsWith("FAILED: ")
        .contains(
            "plugin 'slow' left 2 other calls unanswered, and is called again in the next round");
    assertThat(ends(first).get(5)).isEqualTo("DONE: it is free");

    storage.calls.clear();
    for (int i = 0; i < 3; i++) {
      List<Leftover> plan = reaper.plan();
      assertThat(reaper.apply(plan, AT_ONCE))
          .as("in the order of the plan")
          .extracting(Reaper.Result::item)
          .containsExactlyElementsOf(plan);
    }
    assertThat(storage.calls)
        .as("each gets its turn")
        .containsExactly(
            "detach db-a3@id-n1",
            "detach db-a4@id-n1",
            "detach db-a5@id-n1",
            "detach db-a1@id-n1",
            "detach db-a2@id-n1",
            "detach db-a3@id-n1");
    storage.silent.clear();
    assertThat(reaper.apply(reaper.plan(), AT_ONCE))
        .hasSize(5)
        .extracting(Reaper.Result::end)
        .containsOnly(Reaper.Result.End.DONE);
  }

  @Test
  void ephemeralVolumesOfAPluginThatDoesNotAnswerHoldUpNoneOfAnother() {
    for (String name : List.of("a1", "a2", "a3", "b")) {
      VolumeKey volume = VolumeKey.of(name);
      storage.plugins.put(volume, PluginId.of(name.startsWith("a") ? "slow" : "other"));
      ephemeral.pending.add(volume);
    }
    ephemeral.unanswered.addAll(ephemeral.pending.subList(0, 3));

    List<Reaper.Result> ends = reaper.apply(reaper.plan(), AT_ONCE);

    assertThat(ephemeral.asked)
        .containsExactly(VolumeKey.of("a1"), VolumeKey.of("a2"), VolumeKey.of("b"));
    assertThat(ends(ends).get(2))
        .isEqualTo(
            "FAILED: plugin 'slow' left 2 other calls unanswered, and is called again in the "
                + "next round");
    assertThat(ends.get(3).end()).isEqualTo(Reaper.Result.End.DONE);
  }

  @Test
  void aClaimThatCannotBeReadIsToldAndItsVolumeIsNotDeleted() {
    MemoryMedium medium = MemoryMedium.create();
    VolumeKey newer = usage("newer").volume();
    VolumeKey bad = usage("bad").volume();
    try (LocalStore whole = LocalStore.on(medium.open())) {
      ClaimBook written = new ClaimBook(whole, clock(BEGIN));
      for (String name : List.of("bad", "newer", "web")) {
        written.claim(wish(usage(name), HERE));
      }
    }
    DamagedClaims.inANewerFormat(medium, newer);
    DamagedClaims.altogether(medium, bad);
    ephemeral.pending.addAll(List.of(bad, newer, VolumeKey.of("scratch")));

    try (LocalStore damaged = LocalStore.on(medium.open())) {
      ClaimBook left = new ClaimBook(damaged, clock(BEGIN));
      Reaper careful =
          new Reaper(
              left,
              Reaper.Sources.of(new ClaimCoordinator(left, storage, clock(BEGIN), event -> {}))
                  .with(node)
                  .with(ephemeral),
              clock(BEGIN),
              told::add);
      List<Leftover> plan = careful.plan();

      assertThat(codes()).containsExactly("CLAIM_UNREADABLE", "CLAIM_UNREADABLE");
      assertThat(plan)
          .extracting(item -> item.getClass().getSimpleName())
          .containsExactly("OrphanedClaim", "EphemeralVolume");
      assertThat(ends(careful.apply(plan, AT_ONCE)))
          .containsExactly("DONE: it is free", "DONE: it was deleted");
    }
    assertThat(ephemeral.pending).containsExactly(bad, newer);
  }

  @Test
  void aPluginThatNoVolumeNeedsIsForgotten() {
    plugins.unused.put(PluginId.of("old"), new Part("no volume is of it"));

    assertThat(ends(reaper.apply(reaper.plan(), AT_ONCE))).containsExactly("DONE: it was removed");
    assertThat(plugins.forgotten).containsExactly(PluginId.of("old"));
  }

  @Test
  void thePaceIsAskedBeforeEachAndAnInterruptionBeginsNothingMore() {
    for (String name : List.of("a", "b", "c")) {
      ephemeral.pending.add(VolumeKey.of(name));
    }
    int[] asked = new int[1];
    Reaper.Throttle twice =
        () -> {
          if (asked[0]++ == 2) {
            throw new InterruptedException();
          }
        };

    List<Reaper.Result> ends = reaper.apply(reaper.plan(), twice);

    assertThat(Thread.interrupted()).isTrue();
    assertThat(ends).hasSize(2);
    assertThat(ephemeral.pending).containsExactly(VolumeKey.of("c"));
  }
}

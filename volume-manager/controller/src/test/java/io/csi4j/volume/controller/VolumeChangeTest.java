package io.csi4j.volume.controller;

import static io.csi4j.client.model.CsiOperation.CONTROLLER_EXPAND_VOLUME;
import static io.csi4j.client.model.CsiOperation.CONTROLLER_MODIFY_VOLUME;
import static io.csi4j.volume.controller.ControllerWorld.ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.catalog.VolumeChange;
import io.csi4j.volume.catalog.VolumeChange.Progress;
import io.csi4j.volume.catalog.VolumeChange.Request;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.internal.claims.StoredClaims;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Waits;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.store.local.MemoryStore;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is told of changes that do not come to their end at once, or at all. */
class VolumeChangeTest {

  private static final VolumeKey DB = VolumeKey.of("db");
  private static final CapacityRange LARGE = CapacityRange.atLeast(100L << 30);
  private static final CapacityRange SMALL = CapacityRange.atLeast(5 << 20);
  private static final Request FASTER = new Request.Parameters(new TreeMap<>(Map.of("iops", "2")));

  private final ControllerWorld world = new ControllerWorld();
  private final MemoryMedium medium = MemoryMedium.create();
  private final Queue<OperatorMessage> told = new ConcurrentLinkedQueue<>();
  private final Queue<Claim> claims = new ConcurrentLinkedQueue<>();
  private final FakeCsiPlugin plugin = world.registered(PluginShape.full());

  private volatile boolean isClaimStoreDown;

  /** Nothing is tried in the background, unless a test is about that. */
  private Duration firstPause = Duration.ofDays(1);

  private VolumeController controller = open();
  private final CatalogVolume made = controller.create(DB, spec());

  private VolumeController open() {
    return VolumeController.builder(world.registry(), LocalStore.on(medium.open()))
        .claims(this::claim)
        .told(told::add)
        .firstPause(firstPause)
        .settings(
            ControllerSettings.builder()
                .policy(policy -> policy.attempts(1).attemptDeadline(Duration.ofSeconds(20)))
                .build())
        .open();
  }

  private Optional<Claim> claim(VolumeKey key) {
    if (isClaimStoreDown) {
      throw new IllegalStateException("the store of claims is down");
    }
    return Optional.ofNullable(claims.peek());
  }

  private void reopen() {
    controller.close();
    medium.crash();
    controller = open();
  }

  /** Opens it again; what is not at its end is tried in the background soon. */
  private void reopenHurried() {
    firstPause = Duration.ofMillis(100);
    reopen();
  }

  @AfterEach
  void noDutyWasBroken() {
    controller.close();
    plugin.assertLawful();
    world.close();
  }

  private static VolumeSpec spec() {
    return VolumeSpec.builder(ID)
        .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
        .capacity(CapacityRange.atLeast(1 << 20))
        .mutableParameters(Map.of("iops", "1", "tier", "low"))
        .build();
  }

  private static ControllerException failure(Runnable work) {
    return catchThrowableOfType(ControllerException.class, work::run);
  }

  private VolumeChange only() {
    assertThat(controller.changes(DB)).hasSize(1);
    return controller.changes(DB).get(0);
  }

  private void isOnly(Request wish, Progress progress, String words, String next) {
    VolumeChange change = only();
    assertThat(change.request()).isEqualTo(wish);
    assertThat(change.progress()).isEqualTo(progress);
    if (words.isEmpty()) {
      assertThat(change.seen()).isEmpty();
    } else {
      assertThat(change.seen()).contains(words);
    }
    assertThat(change.next()).startsWith(next);
    assertThat(change.at().isPresent())
        .isEqualTo(progress == Progress.INFEASIBLE || progress == Progress.INFEASIBLE_ON_NODE);
  }

  @Test
  void nothingIsToldOfAVolumeThatIsAsItWasAskedFor() {
    assertThat(controller.changes(DB)).isEmpty();
    assertThat(controller.changes(VolumeKey.of("unknown"))).isEmpty();
  }

  @Test
  void aSizeThatThePluginNeverAllowsIsToldInItsWordsUntilAnotherIsAskedFor() {
    plugin.inject(
        Fault.fail(StatusCode.OUT_OF_RANGE, "this pool ends at 10 GiB"),
        When.calling(CONTROLLER_EXPAND_VOLUME).once());
    assertThat(failure(() -> controller.expand(DB, LARGE)).outcome())
        .isEqualTo(ChangeOutcome.REFUSED);

    isOnly(
        new Request.Size(LARGE),
        Progress.INFEASIBLE,
        "this pool ends at 10 GiB",
        "Expand to a size that the plugin allows.");
    VolumeChange before = only();
    reopen();
    assertThat(only()).isEqualTo(before);
    assertThat(controller.pending()).isEmpty();

    controller.expand(DB, SMALL);
    isOnly(
        new Request.Size(SMALL),
        Progress.PENDING_ON_NODE,
        "",
        "Expand the volume on the node that has it mounted, then call nodeHasExpanded.");
  }

  @Test
  void aSizeThatThePluginNeverAllowsIsWithdrawnByOneThatTheVolumeHas() {
    plugin.inject(
        Fault.fail(StatusCode.OUT_OF_RANGE, "this pool ends at 10 GiB"),
        When.calling(CONTROLLER_EXPAND_VOLUME).once());
    assertThat(failure(() -> controller.expand(DB, LARGE)).outcome())
        .isEqualTo(ChangeOutcome.REFUSED);

    assertThat(controller.expand(DB, CapacityRange.atLeast(1))).isEqualTo(made);

    assertThat(controller.changes(DB)).isEmpty();
    reopen();
    assertThat(controller.changes(DB)).isEmpty();
    assertThat(plugin.journal().calls(CONTROLLER_EXPAND_VOLUME)).hasSize(1);
  }

  @Test
  void aSizeThatTheUseOfTheVolumeIsInTheWayOfIsAskedForAgain() {
    plugin.inject(
        Fault.fail(StatusCode.FAILED_PRECONDITION, "it is in use"),
        When.calling(CONTROLLER_EXPAND_VOLUME));
    assertThat(failure(() -> controller.expand(DB, SMALL)).outcome())
        .isEqualTo(ChangeOutcome.REFUSED);

    isOnly(
        new Request.Size(SMALL),
        Progress.IN_PROGRESS,
        "it is in use",
        "csi4j retries after growing pauses; resume retries at once.");
    assertThat(controller.pending()).containsExactly(DB);
    reopenHurried();
    Waits.until(() -> plugin.journal().calls(CONTROLLER_EXPAND_VOLUME).size() > 1);
    assertThat(only().progress()).isEqualTo(Progress.IN_PROGRESS);

    plugin.clearFaults();
    Waits.until(() -> controller.pending().isEmpty());
    assertThat(only().progress()).isEqualTo(Progress.PENDING_ON_NODE);
    assertThat(told)
        .as("once, after the restart: no caller of this process was told")
        .extracting(OperatorMessage::code)
        .containsExactly(OperatorCode.CONTROLLER_CALL_REFUSED);
  }

  @ParameterizedTest
  @EnumSource(names = {"UNAUTHENTICATED", "PERMISSION_DENIED", "NOT_FOUND"})
  void aSizeThatAPersonHasToSeeToIsNotAskedForAgainBeforeTheHostDoes(StatusCode code) {
    plugin.inject(
        Fault.fail(code, "not with this key"), When.calling(CONTROLLER_EXPAND_VOLUME).once());
    assertThat(failure(() -> controller.expand(DB, SMALL)).outcome())
        .isEqualTo(ChangeOutcome.REFUSED);

    assertThat(only().progress()).isEqualTo(Progress.INFEASIBLE);
    assertThat(only().next()).contains("fix that and expand to the same size");
    assertThat(controller.pending()).isEmpty();
    assertThat(controller.expand(DB, SMALL).capacityBytes()).hasValue(5 << 20);
  }

  @Test
  void parametersThatTheStateOfTheVolumeIsInTheWayOfAreAskedForAgain() {
    plugin.inject(
        Fault.fail(StatusCode.FAILED_PRECONDITION, "a rebuild is running"),
        When.calling(CONTROLLER_MODIFY_VOLUME).once());
    assertThat(failure(() -> controller.modify(DB, Map.of("iops", "2"))).outcome())
        .isEqualTo(ChangeOutcome.REFUSED);

    isOnly(
        FASTER,
        Progress.IN_PROGRESS,
        "a rebuild is running",
        "csi4j retries after growing pauses; resume retries at once.");
    reopenHurried();
    Waits.until(() -> controller.pending().isEmpty());
    assertThat(controller.changes(DB)).isEmpty();
    assertThat(controller.find(DB).orElseThrow().spec().mutableParameters())
        .containsExactly(Map.entry("iops", "2"), Map.entry("tier", "low"));
  }

  @Test
  void aVolumeThatGrowsOnlyWhileNobodyHasItIsNotAskedForWhileItIsClaimed() {
    plugin.upgrade(PluginShape.full().without(PluginCapability.VOLUME_EXPANSION_ONLINE));
    plugin.inject(
        Fault.fail(StatusCode.RESOURCE_EXHAUSTED, "the pool is full"),
        When.calling(CONTROLLER_EXPAND_VOLUME).once());
    assertThat(failure(() -> controller.expand(DB, SMALL)).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);
    claims.add(claimed());

    assertThat(failure(() -> controller.expand(DB, SMALL)).code())
        .isEqualTo(OperatorCode.VOLUME_CLAIMED);
    reopenHurried();
    Waits.until(() -> !only().seen().isEmpty());
    isOnly(
        new Request.Size(SMALL),
        Progress.IN_PROGRESS,
        "workload 'web-1' on node 'n1' holds it",
        "csi4j retries after growing pauses; resume retries at once.");
    assertThat(plugin.journal().calls(CONTROLLER_EXPAND_VOLUME)).hasSize(1);

    claims.clear();
    Waits.until(() -> controller.pending().isEmpty());
    assertThat(plugin.journal().calls(CONTROLLER_EXPAND_VOLUME)).hasSize(2);
  }

  /** The claim of a workload. */
  private static Claim claimed() {
    MemoryStore store = new MemoryStore();
    new ClaimBook(store, Clock.systemUTC())
        .claim(
            ClaimRequest.builder(
                    VolumeUse.of(DB, WorkloadId.of("web-1")),
                    NodeName.of("n1"),
                    new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
                    ClaimMode.WRITE)
                .build());
    return StoredClaims.in(store).claim(DB);
  }

  @Test
  void aVolumeWhoseNodeRefusesToFollowIsPartlyDoneUntilItHas() {
    controller.expand(DB, SMALL);
    OperatorMessage refusal =
        Messages.of(
            OperatorCode.REFUSED_BY_PLUGIN,
            Subject.of("expanding volume 'db'"),
            "the filesystem has errors, run a check");

    assertThat(controller.nodeCannotExpand(DB, SMALL, refusal).pendingOnNode()).contains(SMALL);
    isOnly(
        new Request.Size(SMALL),
        Progress.INFEASIBLE_ON_NODE,
        "the filesystem has errors, run a check",
        "Follow the plugin's message");
    List<VolumeChange> noted = controller.changes(DB);
    controller.nodeCannotExpand(
        DB,
        SMALL,
        Messages.of(
            OperatorCode.REFUSED_BY_PLUGIN, Subject.of("expanding volume 'db'"), "said again"));
    assertThat(controller.changes(DB)).as("noted once").isEqualTo(noted);
    reopen();
    assertThat(only().progress()).isEqualTo(Progress.INFEASIBLE_ON_NODE);

    controller.nodeHasExpanded(DB, SMALL);
    assertThat(controller.changes(DB)).isEmpty();
    controller.nodeCannotExpand(DB, SMALL, refusal);
    assertThat(controller.changes(DB)).as("a node that owes nothing").isEmpty();
  }

  @Test
  void aSizeThatTheNodeWasNotGivenIsStillOwedWhenTheNodeHasExpanded() {
    controller.expand(DB, SMALL);
    controller.expand(DB, LARGE);

    assertThat(controller.nodeHasExpanded(DB, SMALL).pendingOnNode()).contains(LARGE);
    assertThat(only().progress()).isEqualTo(Progress.PENDING_ON_NODE);
    assertThat(only().request()).isEqualTo(new Request.Size(LARGE));
    reopen();
    assertThat(controller.nodeHasExpanded(DB, LARGE).pendingOnNode()).isEqualTo(Optional.empty());
    assertThat(controller.changes(DB)).isEmpty();
  }

  @Test
  void aRefusalOfTheNodeIsKeptForTheSizeThatItWasGivenOnly() {
    controller.expand(DB, SMALL);
    controller.expand(DB, LARGE);
    OperatorMessage refusal =
        Messages.of(OperatorCode.REFUSED_BY_PLUGIN, Subject.of("expanding volume 'db'"), "no room");

    assertThat(controller.nodeCannotExpand(DB, SMALL, refusal).pendingOnNode()).contains(LARGE);
    assertThat(only().progress()).isEqualTo(Progress.PENDING_ON_NODE);
    controller.nodeCannotExpand(DB, LARGE, refusal);
    assertThat(only().progress()).isEqualTo(Progress.INFEASIBLE_ON_NODE);
  }

  @Test
  void aSizeThatTheNodeHasIsSettledWhileTheVolumeGrowsFurther() {
    controller.expand(DB, SMALL);
    plugin.inject(
        Fault.fail(StatusCode.RESOURCE_EXHAUSTED, "the pool is full"),
        When.calling(CONTROLLER_EXPAND_VOLUME));
    ControllerException full =
        catchThrowableOfType(ControllerException.class, () -> controller.expand(DB, LARGE));
    assertThat(full.status()).contains(StatusCode.RESOURCE_EXHAUSTED);

    assertThat(controller.nodeHasExpanded(DB, SMALL).pendingOnNode()).isEqualTo(Optional.empty());
    assertThat(only().request()).isEqualTo(new Request.Size(LARGE));
    assertThat(only().progress()).isEqualTo(Progress.IN_PROGRESS);
    reopen();
    assertThat(controller.find(DB).orElseThrow().pendingOnNode()).isEqualTo(Optional.empty());
    assertThat(only().progress()).isEqualTo(Progress.IN_PROGRESS);
  }

  @Test
  void aSizeThatIsNotThereYetIsInProgressWithWhatWasSeenLast() {
    plugin.inject(
        Fault.fail(StatusCode.RESOURCE_EXHAUSTED, "the pool is full"),
        When.calling(CONTROLLER_EXPAND_VOLUME));
    assertThat(failure(() -> controller.expand(DB, LARGE)).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);

    isOnly(
        new Request.Size(LARGE),
        Progress.IN_PROGRESS,
        "the pool is full",
        "csi4j retries after growing pauses; resume retries at once. To replace the change, expand");

    plugin.clearFaults();
    plugin.inject(
        Fault.fail(StatusCode.OUT_OF_RANGE, "never that large"),
        When.calling(CONTROLLER_EXPAND_VOLUME));
    reopenHurried();
    // It is told once it is on record.
    Waits.until(() -> controller.pending().isEmpty() && !told.isEmpty());
    assertThat(controller.changes(DB))
        .as("the first call may have come through, so the node is told what is known")
        .extracting(VolumeChange::progress)
        .containsExactly(Progress.INFEASIBLE, Progress.PENDING_ON_NODE);
    assertThat(controller.changes(DB).get(0).seen()).contains("never that large");
    assertThat(told)
        .as("nobody waited for that answer")
        .extracting(OperatorMessage::code)
        .containsExactly(OperatorCode.CONTROLLER_CALL_REFUSED);
  }

  @Test
  void parametersThatThePluginNeverAllowsAreToldUntilOthersAreAskedFor() {
    plugin.inject(
        Fault.fail(StatusCode.INVALID_ARGUMENT, "iops is at most 1"),
        When.calling(CONTROLLER_MODIFY_VOLUME).once());
    assertThat(failure(() -> controller.modify(DB, Map.of("iops", "2"))).outcome())
        .isEqualTo(ChangeOutcome.REFUSED);

    isOnly(
        FASTER,
        Progress.INFEASIBLE,
        "iops is at most 1",
        "Modify with values that the plugin allows.");
    reopen();
    assertThat(only().seen()).contains("iops is at most 1");
    assertThat(controller.find(DB)).contains(made);
    assertThat(controller.pending()).isEmpty();

    controller.modify(DB, Map.of("tier", "high"));
    assertThat(controller.changes(DB)).isEmpty();
    assertThat(controller.find(DB).orElseThrow().spec().mutableParameters())
        .containsExactly(Map.entry("iops", "1"), Map.entry("tier", "high"));
  }

  @Test
  void parametersWhoseFateIsNotKnownAreSentAgainUntilItIs() {
    plugin.inject(
        Fault.applyThenFail(StatusCode.UNKNOWN, "lost my mind"),
        When.calling(CONTROLLER_MODIFY_VOLUME).once());
    assertThat(failure(() -> controller.modify(DB, Map.of("iops", "2"))).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);

    isOnly(
        FASTER,
        Progress.IN_PROGRESS,
        "lost my mind",
        "csi4j retries after growing pauses; resume retries at once.");
    assertThat(controller.pending()).containsExactly(DB);
    reopenHurried();
    Waits.until(() -> controller.pending().isEmpty());

    assertThat(controller.changes(DB)).isEmpty();
    assertThat(controller.find(DB).orElseThrow().spec().mutableParameters())
        .containsExactly(Map.entry("iops", "2"), Map.entry("tier", "low"));
    assertThat(plugin.journal().calls(CONTROLLER_MODIFY_VOLUME)).hasSize(2);
  }

  @Test
  void newValuesAreSentWithThoseWhoseFateIsNotKnown() {
    plugin.inject(
        Fault.fail(StatusCode.UNKNOWN, "?"), When.calling(CONTROLLER_MODIFY_VOLUME).once());
    assertThat(failure(() -> controller.modify(DB, Map.of("iops", "2"))).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);

    CatalogVolume changed = controller.modify(DB, Map.of("tier", "high"));

    assertThat(changed.spec().mutableParameters())
        .containsExactly(Map.entry("iops", "2"), Map.entry("tier", "high"));
    assertThat(plugin.journal().calls(CONTROLLER_MODIFY_VOLUME))
        .extracting(call -> call.request().map("mutable_parameters"))
        .endsWith(Map.of("iops", "2", "tier", "high"));
    assertThat(controller.changes(DB)).isEmpty();
  }

  @Test
  void aChangeThatJoinsOneUnderWayMayBeMadeLater() {
    plugin.inject(
        Fault.fail(StatusCode.UNKNOWN, "?"), When.calling(CONTROLLER_MODIFY_VOLUME).once());
    assertThat(failure(() -> controller.modify(DB, Map.of("iops", "2"))).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);
    world.only().close();

    assertThat(failure(() -> controller.modify(DB, Map.of("tier", "high"))).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);

    assertThat(controller.pending()).containsExactly(DB);
  }

  @Test
  void whatNeverReachedThePluginIsNoChange() {
    world.only().close();
    assertThat(failure(() -> controller.modify(DB, Map.of("iops", "2"))).outcome())
        .isEqualTo(ChangeOutcome.UNAVAILABLE);
    assertThat(failure(() -> controller.expand(DB, LARGE)).outcome())
        .isEqualTo(ChangeOutcome.UNAVAILABLE);

    assertThat(controller.changes(DB)).isEmpty();
    assertThat(controller.pending()).isEmpty();
  }

  @Test
  void aSizeIsNotAskedForWhileTheClaimsCannotBeRead() {
    isClaimStoreDown = true;
    ControllerException failed = failure(() -> controller.expand(DB, LARGE));
    assertThat(failed.code()).isEqualTo(OperatorCode.CLAIM_STORE_DOWN);
    assertThat(failed.outcome()).isEqualTo(ChangeOutcome.UNAVAILABLE);
    assertThat(controller.changes(DB)).isEmpty();
    assertThat(controller.pending()).isEmpty();

    isClaimStoreDown = false;
    assertThat(controller.expand(DB, LARGE).capacityBytes()).hasValue(100L << 30);
  }

  @Test
  void aVolumeThatGoesHasNoChanges() {
    plugin.inject(
        Fault.fail(StatusCode.RESOURCE_EXHAUSTED, "full"), When.calling(CONTROLLER_EXPAND_VOLUME));
    plugin.inject(Fault.fail(StatusCode.UNKNOWN, "?"), When.calling(CONTROLLER_MODIFY_VOLUME));
    for (Runnable change :
        List.<Runnable>of(
            () -> controller.expand(DB, LARGE), () -> controller.modify(DB, Map.of("iops", "2")))) {
      assertThat(failure(change).outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    }
    assertThat(controller.changes(DB))
        .extracting(VolumeChange::request)
        .containsExactly(new Request.Size(LARGE), FASTER);

    controller.delete(DB);

    assertThat(controller.changes(DB)).isEmpty();
    assertThat(controller.pending()).isEmpty();
    assertThat(controller.create(DB, spec()).spec()).isEqualTo(made.spec());
    assertThat(controller.changes(DB)).isEmpty();
  }

  @Test
  void aTextShowsNoValues() {
    assertThat(new VolumeChange(FASTER, Progress.IN_PROGRESS, "", Optional.empty()))
        .hasToString(
            "VolumeChange[request=parameters [iops], progress=IN_PROGRESS, seen=,"
                + " at=Optional.empty]");
  }
}

package io.csi4j.volume.controller;

import static io.csi4j.client.model.CsiOperation.CREATE_VOLUME;
import static io.csi4j.client.model.CsiOperation.DELETE_VOLUME;
import static io.csi4j.volume.controller.ControllerWorld.ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimEvent;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.controller.JobVolumes.Acquired;
import io.csi4j.volume.controller.JobVolumes.Released;
import io.csi4j.volume.controller.JobVolumes.VolumeOutcome;
import io.csi4j.volume.internal.claims.StoredClaims;
import io.csi4j.volume.internal.time.Waits;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.store.PassingStore;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.store.local.MemoryStore;
import io.csi4j.volume.upkeep.Leftover;
import io.csi4j.volume.upkeep.Reaper;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Volumes that come with the first claim of a job and go with the last, on a real socket. */
class JobVolumesTest {

  private static final Namespace TEAM = Namespace.of("team");
  private static final VolumeKey SCRATCH = JobVolumes.job(TEAM, "render").volume("scratch");
  private static final AccessMode SHARED = AccessMode.MULTI_NODE_MULTI_WRITER;
  private static final AccessMode ALONE = AccessMode.SINGLE_NODE_WRITER;

  private final ControllerWorld world = new ControllerWorld();
  private final FakeCsiPlugin plugin =
      world.registered(PluginShape.full().without(NodeCapability.EXPAND_VOLUME));
  private final MemoryMedium medium = MemoryMedium.create();
  private final MemoryStore store = new MemoryStore();
  private VolumeController controller = open(store);
  private ClaimCoordinator claims = claims(store);
  private JobVolumes volumes = new JobVolumes(controller, claims);
  private NodeId node;

  private VolumeController open(RecordStore claimed) {
    return VolumeController.builder(world.registry(), LocalStore.on(medium.open()))
        .claims(claimed)
        .settings(ControllerSettings.builder().policy(policy -> policy.attempts(1)).build())
        .open();
  }

  private ClaimCoordinator claims(RecordStore claimed) {
    Clock clock = Clock.systemUTC();
    return new ClaimCoordinator(
        new ClaimBook(claimed, clock).asking(controller::whyNotClaimed),
        controller.attachments(),
        clock,
        ClaimEvent.Listener.none());
  }

  /** Another life of the host, whose claims are seen through this store. */
  private void reopen(RecordStore claimed) {
    controller.close();
    medium.crash();
    controller = open(claimed);
    claims = claims(claimed);
    volumes = new JobVolumes(controller, claims);
  }

  @BeforeEach
  void theNodeTellsItsName() {
    try (CsiPlugin itself = CsiPlugin.connect(plugin.nodeEndpoint())) {
      node = itself.node().getInfo().nodeId();
    }
  }

  @AfterEach
  void noDutyWasBroken() {
    controller.close();
    plugin.assertLawful();
    world.close();
  }

  private static VolumeSpec.Builder spec(AccessMode mode) {
    return VolumeSpec.builder(ID)
        .use(mode, AttachmentMode.FILESYSTEM)
        .capacity(CapacityRange.atLeast(1 << 20));
  }

  private static VolumeSpec scratch(AccessMode mode) {
    return spec(mode).ephemeral(true).build();
  }

  private static ClaimRequest.Builder wish(String workload, String node, AccessMode mode) {
    return ClaimRequest.builder(
        VolumeUse.of(SCRATCH, WorkloadId.of(workload)),
        NodeName.of(node),
        new Claim.Use(mode, AttachmentMode.FILESYSTEM),
        ClaimMode.WRITE);
  }

  /** The nodes of a test that has several need no ids of the plugin. */
  private void attachesNothing() {
    plugin.upgrade(plugin.shape().without(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME));
  }

  private ClaimRequest attached(String workload) {
    return wish(workload, "n1", ALONE).nodeId(node).build();
  }

  private static NodeReceipt receipt(ClaimGrant grant) {
    return new NodeReceipt(
        grant.usage(),
        grant.epoch(),
        grant.node(),
        "boot",
        List.of(Path.of("/targets")),
        NodeReceipt.Staging.GONE);
  }

  private Released giveBack(Acquired acquired) {
    assertThat(volumes.release(acquired.grant().usage()))
        .returns(VolumeOutcome.CLAIMED, Released::volume)
        .extracting(Released::claim)
        .isInstanceOf(ClaimProgress.WaitsForNode.class);
    return volumes.confirmRelease(receipt(acquired.grant()));
  }

  private Reaper reaper() {
    return new Reaper(
        new ClaimBook(store, Clock.systemUTC()),
        Reaper.Sources.of(claims).with(Reaper.Sources.Ephemeral.of(volumes)),
        Clock.systemUTC(),
        message -> {});
  }

  // ---- from the first claim to the last

  @Test
  void aVolumeIsCreatedAndAttachedForItsClaimAndDeletedWhenThatIsGivenBack() {
    Acquired acquired = volumes.acquire(scratch(ALONE), attached("frame-7"));

    assertThat(plugin.contents().volumes()).containsExactly(acquired.volume().id());
    assertThat(plugin.contents().attached()).hasSize(1);
    assertThat(acquired.grant().context().isEmpty()).isFalse();
    assertThat(volumes.acquire(scratch(ALONE), attached("frame-7"))).isEqualTo(acquired);
    assertThat(plugin.journal().calls(CREATE_VOLUME)).hasSize(1);

    assertThat(giveBack(acquired))
        .isEqualTo(
            new Released(
                new ClaimProgress.Gone(acquired.grant().usage()),
                VolumeOutcome.DELETED,
                Optional.empty()));
    assertThat(plugin.contents().empty()).isTrue();
    assertThat(controller.record(SCRATCH)).isEmpty();
    assertThat(StoredClaims.in(store).claim(SCRATCH).holders()).isEmpty();
  }

  @Test
  void ofTwoTasksOnTwoNodesTheLastTakesTheVolumeAway() {
    attachesNothing();
    Acquired one = volumes.acquire(scratch(SHARED), wish("one", "n1", SHARED).build());
    Acquired two = volumes.acquire(scratch(SHARED), wish("two", "n2", SHARED).build());
    assertThat(two.volume()).isEqualTo(one.volume());
    assertThat(plugin.journal().calls(CREATE_VOLUME)).hasSize(1);

    assertThat(giveBack(one).volume()).isEqualTo(VolumeOutcome.CLAIMED);
    assertThat(plugin.contents().volumes()).containsExactly(two.volume().id());
    assertThat(giveBack(two).volume()).isEqualTo(VolumeOutcome.DELETED);
    assertThat(plugin.contents().empty()).isTrue();
  }

  @Test
  void aTaskWaitsForTheClaimOfAnotherAndGetsTheVolumeThatIsCreatedAfterThatOne() throws Exception {
    attachesNothing();
    Acquired one = volumes.acquire(scratch(ALONE), wish("one", "n1", ALONE).build());
    ClaimRequest wish = wish("two", "n2", ALONE).build();
    assertThat(refusal(() -> volumes.acquire(scratch(ALONE), wish, Duration.ofMillis(1))))
        .isEqualTo(OperatorCode.CLAIM_HELD_BY);

    AtomicReference<Acquired> two = new AtomicReference<>();
    Thread waiting =
        new Thread(() -> two.set(volumes.acquire(scratch(ALONE), wish, Duration.ofDays(1))));
    waiting.start();
    Waits.until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
    Released released = giveBack(one);
    waiting.join(30_000);

    assertThat(two.get().grant().usage()).isEqualTo(wish.usage());
    assertThat(controller.find(SCRATCH)).contains(two.get().volume());
    // The one who waits may claim the volume before its deletion begins.
    assertThat(two.get().volume().id().equals(one.volume().id()))
        .isEqualTo(released.volume() == VolumeOutcome.CLAIMED);
    assertThat(plugin.contents().volumes()).containsExactly(two.get().volume().id());
  }

  private static OperatorCode refusal(Runnable work) {
    return catchThrowableOfType(ClaimException.class, work::run).code();
  }

  @Test
  void aVolumeThatIsRetainedIsFoundByTheNextTaskAndLeftAloneByTheReaper() {
    Acquired first = volumes.acquire(spec(ALONE).build(), attached("monday"));
    assertThat(giveBack(first).volume()).isEqualTo(VolumeOutcome.RETAINED);
    assertThat(reaper().plan()).isEmpty();
    assertThat(volumes.unclaimed()).isEmpty();
    assertThat(volumes.deleteUnclaimed(SCRATCH)).isFalse();

    Acquired second = volumes.acquire(spec(ALONE).build(), attached("tuesday"));
    assertThat(second.volume()).isEqualTo(first.volume());
    assertThat(volumes.release(VolumeUse.of(SCRATCH, WorkloadId.of("monday"))).volume())
        .isEqualTo(VolumeOutcome.CLAIMED);
    assertThat(giveBack(second).volume()).isEqualTo(VolumeOutcome.RETAINED);
    assertThat(plugin.contents().volumes()).containsExactly(first.volume().id());
  }

  @Test
  void aVolumeBeginsAsACopyOfASnapshotWithTheParametersOfTheJob() {
    VolumeKey golden = VolumeKey.of("golden");
    assertThat(controller.create(golden, spec(ALONE).build()).key()).isEqualTo(golden);
    SnapshotId cut = controller.createSnapshot(golden, SnapshotName.of("v1"), Map.of()).id();

    Acquired copy =
        volumes.acquire(
            spec(ALONE)
                .parameters(Map.of("tier", "fast"))
                .fromSnapshot(cut)
                .ephemeral(true)
                .build(),
            attached("frame-7"));

    assertThat(plugin.journal().calls(CREATE_VOLUME).get(1).request().map("parameters"))
        .isEqualTo(Map.of("tier", "fast"));
    assertThat(copy.volume().spec().source()).isPresent();
    assertThat(giveBack(copy).volume()).isEqualTo(VolumeOutcome.DELETED);
    assertThat(controller.find(golden)).isPresent();
  }

  @Test
  void keysAreTheSameForTheSameNamesAndDifferForDifferentOnes() {
    assertThat(JobVolumes.job(TEAM, "render").task("frame-7").volume("scratch"))
        .isEqualTo(VolumeKey.of(TEAM, "render/frame-7/scratch"));
    Set<VolumeKey> keys = new HashSet<>();
    List<String> names = List.of("a", "a/a", "a%2Fa", "a%a", "/", "%", "a/a/a");
    for (String job : names) {
      for (String volume : names) {
        keys.add(JobVolumes.job(TEAM, job).volume(volume));
        names.forEach(task -> keys.add(JobVolumes.job(TEAM, job).task(task).volume(volume)));
      }
    }
    assertThat(keys).hasSize(7 * 7 + 7 * 7 * 7);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JobVolumes.job(TEAM, "render").volume(""));
  }

  // ---- refused

  @Test
  void aClaimThatIsRefusedLeavesNoVolumeBehind() {
    ClaimRequest readOnly =
        wish("one", "n1", AccessMode.SINGLE_NODE_READER_ONLY).build(); // wants to write

    ClaimException refused =
        catchThrowableOfType(
            ClaimException.class,
            () -> volumes.acquire(scratch(AccessMode.SINGLE_NODE_READER_ONLY), readOnly));

    assertThat(refused.code()).isEqualTo(OperatorCode.CLAIM_READ_ONLY);
    assertThat(plugin.contents().empty()).isTrue();
    assertThat(controller.record(SCRATCH)).isEmpty();
  }

  @Test
  void aClaimThatIsRefusedForTheSakeOfAHolderLeavesTheVolumeToHim() {
    Acquired first = volumes.acquire(scratch(ALONE), attached("first"));
    assertThat(
            catchThrowableOfType(
                    ClaimException.class, () -> volumes.acquire(scratch(ALONE), attached("second")))
                .code())
        .isEqualTo(OperatorCode.CLAIM_HELD_BY);
    assertThat(plugin.contents().volumes()).containsExactly(first.volume().id());
    assertThat(giveBack(first).volume()).isEqualTo(VolumeOutcome.DELETED);
  }

  @Test
  void aVolumeThatIsWantedOtherwiseIsRefusedBeforeItIsClaimed() {
    Acquired first = volumes.acquire(scratch(ALONE), attached("first"));
    assertThat(
            catchThrowableOfType(
                    ControllerException.class,
                    () -> volumes.acquire(spec(ALONE).build(), attached("second")))
                .code())
        .isEqualTo(OperatorCode.VOLUME_KNOWN_OTHERWISE);
    assertThat(StoredClaims.in(store).claim(SCRATCH).holders()).hasSize(1);
    assertThat(giveBack(first).volume()).isEqualTo(VolumeOutcome.DELETED);
  }

  @Test
  void aControllerThatDoesNotKnowTheClaimsIsRefused() {
    attachesNothing();
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new JobVolumes(
                    VolumeController.builder(
                            world.registry(), LocalStore.on(MemoryMedium.create().open()))
                        .open(),
                    claims))
        .withMessageContaining("Builder.claims(RecordStore)");
    JobVolumes other = new JobVolumes(controller, claims(new MemoryStore()));
    assertThatIllegalStateException()
        .isThrownBy(() -> other.acquire(scratch(ALONE), wish("one", "n1", ALONE).build()))
        .withMessageContaining("Give both the same store");
    assertThat(volumes.deleteUnclaimed(SCRATCH)).isTrue();
  }

  // ---- what fails on the way

  @Test
  void aDeletionThatFailsIsOwedAndTheReaperBringsItToItsEnd() {
    Acquired acquired = volumes.acquire(scratch(ALONE), attached("frame-7"));
    plugin.inject(Fault.fail(StatusCode.INTERNAL, "later"), When.calling(DELETE_VOLUME).times(1));

    Released owed = giveBack(acquired);

    assertThat(owed.volume()).isEqualTo(VolumeOutcome.DELETION_PENDING);
    assertThat(owed.trouble().orElseThrow().code())
        .isEqualTo(OperatorCode.CONTROLLER_CALL_IN_DOUBT);
    Reaper reaper = reaper();
    assertThat(reaper.apply(reaper.plan(), () -> {}))
        .allMatch(reaped -> reaped.end() != Reaper.Result.End.FAILED);
    Waits.until(() -> plugin.contents().empty() && controller.record(SCRATCH).isEmpty());
    assertThat(StoredClaims.in(store).claim(SCRATCH).holders()).isEmpty();
  }

  @Test
  void aVolumeThatIsBeingDeletedIsDeletedToItsEndAndMadeAgainForTheNextClaim() {
    Acquired first = volumes.acquire(scratch(ALONE), attached("first"));
    plugin.inject(Fault.fail(StatusCode.INTERNAL, "later"), When.calling(DELETE_VOLUME).once());
    assertThat(giveBack(first).volume()).isEqualTo(VolumeOutcome.DELETION_PENDING);

    Acquired second = volumes.acquire(scratch(ALONE), attached("second"));

    assertThat(plugin.contents().volumes()).containsExactly(second.volume().id());
    assertThat(plugin.contents().attached()).hasSize(1);
    assertThat(giveBack(second).volume()).isEqualTo(VolumeOutcome.DELETED);
  }

  @Test
  void aVolumeOfWhichOnlyTheNameIsOnRecordIsFoundByTheReaper() {
    plugin.inject(
        Fault.applyThenFail(StatusCode.DEADLINE_EXCEEDED, "slow"),
        When.calling(CREATE_VOLUME).once());
    assertThat(
            catchThrowableOfType(
                    ControllerException.class,
                    () -> volumes.acquire(scratch(ALONE), attached("one")))
                .outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(plugin.contents().volumes()).hasSize(1);
    assertThat(controller.find(SCRATCH)).isEmpty();

    reopen(store);
    Reaper reaper = reaper();
    assertThat(reaper.plan())
        .extracting(Leftover::getClass)
        .isEqualTo(List.of(Leftover.EphemeralVolume.class));
    assertThat(reaper.apply(reaper.plan(), () -> {}))
        .extracting(Reaper.Result::end)
        .containsExactly(Reaper.Result.End.DONE);
    assertThat(plugin.contents().empty()).isTrue();
  }

  // ---- claimed by another process, while it is deleted here

  /** A store in which something happens right before a write of a kind. */
  private static final class Interrupted extends PassingStore {
    private final AtomicReference<Runnable> beforeHold = new AtomicReference<>(() -> {});
    private final AtomicReference<Runnable> afterHold = new AtomicReference<>(() -> {});

    Interrupted(RecordStore store) {
      super(store);
    }

    @Override
    public WriteResult write(List<RecordWrite> writes) {
      Claim next = StoredClaims.next(writes.get(0));
      boolean isHold = next.holder(WorkloadId.of("being-deleted")).isPresent();
      if (isHold) {
        beforeHold.getAndSet(() -> {}).run();
      }
      WriteResult result = super.write(writes);
      if (isHold) {
        afterHold.getAndSet(() -> {}).run();
      }
      return result;
    }
  }

  @Test
  void aClaimOfAnotherProcessAfterTheLastLookAtTheClaimsKeepsTheVolume() {
    attachesNothing();
    Interrupted between = new Interrupted(store);
    reopen(between);
    Acquired here = volumes.acquire(scratch(SHARED), wish("here", "n1", SHARED).build());
    ClaimBook elsewhere = new ClaimBook(store, Clock.systemUTC());
    between.beforeHold.set(
        () ->
            assertThat(elsewhere.claim(wish("there", "n2", SHARED).build()).epoch()).isPositive());

    assertThat(giveBack(here).volume()).isEqualTo(VolumeOutcome.CLAIMED);

    assertThat(plugin.journal().calls(DELETE_VOLUME)).isEmpty();
    assertThat(controller.find(SCRATCH)).contains(here.volume());
    assertThat(volumes.unclaimed()).isEmpty();
  }

  @Test
  void aVolumeThatIsBeingDeletedIsClaimedByNobodyElsewhere() {
    attachesNothing();
    Interrupted between = new Interrupted(store);
    reopen(between);
    Acquired here = volumes.acquire(scratch(SHARED), wish("here", "n1", SHARED).build());
    AtomicReference<ClaimException> refused = new AtomicReference<>();
    between.afterHold.set(
        () ->
            refused.set(
                catchThrowableOfType(
                    ClaimException.class,
                    () ->
                        new ClaimBook(store, Clock.systemUTC())
                            .claim(wish("there", "n2", SHARED).build()))));

    assertThat(giveBack(here).volume()).isEqualTo(VolumeOutcome.DELETED);

    assertThat(refused.get().code()).isEqualTo(OperatorCode.VOLUME_BEING_DELETED);
    assertThat(plugin.contents().empty()).isTrue();
    assertThat(StoredClaims.in(store).claim(SCRATCH).holders()).isEmpty();
  }

  @Test
  void aTaskThatComesWhileTheVolumeIsDeletedGetsANewOne() {
    Interrupted between = new Interrupted(store);
    reopen(between);
    Acquired first = volumes.acquire(scratch(ALONE), attached("first"));
    ExecutorService other = Executors.newSingleThreadExecutor();
    AtomicReference<CompletableFuture<Acquired>> second = new AtomicReference<>();
    between.afterHold.set(
        () ->
            second.set(
                CompletableFuture.supplyAsync(
                    () -> volumes.acquire(scratch(ALONE), attached("second")), other)));
    try {
      assertThat(giveBack(first).volume()).isEqualTo(VolumeOutcome.DELETED);
      Acquired got = Waits.on(second.get());
      assertThat(plugin.contents().volumes()).containsExactly(got.volume().id());
      assertThat(giveBack(got).volume()).isEqualTo(VolumeOutcome.DELETED);
    } finally {
      other.shutdownNow();
    }
  }

  @Test
  void whoHasAVolumeHasItWhileOthersComeAndGo() throws Exception {
    comeAndGo(8);
  }

  @Tag("campaign")
  @Test
  void whoHasAVolumeHasItHoweverManyComeAndGo() throws Exception {
    comeAndGo(60);
  }

  private void comeAndGo(int rounds) throws Exception {
    attachesNothing();
    ExecutorService tasks = Executors.newFixedThreadPool(4);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        String name = "task-" + i;
        all.add(
            tasks.submit(
                () -> {
                  for (int round = 0; round < rounds; round++) {
                    Acquired mine =
                        volumes.acquire(scratch(SHARED), wish(name, name, SHARED).build());
                    assertThat(plugin.contents().volumes()).contains(mine.volume().id());
                    assertThat(giveBack(mine).volume())
                        .isIn(VolumeOutcome.CLAIMED, VolumeOutcome.DELETED);
                  }
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
    } finally {
      tasks.shutdownNow();
    }
    assertThat(volumes.unclaimed()).isEmpty();
    assertThat(plugin.contents().empty()).isTrue();
    assertThat(controller.ephemeral()).isEmpty();
  }
}

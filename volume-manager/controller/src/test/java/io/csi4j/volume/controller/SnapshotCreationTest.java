package io.csi4j.volume.controller;

import static io.csi4j.client.model.CsiOperation.CREATE_SNAPSHOT;
import static io.csi4j.client.model.CsiOperation.DELETE_SNAPSHOT;
import static io.csi4j.volume.controller.ControllerWorld.ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.controller.ValidationResult;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.volume.claim.ClaimOverride;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.internal.time.Waits;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.store.local.LocalStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Snapshots that take their time, which passes at once. */
class SnapshotCreationTest {

  private static final VolumeKey DB = VolumeKey.of("db");
  private static final SnapshotName NIGHTLY = SnapshotName.of("nightly");

  private final Leaping time = new Leaping();
  private final ControllerWorld world = new ControllerWorld();
  private final OnDemandThreads threads = new OnDemandThreads("csi4j-volume-test");
  private final FakeCsiPlugin plugin =
      FakeCsiPlugin.builder()
          .clock(time.ofPlugin())
          .effects(NodeEffects.none())
          .snapshotsReadyAfter(Duration.ofSeconds(5))
          .open();
  private final RegistryControllers controllers = world.controllers(threads);

  @AfterEach
  void noDutyWasBroken() {
    controllers.close();
    threads.close();
    plugin.assertLawful();
    plugin.close();
    world.close();
  }

  private VolumeController open(Duration patience) {
    world.register("only", plugin.endpoint());
    VolumeController opened =
        new VolumeController(
            VolumeController.builder(world.registry(), LocalStore.on(MemoryMedium.create().open()))
                .snapshotPatience(patience)
                .validation(ValidationResult.Policy.LENIENT)
                .told(message -> {}),
            controllers,
            time,
            time,
            threads,
            () -> {});
    CatalogVolume made =
        opened.create(
            DB,
            VolumeSpec.builder(ID)
                .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
                .build());
    assertThat(made.key()).isEqualTo(DB);
    return opened;
  }

  private static Snapshot cut(VolumeController opened) {
    return opened.createSnapshot(DB, NIGHTLY, Map.of("kind", "full"));
  }

  @Test
  void theSameIsAskedForAgainUntilTheSnapshotIsReady() {
    Snapshot ready = cut(open(Duration.ofHours(1)));
    assertThat(ready.readyToUse()).isTrue();
    assertThat(time.pauses())
        .containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(4));
    assertThat(plugin.journal().calls(CREATE_SNAPSHOT)).hasSize(4);
    assertThat(plugin.journal().calls(CREATE_SNAPSHOT).stream().map(it -> it.request()).distinct())
        .hasSize(1);
    assertThat(plugin.contents().snapshots()).containsExactly(ready.id());
  }

  @Test
  void oneThatIsNotReadyInTimeIsThereAndMayBeAskedForAgain() {
    VolumeController opened = open(Duration.ofSeconds(3));
    ControllerException late = catchThrowableOfType(ControllerException.class, () -> cut(opened));
    assertThat(late.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(late.code()).isEqualTo(OperatorCode.SNAPSHOT_NOT_READY);
    assertThat(late).hasMessageContaining("it has not become ready within 3 s");
    assertThat(plugin.contents().snapshots()).hasSize(1);
    assertThat(cut(opened).readyToUse()).isTrue();
  }

  @Test
  void oneThatIsCutAndThenRefusedIsDeleted() {
    VolumeController opened = open(Duration.ofHours(1));
    plugin.inject(
        Fault.fail(StatusCode.FAILED_PRECONDITION, "the copy broke"),
        When.calling(CREATE_SNAPSHOT).nth(2));
    ControllerException refused =
        catchThrowableOfType(ControllerException.class, () -> cut(opened));
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(refused).hasMessageContaining("the copy broke");
    assertThat(plugin.journal().calls(DELETE_SNAPSHOT)).hasSize(1);
    assertThat(plugin.contents().snapshots()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"UNAUTHENTICATED", "PERMISSION_DENIED", "UNIMPLEMENTED"})
  void oneThatIsCutIsNotDeletedIfThePluginRefusesItsCaller(StatusCode refusal) {
    VolumeController opened = open(Duration.ofHours(1));
    plugin.inject(Fault.fail(refusal, "not you"), When.calling(CREATE_SNAPSHOT).nth(2));
    ControllerException refused =
        catchThrowableOfType(ControllerException.class, () -> cut(opened));
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(refused.status()).contains(refusal);
    assertThat(plugin.journal().calls(DELETE_SNAPSHOT)).isEmpty();
    assertThat(opened.pending()).containsExactly(DB);

    if (refusal == StatusCode.UNIMPLEMENTED) { // which CSI forbids to ask again
      assertThat(opened.dropSnapshot(DB, NIGHTLY)).isTrue();
      assertThat(plugin.contents().snapshots()).isEmpty();
    } else {
      assertThat(plugin.contents().snapshots()).containsExactly(cut(opened).id());
    }
    assertThat(opened.pending()).isEmpty();
  }

  private static void assertNotOnRecord(ControllerException ended) {
    assertThat(ended.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(ended.code()).isEqualTo(OperatorCode.SNAPSHOT_UNKNOWN);
    assertThat(ended).hasMessageContaining("it was kept, dropped or deleted meanwhile");
  }

  @Test
  void oneThatIsDroppedWhileItIsAwaitedIsNotMadeAgain() {
    VolumeController opened = open(Duration.ofHours(1));
    time.inNextPause(() -> assertThat(opened.dropSnapshot(DB, NIGHTLY)).isTrue());
    ControllerException ended = catchThrowableOfType(ControllerException.class, () -> cut(opened));
    assertThat(plugin.contents().snapshots()).isEmpty();
    assertThat(opened.pending()).isEmpty();
    assertThat(plugin.journal().calls(CREATE_SNAPSHOT)).as("its id was on record").hasSize(1);
    assertNotOnRecord(ended);
  }

  @Test
  void oneWhoseAnswerCannotBeUsedIsDroppedByTheIdInIt() {
    VolumeController opened = open(Duration.ofHours(1));
    plugin.inject(
        Fault.change(CREATE_SNAPSHOT, "{\"snapshot\": {\"source_volume_id\": null}}"),
        When.calling(CREATE_SNAPSHOT));
    ControllerException unusable =
        catchThrowableOfType(ControllerException.class, () -> cut(opened));
    assertThat(unusable.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(unusable.code()).isEqualTo(OperatorCode.CONTROLLER_ANSWER_UNUSABLE);
    assertThat(opened.pending()).containsExactly(DB);

    assertThat(opened.dropSnapshot(DB, NIGHTLY)).isTrue();

    assertThat(plugin.contents().snapshots()).isEmpty();
    assertThat(opened.pending()).isEmpty();
    opened.delete(DB);
    assertThat(plugin.contents().empty()).isTrue();
  }

  @Test
  void oneThatIsBeingDroppedIsNotAskedForMeanwhile() {
    VolumeController opened = open(Duration.ofHours(1));
    plugin.inject(Fault.applyThenHang(), When.calling(DELETE_SNAPSHOT).once());
    Thread dropping = new Thread(() -> assertThat(opened.dropSnapshot(DB, NIGHTLY)).isTrue());
    time.inNextPause(
        () -> {
          dropping.start();
          plugin
              .journal()
              .await(
                  call -> call.operation() == DELETE_SNAPSHOT && call.worked(),
                  Duration.ofSeconds(30));
        });
    ControllerException busy = catchThrowableOfType(ControllerException.class, () -> cut(opened));
    plugin.release();
    Waits.until(() -> !dropping.isAlive());
    assertThat(plugin.contents().snapshots()).isEmpty();
    assertThat(opened.pending()).isEmpty();
    assertThat(plugin.journal().calls(CREATE_SNAPSHOT)).hasSize(1);
    assertThat(busy.code())
        .as("it was not its turn in time")
        .isEqualTo(OperatorCode.CONTROLLER_BUSY);
  }

  @Test
  void oneWhoseVolumeIsDeregisteredWhileItIsAwaitedIsNotAskedForAgain() {
    VolumeController opened = open(Duration.ofHours(1));
    ClaimOverride.Person ada = new ClaimOverride.Person("ada@example.com");
    ReasonText gone = new ReasonText("the array was taken away");
    time.inNextPause(
        () -> {
          assertThat(catchThrowableOfType(ControllerException.class, () -> opened.deregister(DB)))
              .extracting(ControllerException::code)
              .isEqualTo(OperatorCode.SNAPSHOT_OWED);
          assertThat(opened.deregister(DB, ada, gone)).isTrue();
        });
    ControllerException ended = catchThrowableOfType(ControllerException.class, () -> cut(opened));
    assertThat(plugin.journal().calls(CREATE_SNAPSHOT)).hasSize(1);
    assertNotOnRecord(ended);
  }

  @Test
  void oneThatIsKeptWhileItIsAwaitedIsNotDeletedIfThePluginRefusesItThen() {
    VolumeController opened = open(Duration.ofHours(1));
    time.inNextPause(() -> assertThat(opened.backups().keep(DB, NIGHTLY)).isTrue());
    plugin.inject(
        Fault.fail(StatusCode.FAILED_PRECONDITION, "the copy broke"),
        When.calling(CREATE_SNAPSHOT).nth(2));
    ControllerException ended = catchThrowableOfType(ControllerException.class, () -> cut(opened));
    assertThat(plugin.contents().snapshots()).hasSize(1);
    assertNotOnRecord(ended);
  }

  @Test
  void oneThatTwoCallersAwaitIsOwedUntilBothAreTold() {
    VolumeController opened = open(Duration.ofHours(1));
    List<Snapshot> other = new ArrayList<>();
    time.inNextPause(
        () -> {
          other.add(cut(opened));
          assertThat(opened.pending()).containsExactly(DB);
        });
    Snapshot ready = cut(opened);
    assertThat(ready.readyToUse()).isTrue();
    assertThat(other).extracting(Snapshot::id).containsExactly(ready.id());
    assertThat(plugin.contents().snapshots()).containsExactly(ready.id());
    assertThat(opened.pending()).isEmpty();
  }

  @Test
  void oneWhoseProgressIsNotKnownIsLeftAsItIs() {
    VolumeController opened = open(Duration.ofHours(1));
    plugin.inject(Fault.fail(StatusCode.INTERNAL, "?"), When.calling(CREATE_SNAPSHOT).nth(2));
    ControllerException doubt = catchThrowableOfType(ControllerException.class, () -> cut(opened));
    assertThat(doubt.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(plugin.contents().snapshots()).hasSize(1);
    assertThat(cut(opened).readyToUse()).isTrue();
  }
}

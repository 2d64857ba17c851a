package io.csi4j.volume.controller;

import static io.csi4j.client.model.CsiOperation.DELETE_VOLUME;
import static io.csi4j.volume.controller.ControllerWorld.ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.State;
import io.csi4j.volume.catalog.StoredCatalog;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.internal.claims.StoredClaims;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.store.PassingStore;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.local.MemoryStore;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A deletion holds the claims of its volume: in one write with the record, where that is possible.
 */
class DeletionHoldTest {

  private static final VolumeKey DB = VolumeKey.of("db");

  private final ControllerWorld world = new ControllerWorld();
  private final FakeCsiPlugin plugin = world.registered();
  private final RecordStore memory = new MemoryStore();
  private final List<VolumeController> open = new ArrayList<>();

  /** The spaces of each write that concerns the volume or its claims. */
  private final List<List<Space>> writes = new ArrayList<>();

  /** Set where hold and record were apart after a write. */
  private boolean wereApart;

  /** The number of writes of the volume after which the store answers no more; 0 for none. */
  private int lasts;

  /** The store as one control plane reaches it. */
  private final class Line extends PassingStore {

    Line() {
      super(memory);
    }

    @Override
    public WriteResult write(List<RecordWrite> together) {
      if (together.get(0).key().space() == Space.CLUSTER) {
        return super.write(together);
      }
      if (lasts > 0 && --lasts == 0) {
        throw new RecordStoreException("it does not answer", new IllegalStateException("cut off"));
      }
      WriteResult result = super.write(together);
      writes.add(together.stream().map(each -> each.key().space()).toList());
      boolean isGoing = record().filter(it -> it.state() instanceof State.Deleting).isPresent();
      wereApart |= isGoing != isHeld();
      return result;
    }
  }

  private VolumeController opened(boolean isTogether) {
    RecordStore line = new Line();
    VolumeController controller =
        VolumeController.builder(world.registry(), line)
            .claims(isTogether ? line : new PassingStore(line) {})
            .settings(ControllerSettings.builder().policy(policy -> policy.attempts(1)).build())
            .firstPause(Duration.ofHours(1))
            .told(message -> {})
            .open();
    open.add(controller);
    return controller;
  }

  @AfterEach
  void noDutyWasBroken() {
    open.forEach(VolumeController::close);
    plugin.assertLawful();
    world.close();
  }

  private static VolumeSpec spec() {
    return VolumeSpec.builder(ID)
        .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
        .capacity(CapacityRange.atLeast(1 << 20))
        .build();
  }

  private Optional<CatalogEntry> record() {
    return StoredCatalog.entry(memory, DB);
  }

  private boolean isHeld() {
    return StoredClaims.in(memory).claim(DB).holder(Claim.DELETION).isPresent();
  }

  private void claim() {
    var unused =
        new ClaimBook(memory, Clock.systemUTC())
            .claim(
                ClaimRequest.builder(
                        VolumeUse.of(DB, WorkloadId.of("web")),
                        NodeName.of("n1"),
                        new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
                        ClaimMode.WRITE)
                    .build());
  }

  private static ControllerException failure(Runnable work) {
    return catchThrowableOfType(ControllerException.class, work::run);
  }

  private void refuse(StatusCode code) {
    plugin.inject(Fault.fail(code, "not now"), When.calling(DELETE_VOLUME).once());
  }

  // ---- hold and record

  @Test
  void theRecordAndTheClaimsOfADeletedVolumeAreWrittenTogether() {
    VolumeController controller = opened(true);
    controller.create(DB, spec());
    writes.clear();

    controller.delete(DB);

    assertThat(writes)
        .containsExactly(
            List.of(Space.VOLUMES, Space.CLAIMS), List.of(Space.VOLUMES, Space.CLAIMS));
    assertThat(wereApart).isFalse();
    assertThat(record()).isEmpty();
    assertThat(isHeld()).isFalse();
    assertThat(StoredClaims.in(memory).claim(DB).epoch()).isEqualTo(1);
  }

  @Test
  void inTwoStoresTheRecordAndTheClaimsAreWrittenOneAfterTheOther() {
    VolumeController controller = opened(false);
    controller.create(DB, spec());
    writes.clear();

    controller.delete(DB);

    assertThat(writes)
        .containsExactly(
            List.of(Space.VOLUMES),
            List.of(Space.CLAIMS),
            List.of(Space.VOLUMES),
            List.of(Space.CLAIMS),
            List.of(Space.VOLUMES));
    assertThat(record()).isEmpty();
    assertThat(isHeld()).isFalse();
  }

  @Test
  void aVolumeThatIsNotDeletedIsBackWithItsClaimsInOneWrite() {
    VolumeController controller = opened(true);
    CatalogVolume made = controller.create(DB, spec());
    writes.clear();
    refuse(StatusCode.FAILED_PRECONDITION);

    assertThat(failure(() -> controller.delete(DB)).outcome()).isEqualTo(ChangeOutcome.REFUSED);

    assertThat(writes)
        .containsExactly(
            List.of(Space.VOLUMES, Space.CLAIMS), List.of(Space.VOLUMES, Space.CLAIMS));
    assertThat(wereApart).isFalse();
    assertThat(controller.find(DB)).contains(made);
    assertThat(isHeld()).isFalse();
  }

  @Test
  void nothingIsWrittenOfAVolumeThatIsClaimedWhenItsHoldIsTaken() {
    VolumeController controller = opened(true);
    CatalogVolume made = controller.create(DB, spec());
    claim();
    writes.clear();

    ControllerException refused = failure(() -> controller.delete(DB));

    assertThat(refused.code()).isEqualTo(OperatorCode.VOLUME_CLAIMED);
    assertThat(writes).isEmpty();
    assertThat(controller.find(DB)).contains(made);
  }

  @Test
  void aDeletionThatIsForgottenLosesItsHoldWithItsRecord() {
    VolumeController controller = opened(true);
    controller.create(DB, spec());
    plugin.inject(
        Fault.fail(StatusCode.DEADLINE_EXCEEDED, "slow"), When.calling(DELETE_VOLUME).once());
    assertThat(failure(() -> controller.delete(DB)).outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(isHeld()).isTrue();

    assertThat(controller.deregister(DB)).isTrue();

    assertThat(wereApart).isFalse();
    assertThat(record()).isEmpty();
    assertThat(isHeld()).isFalse();
    assertThat(plugin.contents().volumes()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void hereAndThereTheStoreFailsAndHoldAndRecordStayTogether(int write) {
    VolumeController controller = opened(true);
    controller.create(DB, spec());
    lasts = write;

    var unused = catchThrowableOfType(ControllerException.class, () -> controller.delete(DB));
    assertThat(wereApart).isFalse();
    controller.close();
    lasts = 0;
    opened(true).delete(DB);

    assertThat(wereApart).isFalse();
    assertThat(record()).isEmpty();
    assertThat(isHeld()).isFalse();
    assertThat(plugin.contents().empty()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aVolumeWhoseDeletionWasNotMadeStays(boolean isTogether) {
    for (int write = 1; write <= 6; write++) {
      VolumeController controller = opened(isTogether);
      controller.create(DB, spec());
      lasts = write;
      ControllerException failed = failure(() -> controller.delete(DB));
      controller.close();
      lasts = 0;

      VolumeController next = opened(isTogether);
      next.resume(DB);
      boolean isThere = !plugin.contents().empty();
      if (failed == null || failed.outcome() == ChangeOutcome.UNAVAILABLE) {
        assertThat(isThere).as("write %s: %s", write, failed).isEqualTo(failed != null);
      }
      next.delete(DB);
      next.close();
    }
  }

  // ---- what may be gone is not put back

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aVolumeThatWasDeletedIsNotPutBackWhereALaterAttemptIsRefused(boolean isTogether) {
    VolumeController controller = opened(isTogether);
    controller.create(DB, spec());
    lasts = isTogether ? 2 : 5;
    ControllerException unwritten = failure(() -> controller.delete(DB));
    assertThat(unwritten.code()).isEqualTo(OperatorCode.CATALOG_DOWN);
    assertThat(unwritten.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(plugin.contents().empty()).isTrue();
    refuse(StatusCode.FAILED_PRECONDITION);

    assertThat(failure(() -> controller.delete(DB)).outcome()).isEqualTo(ChangeOutcome.REFUSED);

    assertThat(controller.find(DB)).isEmpty();
    controller.delete(DB);
    assertThat(record()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = StatusCode.class,
      names = {"DEADLINE_EXCEEDED", "UNAVAILABLE", "INTERNAL"})
  void aVolumeWhoseDeletionMayHaveBeenMadeIsNotPutBack(StatusCode unknown) {
    VolumeController controller = opened(true);
    controller.create(DB, spec());
    plugin.inject(Fault.applyThenFail(unknown, "lost"), When.calling(DELETE_VOLUME).once());
    assertThat(failure(() -> controller.delete(DB)).outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    refuse(StatusCode.FAILED_PRECONDITION);

    assertThat(failure(() -> controller.delete(DB)).outcome()).isEqualTo(ChangeOutcome.REFUSED);

    assertThat(controller.find(DB)).isEmpty();
    assertThat(record().orElseThrow().state()).isInstanceOf(State.Deleting.class);
  }

  @Test
  void aVolumeWhosePluginWasDownIsPutBackWhereALaterAttemptIsRefused() {
    VolumeController controller = opened(true);
    CatalogVolume made = controller.create(DB, spec());
    world.only().close();
    assertThat(failure(() -> controller.delete(DB)).outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(isHeld()).isTrue();
    world.register("again", plugin.endpoint());
    refuse(StatusCode.FAILED_PRECONDITION);

    assertThat(failure(() -> controller.delete(DB)).outcome()).isEqualTo(ChangeOutcome.REFUSED);

    assertThat(controller.find(DB)).contains(made);
    assertThat(isHeld()).isFalse();
  }
}

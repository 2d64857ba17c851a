package io.csi4j.volume.controller;

import static io.csi4j.client.model.CsiOperation.CREATE_VOLUME;
import static io.csi4j.client.model.CsiOperation.DELETE_VOLUME;
import static io.csi4j.volume.controller.ControllerWorld.ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.volume.catalog.ExpectedInstances;
import io.csi4j.volume.catalog.PluginView;
import io.csi4j.volume.catalog.SteppingStore;
import io.csi4j.volume.catalog.VolumeFilter;
import io.csi4j.volume.catalog.VolumeSummary;
import io.csi4j.volume.controller.VolumeController.PageRequest;
import io.csi4j.volume.internal.catalog.CatalogCodec;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.local.MemoryStore;
import io.csi4j.volume.store.local.StoreMove;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A catalog whose store has lost something, or holds what cannot be read. */
class CatalogTroubleTest {

  private static final VolumeKey DB = VolumeKey.of("db");

  private final ControllerWorld world = new ControllerWorld();
  private final FakeCsiPlugin plugin = world.registered();
  private final MemoryStore memory = new MemoryStore();
  private final AtomicReference<Optional<ReasonText>> readOnly =
      new AtomicReference<>(Optional.empty());
  private final RecordStore store =
      new SteppingStore(memory, (next, write) -> write.get()) {
        @Override
        public Optional<ReasonText> readOnly() {
          return readOnly.get();
        }
      };

  @AfterEach
  void noDutyWasBroken() {
    plugin.assertLawful();
    world.close();
    store.close();
  }

  private VolumeController open() {
    return VolumeController.builder(world.registry(), store).open();
  }

  private static VolumeSpec spec() {
    return VolumeSpec.builder(ID)
        .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
        .build();
  }

  private static ControllerException failure(Runnable work) {
    return catchThrowableOfType(ControllerException.class, work::run);
  }

  /** A newer version writes the record of another volume. */
  private void unreadable() {
    StateValue newer = StateValue.of(new byte[] {8, 9});
    RecordWrite write =
        new RecordWrite(
            CatalogCodec.key(VolumeKey.of("other")), Optional.empty(), Optional.of(newer));
    assertThat(memory.write(write)).isInstanceOf(WriteResult.Written.class);
  }

  /** The record that cannot be read is gone. */
  private void repair() {
    RecordKey other = CatalogCodec.key(VolumeKey.of("other"));
    assertThat(memory.write(new RecordWrite(other, memory.read(other), Optional.empty())))
        .isInstanceOf(WriteResult.Written.class);
  }

  @Test
  void aCatalogWithARecordThatCannotBeReadIsNotOpened() {
    unreadable();

    ControllerException refused = failure(this::open);

    assertThat(refused.code()).isEqualTo(OperatorCode.CATALOG_UNREADABLE);
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.HELD);
    assertThat(refused).hasMessageContaining("the record of volume 'default/other'");
    assertThat(refused).hasMessageContaining("It has format 9");
  }

  @Test
  void aCatalogThatWasMovedIsNotOpened() {
    try (VolumeController controller = open();
        MemoryStore other = new MemoryStore()) {
      CatalogVolume made = controller.create(DB, spec());
      assertThat(StoreMove.run(store, other).wasComplete()).isFalse();

      ControllerException refused = failure(this::open);

      assertThat(refused.code()).isEqualTo(OperatorCode.STORE_MOVED);
      assertThat(refused.outcome()).isEqualTo(ChangeOutcome.HELD);
      assertThat(refused)
          .hasMessageStartingWith(
              "CSI-814 STORE_MOVED: opening the catalog of volumes: the records of store '%s' were"
                      .formatted(memory.identity())
                  + " moved to store '%s';".formatted(other.identity()));
      try (VolumeController there = VolumeController.builder(world.registry(), other).open()) {
        assertThat(there.find(DB)).isPresent();
        there.delete(DB);
      }
      assertThat(plugin.contents().volumes()).doesNotContain(made.id());
    }
  }

  @Test
  void noVolumeIsDeletedBesideARecordThatCannotBeRead() {
    try (VolumeController controller = open()) {
      CatalogVolume made = controller.create(DB, spec());
      unreadable();

      ControllerException held = failure(() -> controller.delete(DB));

      assertThat(held.code()).isEqualTo(OperatorCode.CATALOG_UNREADABLE);
      assertThat(held.outcome()).isEqualTo(ChangeOutcome.HELD);
      assertThat(plugin.journal().calls(DELETE_VOLUME)).isEmpty();
      assertThat(plugin.contents().volumes()).containsExactly(made.id());
    }
  }

  @Test
  void aVolumeWhoseDeletionWasHeldBeforeTheFirstCallStaysWhereThePluginRefuses() {
    try (VolumeController controller = open()) {
      CatalogVolume made = controller.create(DB, spec());
      unreadable();
      assertThat(failure(() -> controller.delete(DB)).outcome()).isEqualTo(ChangeOutcome.HELD);
      repair();
      plugin.inject(
          Fault.fail(StatusCode.FAILED_PRECONDITION, "it has snapshots"),
          When.calling(DELETE_VOLUME));

      ControllerException refused = failure(() -> controller.delete(DB));

      assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
      assertThat(controller.find(DB)).contains(made);
    }
  }

  private static VolumeSummary.Page listed(VolumeController controller, PageRequest page) {
    return controller.summaries(
        VolumeFilter.all(),
        page,
        plugin -> PluginView.of(plugin, Map.of(), new ExpectedInstances(1, 1)));
  }

  @Test
  void aClaimThatCannotBeReadIsListedAsSuchBesideTheOthers() {
    try (VolumeController controller =
        VolumeController.builder(world.registry(), store).claims(store).open()) {
      for (String id : List.of("a", "b", "c", "d")) {
        controller.create(VolumeKey.of(id), spec());
      }
      for (String id : List.of("a", "c")) {
        assertThat(
                memory.write(
                    new RecordWrite(
                        RecordKey.of(RecordKey.Space.CLAIMS, VolumeKey.of(id)),
                        Optional.empty(),
                        Optional.of(StateValue.of(new byte[] {8, 9})))))
            .isInstanceOf(WriteResult.Written.class);
      }

      List<VolumeSummary> volumes = listed(controller, PageRequest.first()).volumes();

      assertThat(volumes)
          .extracting(
              each -> each.key().id(),
              each -> each.unreadableClaim().map(OperatorMessage::code),
              each -> each.unusedSince().isPresent())
          .containsExactly(
              tuple("a", Optional.of(OperatorCode.CLAIM_UNREADABLE), false),
              tuple("b", Optional.empty(), true),
              tuple("c", Optional.of(OperatorCode.CLAIM_UNREADABLE), false),
              tuple("d", Optional.empty(), true));
      assertThat(volumes.get(2).unreadableClaim().orElseThrow().seen().text())
          .contains("its holders are unknown: Reading the claim of volume 'default/c' failed");
      ControllerException held = failure(() -> controller.delete(VolumeKey.of("a")));
      assertThat(held.code()).isEqualTo(OperatorCode.CLAIM_UNREADABLE);
      assertThat(held.outcome()).isEqualTo(ChangeOutcome.HELD);
      assertThat(controller.find(VolumeKey.of("a"))).isPresent();
    }
  }

  @Test
  void aRecordThatCannotBeReadIsListedOnItsPage() {
    try (VolumeController controller = open()) {
      for (String id : List.of("a", "b", "p", "q")) {
        controller.create(VolumeKey.of(id), spec());
      }
      unreadable();

      VolumeSummary.Page first = listed(controller, new PageRequest(2, Optional.empty()));
      VolumeSummary.Page second = listed(controller, new PageRequest(2, first.next()));

      assertThat(first.volumes()).extracting(each -> each.key().id()).containsExactly("a", "b");
      assertThat(first.unreadable()).isEmpty();
      assertThat(second.volumes()).extracting(each -> each.key().id()).containsExactly("p", "q");
      assertThat(second.unreadable())
          .extracting(each -> each.key().volume(), each -> each.message().code())
          .containsExactly(
              tuple(Optional.of(VolumeKey.of("other")), OperatorCode.CATALOG_UNREADABLE));
      assertThat(
              controller
                  .summaries(
                      VolumeFilter.all().withPrefix("q"),
                      PageRequest.first(),
                      plugin -> PluginView.of(plugin, Map.of(), new ExpectedInstances(1, 1)))
                  .unreadable())
          .isEmpty();
    }
  }

  @Test
  void nothingIsMadeWhileTheStoreMayHaveLostRecords() {
    try (VolumeController controller = open()) {
      readOnly.set(Optional.of(new ReasonText("it is a copy")));

      ControllerException held = failure(() -> controller.create(DB, spec()));

      assertThat(held.code()).isEqualTo(OperatorCode.CATALOG_WENT_BACK);
      assertThat(held.outcome()).isEqualTo(ChangeOutcome.HELD);
      assertThat(held).hasMessageContaining("it is a copy");
      assertThat(plugin.journal().calls(CREATE_VOLUME)).isEmpty();
      assertThat(controller.volumes()).isEmpty();
    }
  }
}

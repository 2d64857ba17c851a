package io.csi4j.volume.controller;

import static io.csi4j.client.model.CsiOperation.CREATE_VOLUME;
import static io.csi4j.client.model.CsiOperation.DELETE_VOLUME;
import static io.csi4j.volume.controller.ControllerWorld.ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.volume.catalog.CatalogVolume;
import io.csi4j.volume.catalog.SteppingStore;
import io.csi4j.volume.catalog.VolumeSpec;
import io.csi4j.volume.internal.catalog.CatalogCodec;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.local.MemoryStore;
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

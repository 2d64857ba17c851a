package io.csi4j.volume.controller;

import static io.csi4j.client.model.CsiOperation.CONTROLLER_GET_VOLUME;
import static io.csi4j.client.model.CsiOperation.LIST_VOLUMES;
import static io.csi4j.volume.controller.ControllerWorld.ID;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.catalog.StoredCatalog;
import io.csi4j.volume.controller.VolumeController.PageRequest;
import io.csi4j.volume.internal.time.Waits;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.local.MemoryStore;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** From where a volume can be reached, as its plugin says after the volume was created. */
@Timeout(60)
class VolumePlacesTest {

  private static final VolumeKey DB = VolumeKey.of("db");
  private static final Topology Z2 = Topology.of(Map.of("zone", "z2"));
  private static final String OF_VOLUME =
      "{\"volume\": {\"accessible_topology\": [{\"segments\": {\"zone\": \"z2\"}}]}}";

  private final ControllerWorld world = new ControllerWorld();
  private final FakeCsiPlugin plugin = world.registered(PluginShape.full());
  private final RecordStore store = new MemoryStore();
  private final List<OperatorMessage> told = new CopyOnWriteArrayList<>();
  private final VolumeController controller =
      VolumeController.builder(world.registry(), store).told(told::add).open();
  private final CatalogVolume made = controller.create(DB, spec());

  @AfterEach
  void close() {
    plugin.assertLawful();
    controller.close();
    world.close();
    store.close();
  }

  private static VolumeSpec spec() {
    return VolumeSpec.builder(ID)
        .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
        .build();
  }

  private void moves(CsiOperation operation) {
    plugin.inject(
        Fault.change(
            operation,
            operation == LIST_VOLUMES
                ? "{\"entries\": [{\"volume\": {\"volume_id\": \""
                    + made.id()
                    + "\", \"accessible_topology\": [{\"segments\": {\"zone\": \"z2\"}}]}}]}"
                : OF_VOLUME),
        When.calling(operation));
  }

  private void assertMoved() {
    Waits.until(() -> !told.isEmpty());
    assertThat(controller.find(DB).orElseThrow())
        .isEqualTo(made.toBuilder().topologies(Set.of(Z2)).build());
    assertThat(StoredCatalog.entry(store, DB).orElseThrow().volume().orElseThrow().topologies())
        .containsExactly(Z2);
    assertThat(told)
        .singleElement()
        .satisfies(
            message -> {
              assertThat(message.code()).isEqualTo(OperatorCode.VOLUME_TOPOLOGY_CHANGED);
              assertThat(message.seen().text())
                  .isEqualTo("it can be reached from [{zone=z2}] now, and from everywhere before");
            });
  }

  @Test
  void anInspectionTakesTheNewPlacesOnRecordOnce() {
    moves(CONTROLLER_GET_VOLUME);

    assertThat(controller.inspect(DB).volume().accessibleTopology()).containsExactly(Z2);

    assertMoved();
    controller.inspect(DB);
    controller.modify(DB, Map.of("iops", "100"));
    assertThat(told).hasSize(1);
  }

  @Test
  void aListTakesThemOnRecord() {
    moves(LIST_VOLUMES);
    for (VolumeEntry each : controller.list(ID)) {
      assertThat(each.volume().id()).isEqualTo(made.id());
    }
    assertMoved();
  }

  @Test
  void aPageOfAListTakesThemOnRecord() {
    moves(LIST_VOLUMES);
    assertThat(controller.list(ID, PageRequest.first()).entries()).hasSize(1);
    assertMoved();
  }

  @Test
  void aReadingOfTheHealthTakesThemOnRecord() {
    moves(CONTROLLER_GET_VOLUME);
    assertThat(controller.health(DB)).isPresent();
    assertMoved();
  }

  @Test
  void afterAModificationThePluginIsAskedForThem() {
    moves(CONTROLLER_GET_VOLUME);

    controller.modify(DB, Map.of("iops", "100"));

    Waits.until(() -> !told.isEmpty());
    CatalogVolume now = controller.find(DB).orElseThrow();
    assertThat(now.topologies()).containsExactly(Z2);
    assertThat(now.spec().mutableParameters()).containsEntry("iops", "100");
  }

  @Test
  void aRegisteredVolumeKeepsThePlacesOfItsDescription() {
    VolumeId handle = VolumeId.of("old-1");
    plugin.addVolume(handle);
    CatalogVolume old =
        CatalogVolume.builder(VolumeKey.of("old"), spec(), handle)
            .origin(CatalogVolume.Origin.REGISTERED)
            .build();
    CatalogVolume registered = controller.register(old);
    moves(CONTROLLER_GET_VOLUME);
    told.clear();

    assertThat(controller.inspect(old.key()).volume().accessibleTopology()).containsExactly(Z2);

    assertThat(controller.register(old)).isEqualTo(registered);
    assertThat(told).isEmpty();
  }

  @Test
  void anAnswerWithoutPlacesChangesNothing() {
    moves(CONTROLLER_GET_VOLUME);
    controller.inspect(DB);
    assertMoved();
    plugin.clearFaults();

    assertThat(controller.inspect(DB).volume().accessibleTopology()).isEmpty();

    controller.expand(DB, CapacityRange.atLeast(4 << 20));
    assertThat(controller.find(DB).orElseThrow().topologies()).containsExactly(Z2);
    assertThat(told).hasSize(1);
  }
}

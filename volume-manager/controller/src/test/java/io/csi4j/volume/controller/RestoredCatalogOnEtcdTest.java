package io.csi4j.volume.controller;

import static io.csi4j.client.model.CsiOperation.CREATE_VOLUME;
import static io.csi4j.client.model.CsiOperation.DELETE_VOLUME;
import static io.csi4j.volume.controller.ControllerWorld.ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.volume.catalog.ClusterIdentity;
import io.csi4j.volume.claim.etcd.EtcdServer;
import io.csi4j.volume.claim.etcd.EtcdSettings;
import io.csi4j.volume.claim.etcd.EtcdStore;
import io.csi4j.volume.claim.etcd.EtcdTest;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A catalog in an etcd that is restored from an older copy. */
@EtcdTest
@Tag("campaign")
class RestoredCatalogOnEtcdTest {

  private static final VolumeKey DB = VolumeKey.of("db");
  private static final VolumeKey LOG = VolumeKey.of("log");

  @TempDir private Path directory;
  private final ControllerWorld world = new ControllerWorld();
  private final FakeCsiPlugin plugin = world.registered();
  private EtcdServer etcd;

  @BeforeEach
  void anEtcdIsThere() {
    etcd = EtcdServer.start(directory);
  }

  @AfterEach
  void noDutyWasBroken() {
    etcd.close();
    plugin.assertLawful();
    world.close();
  }

  private EtcdStore store() {
    return EtcdStore.open(EtcdSettings.builder(etcd.endpoint()).build());
  }

  private VolumeController open(EtcdStore store, ClusterIdentity cluster) {
    return VolumeController.builder(world.registry(), store).cluster(cluster).open();
  }

  private static VolumeSpec spec() {
    return VolumeSpec.builder(ID)
        .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
        .ephemeral(true)
        .build();
  }

  private static OperatorCode code(Runnable work) {
    return catchThrowableOfType(ControllerException.class, work::run).code();
  }

  @Test
  void itIsReadOnlyUntilItIsSettledAndNotWorkedWithUntilItIsAccepted() {
    ClusterIdentity blue;
    CatalogVolume db;
    CatalogVolume log;
    try (EtcdStore store = store()) {
      blue = new ClusterSetup(store).create();
      try (VolumeController controller = open(store, blue)) {
        db = controller.create(DB, spec());
      }
    }
    etcd.backUp();
    try (EtcdStore store = store();
        VolumeController controller = open(store, blue)) {
      log = controller.create(LOG, spec());
    }
    etcd.restore();
    try (EtcdStore store = store();
        VolumeController controller = open(store, blue)) {
      assertThat(controller.volumes()).containsExactly(db);
      assertThat(code(() -> controller.create(LOG, spec())))
          .isEqualTo(OperatorCode.CATALOG_WENT_BACK);
      assertThat(code(() -> new ClusterSetup(store).accept()))
          .isEqualTo(OperatorCode.CATALOG_WENT_BACK);
      store.settle();

      assertThat(code(() -> controller.delete(DB))).isEqualTo(OperatorCode.CLUSTER_COPIED);
      assertThat(controller.retainEphemeral(Set.of())).containsExactly(DB);
      try (EtcdStore other = store()) {
        assertThat(code(() -> open(other, blue))).isEqualTo(OperatorCode.CLUSTER_COPIED);
      }
      assertThat(plugin.journal().calls(CREATE_VOLUME)).hasSize(2);
      assertThat(plugin.journal().calls(DELETE_VOLUME)).isEmpty();

      assertThat(new ClusterSetup(store).accept()).isEqualTo(blue);
      controller.delete(DB);
      assertThat(plugin.contents().volumes()).containsExactly(log.id());
    }
    try (EtcdStore store = store();
        VolumeController controller = open(store, blue)) {
      assertThat(controller.volumes()).isEmpty();
    }
  }
}

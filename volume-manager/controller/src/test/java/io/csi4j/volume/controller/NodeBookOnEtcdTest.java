package io.csi4j.volume.controller;

import io.csi4j.volume.claim.etcd.EtcdServer;
import io.csi4j.volume.claim.etcd.EtcdSettings;
import io.csi4j.volume.claim.etcd.EtcdStore;
import io.csi4j.volume.claim.etcd.EtcdTest;
import io.csi4j.volume.store.RecordStore;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The same with a client of an etcd for each control plane. */
@EtcdTest
@Tag("campaign")
class NodeBookOnEtcdTest extends NodeBookTest {

  @TempDir private static Path directory;
  private static EtcdServer etcd;

  @BeforeAll
  static void anEtcdIsThere() throws Exception {
    etcd = EtcdServer.start(directory);
  }

  @AfterAll
  static void theEtcdEnds() {
    etcd.close();
  }

  @Override
  RecordStore client(String ofTest) {
    return EtcdStore.open(EtcdSettings.builder(etcd.endpoint()).prefix("/" + ofTest).build());
  }
}

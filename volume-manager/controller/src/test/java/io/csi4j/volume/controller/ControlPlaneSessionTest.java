package io.csi4j.volume.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.internal.catalog.CatalogWork.Owner;
import io.csi4j.volume.internal.time.VirtualTime;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.local.MemoryStore;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The sessions of one control plane, and what another one sees of them. */
class ControlPlaneSessionTest {

  private final RecordStore store = new MemoryStore();
  private final VirtualTime time = new VirtualTime();
  private final ControlPlaneSession session = session("one");

  private ControlPlaneSession session(String controlPlane) {
    return new ControlPlaneSession(
        store, controlPlane, time, time, time, ControlPlaneSession.EXPIRY);
  }

  @AfterEach
  void close() {
    session.close();
    store.close();
  }

  private List<StoredRecord> sessions() {
    return store.scan(RecordKey.Space.CLUSTER, Optional.empty(), 10).records();
  }

  @Test
  void aSessionEndsWithItsLastWorkOnceTheControlPlaneIsClosed() {
    Owner owner = session.enter();
    assertThat(session.enter()).isEqualTo(owner);
    session.close();
    session.leave(owner);
    assertThat(sessions()).as("work goes on").hasSize(1);
    session.leave(owner);
    assertThat(sessions()).isEmpty();
  }

  @Test
  void workThatBeginsAfterTheControlPlaneIsClosedLeavesNoSession() {
    session.close();
    Owner owner = session.enter();
    assertThat(sessions()).hasSize(1);
    session.leave(owner);
    assertThat(sessions()).isEmpty();
  }
}

package io.csi4j.volume.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogSamples;
import io.csi4j.volume.catalog.SteppingStore;
import io.csi4j.volume.catalog.StoredCatalog;
import io.csi4j.volume.internal.catalog.CatalogCodec;
import io.csi4j.volume.internal.catalog.CatalogRecord;
import io.csi4j.volume.internal.catalog.CatalogWork;
import io.csi4j.volume.internal.catalog.CatalogWork.Kind;
import io.csi4j.volume.internal.store.RecordValues;
import io.csi4j.volume.internal.store.RecordValues.Seen;
import io.csi4j.volume.internal.time.VirtualTime;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.local.MemoryStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The records of the catalog that a control plane shows, while others write them. */
class CatalogViewTest {

  private static final CatalogEntry ENTRY =
      CatalogEntry.of(CatalogSamples.volume(), Optional.empty());

  private final AtomicInteger watches = new AtomicInteger();
  private final RecordStore store =
      new SteppingStore(new MemoryStore(), (next, write) -> write.get()) {
        @Override
        public Watch watch(RecordKey.Space space) {
          watches.incrementAndGet();
          return super.watch(space);
        }
      };
  private final RecordValues<CatalogRecord> records = new RecordValues<>(store, new CatalogCodec());
  private final CatalogView view = new CatalogView(store, new CatalogCodec());

  @AfterEach
  void close() {
    view.close();
    store.close();
  }

  private Seen<CatalogRecord> read() {
    return records.read(CatalogCodec.key(ENTRY.key()));
  }

  private void removed(Seen<CatalogRecord> before) {
    assertThat(store.write(records.draft(before, Optional.empty())))
        .isInstanceOf(WriteResult.Written.class);
  }

  @Test
  void aRecordThatTheWatchReportedAsRemovedIsNotPutBackByALateReading() {
    StoredCatalog.put(store, ENTRY);
    assertThat(view.all()).containsExactly(CatalogRecord.of(ENTRY));
    long before = view.removals();
    Seen<CatalogRecord> late = read();
    removed(late);
    assertThat(view.all()).isEmpty();

    view.saw(late, before);

    assertThat(view.all()).isEmpty();
    StoredCatalog.put(store, ENTRY);
    assertThat(view.all()).containsExactly(CatalogRecord.of(ENTRY));
  }

  @Test
  void aRecordThatAScanDidNotFindIsNotPutBackByALateReading() {
    StoredCatalog.put(store, ENTRY);
    long before = view.removals();
    Seen<CatalogRecord> late = read();
    removed(late);
    assertThat(view.all()).isEmpty();

    view.saw(late, before);

    assertThat(view.all()).isEmpty();
  }

  @Test
  void aRecordThatIsReadIsShownBeforeTheWatchReportsIt() {
    long before = view.removals();
    StoredCatalog.put(store, ENTRY);
    view.saw(read(), before);

    assertThat(view.known(ENTRY.key())).contains(CatalogRecord.of(ENTRY));
  }

  @Test
  void aViewThatIsClosedReadsTheStoreAndOpensNoWatch() {
    StoredCatalog.put(store, ENTRY);
    assertThat(view.all()).containsExactly(CatalogRecord.of(ENTRY));
    view.close();
    assertThat(view.all()).containsExactly(CatalogRecord.of(ENTRY));
    removed(read());

    view.upTo(CatalogCodec.key(ENTRY.key()), 0);
    assertThat(view.all()).isEmpty();
    assertThat(watches).hasValue(1);
  }

  @Test
  void aVolumeWhoseForgettingThisProcessHasGivenUpMayBeAttached() {
    VirtualTime time = new VirtualTime();
    ControlPlaneSession session =
        new ControlPlaneSession(store, "cp-1", time, time, time, ControlPlaneSession.EXPIRY);
    try (Catalog catalog = new Catalog(store, session, time, Duration.ofMinutes(1))) {
      ControlPlaneSession.Ownership work = session.enter();
      StoredCatalog.put(
          store,
          CatalogRecord.of(ENTRY)
              .with(new CatalogWork(CatalogWork.VOLUME, Kind.DEREGISTRATION, work.owner(), 1)));
      assertThat(catalog.findToAttach(ENTRY.key())).isEqualTo(Optional.empty());

      ControlPlaneSession.Ownership other = session.enter();
      work.giveUp(ENTRY.key(), CatalogWork.VOLUME);
      work.end();

      assertThat(catalog.findToAttach(ENTRY.key())).contains(ENTRY);
      other.end();
    }
  }
}

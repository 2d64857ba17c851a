package io.csi4j.volume.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.PendingSnapshot;
import io.csi4j.volume.catalog.SteppingStore;
import io.csi4j.volume.catalog.StoredCatalog;
import io.csi4j.volume.internal.catalog.CatalogRecord;
import io.csi4j.volume.internal.catalog.CatalogWork;
import io.csi4j.volume.internal.catalog.CatalogWork.Kind;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.VirtualTime;
import io.csi4j.volume.model.CatalogSamples;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.local.MemoryStore;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How long a request waits for other control planes that begin work again and again. */
@Timeout(60)
class LongestWaitTest {

  private static final CatalogEntry ENTRY =
      CatalogEntry.of(CatalogSamples.volume(), Optional.empty());
  private static final Subject SUBJECT = Subject.of("trying");

  private final VirtualTime time = new VirtualTime();
  private final AtomicInteger waits = new AtomicInteger();

  /** What the other control plane does when a wait of six minutes has ended. */
  private final AtomicReference<Runnable> other = new AtomicReference<>(() -> {});

  private final RecordStore store =
      new SteppingStore(new MemoryStore(), (next, write) -> write.get()) {
        @Override
        public Watch watch(RecordKey.Space space) {
          Watch watch = super.watch(space);
          return new Watch() {
            @Override
            public Optional<Change> next(Duration wait) throws InterruptedException {
              if (!wait.isZero()) {
                waits.incrementAndGet();
                time.pass(Duration.ofMinutes(6));
                other.get().run();
              }
              return watch.next(Duration.ZERO);
            }

            @Override
            public void close() {
              watch.close();
            }
          };
        }
      };
  private final ControlPlaneSession session = session("cp-1");
  private final Catalog catalog =
      new Catalog(store, Optional.empty(), session, time, Duration.ofMinutes(10));
  private final ControlPlaneSession.Ownership theirs = session("cp-2").enter();

  private ControlPlaneSession session(String name) {
    return new ControlPlaneSession(
        store, name, time, time, time, Duration.ofDays(1), new OperationReports(List.of(), time));
  }

  @BeforeEach
  void anotherControlPlaneIsDoneAfterEachWait() {
    StoredCatalog.put(store, ENTRY);
    other.set(() -> StoredCatalog.put(store, ENTRY));
  }

  @AfterEach
  void close() {
    catalog.close();
    store.close();
  }

  private void busy(String part, Kind kind) {
    CatalogRecord record = StoredCatalog.record(store, ENTRY.key()).orElseThrow();
    StoredCatalog.put(
        store, record.with(new CatalogWork(part, kind, theirs.owner(), record.epoch() + 1)));
  }

  private static void assertBusy(ControllerException failed) {
    assertThat(failed.code()).isEqualTo(OperatorCode.CONTROLLER_BUSY);
    assertThat(failed.outcome()).isEqualTo(ChangeOutcome.UNAVAILABLE);
    assertThat(failed)
        .hasMessageContaining(
            "control plane 'cp-2' works on it, and this request has waited 600 s for others");
  }

  @Test
  void workThatIsOvertakenWaitsNoLongerThanTheLimitInAll() {
    busy(CatalogWork.VOLUME, Kind.CHANGE);

    ControllerException failed =
        catchThrowableOfType(
            ControllerException.class,
            () ->
                catalog.work(
                    SUBJECT,
                    ENTRY.key(),
                    work -> {
                      busy(CatalogWork.VOLUME, Kind.CHANGE);
                      return work.begin(SUBJECT, ENTRY);
                    }));

    assertBusy(failed);
    assertThat(waits).as("of six minutes each").hasValue(2);
  }

  @Test
  void aSnapshotWaitsNoLongerThanTheLimitForAllVolumesOfItsGroup() {
    PendingSnapshot cut =
        new PendingSnapshot("nightly", Collections.emptySortedMap(), Collections.emptySortedSet());
    try (SnapshotWork work = new SnapshotWork(catalog, session)) {
      for (int volume = 0; volume < 2; volume++) {
        busy("snapshot nightly", Kind.SNAPSHOT);
        assertThat(work.begin(SUBJECT, ENTRY.key(), cut)).isEmpty();
        work.end(SUBJECT, ENTRY.key(), cut);
      }

      busy("snapshot nightly", Kind.SNAPSHOT);
      assertBusy(
          catchThrowableOfType(
              ControllerException.class, () -> work.begin(SUBJECT, ENTRY.key(), cut)));
    }
    assertThat(waits).as("of six minutes each").hasValue(2);
  }
}

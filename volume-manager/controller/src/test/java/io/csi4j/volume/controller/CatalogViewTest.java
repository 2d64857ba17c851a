package io.csi4j.volume.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.SteppingStore;
import io.csi4j.volume.catalog.StoredCatalog;
import io.csi4j.volume.internal.catalog.CatalogCodec;
import io.csi4j.volume.internal.catalog.CatalogRecord;
import io.csi4j.volume.internal.catalog.CatalogWork;
import io.csi4j.volume.internal.catalog.CatalogWork.Kind;
import io.csi4j.volume.internal.store.RecordValues;
import io.csi4j.volume.internal.store.RecordValues.Seen;
import io.csi4j.volume.internal.time.VirtualTime;
import io.csi4j.volume.model.CatalogSamples;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.Watch;
import io.csi4j.volume.store.RecordStore.Watch.Change;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.local.MemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The records of the catalog that a control plane shows, while others write them. */
@Timeout(120)
class CatalogViewTest {

  private static final CatalogEntry ENTRY =
      CatalogEntry.of(CatalogSamples.volume(), Optional.empty());

  /** How the next wait for a report ends. */
  @FunctionalInterface
  private interface Wait {
    Optional<Change> end(Watch watch, Duration wait) throws InterruptedException;
  }

  private final AtomicInteger watches = new AtomicInteger();
  private final AtomicInteger scans = new AtomicInteger();
  private final AtomicReference<Runnable> whileScanning = new AtomicReference<>(() -> {});
  private final AtomicReference<Wait> waits = new AtomicReference<>(Watch::next);
  private final RecordStore store =
      new SteppingStore(new MemoryStore(), (next, write) -> write.get()) {
        @Override
        public Page scan(RecordKey.Space space, Optional<RecordKey> after, int limit) {
          scans.incrementAndGet();
          whileScanning.get().run();
          return super.scan(space, after, limit);
        }

        @Override
        public Watch watch(RecordKey.Space space) {
          watches.incrementAndGet();
          Watch watch = super.watch(space);
          return new Watch() {
            @Override
            public Optional<Change> next(Duration wait) throws InterruptedException {
              return wait.isZero()
                  ? watch.next(wait)
                  : waits.getAndSet(Watch::next).end(watch, wait);
            }

            @Override
            public void close() {
              watch.close();
            }
          };
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

  /** Begins to wait for a write that is made only later. */
  private CompletableFuture<Void> upTo(long version, Duration patience) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    new Thread(
            () -> {
              try {
                view.upTo(CatalogCodec.key(ENTRY.key()), version, patience);
                done.complete(null);
              } catch (RuntimeException failed) {
                done.completeExceptionally(failed);
              }
            },
            "csi4j-volume-test-waiter")
        .start();
    return done;
  }

  @Test
  void listsAreShownWhileAThreadWaitsForAWrite() throws Exception {
    StoredCatalog.put(store, ENTRY);
    long version = read().version();
    assertThat(view.all()).containsExactly(CatalogRecord.of(ENTRY));
    CountDownLatch waiting = new CountDownLatch(1);
    CountDownLatch shown = new CountDownLatch(1);
    waits.set(
        (watch, wait) -> {
          waiting.countDown();
          shown.await();
          return watch.next(wait);
        });
    CompletableFuture<Void> first = upTo(version + 1, Duration.ofMinutes(1));
    waiting.await();

    assertThat(CompletableFuture.supplyAsync(view::all).get(30, TimeUnit.SECONDS))
        .containsExactly(CatalogRecord.of(ENTRY));
    CompletableFuture<Void> second = upTo(version + 1, Duration.ofMinutes(1));
    shown.countDown();
    StoredCatalog.put(store, ENTRY);
    first.get(30, TimeUnit.SECONDS);
    second.get(30, TimeUnit.SECONDS);
    assertThat(watches).as("no record was read again").hasValue(1);
  }

  @Test
  void aWriteIsTakenInThoughItsRecordWasRemovedSince() throws Exception {
    StoredCatalog.put(store, ENTRY);
    long version = read().version();
    assertThat(view.all()).containsExactly(CatalogRecord.of(ENTRY));
    waits.set(
        (watch, wait) -> {
          StoredCatalog.put(store, ENTRY);
          removed(read());
          return watch.next(wait);
        });

    upTo(version + 1, Duration.ofDays(1)).get(30, TimeUnit.SECONDS);

    assertThat(view.all()).isEmpty();
    upTo(version + 1, Duration.ofDays(1)).get(30, TimeUnit.SECONDS);
    assertThat(watches).as("no record was read again").hasValue(1);
  }

  @Test
  void aWaitEndsWhenAllRecordsWereReadMeanwhile() throws Exception {
    StoredCatalog.put(store, ENTRY);
    long version = read().version();
    assertThat(view.all()).containsExactly(CatalogRecord.of(ENTRY));
    waits.set(
        (watch, wait) -> {
          removed(read());
          return Optional.of(new Change.Missed(new ReasonText("the line was cut")));
        });

    upTo(version + 1, Duration.ofDays(1)).get(30, TimeUnit.SECONDS);

    assertThat(view.all()).isEmpty();
    assertThat(watches).hasValue(2);
  }

  @Test
  void aLateReportOfAWatchThatWasReplacedPutsNoRecordBack() throws Exception {
    assertThat(view.all()).isEmpty();
    CountDownLatch waiting = new CountDownLatch(1);
    CountDownLatch reported = new CountDownLatch(1);
    CountDownLatch removed = new CountDownLatch(1);
    waits.set(
        (watch, wait) -> {
          waiting.countDown();
          Optional<Change> report = watch.next(wait);
          reported.countDown();
          removed.await();
          return report;
        });
    CompletableFuture<Void> first = upTo(10, Duration.ofMinutes(1));
    waiting.await();
    StoredCatalog.put(store, ENTRY);
    reported.await();
    removed(read());
    upTo(10, Duration.ZERO).get(30, TimeUnit.SECONDS);
    assertThat(view.all()).isEmpty();
    assertThat(watches).as("all records were read again").hasValue(2);
    removed.countDown();
    first.get(30, TimeUnit.SECONDS);

    assertThat(view.all()).isEmpty();
    assertThat(watches).as("what was read again counts for both").hasValue(2);
  }

  @Test
  void aLookThatAsksNoStoreShowsWhatTheWatchHasReported() {
    StoredCatalog.put(store, ENTRY);
    assertThat(view.peek().records()).as("the store was not read yet").isEmpty();
    assertThat(view.peek().age()).isPositive();
    assertThat(view.all()).containsExactly(CatalogRecord.of(ENTRY));
    assertThat(view.peek())
        .isEqualTo(new CatalogView.Peek<>(List.of(CatalogRecord.of(ENTRY)), 0, Duration.ZERO));
    removed(read());

    assertThat(view.peek())
        .isEqualTo(new CatalogView.Peek<CatalogRecord>(List.of(), 0, Duration.ZERO));
    assertThat(watches).hasValue(1);
    assertThat(scans).hasValue(1);
  }

  @Test
  void aLookThatAsksNoStoreWaitsForNoReadingOfIt() throws Exception {
    StoredCatalog.put(store, ENTRY);
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    whileScanning.set(
        () -> {
          reading.countDown();
          await(answer);
        });
    CompletableFuture<?> read = CompletableFuture.supplyAsync(view::all);
    reading.await();

    assertThat(view.peek().records()).isEmpty();

    answer.countDown();
    read.get(30, TimeUnit.SECONDS);
    assertThat(view.peek().records()).containsExactly(CatalogRecord.of(ENTRY));
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aVolumeWhoseForgettingThisProcessHasGivenUpMayBeAttached() {
    VirtualTime time = new VirtualTime();
    ControlPlaneSession session =
        new ControlPlaneSession(
            store,
            "cp-1",
            time,
            time,
            time,
            ControlPlaneSession.EXPIRY,
            new OperationReports(List.of(), time));
    try (Catalog catalog =
        new Catalog(store, Optional.empty(), session, time, Duration.ofMinutes(1))) {
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

package io.csi4j.volume.controller;

import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.State;
import io.csi4j.volume.controller.ControllerException.Outcome;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.internal.time.Unwrapped;
import io.csi4j.volume.model.VolumeKey;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Goes on with what was begun and has not come to its end: deletions, and changes of size and
 * parameters. Tries again and again, with growing pauses; what needs a person waits for one.
 */
final class UnfinishedWork implements AutoCloseable {

  private static final Logger LOG = System.getLogger("io.csi4j.volume");

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final int DOUBLINGS = 9;

  private final Catalog catalog;
  private final Scheduler timers;
  private final Function<VolumeKey, CompletableFuture<?>> goOn;
  private final Set<VolumeKey> held = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean due = new AtomicBoolean();
  private volatile boolean closed;

  /**
   * Nothing is tried yet.
   *
   * @param goOn goes on with one volume, without blocking
   */
  UnfinishedWork(
      Catalog catalog, Scheduler timers, Function<VolumeKey, CompletableFuture<?>> goOn) {
    this.catalog = catalog;
    this.timers = timers;
    this.goOn = goOn;
  }

  /** Those that wait to be brought to their end, here or by their host. */
  List<VolumeKey> owed() {
    return those(each -> isOwed(each) || !each.cuts().isEmpty());
  }

  /** Those that are brought to their end here: a snapshot is asked for again by its host alone. */
  private List<VolumeKey> unfinished() {
    return those(UnfinishedWork::isOwed);
  }

  private List<VolumeKey> those(Predicate<CatalogEntry> which) {
    return catalog.all().stream().filter(which).map(CatalogEntry::key).toList();
  }

  private static boolean isOwed(CatalogEntry each) {
    return each.state() instanceof State.Deleting
        || each.state() instanceof State.Growing
        || each.isBeingModified();
  }

  /** An operation on this volume has ended without a need for a person: its work is tried again. */
  void mended(VolumeKey key) {
    held.remove(key);
  }

  /** Tries after a pause, if there is something to try; asking for it twice is harmless. */
  void later() {
    later(0);
  }

  private void later(int round) {
    boolean isNeeded = unfinished().stream().anyMatch(key -> !held.contains(key));
    if (!closed && isNeeded && due.compareAndSet(false, true)) {
      long pause = FIRST_PAUSE.toNanos() << Math.min(round, DOUBLINGS);
      // Between half of it and all, so that many hosts do not come at once.
      long jittered = pause / 2 + (long) (timers.random() * (pause / 2.0));
      timers.after(Duration.ofNanos(jittered), () -> round(round));
    }
  }

  private void round(int round) {
    CompletableFuture<?>[] all =
        unfinished().stream()
            .filter(key -> !held.contains(key))
            .map(this::attempt)
            .toArray(CompletableFuture<?>[]::new);
    CompletableFuture.allOf(all)
        .whenComplete(
            (none, thrown) -> {
              due.set(false);
              later(round + 1);
            });
  }

  private CompletableFuture<?> attempt(VolumeKey key) {
    return goOn.apply(key)
        .handle(
            (done, thrown) -> {
              if (thrown != null) {
                Throwable failure = Unwrapped.of(thrown);
                LOG.log(
                    Level.WARNING,
                    "What was begun with a volume is not at its end: {0}",
                    failure.getMessage());
                if (failure instanceof ControllerException failed
                    && failed.outcome() == Outcome.HELD) {
                  held.add(key);
                }
              }
              return Done.DONE;
            });
  }

  @Override
  public void close() {
    closed = true;
  }
}

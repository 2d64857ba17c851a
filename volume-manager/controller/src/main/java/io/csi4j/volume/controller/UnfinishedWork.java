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
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Goes on with what was begun and has not come to its end: deletions, and changes of size and
 * parameters. Tries again and again, with growing pauses, each volume alone: one whose plugin is
 * down for long, or does not answer, slows no other. What needs a person waits for one.
 */
final class UnfinishedWork implements AutoCloseable {

  private static final Logger LOG = System.getLogger("io.csi4j.volume");

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final int DOUBLINGS = 9;

  private final Catalog catalog;
  private final Scheduler timers;
  private final Function<VolumeKey, CompletableFuture<?>> goOn;

  /** The volumes that wait for a person. */
  private final Set<VolumeKey> held = ConcurrentHashMap.newKeySet();

  /** The volumes whose next attempt waits for its time, or is under way. */
  private final Set<VolumeKey> planned = ConcurrentHashMap.newKeySet();

  /** How often each volume was tried that is not at its end. */
  private final ConcurrentMap<VolumeKey, Integer> attempts = new ConcurrentHashMap<>();

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

  private List<VolumeKey> those(Predicate<CatalogEntry> which) {
    return catalog.all().stream().filter(which).map(CatalogEntry::key).toList();
  }

  /** Whether it is brought to its end here: a snapshot is asked for again by its host alone. */
  private static boolean isOwed(CatalogEntry each) {
    return each.state() instanceof State.Deleting
        || each.state() instanceof State.Growing
        || each.isBeingModified();
  }

  /** An operation on this volume has ended without a need for a person: its work is tried again. */
  void mended(VolumeKey key) {
    if (held.remove(key)) {
      attempts.remove(key);
    }
  }

  /** Tries each volume after a pause that has something to try. */
  void later() {
    those(UnfinishedWork::isOwed).forEach(this::later);
  }

  /**
   * Tries a volume after a pause, if it has something to try; asking for it twice is harmless. The
   * first pause of a volume is short again once its work has come to its end.
   */
  void later(VolumeKey key) {
    if (catalog.find(key).filter(UnfinishedWork::isOwed).isEmpty()) {
      held.remove(key);
      attempts.remove(key);
    } else if (!closed && !held.contains(key) && planned.add(key)) {
      long pause = FIRST_PAUSE.toNanos() << attempts.getOrDefault(key, 0);
      // Between half of it and all, so that many volumes, or hosts, do not come at once.
      long jittered = pause / 2 + (long) (timers.random() * (pause / 2.0));
      timers.after(Duration.ofNanos(jittered), () -> attempt(key));
    }
  }

  private void attempt(VolumeKey key) {
    if (closed) {
      return;
    }
    attempts.merge(key, 1, (before, one) -> Math.min(before + one, DOUBLINGS));
    goOn.apply(key)
        .whenComplete(
            (done, thrown) -> {
              if (thrown != null) {
                failed(key, Unwrapped.of(thrown));
              }
              planned.remove(key);
              later(key);
            });
  }

  private void failed(VolumeKey key, Throwable failure) {
    LOG.log(
        Level.WARNING, "What was begun with a volume is not at its end: {0}", failure.getMessage());
    if (failure instanceof ControllerException failed && failed.outcome() == Outcome.HELD) {
      held.add(key);
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}

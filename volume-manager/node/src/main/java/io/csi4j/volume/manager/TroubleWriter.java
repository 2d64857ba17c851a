package io.csi4j.volume.manager;

import io.csi4j.volume.internal.engine.VolumeEngine;
import io.csi4j.volume.internal.layout.TroubleFile;
import io.csi4j.volume.internal.layout.TroubleFile.Entry;
import io.csi4j.volume.internal.layout.VolumeDirectories;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.internal.time.Scheduler.Timer;
import io.csi4j.volume.model.OperatorCode.Severity;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.node.Explanation.Explained;
import io.csi4j.volume.node.VolumeEvent;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes the {@linkplain TroubleFile file} that lists the obstacles of volumes. An operator can
 * read the file without the manager, even after the manager's process has ended. The file is
 * written shortly after an operation has failed. While there is trouble, it is checked
 * periodically.
 */
final class TroubleWriter implements AutoCloseable {

  /** The pause before the file is written, because failures often come in bursts. */
  private static final Duration SOON = Duration.ofSeconds(1);

  /**
   * The pause between checks while there is trouble. Checks are needed because most repeated
   * failures send no event.
   */
  private static final Duration AGAIN = Duration.ofSeconds(30);

  private final VolumeDirectories directories;
  private final Scheduler scheduler;

  /** Whether a check is planned for {@link #SOON}. */
  private final AtomicBoolean isSoon = new AtomicBoolean();

  private volatile boolean isClosed;
  private volatile List<Entry> written = List.of();
  private volatile @Nullable VolumeEngine engine;

  /**
   * Guards the file and the timer of the next check. {@link #noted} does not take this lock, so it
   * never blocks.
   */
  private final ReentrantLock lock = new ReentrantLock();

  private @Nullable Timer again;

  TroubleWriter(VolumeDirectories directories, Scheduler scheduler) {
    this.directories = directories;
    this.scheduler = scheduler;
  }

  /** Begins to write the file, and keeps the entries of the previous process at first. */
  void begin(VolumeEngine opened) {
    written = directories.trouble();
    engine = opened;
    if (!written.isEmpty()) {
      soon();
    }
  }

  /** Plans a check of the file if this event may change it. Does not block. */
  void noted(VolumeEvent event) {
    if (event instanceof VolumeEvent.Ended ended
        && (ended.failure().isPresent() || !written.isEmpty())) {
      soon();
    }
  }

  private void soon() {
    if (!isClosed && isSoon.compareAndSet(false, true)) {
      scheduler.after(SOON, this::look);
    }
  }

  private void look() {
    lock.lock();
    try {
      isSoon.set(false);
      VolumeEngine known = engine;
      if (isClosed || known == null) {
        return;
      }
      write(entries(known, Instant.now()));
      if (again != null) {
        again.cancel();
      }
      again = written.isEmpty() ? null : scheduler.after(AGAIN, this::look);
    } finally {
      lock.unlock();
    }
  }

  private void write(List<Entry> entries) {
    if (!entries.equals(written) && directories.writeTrouble(entries)) {
      written = entries;
    }
  }

  /**
   * Returns the present trouble. An old entry stays until a newer entry replaces it, as long as the
   * volume must still be released or is uncertain.
   */
  private List<Entry> entries(VolumeEngine known, Instant now) {
    Map<VolumeIdentity, Entry> before = new HashMap<>();
    written.forEach(entry -> before.put(entry.volume(), entry));
    Map<VolumeIdentity, Entry> all = new HashMap<>();
    for (Explained volume : known.troubled()) {
      entry(volume, Optional.ofNullable(before.get(volume.identity())), now)
          .ifPresent(entry -> all.put(entry.volume(), entry));
    }
    before.forEach(
        (volume, entry) -> {
          if (!all.containsKey(volume) && known.isCleanupPending(volume)) {
            all.put(volume, entry);
          }
        });
    Stream<Entry> oldest =
        all.values().stream()
            .sorted(Comparator.comparing(Entry::since).thenComparing(Entry::volume));
    return oldest.limit(TroubleFile.MOST).toList();
  }

  private static Optional<Entry> entry(Explained volume, Optional<Entry> before, Instant now) {
    return volume
        .trouble()
        .filter(trouble -> trouble.message().code().severity() != Severity.INFO)
        .map(
            trouble ->
                new Entry(
                    volume.identity(),
                    trouble.message(),
                    // The start time stays even if the code changes: the codes of one trouble may
                    // alternate.
                    before
                        .map(Entry::since)
                        .orElseGet(
                            () ->
                                now.minus(trouble.since().orElse(Duration.ZERO))
                                    .truncatedTo(ChronoUnit.SECONDS))));
  }

  /** Writes the file for the last time, before the engine ends the running operations. */
  @Override
  public void close() {
    look();
    isClosed = true;
    lock.lock();
    try {
      if (again != null) {
        again.cancel();
      }
    } finally {
      lock.unlock();
    }
  }
}

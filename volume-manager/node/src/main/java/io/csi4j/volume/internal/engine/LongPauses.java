package io.csi4j.volume.internal.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** Finds that the process stood still, by timers that come late; each pause once. */
final class LongPauses {

  private static final long LONG = Duration.ofMinutes(1).toNanos();

  /** Until when a pause was told of. */
  private final AtomicLong told;

  LongPauses(long now) {
    told = new AtomicLong(now);
  }

  /** How long it stood still, if something that was due then comes only now; told once. */
  Optional<Duration> late(long due, long now) {
    long before = told.get();
    return now - due > LONG && due - before >= 0 && told.compareAndSet(before, now)
        ? Optional.of(Duration.ofNanos(now - due))
        : Optional.empty();
  }
}

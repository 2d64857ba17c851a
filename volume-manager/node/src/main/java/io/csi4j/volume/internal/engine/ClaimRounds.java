package io.csi4j.volume.internal.engine;

import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.node.NodeClaims;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Has every volume look, from time to time, whether what is mounted is still claimed. */
final class ClaimRounds {

  private final EngineParts parts;
  private final Supplier<List<VolumeQueue>> volumes;
  private final ReentrantLock lock = new ReentrantLock();
  private Scheduler.@Nullable Timer timer;
  private boolean closed;

  ClaimRounds(EngineParts parts, Supplier<List<VolumeQueue>> volumes) {
    this.parts = parts;
    this.volumes = volumes;
  }

  /** Begins the rounds, if the host has given a store of claims. */
  void begin() {
    Optional<NodeClaims> terms = parts.claims().terms();
    if (terms.isEmpty()) {
      return;
    }
    // Spread over half the time, so that the nodes of a cluster do not ask all at once.
    long interval = terms.get().interval().toNanos();
    Duration pause = Duration.ofNanos((long) (interval * (0.5 + parts.scheduler().random() / 2)));
    lock.lock();
    try {
      if (!closed) {
        timer = parts.scheduler().after(pause, this::round);
      }
    } finally {
      lock.unlock();
    }
  }

  private void round() {
    volumes.get().forEach(VolumeQueue::confirm);
    begin();
  }

  void close() {
    lock.lock();
    try {
      closed = true;
      if (timer != null) {
        timer.cancel();
      }
    } finally {
      lock.unlock();
    }
  }
}

package io.csi4j.volume.internal.engine;

import io.csi4j.volume.internal.port.NodePlugin;
import io.csi4j.volume.internal.time.Failures;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.internal.time.Unwrapped;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.MountRequest;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The uses that the host wants and that could not be mounted yet. Each mount is tried again when
 * its plugin appears, and after growing pauses. The attempts end when the use is mounted, when the
 * host or a caller changes the request, or when a failure needs an operator. Safe for use by many
 * threads.
 */
final class WantedMounts {

  /** A use that is not mounted yet. */
  private static final class Missing {

    private final MountRequest request;
    private int failed;
    private boolean isTried;
    private Scheduler.@Nullable Timer next;

    private Missing(MountRequest request) {
      this.request = request;
    }

    private void cancel() {
      if (next != null) {
        next.cancel();
        next = null;
      }
    }
  }

  private final EngineParts parts;
  private final Function<MountRequest, CompletableFuture<?>> mount;
  private final Function<PluginId, RetryBudget> retries;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<VolumeUse, Missing> missing = new HashMap<>();
  private boolean closed;

  /**
   * Creates the object without missing uses.
   *
   * @param mount starts the mount of a use without waiting for its end
   * @param retries the budget for repeats with a plugin
   */
  WantedMounts(
      EngineParts parts,
      Function<MountRequest, CompletableFuture<?>> mount,
      Function<PluginId, RetryBudget> retries) {
    this.parts = parts;
    this.mount = mount;
    this.retries = retries;
  }

  /**
   * Returns the failure of an operation as a {@code VolumeException}; empty for any other
   * exception.
   */
  static Optional<VolumeException> known(Throwable failure) {
    return Unwrapped.of(failure) instanceof VolumeException told
        ? Optional.of(told)
        : Optional.empty();
  }

  /** Returns whether the manager repeats a mount after this failure without another request. */
  static boolean goesOn(Throwable failure) {
    return known(failure)
        .filter(
            told ->
                told.outcome() == VolumeException.Outcome.HELD
                    || told.code() == OperatorCode.VOLUME_GONE
                    || told.code() == OperatorCode.SUPERSEDED
                    || told.code() == OperatorCode.ENGINE_CLOSED)
        .isEmpty();
  }

  /** Mounts a use that the host wants, now and repeatedly until the mount succeeds. */
  CompletableFuture<?> want(MountRequest request) {
    lock.lock();
    try {
      forget(request.usage());
      Missing one = new Missing(request);
      missing.put(request.usage(), one);
      return attempt(one);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Makes an attempt. Called under the lock, so a caller's release of the use happens either before
   * or after the start of this attempt.
   */
  private CompletableFuture<?> attempt(Missing one) {
    one.cancel();
    one.isTried = true;
    CompletableFuture<?> end;
    try {
      end = mount.apply(one.request);
    } catch (RuntimeException | Error broken) {
      Failures.rethrowEnd(broken);
      end = CompletableFuture.failedFuture(broken);
    }
    end.whenComplete((value, failure) -> ended(one, failure));
    return end;
  }

  private void ended(Missing one, @Nullable Throwable failure) {
    lock.lock();
    try {
      if (missing.get(one.request.usage()) != one) {
        return;
      }
      one.isTried = false;
      if (failure == null || closed || !goesOn(failure)) {
        missing.remove(one.request.usage());
        return;
      }
      one.next =
          parts
              .scheduler()
              .after(
                  CleanupSchedule.pause(one.failed++, cap(one), parts.scheduler().random()),
                  () -> due(one));
    } finally {
      lock.unlock();
    }
  }

  private Duration cap(Missing one) {
    return parts
        .plugins()
        .find(one.request.plugin())
        .orElseGet(() -> new NodePlugin.Absent(parts.plugins().known()))
        .policy()
        .backgroundCap();
  }

  /** Tries the use again as soon as the plugin's retry budget allows it. */
  private void due(Missing one) {
    lock.lock();
    try {
      if (!isLeft(one)) {
        return;
      }
      one.cancel();
      Optional<Scheduler.Timer> held =
          retries.apply(one.request.plugin()).hold(RetryBudget.Whose.BACKGROUND, () -> again(one));
      if (held.isPresent()) {
        one.next = held.get();
      } else {
        attempt(one);
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean isLeft(Missing one) {
    return !closed && !one.isTried && missing.get(one.request.usage()) == one;
  }

  private void again(Missing one) {
    lock.lock();
    try {
      if (isLeft(one)) {
        attempt(one);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Tries the waiting uses of a plugin immediately, because the plugin may have appeared. */
  void again(PluginId plugin) {
    lock.lock();
    try {
      for (Missing one : List.copyOf(missing.values())) {
        if (one.request.plugin().equals(plugin)) {
          one.failed = 0;
          due(one);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Stops the attempts for a use, because a caller has made another request for it. */
  void forget(VolumeUse usage) {
    lock.lock();
    try {
      Missing one = missing.remove(usage);
      if (one != null) {
        one.cancel();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Stops the attempts for all uses except these. */
  void keepOnly(Collection<VolumeUse> wanted) {
    lock.lock();
    try {
      for (VolumeUse usage : List.copyOf(missing.keySet())) {
        if (!wanted.contains(usage)) {
          forget(usage);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Stops all attempts. */
  void close() {
    lock.lock();
    try {
      closed = true;
      missing.values().forEach(Missing::cancel);
      missing.clear();
    } finally {
      lock.unlock();
    }
  }
}

package io.csi4j.volume.internal.engine;

import io.csi4j.volume.internal.port.NodePlugin;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.text.TimeText;
import io.csi4j.volume.internal.time.Scheduler.Timer;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.node.VolumeEvent;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Limits the repeated attempts with one plugin by a bucket of tokens. Each repeat takes a token.
 * Tokens are added as time passes, and for each call that the plugin answers with OK. If there is
 * no token, a repeat waits; repeats that a caller waits for run first. Safe for use by many
 * threads.
 *
 * <p>Every repeat of the engine needs a token: another attempt of an operation, another background
 * cleanup or repair, and another attempt to mount a use that the host wants.
 */
final class RetryBudget {

  /** The origin of a repeated attempt. */
  enum Whose {
    /** A caller waits for the repeat, or may join the operation. */
    CALLER,
    /** Background work, for which no caller waits. */
    BACKGROUND
  }

  private final EngineParts parts;
  private final PluginId plugin;
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Runnable> callers = new ArrayDeque<>();
  private final Deque<Runnable> background = new ArrayDeque<>();

  /** The time from {@link #asOf} until the bucket is full, in nanoseconds. */
  private long missing;

  private long asOf;
  private boolean isTold;
  private @Nullable Timer next;

  /** Creates a full bucket. */
  RetryBudget(EngineParts parts, PluginId plugin) {
    this.parts = parts;
    this.plugin = plugin;
    asOf = parts.clock().nanos();
  }

  /**
   * Takes a token for a repeat.
   *
   * @param then the repeat, which runs later if there is no token; must not block
   * @return empty if the caller may continue now; otherwise the timer that withdraws the repeat
   */
  Optional<Timer> hold(Whose whose, Runnable then) {
    MountPolicy policy = policy();
    if (policy.retryBudget() == 0) {
      return Optional.empty();
    }
    boolean isNews;
    lock.lock();
    try {
      refill();
      if (isIdle() && hasToken(policy)) {
        take(policy);
        return Optional.empty();
      }
      (whose == Whose.CALLER ? callers : background).add(then);
      isNews = !isTold;
      isTold = true;
      plan(policy);
    } finally {
      lock.unlock();
    }
    if (isNews) {
      tell(policy);
    }
    return Optional.of(() -> withdraw(then));
  }

  /** Adds a token because the plugin answered a call with OK. */
  void succeeded() {
    release(policy().retryRefill().toNanos());
  }

  private void withdraw(Runnable then) {
    lock.lock();
    try {
      callers.remove(then);
      background.remove(then);
    } finally {
      lock.unlock();
    }
  }

  /** Runs as many waiting repeats as there are tokens. */
  private void release(long back) {
    MountPolicy policy = policy();
    List<Runnable> free = new ArrayList<>();
    lock.lock();
    try {
      refill();
      missing = Math.max(0, missing - back);
      while (!isIdle() && (policy.retryBudget() == 0 || hasToken(policy))) {
        take(policy);
        free.add(callers.isEmpty() ? background.remove() : callers.remove());
      }
      plan(policy);
    } finally {
      lock.unlock();
    }
    free.forEach(Runnable::run);
  }

  private boolean isIdle() {
    return callers.isEmpty() && background.isEmpty();
  }

  // ---- the bucket; the lock is held

  private void refill() {
    long now = parts.clock().nanos();
    missing = Math.max(0, missing - (now - asOf));
    asOf = now;
    if (missing == 0 && isIdle()) {
      isTold = false;
    }
  }

  private boolean hasToken(MountPolicy policy) {
    return shortOfOne(policy) <= 0;
  }

  private long shortOfOne(MountPolicy policy) {
    long each = policy.retryRefill().toNanos();
    return missing + each - each * policy.retryBudget();
  }

  private void take(MountPolicy policy) {
    missing += policy.retryRefill().toNanos();
  }

  /** Plans the next release. One timer serves all waiting repeats. */
  private void plan(MountPolicy policy) {
    if (next != null) {
      next.cancel();
      next = null;
    }
    if (!isIdle()) {
      next =
          parts
              .scheduler()
              .after(Duration.ofNanos(Math.max(0, shortOfOne(policy))), () -> release(0));
    }
  }

  // ---- the policy of the plugin

  private MountPolicy policy() {
    return parts
        .plugins()
        .find(plugin)
        .orElseGet(() -> new NodePlugin.Absent(parts.plugins().known()))
        .policy();
  }

  private void tell(MountPolicy policy) {
    parts
        .events()
        .accept(
            new VolumeEvent.Noticed(
                Messages.of(
                    OperatorCode.RETRIES_HELD_BACK,
                    Subject.of("looking after plugin '" + plugin + "'"),
                    "the budget of "
                        + policy.retryBudget()
                        + (policy.retryBudget() == 1 ? " repeat" : " repeats")
                        + " is used up; one is added every "
                        + TimeText.of(policy.retryRefill())
                        + ", and one for each call that the plugin answers with OK")));
  }
}

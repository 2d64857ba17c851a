package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.mount.model.UnmountResult.Step;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The steps of an unmount, in order: a plain unmount, repeated while the mount is busy; then a
 * forced one and again a plain one; then a lazy one.
 *
 * <p>A forced unmount gives up the server. It answers BUSY even then, and callers that waited for
 * the server need a moment to leave before a plain unmount succeeds.
 */
final class UnmountSteps {

  /** How long a plain unmount is repeated after a forced one. */
  static final Duration AFTER_FORCE = Duration.ofSeconds(2);

  private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(100);

  private final Pauser pauser;
  private int attempts;

  UnmountSteps(Pauser pauser) {
    this.pauser = pauser;
  }

  /** The clock and the pauses of repeated attempts. */
  interface Pauser {

    /** The clock of the machine, with real pauses. */
    Pauser SYSTEM =
        new Pauser() {
          @Override
          public long nanoTime() {
            return System.nanoTime();
          }

          @Override
          public void pause(long nanos) throws InterruptedException {
            TimeUnit.NANOSECONDS.sleep(nanos);
          }
        };

    /** Returns the time of a monotonic clock; a value alone has no meaning. */
    long nanoTime();

    /** Returns after this time. */
    void pause(long nanos) throws InterruptedException;
  }

  /** One call of the kernel. */
  interface Attempt {
    /** Calls the kernel with these flags. */
    Answer with(int flags);
  }

  /**
   * The answer of the kernel.
   *
   * @param result 0, or the negative error number; {@code EINVAL} means that nothing is mounted
   * @param mount the mount that was to be unmounted
   */
  record Answer(int result, Optional<MountRef> mount) {

    boolean isBusy() {
      return result == -Abi.EBUSY;
    }
  }

  /**
   * The end of an unmount.
   *
   * @param step the last step
   * @param answer the last answer of the kernel
   * @param attempts the number of calls
   */
  record Outcome(Step step, Answer answer, int attempts) {}

  /** Tries all allowed steps, as long as the answer is that the mount is busy. */
  Outcome climb(UnmountPolicy policy, Attempt attempt) throws InterruptedException {
    Step step = Step.PLAIN;
    Answer answer = whileBusy(policy.busyLimit(), attempt);
    if (answer.isBusy() && policy.force()) {
      Answer forced = ask(attempt, Abi.MNT_FORCE);
      // Without the privilege, a forced unmount changes nothing.
      boolean isRefused = forced.result() == -Abi.EPERM;
      step = isRefused ? Step.PLAIN : Step.FORCED;
      answer = isRefused || forced.isBusy() ? whileBusy(AFTER_FORCE, attempt) : forced;
    }
    if (answer.isBusy() && policy.lazy()) {
      step = Step.LAZY;
      answer = ask(attempt, Abi.MNT_DETACH);
    }
    return new Outcome(step, answer, attempts);
  }

  /**
   * Repeats a call until the mount is not busy; makes the last attempt when the limit has passed.
   */
  private Answer whileBusy(Duration limit, Attempt attempt) throws InterruptedException {
    long begin = pauser.nanoTime();
    long nanos = MountCallPool.nanos(limit);
    long pause = FIRST_PAUSE;
    while (true) {
      Answer answer = ask(attempt, 0);
      long left = nanos - (pauser.nanoTime() - begin);
      if (!answer.isBusy() || left <= 0) {
        return answer;
      }
      pauser.pause(Math.min(pause, left));
      pause = Math.min(2 * pause, LONGEST_PAUSE);
    }
  }

  private Answer ask(Attempt attempt, int flags) {
    attempts++;
    return attempt.with(flags);
  }
}

package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.mount.model.UnmountResult.Step;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The order in which the ways to unmount are tried: a plain one, repeated while the mount is busy,
 * then by force and plain again, then lazily.
 *
 * <p>Force gives up a server: it answers BUSY even then, and who waited for the server needs a
 * moment to leave before a plain unmount does the work.
 */
final class UnmountSteps {

  /** How long a plain unmount is repeated after force. */
  static final Duration AFTER_FORCE = Duration.ofSeconds(2);

  private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(100);

  private final Pauser pauser;
  private int attempts;

  UnmountSteps(Pauser pauser) {
    this.pauser = pauser;
  }

  /** The passing of time, for code that tries again. */
  interface Pauser {

    /** The time of the machine, passed by waiting. */
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

    /** A clock that only ever goes forward; its values mean nothing by themselves. */
    long nanoTime();

    /** Returns when that much time has passed. */
    void pause(long nanos) throws InterruptedException;
  }

  /** One call of the kernel. */
  interface Attempt {
    /** Asks the kernel, with the flags that say by which way. */
    Answer with(int flags);
  }

  /**
   * The answer of the kernel.
   *
   * @param result 0, or the error with a minus sign; {@code EINVAL} means that nothing is mounted
   * @param mount the mount that was asked for
   */
  record Answer(int result, Optional<MountRef> mount) {

    boolean isBusy() {
      return result == -Abi.EBUSY;
    }
  }

  /**
   * How it ended.
   *
   * @param step the last way that was tried
   * @param answer the last answer of the kernel
   * @param attempts how many times it was asked
   */
  record Outcome(Step step, Answer answer, int attempts) {}

  /** Tries all ways that are allowed, as long as the answer is that the mount is busy. */
  Outcome climb(UnmountPolicy policy, Attempt attempt) throws InterruptedException {
    Step step = Step.PLAIN;
    Answer answer = whileBusy(policy.busyLimit(), attempt);
    if (answer.isBusy() && policy.force()) {
      Answer forced = ask(attempt, Abi.MNT_FORCE);
      // Without the privilege for it, force leaves things as they are.
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

  /** Asks until it is not busy any more; for the last time when the limit has passed. */
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

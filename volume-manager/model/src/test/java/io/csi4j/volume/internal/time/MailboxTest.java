package io.csi4j.volume.internal.time;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.internal.text.CapturedLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What fails in a mailbox is told, and keeps nothing else from being done. */
@Isolated("Reads the log of the modules.")
class MailboxTest {

  private final CapturedLog log = CapturedLog.ofVolumes();

  @AfterEach
  void releaseTheLog() {
    log.close();
  }

  /** Stands for an OutOfMemoryError, which ends the test run if it gets out of a test. */
  private static Error withoutMemory() {
    return new InternalError("no memory");
  }

  /** Has no memory for work. */
  private static class Refusing implements Scheduler {
    @Override
    public void execute(Runnable work) {
      throw withoutMemory();
    }

    @Override
    public Timer after(Duration delay, Runnable work) {
      throw new AssertionError("nothing is to be done later");
    }
  }

  private final List<String> done = new ArrayList<>();
  private final VirtualTime time = new VirtualTime();

  @Test
  void aFailureIsToldAndTheNextPieceOfWorkIsDone() {
    Mailbox mailbox = new Mailbox(time, failure -> done.add(failure.getMessage()));
    mailbox.put(
        () -> {
          mailbox.put(() -> done.add("next"));
          throw new IllegalStateException("broken");
        });
    mailbox.put(() -> done.add("last"));
    time.settle();

    assertThat(done).containsExactly("broken", "last", "next");
  }

  @Test
  void anErrorOfAnyKindIsToldAsWell() {
    Mailbox mailbox = new Mailbox(time, failure -> done.add(failure.getMessage()));
    mailbox.put(
        () -> {
          throw new Error("of no known kind");
        });
    mailbox.put(() -> done.add("last"));
    time.settle();

    assertThat(done).containsExactly("of no known kind", "last");
  }

  @Test
  void aFailureThatIsNotHandledIsHandledLaterBeforeAnythingElseIsDone() {
    Mailbox mailbox =
        new Mailbox(
            time,
            failure -> {
              done.add("told");
              if (done.size() < 3) {
                throw withoutMemory();
              }
            });
    mailbox.put(
        () -> {
          throw new IllegalStateException("broken");
        });
    mailbox.put(() -> done.add("last"));

    time.settle();
    assertThat(done).containsExactly("told");
    assertThat(time.timers()).containsExactly(Duration.ofSeconds(1));

    time.pass(Duration.ofSeconds(2));
    assertThat(done).containsExactly("told", "told", "told", "last");
    assertThat(time.waiting()).isZero();
    assertThat(log.warnings())
        .containsOnly("The handling of a failure failed itself. Report this.");
  }

  @Test
  void aFailureIsHandledAtOnceAgainWhereNoTimerIsToBeHad() {
    AtomicInteger refusals = new AtomicInteger();
    Mailbox mailbox =
        new Mailbox(
            new Refusing() {
              @Override
              public Timer after(Duration delay, Runnable work) {
                refusals.incrementAndGet();
                throw withoutMemory();
              }
            },
            failure -> {
              done.add("told");
              if (done.size() < 3) {
                throw withoutMemory();
              }
            });
    mailbox.put(
        () -> {
          throw new IllegalStateException("broken");
        });
    mailbox.put(() -> done.add("last"));

    assertThat(done).containsExactly("told", "told", "told", "last");
    assertThat(refusals).hasValue(2);
    assertThat(log.warnings())
        .containsOnly("The handling of a failure failed itself. Report this.");
  }

  @Test
  void whatAClosedExecutorRefusesRunsWhereItIsPut() {
    SystemScheduler scheduler = new SystemScheduler(1, "csi4j-m", Duration.ofSeconds(20));
    Mailbox mailbox = new Mailbox(scheduler, failure -> done.add(failure.getMessage()));
    scheduler.close();

    mailbox.put(
        () -> {
          mailbox.put(() -> done.add("next"));
          done.add("first on " + Thread.currentThread().getName());
        });
    mailbox.put(() -> done.add("last"));

    assertThat(done)
        .containsExactly("first on " + Thread.currentThread().getName(), "next", "last");
  }

  @Test
  void anExecutorThatThrowsAfterItTookTheWorkHasItRunOnceAndInOrder() {
    List<Runnable> taken = new ArrayList<>();
    Mailbox mailbox =
        new Mailbox(
            new Refusing() {
              @Override
              public void execute(Runnable work) {
                taken.add(work);
                super.execute(work);
              }
            },
            failure -> done.add(failure.getMessage()));

    mailbox.put(
        () -> {
          mailbox.put(() -> done.add("next"));
          taken.forEach(Runnable::run);
          done.add("first");
        });
    taken.forEach(Runnable::run);
    mailbox.put(() -> done.add("last"));

    assertThat(done).containsExactly("first", "next", "last");
  }
}

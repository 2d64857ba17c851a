package io.csi4j.volume.internal.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What fails in a mailbox is told, and keeps nothing else from being done. */
class MailboxTest {

  private final List<String> done = new ArrayList<>();

  @Test
  void aFailureIsToldAndTheNextPieceOfWorkIsDone() {
    Mailbox mailbox = new Mailbox(Runnable::run, failure -> done.add(failure.getMessage()));
    mailbox.put(
        () -> {
          mailbox.put(() -> done.add("next"));
          throw new IllegalStateException("broken");
        });
    mailbox.put(() -> done.add("last"));

    assertThat(done).containsExactly("broken", "next", "last");
  }

  @Test
  void aFailureOfTheOneWhoIsToldKeepsNothingFromBeingDone() {
    Mailbox mailbox =
        new Mailbox(
            Runnable::run,
            failure -> {
              done.add("told");
              throw new IllegalArgumentException("and broken too", failure);
            });
    mailbox.put(
        () -> {
          mailbox.put(() -> done.add("next"));
          throw new IllegalStateException("broken");
        });
    mailbox.put(() -> done.add("last"));

    assertThat(done).containsExactly("told", "next", "last");
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
  void anExecutorThatThrowsAfterItTookTheWorkDoesNotHaveItRunTwice() {
    List<Runnable> taken = new ArrayList<>();
    Mailbox mailbox =
        new Mailbox(
            work -> {
              taken.add(work);
              throw new OutOfMemoryError("unable to create native thread");
            },
            failure -> done.add(failure.getMessage()));

    mailbox.put(
        () -> {
          taken.forEach(Runnable::run);
          done.add("first");
        });
    taken.forEach(Runnable::run);
    mailbox.put(() -> done.add("last"));

    assertThat(done).containsExactly("first", "last");
  }
}

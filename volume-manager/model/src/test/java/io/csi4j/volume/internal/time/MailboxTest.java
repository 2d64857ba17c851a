package io.csi4j.volume.internal.time;

import static org.assertj.core.api.Assertions.assertThat;

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
}

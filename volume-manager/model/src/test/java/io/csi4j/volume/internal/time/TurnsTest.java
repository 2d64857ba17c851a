package io.csi4j.volume.internal.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class TurnsTest {

  private final Turns<String> turns = new Turns<>();

  @Test
  void aTurnGoesToTheOneThatHasWaitedLongestAndOtherKeysDoNotWait() {
    Turns.Turn first = turns.take("a").join();
    CompletableFuture<Turns.Turn> second = turns.take("a");
    CompletableFuture<Turns.Turn> third = turns.take("a");
    assertThat(turns.take("b")).isCompleted();

    first.end();
    first.end();

    assertThat(second).isCompleted();
    assertThat(third).isNotDone();
    second.join().end();
    assertThat(third).isCompleted();
  }

  @Test
  void aWaiterThatCancelsIsPassedOver() {
    Turns.Turn first = turns.take("a").join();
    CompletableFuture<Turns.Turn> gone = turns.take("a");
    CompletableFuture<Turns.Turn> third = turns.take("a");

    gone.cancel(false);
    first.end();

    assertThat(third).isCompleted();
    third.join().end();
    assertThat(turns.taken()).isZero();
  }

  @Test
  void theBoundOfWaitersIsThatOfEachKey() {
    Turns<String> bounded = new Turns<>(1);
    assertThat(bounded.take(new TreeSet<>(List.of("a")))).isPresent();
    assertThat(bounded.take(new TreeSet<>(List.of("a", "b")))).isPresent();
    assertThat(bounded.take(new TreeSet<>(List.of("a")))).isEmpty();
    assertThat(bounded.take(new TreeSet<>(List.of("b")))).as("b is free").isPresent();
  }

  @Test
  void workThatWaitsWithAnInterruptIsDoneInItsTurnAndTheInterruptStays() throws Exception {
    List<String> done = new ArrayList<>();
    CountDownLatch begun = new CountDownLatch(1);
    Turns.Turn first = turns.take("a").join();
    Thread waiting =
        new Thread(
            () -> {
              Thread.currentThread().interrupt();
              begun.countDown();
              turns.during("a", () -> done.add("second " + Thread.interrupted()));
            });
    waiting.start();
    begun.await();
    done.add("first");

    first.end();
    waiting.join();

    assertThat(done).containsExactly("first", "second true");
    assertThat(turns.taken()).isZero();
  }

  @Test
  void workThatFailsEndsItsTurn() {
    assertThat(
            catchThrowable(
                () ->
                    turns.during(
                        "a",
                        () -> {
                          throw new IllegalStateException("broken");
                        })))
        .hasMessage("broken");
    assertThat(turns.take("a")).isCompleted();
  }
}

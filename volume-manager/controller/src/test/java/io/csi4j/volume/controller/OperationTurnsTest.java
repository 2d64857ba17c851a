package io.csi4j.volume.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.VirtualTime;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("S-202")
class OperationTurnsTest {

  private static final Subject SUBJECT = Subject.of("calling");

  private final VirtualTime time = new VirtualTime();
  private final OperationTurns<String> turns =
      new OperationTurns<>(2, Duration.ofSeconds(60), time);
  private final List<String> begun = new ArrayList<>();
  private final List<Runnable> leaving = new ArrayList<>();

  private CompletableFuture<String> take(String who, String... lanes) {
    SortedSet<String> needed = new TreeSet<>(List.of(lanes));
    return turns.take(
        needed,
        SUBJECT,
        (leave, result) -> {
          begun.add(who);
          leaving.add(
              () -> {
                leave.run();
                result.complete(who);
              });
        });
  }

  private static ControllerException failure(CompletableFuture<?> future) {
    assertThat(future).isCompletedExceptionally();
    try {
      future.join();
      throw new AssertionError("it did not fail");
    } catch (CompletionException failed) {
      return (ControllerException) failed.getCause();
    }
  }

  @Test
  void oneAtATimeHasALaneAndTheOthersFollowInTheOrderInWhichTheyCame() {
    take("a", "v1");
    take("b", "v1");
    take("c", "v1");
    take("elsewhere", "v2");
    assertThat(begun).containsExactly("a", "elsewhere");

    leaving.get(0).run();
    assertThat(begun).containsExactly("a", "elsewhere", "b");
    leaving.get(2).run();
    assertThat(begun).containsExactly("a", "elsewhere", "b", "c");
  }

  @Test
  void whoNeedsSeveralHasThemAllBeforeHeBegins() {
    take("a", "v1");
    take("b", "v2");
    take("both", "v1", "v2");
    leaving.get(0).run();
    assertThat(begun).containsExactly("a", "b");
    take("late", "v1");

    leaving.get(1).run();
    assertThat(begun).containsExactly("a", "b", "both");
    leaving.get(2).run();
    assertThat(begun).containsExactly("a", "b", "both", "late");
    leaving.get(3).run();
    assertThat(turns.taken()).isZero();
  }

  @Test
  void whoCancelsWhileHeWaitsFreesHisPlaceAndIsToldSo() {
    take("a", "v1");
    CompletableFuture<String> gone = take("b", "v1");
    take("c", "v1");

    assertThat(gone.cancel(true)).isTrue();
    assertThat(gone).isCancelled();
    leaving.get(0).run();

    assertThat(begun).containsExactly("a", "c");
  }

  @Test
  void aPlaceThatWasFreedCanBeTakenAgain() {
    take("a", "v1");
    CompletableFuture<String> gone = take("b", "v1");
    take("c", "v1");
    assertThat(failure(take("too many", "v1")).code()).isEqualTo(OperatorCode.CONTROLLER_BUSY);

    gone.cancel(true);

    assertThat(take("d", "v1")).isNotDone();
  }

  @Test
  void whoCancelsWhatHasBegunEndsTheWaitingOnly() {
    CompletableFuture<String> first = take("a", "v1");
    take("b", "v1");

    assertThat(first.cancel(true)).isTrue();

    assertThat(begun).containsExactly("a");
    leaving.get(0).run();
    assertThat(begun).containsExactly("a", "b");
  }

  @Test
  void whoFindsTooManyWaitingIsRefusedAtOnce() {
    take("a", "v1");
    take("b", "v1");
    take("c", "v1");

    ControllerException refused = failure(take("d", "v1"));

    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.UNAVAILABLE);
    assertThat(refused.code()).isEqualTo(OperatorCode.CONTROLLER_BUSY);
    assertThat(refused).hasMessageContaining("calling: 2 operations already wait for it; ");
  }

  @Test
  void whoWaitsForTooLongIsToldSoAndFreesHisPlace() {
    take("a", "v1");
    CompletableFuture<String> late = take("b", "v1");
    time.pass(Duration.ofSeconds(59));
    assertThat(late).isNotDone();
    time.pass(Duration.ofSeconds(1));

    ControllerException refused = failure(late);
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.UNAVAILABLE);
    assertThat(refused).hasMessageContaining("it was not its turn within 60 s");
    leaving.get(0).run();
    assertThat(begun).containsExactly("a");
    assertThat(turns.taken()).isZero();
    assertThat(time.waiting()).isZero();
  }

  @Test
  void whateverIsAskedForInWhateverOrderNobodyWaitsForEver() {
    Random random = new Random(42);
    OperationTurns<String> many = new OperationTurns<>(1_000, Duration.ofDays(1), time);
    List<Runnable> open = new ArrayList<>();
    List<CompletableFuture<Integer>> all = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      int who = i;
      SortedSet<String> needed = new TreeSet<>();
      IntStream.range(0, 1 + random.nextInt(3))
          .forEach(none -> needed.add("lane" + random.nextInt(5)));
      all.add(
          many.take(
              needed,
              SUBJECT,
              (leave, result) ->
                  open.add(
                      () -> {
                        leave.run();
                        result.complete(who);
                      })));
      if (random.nextInt(4) == 0) {
        all.get(random.nextInt(all.size())).cancel(true);
      }
      if (!open.isEmpty() && random.nextBoolean()) {
        open.remove(random.nextInt(open.size())).run();
      }
    }
    while (!open.isEmpty()) {
      open.remove(0).run();
    }
    assertThat(all).allMatch(CompletableFuture::isDone);
    assertThat(many.taken()).isZero();
  }

  @Test
  void aTurnThatIsGivenBackTwiceIsGivenBackOnce() {
    List<Runnable> leave = new ArrayList<>();
    turns.take(new TreeSet<>(List.of("v1")), SUBJECT, (back, result) -> leave.add(back));
    take("b", "v1");
    take("c", "v1");
    leave.get(0).run();
    leave.get(0).run();
    assertThat(begun).containsExactly("b");
  }
}

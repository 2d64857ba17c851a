package io.csi4j.mount.internal.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.mount.internal.change.UnmountSteps.Answer;
import io.csi4j.mount.internal.change.UnmountSteps.Outcome;
import io.csi4j.mount.internal.change.UnmountSteps.Pauser;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.mount.model.UnmountResult.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

/** Cases U of the mount facts that are about the order of attempts: no kernel, no waiting. */
class UnmountStepsTest {

  private static final UnmountPolicy ONCE = UnmountPolicy.PLAIN.withBusyLimit(Duration.ZERO);

  private final List<Integer> asked = new ArrayList<>();
  private final List<Long> pauses = new ArrayList<>();
  private long now = Long.MAX_VALUE - 5;

  @Test
  void aPlainOneThatWorksIsTheOnlyOne() throws Exception {
    Outcome outcome = climb(UnmountPolicy.PLAIN.withForce().withLazy(), flags -> 0);

    assertThat(outcome).isEqualTo(new Outcome(Step.PLAIN, answer(0), 1));
    assertThat(pauses).isEmpty();
  }

  @Test
  void anyOtherErrorEndsIt() throws Exception {
    Outcome outcome = climb(UnmountPolicy.PLAIN.withForce().withLazy(), flags -> -Abi.EPERM);

    assertThat(outcome).isEqualTo(new Outcome(Step.PLAIN, answer(-Abi.EPERM), 1));
  }

  @Test
  void aBusyOneIsTriedUntilTheVeryEndOfTheLimit() throws Exception {
    Outcome outcome =
        climb(UnmountPolicy.PLAIN.withBusyLimit(Duration.ofMillis(400)), flags -> -Abi.EBUSY);

    assertThat(pauses.stream().mapToLong(Long::longValue).sum())
        .isEqualTo(Duration.ofMillis(400).toNanos());
    assertThat(pauses.stream().map(nanos -> nanos / 1_000_000))
        .containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 64L, 100L, 100L, 73L);
    assertThat(outcome).isEqualTo(new Outcome(Step.PLAIN, answer(-Abi.EBUSY), 11));
  }

  @Test
  void oneThatIsFreedInTheMeantimeIsPlain() throws Exception {
    Outcome outcome = climb(UnmountPolicy.PLAIN, flags -> asked.size() < 5 ? -Abi.EBUSY : 0);

    assertThat(outcome).isEqualTo(new Outcome(Step.PLAIN, answer(0), 5));
  }

  @Test
  void aLimitOfZeroTriesOnce() throws Exception {
    assertThat(climb(ONCE, flags -> -Abi.EBUSY).attempts()).isEqualTo(1);
  }

  @Test
  void aLimitWithoutEndIsNoError() throws Exception {
    UnmountPolicy endless = UnmountPolicy.PLAIN.withBusyLimit(Duration.ofSeconds(Long.MAX_VALUE));

    assertThat(climb(endless, flags -> asked.size() < 50 ? -Abi.EBUSY : 0).attempts())
        .isEqualTo(50);
  }

  @Test
  void forceIsFollowedByPlainOnesForABoundedTime() throws Exception {
    Outcome freed = climb(ONCE.withForce().withLazy(), flags -> asked.size() < 4 ? -Abi.EBUSY : 0);

    assertThat(asked).containsExactly(0, Abi.MNT_FORCE, 0, 0);
    assertThat(freed).isEqualTo(new Outcome(Step.FORCED, answer(0), 4));
  }

  @Test
  void forceThatDoesNotHelpEndsBusy() throws Exception {
    Outcome outcome = climb(ONCE.withForce(), flags -> -Abi.EBUSY);

    assertThat(outcome.answer().isBusy()).isTrue();
    assertThat(pauses.stream().mapToLong(Long::longValue).sum())
        .isEqualTo(UnmountSteps.AFTER_FORCE.toNanos());
  }

  @Test
  void forceThatDoesItAtOnceIsForced() throws Exception {
    Outcome outcome = climb(ONCE.withForce(), flags -> flags == 0 ? -Abi.EBUSY : 0);

    assertThat(outcome).isEqualTo(new Outcome(Step.FORCED, answer(0), 2));
  }

  @Test
  void forceWithoutThePrivilegeForItChangesNothing() throws Exception {
    Outcome outcome =
        climb(ONCE.withForce(), flags -> flags == Abi.MNT_FORCE ? -Abi.EPERM : -Abi.EBUSY);

    assertThat(outcome.answer()).isEqualTo(answer(-Abi.EBUSY));
    assertThat(outcome.step()).isEqualTo(Step.PLAIN);
  }

  @Test
  void lazyComesLast() throws Exception {
    Outcome outcome =
        climb(ONCE.withForce().withLazy(), flags -> flags == Abi.MNT_DETACH ? 0 : -Abi.EBUSY);

    assertThat(outcome.step()).isEqualTo(Step.LAZY);
    assertThat(outcome.answer()).isEqualTo(answer(0));
    assertThat(asked).startsWith(0, Abi.MNT_FORCE, 0).endsWith(0, Abi.MNT_DETACH);
  }

  @Test
  void lazyWithoutForceDoesNotForce() throws Exception {
    climb(ONCE.withLazy(), flags -> flags == Abi.MNT_DETACH ? 0 : -Abi.EBUSY);

    assertThat(asked).containsExactly(0, Abi.MNT_DETACH);
  }

  @Test
  void anInterruptEndsThePause() {
    Pauser interrupted =
        new Pauser() {
          @Override
          public long nanoTime() {
            return 0;
          }

          @Override
          public void pause(long nanos) throws InterruptedException {
            throw new InterruptedException();
          }
        };

    assertThatThrownBy(
            () ->
                new UnmountSteps(interrupted)
                    .climb(UnmountPolicy.PLAIN, flags -> answer(-Abi.EBUSY)))
        .isInstanceOf(InterruptedException.class);
  }

  private Outcome climb(UnmountPolicy policy, IntUnaryOperator kernel) throws InterruptedException {
    Pauser pauser =
        new Pauser() {
          @Override
          public long nanoTime() {
            return now;
          }

          @Override
          public void pause(long nanos) {
            pauses.add(nanos);
            now += nanos;
          }
        };
    return new UnmountSteps(pauser)
        .climb(
            policy,
            flags -> {
              asked.add(flags);
              return answer(kernel.applyAsInt(flags));
            });
  }

  private static Answer answer(int result) {
    return new Answer(result, Optional.empty());
  }
}

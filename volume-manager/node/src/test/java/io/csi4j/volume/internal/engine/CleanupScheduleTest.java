package io.csi4j.volume.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CleanupScheduleTest {

  private static final Duration CAP = Duration.ofMinutes(5);

  @Test
  void swarmkit_aPauseDoublesUpToItsCap() {
    assertThat(
            IntStream.of(0, 1, 2, 3, 8, 9, 63, 64, 1000)
                .mapToObj(tries -> CleanupSchedule.pause(tries, CAP, 0.999_999_999).toSeconds() + 1)
                .toList())
        .isEqualTo(List.of(1L, 2L, 4L, 8L, 256L, 300L, 300L, 300L, 300L));
  }

  @Test
  void aPauseIsNeverLessThanHalf() {
    for (int tries = 0; tries < 100; tries++) {
      Duration least = CleanupSchedule.pause(tries, CAP, 0);
      Duration most = CleanupSchedule.pause(tries, CAP, 0.999_999_999);
      assertThat(least).isPositive().isBetween(most.dividedBy(2), most.dividedBy(2).plusMillis(1));
    }
  }

  @Test
  void aCapBelowTheFirstPauseHolds() {
    assertThat(CleanupSchedule.pause(0, Duration.ofMillis(10), 0.5))
        .isBetween(Duration.ofMillis(5), Duration.ofMillis(10));
  }

  @Test
  void anOperatorHearsOfTheFirstTheFifthAndEveryTwentiethTry() {
    assertThat(
            IntStream.range(0, 62)
                .filter(CleanupSchedule::isWorthTelling)
                .map(failed -> failed + 1)
                .toArray())
        .containsExactly(1, 5, 20, 40, 60);
  }
}

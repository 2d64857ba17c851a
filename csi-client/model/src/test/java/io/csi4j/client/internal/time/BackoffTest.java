package io.csi4j.client.internal.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BackoffTest {

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration LONGEST = Duration.ofMinutes(5);
  private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);

  @Test
  void aPauseDoublesUpToTheLongestHoweverManyFailures() {
    Backoff exact = Backoff.exact(SECOND, LONGEST);
    assertThat(
            IntStream.of(1, 2, 3, 4, 9, 10, 64, 65, Integer.MAX_VALUE)
                .mapToObj(failures -> exact.pause(failures).toSeconds()))
        .isEqualTo(List.of(1L, 2L, 4L, 8L, 256L, 300L, 300L, 300L, 300L));
  }

  @Test
  void fullJitterDrawsFromNothingToTheWholeLength() {
    Backoff full = Backoff.fullJitter(SECOND, LONGEST);
    assertThat(full.pause(3, 0)).isZero();
    assertThat(full.pause(3, 0.25)).isEqualTo(SECOND);
    assertThat(full.pause(3, 0.999)).isLessThan(SECOND.multipliedBy(4));
  }

  @Test
  void halfJitterIsNeverLessThanHalf() {
    Backoff half = Backoff.halfJitter(SECOND, LONGEST);
    assertThat(half.pause(3, 0)).isEqualTo(SECOND.multipliedBy(2));
    assertThat(half.pause(3, 0.5)).isEqualTo(SECOND.multipliedBy(3));
    assertThat(half.pause(3, 0.999)).isLessThan(SECOND.multipliedBy(4));
  }

  @Test
  void aLongestPauseBelowTheFirstHolds() {
    assertThat(Backoff.exact(LONGEST, SECOND).pause(1)).isEqualTo(SECOND);
  }

  @Test
  void aFirstPauseOfNothingStaysNothing() {
    assertThat(Backoff.exact(Duration.ZERO, LONGEST).pause(Integer.MAX_VALUE)).isZero();
  }

  @Test
  void pausesThatNoNumberHoldsAreTheLongestThereAre() {
    Duration half = Duration.ofNanos(Long.MAX_VALUE / 2 + 1);
    Duration beyond = Duration.ofSeconds(Long.MAX_VALUE);
    assertThat(Backoff.exact(half, beyond).pause(2)).isEqualTo(FOR_EVER);
    assertThat(Backoff.exact(beyond, beyond).pause(1)).isEqualTo(FOR_EVER);
  }
}

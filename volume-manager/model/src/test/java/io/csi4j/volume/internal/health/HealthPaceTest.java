package io.csi4j.volume.internal.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The next round comes after the interval, about; later while the plugin does not answer. */
class HealthPaceTest {

  private final HealthPace pace = new HealthPace(Duration.ofSeconds(60));

  @Test
  void theIntervalIsSpreadByAFifthToBothSides() {
    assertThat(pace.next(0)).isEqualTo(Duration.ofSeconds(48));
    assertThat(pace.next(0.5)).isEqualTo(Duration.ofSeconds(60));
    assertThat(pace.next(0.75)).isEqualTo(Duration.ofSeconds(66));
    assertThat(pace.next(Math.nextDown(1.0))).isLessThanOrEqualTo(Duration.ofSeconds(72));
  }

  @Test
  void theIntervalDoublesWithEachFailureUpToSixteenTimes() {
    for (int factor : new int[] {2, 4, 8, 16, 16, 16}) {
      pace.ended(false);
      assertThat(pace.next(0.5)).isEqualTo(Duration.ofSeconds(60L * factor));
    }
  }

  @Test
  void oneAnswerEndsTheBackOff() {
    pace.ended(false);
    pace.ended(false);
    pace.ended(true);
    assertThat(pace.next(0.5)).isEqualTo(Duration.ofSeconds(60));
  }

  @Test
  void anIntervalOfCenturiesIsAYear() {
    HealthPace pace = new HealthPace(Duration.ofSeconds(Long.MAX_VALUE));
    for (int i = 0; i < 6; i++) {
      pace.ended(false);
    }

    assertThat(pace.next(0.5)).isEqualTo(Duration.ofDays(16 * 365));
  }
}

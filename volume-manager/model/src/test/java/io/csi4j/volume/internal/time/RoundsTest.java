package io.csi4j.volume.internal.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The next round comes after the interval, about; later while rounds fail. */
class RoundsTest {

  private final VirtualTime time = new VirtualTime();
  private final Rounds rounds = new Rounds(time, Rounds.about(Duration.ofSeconds(60)));

  private Duration pause(double random) {
    time.setRandom(random);
    return rounds.pause();
  }

  @Test
  void theIntervalIsSpreadByAFifthToBothSides() {
    assertThat(pause(0)).isEqualTo(Duration.ofSeconds(48));
    assertThat(pause(0.5)).isEqualTo(Duration.ofSeconds(60));
    assertThat(pause(0.75)).isEqualTo(Duration.ofSeconds(66));
    assertThat(pause(Math.nextDown(1.0))).isLessThanOrEqualTo(Duration.ofSeconds(72));
  }

  @Test
  void theIntervalDoublesWithEachFailureUpToSixteenTimes() {
    for (int factor : new int[] {2, 4, 8, 16, 16, 16}) {
      rounds.ended(false);
      assertThat(pause(0.5)).isEqualTo(Duration.ofSeconds(60L * factor));
    }
  }

  @Test
  void oneGoodRoundEndsTheBackOff() {
    rounds.ended(false);
    rounds.ended(false);
    rounds.ended(true);
    assertThat(pause(0.5)).isEqualTo(Duration.ofSeconds(60));
  }

  @Test
  void anIntervalOfCenturiesIsAYear() {
    rounds.restart(Rounds.about(Duration.ofSeconds(Long.MAX_VALUE)));
    for (int i = 0; i < 6; i++) {
      rounds.ended(false);
    }

    assertThat(pause(0.5)).isEqualTo(Duration.ofDays(16 * 365));
  }

  @Test
  void newPausesBeginWithoutFailures() {
    rounds.ended(false);
    rounds.restart(Rounds.about(Duration.ofSeconds(10)));
    assertThat(pause(0.5)).isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void oneRoundIsPlannedAtATimeAndNoneOnceTheyAreClosed() {
    List<String> done = new ArrayList<>();
    rounds.plan(Duration.ofSeconds(1), () -> done.add("early"));
    rounds.plan(() -> done.add("planned again"));
    time.pass(Duration.ofHours(1));
    assertThat(done).containsExactly("planned again");

    rounds.plan(() -> done.add("cancelled"));
    rounds.cancel();
    rounds.plan(() -> done.add("closed"));
    rounds.close();
    rounds.plan(() -> done.add("after the end"));
    assertThat(time.waiting()).isZero();
  }
}

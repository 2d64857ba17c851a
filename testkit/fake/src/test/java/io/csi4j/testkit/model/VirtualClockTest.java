package io.csi4j.testkit.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A clock that goes when it is told to. */
class VirtualClockTest {

  private final VirtualClock clock = VirtualClock.create();
  private final List<String> done = new ArrayList<>();

  private void after(long seconds, String what) {
    clock.after(Duration.ofSeconds(seconds), () -> done.add(what + "@" + clock.now()));
  }

  @Test
  void itStandsStill() {
    after(0, "now");

    assertThat(clock.now()).isEqualTo(Instant.EPOCH);
    assertThat(clock.pending()).isEqualTo(1);
    assertThat(done).isEmpty();
  }

  @Test
  void whatFallsDueIsDoneInTheOrderOfItsTimeAndThenOfItsComing() {
    after(2, "c");
    after(1, "a");
    after(1, "b");
    after(4, "later");

    clock.advance(Duration.ofSeconds(3));

    assertThat(done)
        .containsExactly(
            "a@1970-01-01T00:00:01Z", "b@1970-01-01T00:00:01Z", "c@1970-01-01T00:00:02Z");
    assertThat(clock.now()).isEqualTo(Instant.EPOCH.plusSeconds(3));
    assertThat(clock.pending()).isEqualTo(1);
  }

  @Test
  void whatIsAddedOnTheWayIsDoneOnTheWay() {
    clock.after(Duration.ofSeconds(1), () -> after(1, "second"));

    clock.advance(Duration.ofSeconds(2));

    assertThat(done).containsExactly("second@1970-01-01T00:00:02Z");
  }
}

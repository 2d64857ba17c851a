package io.csi4j.client.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.CsiConnectException.Reason;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FloodBrakeTest {

  private static final String TOLD =
      "the connection was closed because the plugin floods it: it shouts; this is flood number 1";

  private final FloodBrake brake = new FloodBrake();

  private static long after(double seconds) {
    return (long) (seconds * TimeUnit.SECONDS.toNanos(1));
  }

  @Test
  void aPluginThatFloodedIsNotConnectedForAWhile() {
    assertThat(brake.problem(after(9))).isNull();
    brake.flooded("it shouts", after(10));
    assertThat(brake.problem(after(10.4)))
        .satisfies(problem -> assertThat(problem.reason()).isEqualTo(Reason.FLOODS))
        .satisfies(
            problem ->
                assertThat(problem.why())
                    .isEqualTo(TOLD + ", and the client does not reconnect for 600 ms"));
    assertThat(brake.problem(after(11))).isNull();
  }

  @Test
  void theFloodThatEndedACallIsToldAlsoWhenThePluginMayBeConnectedAgain() {
    brake.flooded("it shouts", after(10));
    assertThat(brake.problemSince(after(9.9), after(60)))
        .satisfies(problem -> assertThat(problem.why()).isEqualTo(TOLD));
    assertThat(brake.problemSince(after(10.1), after(60))).as("a call after it").isNull();
    assertThat(brake.problemSince(after(10.1), after(10.9)))
        .as("a call after it that was not sent")
        .satisfies(
            problem ->
                assertThat(problem.why())
                    .isEqualTo(TOLD + ", and the client does not reconnect for 100 ms"));
  }
}

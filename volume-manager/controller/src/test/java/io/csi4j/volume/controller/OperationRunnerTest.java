package io.csi4j.volume.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.volume.controller.ControllerEvent.Operation;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.SystemClock;
import io.csi4j.volume.internal.time.SystemScheduler;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** The way of one operation from its beginning to its end. */
class OperationRunnerTest {

  @Test
  void theTextOfAnUnexpectedExceptionIsForTheCallerAlone() {
    List<ControllerEvent> events = new CopyOnWriteArrayList<>();
    try (SystemScheduler timers = new SystemScheduler(1, "runner-test", Duration.ofSeconds(1))) {
      OperationRunner runner =
          new OperationRunner(
              new OperationTurns<>(1, Duration.ofMinutes(1), timers),
              new OperationReports(List.of(events::add), new SystemClock()),
              Runnable::run);
      IllegalStateException unexpected = new IllegalStateException("the password is canary");

      CompletableFuture<Object> begun =
          runner.begin(
              Operation.EXPAND,
              Optional.empty(),
              "expanding",
              () -> {
                throw unexpected;
              });

      ControllerException failure =
          catchThrowableOfType(
              ControllerException.class,
              () -> OperationRunner.await(Subject.of("expanding"), begun));
      assertThat(failure.code()).isEqualTo(OperatorCode.STEP_FAILED);
      assertThat(failure.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
      assertThat(failure).hasMessageContaining("canary").hasCause(unexpected);
      assertThat(events)
          .filteredOn(ControllerEvent.Ended.class::isInstance)
          .singleElement()
          .extracting(event -> ((ControllerEvent.Ended) event).failure().orElseThrow())
          .satisfies(
              told -> assertThat(told.code()).isEqualTo(OperatorCode.STEP_FAILED),
              told -> assertThat(told.line()).contains("IllegalStateException"),
              told -> assertThat(told.line()).doesNotContain("canary"));
    }
  }
}

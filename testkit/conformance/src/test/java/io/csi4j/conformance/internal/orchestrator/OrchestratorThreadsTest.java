package io.csi4j.conformance.internal.orchestrator;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class OrchestratorThreadsTest {

  @Test
  void anOrchestratorThatDoesNotComeBackIsToldWithATimeThatPeopleRead() {
    CountDownLatch never = new CountDownLatch(1);
    try (OrchestratorThreads threads = new OrchestratorThreads(Duration.ofMillis(20))) {
      Future<Boolean> asked =
          threads.begin(
              () -> {
                never.await();
                return true;
              });

      assertThatExceptionOfType(StuckException.class)
          .isThrownBy(() -> threads.answer("unmount", asked))
          .withMessage("unmount did not return within 20 ms. Check where its thread waits.");
    }
  }
}

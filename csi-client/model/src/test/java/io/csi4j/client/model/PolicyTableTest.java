package io.csi4j.client.model;

import static io.csi4j.client.model.CsiOperation.*;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PolicyTableTest {

  private static final Set<CsiOperation> NEVER_REPEATED =
      EnumSet.of(
          PROBE,
          GET_PLUGIN_INFO,
          GET_PLUGIN_CAPABILITIES,
          CONTROLLER_GET_CAPABILITIES,
          GROUP_CONTROLLER_GET_CAPABILITIES,
          NODE_GET_CAPABILITIES,
          NODE_GET_INFO);

  private static final Set<CsiOperation> WORK =
      EnumSet.of(
          CREATE_VOLUME,
          DELETE_VOLUME,
          CONTROLLER_PUBLISH_VOLUME,
          CONTROLLER_UNPUBLISH_VOLUME,
          CREATE_SNAPSHOT,
          DELETE_SNAPSHOT,
          CONTROLLER_EXPAND_VOLUME,
          CONTROLLER_MODIFY_VOLUME,
          CREATE_VOLUME_GROUP_SNAPSHOT,
          DELETE_VOLUME_GROUP_SNAPSHOT,
          NODE_STAGE_VOLUME,
          NODE_UNSTAGE_VOLUME,
          NODE_PUBLISH_VOLUME,
          NODE_UNPUBLISH_VOLUME,
          NODE_EXPAND_VOLUME);

  @Test
  void callsThatAnObserverRepeatsAnywayAreNeverRepeated() {
    assertThat(
            Arrays.stream(CsiOperation.values())
                .filter(operation -> CallPolicy.defaultFor(operation).attempts() == 1))
        .containsExactlyInAnyOrderElementsOf(NEVER_REPEATED);
  }

  @Test
  void workHasTwoMinutesAndThreeAttempts() {
    for (CsiOperation operation : WORK) {
      CallPolicy policy = CallPolicy.defaultFor(operation);
      assertThat(policy.attemptDeadline()).as("%s", operation).isEqualTo(Duration.ofMinutes(2));
      assertThat(policy.attempts()).isEqualTo(3);
      assertThat(policy.backoff()).isEqualTo(Duration.ofMillis(100));
    }
  }

  @Test
  void aProbeHasFiveSeconds() {
    assertThat(CallPolicy.defaultFor(PROBE).attemptDeadline()).isEqualTo(Duration.ofSeconds(5));
  }

  @ParameterizedTest
  @EnumSource
  void questionsAreShorterThanWork(CsiOperation operation) {
    if (!WORK.contains(operation)) {
      assertThat(CallPolicy.defaultFor(operation).attemptDeadline())
          .isLessThan(Duration.ofMinutes(2));
    }
  }

  @ParameterizedTest
  @EnumSource
  void theBudgetHoldsAllAttemptsInFull(CsiOperation operation) {
    CallPolicy policy = CallPolicy.defaultFor(operation);
    assertThat(policy.budget())
        .isGreaterThanOrEqualTo(policy.attemptDeadline().multipliedBy(policy.attempts()));
  }

  @ParameterizedTest
  @EnumSource
  void aPendingCallIsWaitedForLongerThanAFailedOne(CsiOperation operation) {
    CallPolicy policy = CallPolicy.defaultFor(operation);
    assertThat(policy.pendingBackoff()).isGreaterThan(policy.backoff());
    assertThat(policy.backoffCap()).isGreaterThanOrEqualTo(policy.pendingBackoff());
  }
}

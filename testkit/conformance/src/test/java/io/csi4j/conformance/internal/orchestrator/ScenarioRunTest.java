package io.csi4j.conformance.internal.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.internal.proto.ProbeRequest;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.internal.journal.CallRecord;
import io.csi4j.testkit.internal.journal.ProtoMessage;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.referee.Breach;
import io.csi4j.testkit.referee.DutyId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScenarioRunTest {

  @ParameterizedTest
  @ValueSource(ints = {49, 50})
  void whoComesBackAfterACrashIsNotBlamedForCallsOfItsEarlierLife(int duty) {
    Breach breach = new Breach(DutyId.of(duty), "", List.of(call(1), call(3)));
    assertThat(ScenarioRun.isExcused(breach, 2)).isTrue();
    assertThat(ScenarioRun.isExcused(breach, 0)).isFalse();
    assertThat(ScenarioRun.isExcused(breach, 3)).isFalse();
  }

  @Test
  void aVolumeThatIsHandedOverAsRegisteredNeedNotBeValidated() {
    assertThat(ScenarioRun.isExcused(new Breach(DutyId.of(261), "", List.of()), 0)).isTrue();
    assertThat(ScenarioRun.isExcused(new Breach(DutyId.of(373), "", List.of()), 0)).isFalse();
  }

  private static RecordedCall call(long number) {
    return new CallRecord(
        number,
        CsiOperation.PROBE,
        Optional.empty(),
        new ProtoMessage(ProbeRequest.getDefaultInstance()),
        "localhost",
        Instant.EPOCH,
        List.of(),
        Map.of(),
        Optional.empty(),
        Optional.empty(),
        false,
        Optional.empty(),
        Map.of());
  }
}

package io.csi4j.volume.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.Place;
import io.csi4j.volume.internal.record.Plan;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.PathStatus;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class UnendedCallsTest {

  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final VolumeUse USE = VolumeUse.of(VolumeKey.of("data"), WorkloadId.of("web"));
  private static final VolumeRecord PUBLISHING =
      VolumeRecord.fresh(
              new VolumeIdentity(PluginId.of("plugin"), VolumeId.of("vol-1")),
              new Plan(true, false, AccessMode.MULTI_NODE_MULTI_WRITER, "", "", ""),
              new Place("boot", 1))
          .withStaging(PathRecord.present(Optional.empty()))
          .withTarget(
              new TargetRecord(
                  USE,
                  false,
                  PathRecord.NONE.as(PathStatus.IN_DOUBT).working(Verb.PUBLISH, "pid-1")));

  private final VolumeMemory.UnendedCalls doubts = new VolumeMemory.UnendedCalls();

  private Set<Optional<VolumeUse>> quarantined(Duration now, String instance) {
    return doubts.quarantined(PUBLISHING, now.toNanos(), MINUTE, instance, "pid-1-drains"::equals);
  }

  @Test
  void aPathIsQuarantinedUntilItsTimeIsOver() {
    doubts.begin(Optional.of(USE), 0, "pid-1");

    assertThat(quarantined(MINUTE.minusNanos(1), "pid-1")).containsExactly(Optional.of(USE));
    assertThat(quarantined(MINUTE, "pid-1")).isEmpty();
  }

  @Test
  void anotherProcessOfThePluginEndsTheQuarantine() {
    doubts.begin(Optional.of(USE), 0, "pid-1");

    assertThat(quarantined(Duration.ZERO, "pid-2")).isEmpty();
  }

  @Test
  void anotherProcessBesideTheOneThatStillRunsEndsNoQuarantine() {
    doubts.begin(Optional.of(USE), 0, "pid-1-drains");

    assertThat(quarantined(MINUTE.minusNanos(1), "pid-2")).containsExactly(Optional.of(USE));
    assertThat(quarantined(MINUTE, "pid-2")).isEmpty();
  }

  @Test
  void aProcessThatIsNotKnownEndsNoQuarantine() {
    doubts.begin(Optional.of(USE), 0, "");
    assertThat(quarantined(Duration.ZERO, "pid-2")).containsExactly(Optional.of(USE));

    doubts.begin(Optional.of(USE), 0, "pid-1");
    assertThat(quarantined(Duration.ZERO, "")).containsExactly(Optional.of(USE));
  }

  @Test
  void anAnswerEndsTheQuarantine() {
    doubts.begin(Optional.of(USE), 0, "pid-1");
    doubts.end(Optional.of(USE));

    assertThat(quarantined(Duration.ZERO, "pid-1")).isEmpty();
  }

  @Test
  void whatWasPendingBeforeAStartIsQuarantinedFromTheStartOn() {
    doubts.restore(PUBLISHING, MINUTE.toNanos());

    assertThat(quarantined(MINUTE.multipliedBy(2).minusNanos(1), "pid-1"))
        .containsExactly(Optional.of(USE));
    assertThat(quarantined(MINUTE.multipliedBy(2), "pid-1")).isEmpty();
  }

  @Test
  void aPathWithoutAPendingCallIsNotQuarantined() {
    doubts.begin(Optional.empty(), 0, "pid-1");

    assertThat(quarantined(Duration.ZERO, "pid-1")).isEmpty();
  }
}

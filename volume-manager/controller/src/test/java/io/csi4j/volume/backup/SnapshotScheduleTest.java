package io.csi4j.volume.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.VolumeKey;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** A tick that is repeated has the same name, and no two ticks have one. */
class SnapshotScheduleTest {

  private static final SnapshotSchedule NIGHTLY = new SnapshotSchedule("nightly");
  private static final Instant TICK = Instant.parse("2026-11-26T03:15:00Z");
  private static final VolumeKey DB = VolumeKey.of("db");

  @Test
  void theNameIsOfTheScheduleTheTickAndTheVolume() {
    assertThat(NIGHTLY.nameAt(TICK)).hasToString("nightly-20261126T031500Z");
    assertThat(NIGHTLY.nameAt(TICK, DB).value())
        .matches("nightly-20261126T031500Z-[a-z2-7]{26}")
        .isEqualTo(new SnapshotSchedule("nightly").nameAt(TICK.plusMillis(999), DB).value())
        .isNotEqualTo(NIGHTLY.nameAt(TICK.plusSeconds(1), DB).value())
        .isNotEqualTo(NIGHTLY.nameAt(TICK, VolumeKey.of("log")).value())
        .isNotEqualTo(NIGHTLY.nameAt(TICK, VolumeKey.of(Namespace.of("other"), "db")).value())
        .isNotEqualTo(new SnapshotSchedule("weekly").nameAt(TICK, DB).value());
    assertThat(new SnapshotSchedule("x".repeat(64)).nameAt(TICK, DB).value())
        .hasSizeLessThanOrEqualTo(128);
  }

  @Test
  void aTickIsTheSameForEveryMomentUntilTheNext() {
    Duration hour = Duration.ofHours(1);
    Instant at = Instant.parse("2026-11-26T03:00:00Z");
    assertThat(SnapshotSchedule.tick(at, hour)).isEqualTo(at);
    assertThat(SnapshotSchedule.tick(at.plusSeconds(3599).plusMillis(999), hour)).isEqualTo(at);
    assertThat(SnapshotSchedule.tick(at.plus(hour), hour)).isEqualTo(at.plus(hour));
    assertThat(SnapshotSchedule.tick(Instant.EPOCH.minusSeconds(1), hour))
        .isEqualTo(Instant.EPOCH.minus(hour));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SnapshotSchedule.tick(at, Duration.ofMillis(10)));
  }

  @Test
  void whatCannotBePartOfANameIsRefused() {
    for (String bad : new String[] {"", "a b", "-a", "a/b", "ä", "x".repeat(65), "a\n"}) {
      assertThatIllegalArgumentException().isThrownBy(() -> new SnapshotSchedule(bad));
    }
  }
}

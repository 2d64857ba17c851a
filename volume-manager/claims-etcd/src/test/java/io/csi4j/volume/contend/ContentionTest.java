package io.csi4j.volume.contend;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.claim.etcd.EtcdTest;
import io.csi4j.volume.contend.Contention.Report;
import io.csi4j.volume.contend.Contention.Size;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes that contend. How many, and for how long, come from the system properties {@code
 * contend.processes}, {@code contend.volumes}, {@code contend.operations}, {@code contend.mischief}
 * and {@code contend.seed}: {@code volume-manager/claims-etcd/contend} sets them.
 */
@Tag("campaign")
@EtcdTest
class ContentionTest {

  private static final Size SIZE =
      new Size(
          Integer.getInteger("contend.processes", 3),
          Integer.getInteger("contend.volumes", 5),
          Integer.getInteger("contend.operations", 400),
          Integer.getInteger("contend.mischief", 1),
          Long.getLong("contend.seed", 1));

  @TempDir Path directory;

  @Test
  @Timeout(3_600)
  void whateverIsKilledOrStoppedNobodyUsesWhatAnotherOneHasAndNoClaimIsLost() {
    Report report = Contention.run(SIZE, directory);

    System.out.println(SIZE + ": " + report);
    assertThat(report.wrong()).isEmpty();
    assertThat(report.uses()).isPositive();
    assertThat(report.kills() + report.pauses() + report.restarts() + report.standstills())
        .isEqualTo(4 * SIZE.mischief());
  }
}

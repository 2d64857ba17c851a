package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.campaign.PlayedInShares;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import io.csi4j.volume.claim.etcd.ContendedEtcdCluster;
import io.csi4j.volume.claim.etcd.EtcdTest;
import io.csi4j.volume.claim.jdbc.ContendedPostgres;
import io.csi4j.volume.claim.jdbc.PostgresTest;
import io.csi4j.volume.contend.ContendedStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Three control planes and three nodes, each a process, with their storage system and their store,
 * of which any is killed, stopped and cut off while volumes move, grow and are deleted. How long
 * and by which chance come from the system properties {@code rig.seconds}, {@code rig.seed} and
 * {@code rig.defect}: {@code testing/cluster} sets them.
 */
@Tag("campaign")
@PlayedInShares
@MountTest
class ClusterRigTest {

  private static final long SECONDS = Long.getLong("rig.seconds", 0);
  private static final long SEED = Long.getLong("rig.seed", 1);
  private static final RigDefect DEFECT =
      RigDefect.valueOf(System.getProperty("rig.defect", RigDefect.NONE.name()));
  private static final int VOLUMES = Integer.getInteger("rig.volumes", 4);
  private static final Duration TROUBLE = Duration.ofSeconds(Long.getLong("rig.trouble", 35));

  /** A defect has to be found within so many rounds. */
  private static final int BOUND = 3;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path logs;

  @Test
  @EtcdTest
  @Timeout(36_000)
  void onEtcdNoVolumeHasTwoWritersAndNothingIsLostOrLeft(Scratch scratch) throws IOException {
    play(scratch, new ContendedEtcdCluster());
  }

  @Test
  @PostgresTest
  @Timeout(36_000)
  void onPostgresNoVolumeHasTwoWritersAndNothingIsLostOrLeft(Scratch scratch) throws IOException {
    play(scratch, new ContendedPostgres());
  }

  private void play(Scratch scratch, ContendedStore kind) throws IOException {
    RigRounds.Report report =
        RigRounds.play(
            scratch,
            logs,
            kind,
            DEFECT,
            new RigRounds.Size(
                Duration.ofSeconds(SECONDS), Integer.MAX_VALUE, VOLUMES, TROUBLE, SEED));
    boolean isGood = report.findings().isEmpty() == (DEFECT == RigDefect.NONE);
    // The script that asked for this run reads the line.
    System.out.printf(
        "VERDICT %s|%s%s|%s%n",
        isGood ? "good" : "bad",
        report.did(),
        DEFECT == RigDefect.NONE ? "" : "; with " + DEFECT + " found were " + report.findings(),
        isGood ? "nothing" : report.findings());
    assertThat(isGood).as("%s%n%s%n%s", report.did(), report.findings(), report.story()).isTrue();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  @EtcdTest
  @Timeout(1_800)
  void eachDefectIsFoundWithinThreeRounds(RigDefect defect, Scratch scratch) throws IOException {
    RigRounds.Report report =
        RigRounds.play(
            scratch,
            logs,
            new ContendedEtcdCluster(),
            defect,
            new RigRounds.Size(Duration.ofHours(1), BOUND, VOLUMES, TROUBLE, SEED));
    System.out.println(defect + ": " + report.rounds() + " rounds, " + report.findings());
    assertThat(report.findings()).as("%s%n%s", report.did(), report.story()).isNotEmpty();
  }
}

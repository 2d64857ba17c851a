package io.csi4j.volume.powercut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import io.csi4j.mount.campaign.PlayedInShares;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.NeedsRoot;
import io.csi4j.mount.real.Scratch;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A slice of what {@code testing/powercut} does for as long as is asked for. */
@MountTest
@NeedsRoot("loop devices and the filesystems on them")
@Tag("campaign")
@PlayedInShares
class PowerCutCampaignTest {

  private static final PowerCutRig.Measure MEASURE =
      new PowerCutRig.Measure(Duration.ofSeconds(30), 24, 1);

  @ParameterizedTest
  @EnumSource
  void whatAHostWasToldIsTrueAfterAPowerCut(FilesystemKind kind, Scratch scratch)
      throws IOException {
    Optional<String> obstacle = Obstacle.to(kind);
    if (obstacle.isPresent()) {
      String text = "No power can be cut here: " + obstacle.get();
      if ("1".equals(System.getenv("MOUNT_TEST_REQUIRED"))) {
        fail(text);
      }
      abort(text);
    }

    Verdict verdict = PowerCutRig.run(scratch.root().toPath(), kind, MEASURE, System.out::println);

    System.out.println(kind + ": " + verdict.did());
    assertThat(verdict.wrong()).isEmpty();
    assertThat(verdict.isGood()).as("every disk that ignores flushes was caught").isTrue();
    assertThat(verdict.states(Recording.Scene.WORK)).isPositive();
    assertThat(verdict.states(Recording.Scene.RECOVERY)).isPositive();
    assertThat(verdict.states(Recording.Scene.REBUILD)).isPositive();
  }
}

package io.csi4j.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.campaign.PlayedInShares;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each target for a minute, or {@code -Dcsi4j.fuzz.seconds} seconds, with the same inputs each
 * time, so that what is found is the fault of a change; testing/fuzz tries others, and for longer.
 */
@Tag("campaign")
class FuzzCampaignTest {

  private static final int SEED = 1;
  private static final Duration TIME =
      Duration.ofSeconds(Integer.getInteger("csi4j.fuzz.seconds", 60));

  @PlayedInShares
  @ParameterizedTest
  @EnumSource
  void thePropertyHoldsForInputsThatReachNewCode(Target target)
      throws IOException, InterruptedException {
    FuzzRun run = FuzzRun.of(target, new FuzzRun.Budget(TIME, 0, SEED));

    assertThat(run.finding()).isEmpty();
    assertThat(run.inputs()).isGreaterThan(target.corpus().size());
  }

  /** A defect for which a run has to find four bytes, one after the other. */
  public static final class Planted {

    private static final String WORD = "csi4";

    private Planted() {}

    /** Fails for inputs that begin with the word. */
    public static void fuzzerTestOneInput(byte[] input) {
      for (int i = 0; i < WORD.length(); i++) {
        if (input.length <= i || input[i] != WORD.charAt(i)) {
          return;
        }
      }
      Finding.unless(false, () -> "planted");
    }
  }

  static List<FuzzRun.Budget> budgets() {
    return List.of(
        new FuzzRun.Budget(Duration.ofSeconds(60), 0, SEED),
        new FuzzRun.Budget(Duration.ZERO, 5_000_000, SEED));
  }

  @ParameterizedTest
  @MethodSource("budgets")
  void aDefectThatIsPlantedIsFound(FuzzRun.Budget budget) throws IOException, InterruptedException {
    FuzzRun run = FuzzRun.of("planted", Planted.class, List.of(), budget);

    assertThat(run.finding()).hasValueSatisfying(it -> assertThat(it).contains("planted"));
  }
}

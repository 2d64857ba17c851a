package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.ReleaseProof;
import io.csi4j.volume.model.ClaimStanding;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds docs/claims.md to what really compiles, runs and is there. */
class ClaimsPageTest {

  private static final Path PROGRAM =
      Page.ROOT.resolve("examples/src/main/java/io/csi4j/examples/MoveVolume.java");
  private static final Page PAGE = Page.of("docs/claims.md", "ClaimsSnippets.java");

  @TempDir Path directory;

  @Test
  void theProgramOnThePageRunsAndPrintsWhatThePageShows() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();

    MoveVolume.move(directory, new PrintStream(out, true, StandardCharsets.UTF_8));

    String printed = out.toString(StandardCharsets.UTF_8);
    String program = Files.readString(PROGRAM);
    String shown = program.substring(program.indexOf("/**"));
    if (Page.regenerating()) {
      PAGE.regenerate(Map.of("file: MoveVolume.java", shown, "output of MoveVolume", printed));
    }
    assertThat(PAGE.javaBlocks()).as(PAGE.stale()).containsEntry("file: MoveVolume.java", shown);
    assertThat(PAGE.text("output of MoveVolume")).as(PAGE.stale()).isEqualTo(printed.strip());
  }

  @Test
  void thePictureHasEveryStateOfAClaimInItsOrder() throws IOException {
    String picture = PAGE.blocks("mermaid").get(0).group(3);
    assertThat(
            picture
                .lines()
                .skip(2) // its head, and the way into the first state
                .map(arrow -> arrow.strip().replaceFirst(" .*", ""))
                .distinct())
        .containsExactly(
            Arrays.stream(ClaimHolder.State.values()).map(Enum::name).toArray(String[]::new));
  }

  @Test
  void everyStateOfAClaimHasARow() throws IOException {
    String page = Files.readString(PAGE.file());

    assertThat(Arrays.stream(ClaimHolder.State.values()).map(Enum::name))
        .allSatisfy(name -> assertThat(page).contains("\n| `" + name + "`"));
  }

  @ParameterizedTest
  @ValueSource(classes = {ClaimProgress.class, ClaimStanding.class, ReleaseProof.class})
  void everyKindHasARow(Class<?> sealed) throws IOException {
    String page = Files.readString(PAGE.file());

    assertThat(Arrays.stream(sealed.getPermittedSubclasses()).map(Class::getSimpleName))
        .allSatisfy(name -> assertThat(page).contains("\n| `" + name + "`"));
  }
}

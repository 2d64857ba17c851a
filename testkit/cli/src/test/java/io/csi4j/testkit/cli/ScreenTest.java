package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScreenTest {

  @Test
  void theWidthIsThatOfTheVariableOrElseOfTheTerminal() {
    assertThat(Screen.of(Map.of("COLUMNS", "80"), () -> 120).width().getAsInt()).isEqualTo(80);
    assertThat(Screen.of(Map.of("COLUMNS", "0"), () -> 120).width().getAsInt()).isEqualTo(120);
    assertThat(Screen.of(Map.of("COLUMNS", "wide"), () -> 120).width().getAsInt()).isEqualTo(120);
    assertThat(Screen.of(Map.of(), () -> 120).width().getAsInt()).isEqualTo(120);
    assertThat(Screen.NONE.width().getAsInt()).isEqualTo(Screen.UNLIMITED);
  }

  @Test
  void coloursAreForTerminalsThatKnowThemAndPeopleWhoWantThem() {
    Map<String, String> xterm = Map.of("TERM", "xterm");

    assertThat(Screen.of(xterm, () -> 80).coloured()).isTrue();
    assertThat(Screen.of(Map.of("TERM", "xterm", "NO_COLOR", ""), () -> 80).coloured()).isTrue();
    assertThat(Screen.of(Map.of("TERM", "xterm", "NO_COLOR", "1"), () -> 80).coloured()).isFalse();
    assertThat(Screen.of(Map.of("TERM", "dumb"), () -> 80).coloured()).isFalse();
    assertThat(Screen.of(Map.of(), () -> 80).coloured()).isFalse();
    assertThat(Screen.NONE.coloured()).isFalse();
  }

  private static TextTable table() {
    return new TextTable("PATH", "TYPE", "FLAGS")
        .row("/var/lib/volumes/v/6wsd3k2m5q/s", "ext4", "rw,nosuid,nodev,relatime")
        .row("/", "overlay", "rw");
  }

  @Test
  void aTableThatIsTooWideGoesOnInFurtherLinesAndLosesNothing() {
    assertThat(table().lines(Screen.UNLIMITED))
        .containsExactly(
            "PATH                             TYPE     FLAGS",
            "/var/lib/volumes/v/6wsd3k2m5q/s  ext4     rw,nosuid,nodev,relatime",
            "/                                overlay  rw");
    assertThat(table().lines(66)).isEqualTo(table().lines(Screen.UNLIMITED));
    assertThat(table().lines(40))
        .containsExactly(
            "PATH         TYPE     FLAGS",
            "/var/lib/volumes/v/6wsd3k2m5q/s",
            "             ext4     rw,nosuid,nodev,",
            "                      relatime",
            "/            overlay  rw");
    assertThat(table().lines(1))
        .startsWith("PATH  TYPE  FLAGS", "/var/lib/volumes/v/6wsd3k2m5q/s", "      ext4  rw,");
    assertThat(new TextTable("A", "B").row("a", "x".repeat(50)).lines(23))
        .containsExactly(
            "A  B", "a  " + "x".repeat(20), "   " + "x".repeat(20), "   " + "x".repeat(10));
  }

  @Test
  void theHeadingOfATableIsBoldOnATerminal() {
    StringWriter out = new StringWriter();
    PrintWriter printed = new PrintWriter(out);

    new TextTable("A", "B")
        .row("1", "2")
        .print(new Console(printed, printed, false, new Screen(() -> 80, true)));

    assertThat(out.toString()).isEqualToNormalizingNewlines("\u001b[1mA  B\u001b[0m\n1  2\n");
  }

  /** A terminal of 64 columns, on which a person runs the program. */
  @Test
  void theProgramAsksItsTerminalForTheWidth(@TempDir Path directory) throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "there is no script(1)");
    String program =
        "stty cols 64; exec '"
            + ChildProcess.tool("java")
            + "' -XX:TieredStopAtLevel=1 -cp '"
            + System.getProperty("java.class.path")
            + "' "
            + Main.class.getName()
            + " plugin call --list";
    Path file = Files.writeString(directory.resolve("program"), program);
    Map<String, String> plain = Map.of("TERM", "xterm", "NO_COLOR", "1", "COLUMNS", "");

    try (ChildProcess terminal =
        ChildProcess.start(
            directory, plain, List.of("script", "-qec", "sh " + file, "/dev/null"))) {
      assertThat(terminal.code()).as(terminal.out()).isZero();
      assertThat(terminal.out().lines())
          .allMatch(line -> line.length() <= 64)
          .containsSequence(
              "ValidateVolumeCapabilities      controller  validating the",
              "                                            capabilities of",
              "                                            volume");
    }
  }
}

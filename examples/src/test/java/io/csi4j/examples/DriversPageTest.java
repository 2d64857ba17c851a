package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Holds the habits on docs/drivers.md to those that there are, and to tests that show them; and the
 * rows of testing/drivers to their form.
 */
class DriversPageTest {

  private static final Pattern ROW =
      Pattern.compile(
          "(?m)^\\| `([A-Z_]+)` \\| (yes|no) \\| [^|]+ \\| `([\\w.]+)(?:\\(\\))?` \\|$");

  /** A row of testing/drivers: day, program, commit, language, result, found, whose, command. */
  private static final Pattern RUN =
      Pattern.compile(
          "(?m)^\\| (20\\d\\d-[^|]*) \\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\| ([^|]+)"
              + " \\| ([^|]+) \\| `([^|`]+)` \\|$");

  private static final Set<String> FIXERS =
      Set.of("nobody", "the driver", "csi-sanity", "csi4j", "CSI");

  private static List<MatchResult> runs() throws IOException {
    return RUN.matcher(Files.readString(Page.ROOT.resolve("docs/drivers.md"))).results().toList();
  }

  @Test
  void eachRunOfAProgramSaysWhatWasRunAndWhoseTheFindingsAre() throws IOException {
    assertThat(runs()).isNotEmpty();
    for (MatchResult run : runs()) {
      assertThat(run.group(1)).as(run.group()).matches("20\\d\\d-\\d\\d-\\d\\d");
      assertThat(run.group(3)).as(run.group()).matches("[0-9a-f]{12}");
      assertThat(run.group(4)).as(run.group()).matches("[A-Z]\\w+(, CSI 1\\.\\d+)?");
      assertThat(run.group(7).split(", ", -1)).as(run.group()).isSubsetOf(FIXERS);
      assertThat(run.group(7).equals("nobody"))
          .as(run.group())
          .isEqualTo(run.group(6).equals("nothing"));
      assertThat(run.group(8))
          .as(run.group())
          .startsWith("testing/drivers ")
          .doesNotContainPattern(" [~/]");
    }
  }

  @Test
  void aRunOfAKnownProgramNamesIt() throws IOException {
    List<String> known =
        Files.readAllLines(Page.ROOT.resolve("testing/drivers.tsv")).stream()
            .filter(line -> !line.startsWith("#"))
            .map(line -> line.split("\t", -1)[0])
            .toList();
    assertThat(known).doesNotHaveDuplicates().contains("host-path", "csi-sanity");
    for (MatchResult run : runs()) {
      String name = run.group(8).split(" ", -1)[1];
      assertThat(run.group(8).contains(" --command ") || known.contains(name))
          .as(run.group())
          .isTrue();
      assertThat(run.group(2)).as(run.group()).startsWith(name);
    }
  }

  @Test
  void aRunAddsItsRowOnceBelowTheOthers() throws Exception {
    Matcher insertion =
        Pattern.compile("(?s)ROW=\\$line awk '(.+?)' \"\\$checkout/docs/drivers.md\"")
            .matcher(Files.readString(Page.ROOT.resolve("testing/drivers")));
    assertThat(insertion.find()).isTrue();
    ProcessBuilder awk =
        new ProcessBuilder(
            "awk", insertion.group(1), Page.ROOT.resolve("docs/drivers.md").toString());
    awk.environment().put("ROW", "| the new row |");
    Process process = awk.start();
    List<String> lines =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
            .lines()
            .toList();

    assertThat(process.waitFor()).isZero();
    assertThat(lines).containsOnlyOnce("| the new row |");
    assertThat(lines.get(lines.indexOf("| the new row |") - 1))
        .isEqualTo(runs().get(runs().size() - 1).group());
  }

  private static List<MatchResult> rows() throws IOException {
    return ROW.matcher(Files.readString(Page.ROOT.resolve("docs/drivers.md"))).results().toList();
  }

  @Test
  void everyQuirkIsListedAsWhatItIs() throws IOException {
    assertThat(rows().stream().map(row -> row.group(1) + " " + row.group(2)))
        .containsExactlyElementsOf(
            Arrays.stream(Quirk.values())
                .map(quirk -> quirk + (quirk.lawful() ? " yes" : " no"))
                .toList());
  }

  @Test
  void theTestThatIsNamedForAQuirkUsesIt() throws IOException {
    for (MatchResult row : rows()) {
      Quirk quirk = Quirk.valueOf(row.group(1));
      if (row.group(3).equals("PluginShape.csiSanity")) {
        assertThat(PluginShape.csiSanity().quirks()).contains(quirk);
      } else {
        assertThat(source(row.group(3))).as(row.group()).containsAnyOf(quirk.name(), camel(quirk));
      }
    }
  }

  private static String source(String test) throws IOException {
    for (String module : PublishedModules.modules()) {
      Path tests = Page.ROOT.resolve(module).resolve("src/test/java");
      if (Files.isDirectory(tests)) {
        try (Stream<Path> files = Files.walk(tests)) {
          Path found = files.filter(file -> file.endsWith(test + ".java")).findFirst().orElse(null);
          if (found != null) {
            return Files.readString(found);
          }
        }
      }
    }
    throw new AssertionError("There is no test " + test);
  }

  /** The factory of a shape with this quirk, where it has one. */
  private static String camel(Quirk quirk) {
    return quirk == Quirk.SEPARATE_SOCKETS ? "separateSockets" : quirk.name();
  }
}

package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds the habits on docs/drivers.md to those that there are, and to tests that show them. */
class DriversPageTest {

  private static final Pattern ROW =
      Pattern.compile(
          "(?m)^\\| `([A-Z_]+)` \\| (yes|no) \\| [^|]+ \\| `([\\w.]+)(?:\\(\\))?` \\|$");

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

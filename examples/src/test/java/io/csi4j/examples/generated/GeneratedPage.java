package io.csi4j.examples.generated;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The files of generated pages: the lists of their rows, and the pages themselves. */
final class GeneratedPage {

  static final Path ROOT =
      Path.of(System.getProperty("csi4j.root", ".")).toAbsolutePath().normalize();

  private static final Path LISTS =
      ROOT.resolve("examples/src/test/resources/io/csi4j/examples/generated");

  private GeneratedPage() {}

  /** Returns the cells of each row of a list. */
  static List<String[]> rows(String list, int cells) throws IOException {
    return Files.readAllLines(LISTS.resolve(list)).stream()
        .filter(line -> !line.isBlank() && !line.startsWith("#"))
        .map(line -> line.split(" \\| ", cells))
        .toList();
  }

  /** Fails unless the page has this text; writes it first if pages are regenerated. */
  static void isFresh(String page, String text) throws IOException {
    Path file = ROOT.resolve("docs").resolve(page);
    if (Boolean.getBoolean("csi4j.regenerate")) {
      Files.writeString(file, text);
    }
    assertThat(file)
        .as("docs/%s is stale; run this test with -Dcsi4j.regenerate=true", page)
        .content()
        .isEqualTo(text);
  }
}

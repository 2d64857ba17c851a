package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Holds docs/csi-releases.md to tests that exist: each cell that claims something names one. */
class CsiReleasesPageTest {

  private static final Path ROOT = Path.of(System.getProperty("csi4j.root", ".")).toAbsolutePath();
  private static final Pattern LINK = Pattern.compile("\\[(\\w+)\\.(\\w+)]\\(\\.\\./([^)]+)\\)");
  private static final int CELLS = 5;

  private static String page() throws IOException {
    return Files.readString(ROOT.resolve("docs/csi-releases.md"));
  }

  /** The cells of each release: release, what it brought, use, older plugin, newer plugin. */
  private static List<List<String>> rows(String page) {
    return page.lines()
        .filter(line -> line.startsWith("| 1."))
        .map(line -> Arrays.stream(line.substring(1).split("\\|", -1)).map(String::strip).toList())
        .map(cells -> cells.subList(0, cells.size() - 1))
        .toList();
  }

  /** The cells that claim something, and name no test. */
  private static List<String> unshown(String page) {
    List<String> unshown = new ArrayList<>();
    for (List<String> row : rows(page)) {
      for (int cell = 2; cell < row.size(); cell++) {
        boolean isNeeded = cell < CELLS - 1 || !row.get(cell).equals("-");
        if (isNeeded && !LINK.matcher(row.get(cell)).find()) {
          unshown.add(row.get(0) + ", cell " + cell);
        }
      }
    }
    return unshown;
  }

  /** The tests that the page names, and that are not where it says. */
  private static List<String> missing(String page) throws IOException {
    List<String> missing = new ArrayList<>();
    Matcher link = LINK.matcher(page);
    while (link.find()) {
      Path file = ROOT.resolve(link.group(3));
      boolean isThere =
          file.endsWith(link.group(1) + ".java")
              && Files.exists(file)
              && isTest(Files.readString(file), link.group(2));
      if (!isThere) {
        missing.add(link.group());
      }
    }
    return missing;
  }

  /** Whether a source has a test of this name. */
  private static boolean isTest(String source, String name) {
    int method = source.indexOf(" void " + name + "(");
    if (method < 0) {
      return false;
    }
    String before = source.substring(0, method);
    String head = before.substring(Math.max(before.lastIndexOf("\n  }\n"), 0));
    return head.contains("@Test") || head.contains("@ParameterizedTest");
  }

  @Test
  void everyReleaseHasARowOfFiveCells() throws IOException {
    assertThat(rows(page())).allSatisfy(row -> assertThat(row).hasSize(CELLS));
    assertThat(rows(page()).stream().map(row -> row.get(0)))
        .containsExactlyElementsOf(IntStream.rangeClosed(0, 13).mapToObj(i -> "1." + i).toList());
  }

  @Test
  void everyClaimNamesATestThatExists() throws IOException {
    assertThat(unshown(page())).isEmpty();
    assertThat(missing(page())).isEmpty();
  }

  @Test
  void aCellWithoutATestAndATestThatDoesNotExistAreFound() throws IOException {
    String here = "csi-client/client/src/test/java/io/csi4j/client/CsiReleasesTest.java";
    String good = "[CsiReleasesTest.statisticsOfTheFirstReleaseTellNoCondition](../" + here + ")";
    String noTest = "[CsiReleasesTest.connectTo](../" + here + ")";
    String noMethod = "[CsiReleasesTest.nothing](../" + here + ")";
    String noFile = "[CsiReleasesTest.x](../x/CsiReleasesTest.java)";
    String otherFile = "[OtherTest.statisticsOfTheFirstReleaseTellNoCondition](../" + here + ")";

    assertThat(unshown("| 1.0 | new | " + good + " | " + good + " | - |")).isEmpty();
    assertThat(unshown("| 1.0 | new | used | - | so |"))
        .containsExactly("1.0, cell 2", "1.0, cell 3", "1.0, cell 4");
    assertThat(missing(good)).isEmpty();
    assertThat(missing(noTest + noMethod + noFile + otherFile))
        .containsExactly(noTest, noMethod, noFile, otherFile);
  }
}

package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands on the page about performance by which a host starts faster, run as they stand. */
@Tag("packaged")
class FasterStartTest {

  private static final Path JAR = Path.of(System.getProperty("csi4j.jar", "none"));
  private static final Path PAGE =
      Path.of(System.getProperty("csi4j.root", "."), "docs/performance.md");
  private static final int FEATURE = Runtime.version().feature();

  /** From which version of Java on a JVM knows the options of a block. */
  private static final Pattern BLOCK =
      Pattern.compile("\\nJava (\\d+) and (\\d+|newer)[^`]*?:\\n\\n```sh\\n([^`]*)```");

  @TempDir private Path directory;

  /**
   * Some commands.
   *
   * @param from the oldest Java that they are for
   * @param commands one a line
   */
  private record Way(int from, List<String> commands) {}

  private static List<Way> ways() throws Exception {
    List<Way> ways = new ArrayList<>();
    Matcher block = BLOCK.matcher(Files.readString(PAGE));
    while (block.find()) {
      ways.add(new Way(Integer.parseInt(block.group(1)), block.group(3).lines().toList()));
    }
    return ways;
  }

  @Test
  void eachWayThatThisJvmKnowsTakesItsClassesFromTheArchiveTheSecondTime() throws Exception {
    assertThat(ways()).extracting(Way::from).containsExactly(17, 19, 25);
    for (Way way : ways()) {
      assertThat(way.commands()).hasSize(2);
      if (way.from() <= FEATURE) {
        List<String> none = run(way.commands().get(0), "-Xlog:class+unload");
        Path log = directory.resolve("loaded");
        List<String> said = run(way.commands().get(1), "-Xlog:class+load:file=" + log);
        assertThat(none).as("%s", way).contains(said.get(0));
        assertThat(Files.readAllLines(log))
            .as("%s", way)
            .filteredOn(line -> line.contains(" io.csi4j."))
            .filteredOn(line -> line.contains("shared objects file"))
            .hasSizeGreaterThan(50);
      }
    }
  }

  /** Runs a command of the page with one option more, and returns what it printed. */
  private List<String> run(String line, String option) throws Exception {
    List<String> command = new ArrayList<>();
    for (String word : List.of(line.split(" ", -1))) {
      command.add(
          word.equals("java")
              ? ChildProcess.tool("java")
              : word.equals("host.jar")
                  ? JAR.toString()
                  : word.replaceFirst(
                      "=host\\.", "=" + Matcher.quoteReplacement(directory + "/h.")));
    }
    command.add(1, option);
    command.add("--version");
    try (ChildProcess host = ChildProcess.start(directory, Map.of(), command)) {
      assertThat(host.code()).as(host.err()).isZero();
      return host.out().lines().toList();
    }
  }
}

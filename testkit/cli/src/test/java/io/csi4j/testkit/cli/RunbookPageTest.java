package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.catalog.VolumeChange;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the commands of docs/runbook.md, and looks up its codes and metrics. */
class RunbookPageTest {

  private static final Path DOCS = Path.of(System.getProperty("csi4j.root", "."), "docs");

  /** Prints the words that a shell makes of command lines, one a line. */
  private static final String WORDS =
      """
      csi4j() { printf '%s\\n' csi4j "$@"; }
      """;

  private static final Pattern COMMANDS = Pattern.compile("(?s)```sh\n(.*?)```");
  private static final Pattern CODE = Pattern.compile("`(?:CSI-\\d+ )?([A-Z]+_[A-Z_]+[A-Z])`");
  private static final Pattern METRIC = Pattern.compile("`(csi4j(?:\\.[a-z]+)+)`");

  @TempDir Path temp;

  private static String page() throws IOException {
    return Files.readString(DOCS.resolve("runbook.md"));
  }

  /** The words of each command of the program, as a shell with these variables makes them. */
  private List<List<String>> commands(ManagedDirectory world) throws Exception {
    StringBuilder lines =
        new StringBuilder(WORDS)
            .append("STORE='--directory " + world.claims() + "'\n")
            .append("DIR='" + world.root() + "'\n")
            .append("SOCKET='" + world.endpoint() + "'\n");
    for (MatchResult block : COMMANDS.matcher(page()).results().toList()) {
      block
          .group(1)
          .lines()
          .filter(line -> line.startsWith("csi4j "))
          .forEach(line -> lines.append(line).append('\n'));
    }
    List<List<String>> commands = new ArrayList<>();
    for (String word : ChildProcess.run(temp, List.of("/bin/sh", "-c", lines.toString()))) {
      if (word.equals("csi4j")) {
        commands.add(new ArrayList<>());
      } else {
        commands.get(commands.size() - 1).add(word.equals("/mnt/data") ? "/proc" : word);
      }
    }
    return commands;
  }

  @Test
  void everyCommandRuns() throws Exception {
    try (ManagedDirectory world = ManagedDirectory.open(temp)) {
      List<List<String>> commands = commands(world);
      assertThat(commands).hasSizeGreaterThan(25);
      for (List<String> words : commands) {
        run(words.stream().map(word -> word.replace("report.zip", temp + "/report.zip")).toList());
      }
    }
  }

  /** A command that finds something that is not well ends with 1. */
  private static void run(List<String> words) {
    String[] args = words.toArray(String[]::new);
    boolean runsOn = words.subList(0, 2).equals(List.of("plugin", "watch"));
    try (Run run = runsOn ? Run.serving(args) : Run.of(args)) {
      if (runsOn) {
        run.awaitOut();
        run.end();
      }
      assertThat(run.code()).as("%s%n%s%s", words, run.out(), run.err()).isIn(0, 1);
    }
  }

  @Test
  void everyCodeIsOneOfThisVersion() throws IOException {
    Set<String> known =
        Stream.of(
                OperatorCode.values(),
                ClaimHolder.State.values(),
                VolumeException.Outcome.values(),
                VolumeChange.Progress.values())
            .flatMap(Arrays::stream)
            .map(Enum::name)
            .collect(Collectors.toSet());
    Set<String> shown = new TreeSet<>();
    CODE.matcher(page()).results().forEach(code -> shown.add(code.group(1)));
    assertThat(shown).hasSizeGreaterThan(60).isSubsetOf(known);
  }

  @Test
  void everyMetricIsOnThePageOfMetrics() throws IOException {
    String metrics = Files.readString(DOCS.resolve("metrics.md"));
    Set<String> shown = new TreeSet<>();
    METRIC.matcher(page()).results().forEach(metric -> shown.add(metric.group(1)));
    assertThat(shown)
        .hasSizeGreaterThan(5)
        .allSatisfy(name -> assertThat(metrics).contains("| `" + name + "` |"));
  }
}

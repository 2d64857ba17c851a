package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.campaign.PlayedInShares;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import io.csi4j.volume.claim.etcd.EtcdTest;
import io.csi4j.volume.claim.jdbc.PostgresTest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The program of the quickstart for clusters, with processes that are killed and real mounts. */
@MountTest
class ClusterQuickstartTest {

  private static final Path HOST =
      Page.ROOT.resolve("examples/src/main/java/io/csi4j/examples/cluster/Host.java");
  private static final Page PAGE = Page.of("docs/cluster.md", "ClusterQuickstartTest.java");

  /** The whole output, on an etcd. The page shows a part of it. */
  private static final Path STORY =
      Page.ROOT.resolve("examples/src/test/resources/io/csi4j/examples/cluster-story.txt");

  private static final Path TOLD_IN = Path.of("/tmp/csi4j.a1B2c3");

  /** The line that differs by store. */
  private static final Pattern STORE = Pattern.compile(" *[0-9.]+ s  store  ");

  /** The lines that differ where one control plane runs at a time. */
  private static final Pattern PLANES = Pattern.compile(" *[0-9.]+ s  planes  ");

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(Path directory, String store) {
    return ClusterQuickstart.run(
        new String[] {directory.toString(), store},
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8),
        Patience.forStarts(Duration.ofSeconds(2)));
  }

  @Tag("campaign")
  @EtcdTest
  @Test
  void onEtcdItTellsTheStoryAndLeavesNothing(Scratch scratch) throws IOException {
    tellsTheStoryAndLeavesNothing(scratch.file("show"), "etcd", line -> true);
  }

  @Tag("campaign")
  @PlayedInShares
  @PostgresTest
  @Test
  void onPostgresqlItTellsTheStoryAndLeavesNothing(Scratch scratch) throws IOException {
    tellsTheStoryAndLeavesNothing(
        scratch.file("show"), "postgresql", line -> !STORE.matcher(line).lookingAt());
    assertThat(text(out)).containsPattern("store   PostgreSQL, process \\d+, at 127.0.0.1:\\d+\n");
  }

  @Tag("campaign")
  @PlayedInShares
  @Test
  void inADirectoryItTellsTheStoryWithOneControlPlaneAtATimeAndLeavesNothing(Scratch scratch)
      throws IOException {
    tellsTheStoryAndLeavesNothing(
        scratch.file("show"),
        "directory",
        line -> !STORE.matcher(line).lookingAt() && !PLANES.matcher(line).lookingAt());
    assertThat(text(out))
        .contains(
            "store   a directory (--store directory): one process at a time can open it, so only"
                + " one control plane runs\n")
        .containsPattern("planes  cp-1 is process \\d+; ready after \\d+ ms\n");
  }

  private void tellsTheStoryAndLeavesNothing(
      Path directory, String store, Predicate<String> isInTheStory) throws IOException {
    assertThat(run(directory, store)).as("%s%s", text(err), logs(directory)).isZero();

    assertThat(plain(text(out), directory, isInTheStory))
        .as("cluster-story.txt; its figures and numbers may be others")
        .isEqualTo(plain(Files.readString(STORY), TOLD_IN, isInTheStory));
    assertThat(text(err)).isEmpty();
    assertThat(Scratch.rows("self")).filteredOn(row -> row.contains("" + directory)).isEmpty();
    assertThat(ProcessHandle.allProcesses().filter(each -> isOf(each, directory))).isEmpty();
  }

  @Test
  void thePageShowsLinesOfTheStoryInTheirOrder() throws IOException {
    List<String> shown = PAGE.text("output of the cluster").lines().map(String::strip).toList();
    assertThat(shown).hasSizeGreaterThan(10);
    assertThat(Files.readString(STORY).lines().map(String::strip)).containsSubsequence(shown);
  }

  @Test
  void aStoreThatDoesNotExistIsNamedWithThoseThatDo(Scratch scratch) {
    assertThat(run(scratch.file("show"), "mysql")).isEqualTo(2);
    assertThat(text(err))
        .startsWith("The store is 'mysql'. Use etcd, postgresql, directory or first.\n")
        .contains("Usage: ClusterQuickstart PATH STORE");
  }

  @Test
  void theHostIsOneFileOfAtMostAHundredAndFiftyLinesThatThePageShows() throws IOException {
    String host = Files.readString(HOST);
    String shown = host.substring(host.indexOf("/**"));
    if (Page.regenerating()) {
      PAGE.regenerate(Map.of("file: Host.java", shown));
    }
    assertThat(host.lines().count()).isLessThanOrEqualTo(150);
    assertThat(PAGE.javaBlocks()).as(PAGE.stale()).containsEntry("file: Host.java", shown);
  }

  /** Whether a process has the directory in its arguments, as each of the show does. */
  private static boolean isOf(ProcessHandle process, Path directory) {
    try {
      byte[] arguments = Files.readAllBytes(Path.of("/proc/" + process.pid() + "/cmdline"));
      return new String(arguments, StandardCharsets.UTF_8).contains(directory + "/");
    } catch (IOException ended) {
      return false;
    }
  }

  /** What was printed, without what is different each time. */
  private static List<String> plain(String text, Path directory, Predicate<String> isInTheStory) {
    return text.lines()
        .filter(isInTheStory)
        .map(line -> line.replace(directory.toString(), "DIR"))
        .map(line -> line.replaceAll("^ *\\d+\\.\\d s", "T s"))
        .map(line -> line.replaceAll("(after|in) \\d+\\.\\d s", "$1 T s"))
        .map(line -> line.replaceAll("\\d+ ms", "N ms"))
        .map(line -> line.replaceAll("process \\d+", "process N"))
        .map(line -> line.replaceAll("127\\.0\\.0\\.1:\\d+", "127.0.0.1:PORT"))
        .map(line -> line.replaceAll("/[a-z2-7]{26}(?=/)", "/HASH"))
        .toList();
  }

  /** The error output of each host, for a failure. */
  private static String logs(Path directory) throws IOException {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path log : files.filter(file -> file.toString().endsWith(".log")).sorted().toList()) {
        all.append('\n').append(log).append('\n').append(Files.readString(log));
      }
    }
    return all.toString();
  }

  private static String text(ByteArrayOutputStream bytes) {
    return bytes.toString(StandardCharsets.UTF_8);
  }
}

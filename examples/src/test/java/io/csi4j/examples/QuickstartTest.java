package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The program of the quickstart, with a host that is really killed and real mounts. */
@MountTest
class QuickstartTest {

  private static final Page README = Page.of("README.md", "QuickstartTest.java");

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @Test
  void itTellsOfEachStepInOrderAndLeavesNothing(Scratch scratch) {
    assertThat(run(scratch.file("show").toString())).as(text(err)).isZero();

    String root = scratch.file("show").toString();
    String target = "                 " + root + "/volumes/v/HASH/p/HASH/t";
    assertThat(shown())
        .containsExactly(
            "A volume for two workloads, and two crashes. Everything is in " + root + ".",
            "",
            "T s  plugin  hostpath.csi4j.example, process N, listens at unix://"
                + root
                + "/csi/csi.sock",
            "T s  plugin  created a volume: ID",
            "T s  host    process N opened a manager in N ms, with nothing on record",
            "T s  host    mounted the volume for web-1 in N ms:",
            target,
            "T s  web-1   wrote notes.txt, reads it back, and keeps it open:"
                + " \"written before the crash\"",
            "T s  crash   process N was killed (SIGKILL); it unmounted nothing",
            "T s  web-1   wrote to the file that it holds open: no error",
            "T s  host    another manager, here in process N, adopted [default/notes by web-1] in"
                + " N ms, asking no plugin",
            "T s  web-1   is mounted where it was, and reads: \"written before the crash\","
                + " \"written while nobody managed the volume\"",
            "T s  crash   the plugin was killed (SIGKILL) after T s",
            "T s  web-1   has its volume as ever: \"written without a plugin\"",
            "T s  plugin  was started again, as process N, and is ready after N ms",
            "T s  host    mounted it for web-2 in N ms:",
            target,
            "T s  web-2   reads what web-1 wrote, and writes more.txt",
            "T s  web-1   reads it: \"hello from web-2\"",
            "T s  host    unmounted it for web-1 in N ms: another workload has it still",
            "T s  host    unmounted it for web-2 in N ms: the last, so it was unstaged",
            "T s  left    0 mounts, 0 directories of volumes; in the journal 0 volumes, and 1"
                + " tombstone",
            "T s  plugin  deleted the volume",
            "",
            "Done in T s: nothing is left.");
    assertThat(text(err)).isEmpty();
    assertThat(Scratch.rows("self")).filteredOn(row -> row.contains(root)).isEmpty();
  }

  @Test
  void whatStandsInTheWayIsToldInOneLine(Scratch scratch) {
    scratch.file("show/csi/csi.sock", "not a socket");

    assertThat(run(scratch.file("show").toString())).isEqualTo(1);
    assertThat(text(err).lines()).singleElement().asString().contains("csi.sock");
  }

  @Tag("campaign")
  @Test
  void theReadmeShowsWhatItPrints(Scratch scratch) throws IOException {
    String root = scratch.file("show").toString();
    assertThat(run(root)).as(text(err)).isZero();

    // The page leaves lines out, each time with a line of three dots.
    assertThat(plain(text(out)))
        .as("the lines of the page")
        .containsSubsequence(
            plain(README.text("output of the quickstart")).stream()
                .filter(line -> !line.equals("…"))
                .toList());
  }

  private int run(String directory) {
    return Quickstart.run(
        new String[] {directory},
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8),
        Patience.forStarts(Duration.ZERO));
  }

  /** What was printed, without what is different each time. */
  private List<String> shown() {
    return plain(text(out));
  }

  private static List<String> plain(String text) {
    return text.lines()
        .map(line -> line.replaceAll("^ *\\d+\\.\\d s", "T s"))
        .map(line -> line.replaceAll("after \\d+\\.\\d s", "after T s"))
        .map(line -> line.replaceAll("Done in \\d+\\.\\d s", "Done in T s"))
        .map(line -> line.replaceAll("\\d+ ms", "N ms"))
        .map(line -> line.replaceAll("process \\d+", "process N"))
        .map(line -> line.replaceAll("created a volume: \\S+", "created a volume: ID"))
        .map(line -> line.replaceAll("/[a-z2-7]{26}(?=/)", "/HASH"))
        .toList();
  }

  private static String text(ByteArrayOutputStream bytes) {
    return bytes.toString(StandardCharsets.UTF_8);
  }
}

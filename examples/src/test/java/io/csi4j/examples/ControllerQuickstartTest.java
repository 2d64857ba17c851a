package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of the quickstart for controllers. */
class ControllerQuickstartTest {

  @TempDir Path directory;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run() {
    return ControllerQuickstart.run(
        new String[] {directory.toString()},
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  @Test
  void itTellsOfEachStepInOrderAndLeavesNothing() {
    assertThat(run()).as(err.toString(StandardCharsets.UTF_8)).isZero();

    assertThat(shown())
        .containsExactly(
            "A volume and its storage system. Everything is in " + directory + ".",
            "",
            LocalEtcd.program().isPresent()
                ? "T s  claims  are in an etcd at http://127.0.0.1:PORT"
                : "T s  claims  are on disk, as there is no etcd on the PATH",
            "T s  storage fake.csi4j.example listens at unix://" + directory + "/csi/csi.sock",
            "T s  host    could have it on [n1, n2], the best first",
            "T s  host    created default/notes in N ms",
            "                 ID, 16777216 bytes, [{zone=a}]",
            "T s  host    the same request again finds it, without a call",
            "T s  web-1   claimed it on node n1 and had it attached in N ms",
            "                 [Attached[volume=ID, node=node-1]], epoch 1",
            "T s  web-2   may not have it on n2: CSI-801 CLAIM_HELD_BY",
            "T s  web-2   could have it nowhere:",
            "                 n1: CSI-801 CLAIM_HELD_BY",
            "                 n2: CSI-533 TOPOLOGY_MISMATCH, CSI-801 CLAIM_HELD_BY",
            "T s  host    may not delete it: CSI-934 VOLUME_CLAIMED",
            "T s  web-1   gave it back; it stays attached until n1 has nothing of it mounted",
            "T s  n1      proved that, and it was detached in N ms",
            "T s  host    cut a snapshot, and the application goes on in N ms",
            "T s  host    has it on record until it is kept: [default/notes]",
            "T s  host    waited until it was ready, and noted it in N ms",
            "T s  host    restored default/copy where n2 is in N ms",
            "                 ID, [{zone=b}]",
            "T s  host    deleted the snapshot in N ms",
            "T s  frame-7 acquired default/render/frame-7/scratch on node n1 in N ms",
            "T s  frame-7 ended, and its volume with it in N ms",
            "T s  host    grew default/notes to 64 MiB in N ms",
            "T s  host    remembers that the node has to follow: at least 67108864 bytes",
            "T s  host    deleted default/copy in N ms",
            "T s  host    deleted default/notes in N ms",
            "T s  left    0 volumes, 0 snapshots, 0 attachments; on record 0 volumes",
            "",
            "Done in T s: nothing is left.");
    assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
  }

  @Test
  void whatStandsInTheWayIsToldInOneLine() throws Exception {
    Files.writeString(directory.resolve("volumes"), "not a directory");
    assertThat(run()).isEqualTo(1);
    assertThat(err.toString(StandardCharsets.UTF_8).lines())
        .singleElement()
        .asString()
        .contains(directory.resolve("volumes").toString());
  }

  /** What was printed, without what is different each time. */
  private List<String> shown() {
    return out.toString(StandardCharsets.UTF_8)
        .lines()
        .map(line -> line.replaceAll("^ *\\d+\\.\\d s", "T s"))
        .map(line -> line.replaceAll("Done in \\d+\\.\\d s", "Done in T s"))
        .map(line -> line.replaceAll("\\d+ ms", "N ms"))
        .map(line -> line.replaceAll("127\\.0\\.0\\.1:\\d+", "127.0.0.1:PORT"))
        .map(line -> line.replaceAll("^( {17})[^\\[ ]+, ", "$1ID, "))
        .map(line -> line.replaceAll("volume=[^,]+", "volume=ID"))
        .toList();
  }
}

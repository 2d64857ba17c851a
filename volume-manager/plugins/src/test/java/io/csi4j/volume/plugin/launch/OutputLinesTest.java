package io.csi4j.volume.plugin.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of what a process writes. */
class OutputLinesTest {

  private final List<String> lines = new ArrayList<>();
  private final HostProcesses.OutputLines output = new HostProcesses.OutputLines(20, lines::add);

  private void write(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    output.add(bytes, bytes.length);
  }

  @Test
  void linesAreCutAtTheirEndsWhateverPiecesTheyComeIn() {
    write("one\ntw");
    write("o\r");
    write("\n\nthr");
    write("ee");
    assertThat(lines).containsExactly("one", "two", "");
    output.finish();
    assertThat(lines).containsExactly("one", "two", "", "three");
    output.finish();
    assertThat(lines).hasSize(4);
  }

  @Test
  void aLetterThatComesInTwoPiecesIsWhole() {
    byte[] bytes = "grün\n".getBytes(StandardCharsets.UTF_8);
    for (byte each : bytes) {
      output.add(new byte[] {each}, 1);
    }
    assertThat(lines).containsExactly("grün");
  }

  @Test
  void whatCannotBePrintedIsEscaped() {
    write("\u001b[31mred\u0000\n");
    write("\u001b[31m\u001b[32mred\n");
    assertThat(lines)
        .containsExactly("\\u001b[31mred\\u0000", "\\u001b[31m\\u001b[32m… (13 characters in all)");
  }

  @Test
  void aLineThatIsTooLongIsCutAndSaysSo() {
    write("x".repeat(50));
    write("x".repeat(50) + "\nnext\n");
    assertThat(lines).containsExactly("x".repeat(20) + "… (100 bytes in all)", "next");
  }

  @Test
  void lastWordsFitIntoAMessageWithTheLastLineInAnyCase() {
    ProcessKeeper.LastWords words = new ProcessKeeper.LastWords(10);
    words.add("a".repeat(500));
    words.add("");
    words.add("b".repeat(500));
    assertThat(words.text()).isEqualTo("b".repeat(500));
    words.add("c");
    assertThat(words.text()).isEqualTo("b".repeat(500) + " / c");
    words.add("d".repeat(5000));
    assertThat(words.text()).isEqualTo("d".repeat(5000));
  }
}

package io.csi4j.volume.plugin.launch;

import io.csi4j.volume.internal.text.ForeignText;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Cuts bytes into lines that are fit to be shown: escaped, and none longer than a limit. Good for
 * one process and one thread.
 */
final class OutputLines {

  private final Consumer<String> line;
  private final byte[] begun;
  private int kept;
  private long length;

  /**
   * No bytes yet.
   *
   * @param limit how many bytes of a line are kept
   * @param line given each line
   */
  OutputLines(int limit, Consumer<String> line) {
    this.line = line;
    begun = new byte[limit];
  }

  void add(byte[] bytes, int count) {
    for (int i = 0; i < count; i++) {
      if (bytes[i] == '\n') {
        end();
      } else {
        if (kept < begun.length) {
          begun[kept++] = bytes[i];
        }
        length++;
      }
    }
  }

  /** No more bytes come: what has no end yet is a line too. */
  void finish() {
    if (length > 0) {
      end();
    }
  }

  private void end() {
    int end = kept > 0 && length == kept && begun[kept - 1] == '\r' ? kept - 1 : kept;
    String text = ForeignText.of(new String(begun, 0, end, StandardCharsets.UTF_8), begun.length);
    String cut = length > kept ? "… (" + length + " bytes in all)" : "";
    kept = 0;
    length = 0;
    line.accept(text + cut);
  }
}

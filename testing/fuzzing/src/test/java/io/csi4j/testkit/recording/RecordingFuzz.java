package io.csi4j.testkit.recording;

import io.csi4j.fuzz.Finding;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Recordings: the first line that is no call is named with its place, in one line; what is read
 * comes back when it is written, and its events can be judged.
 */
public final class RecordingFuzz {

  private RecordingFuzz() {}

  /** Reads the bytes as a recording. */
  public static void fuzzerTestOneInput(byte[] input) {
    List<String> lines = new String(input, StandardCharsets.UTF_8).lines().toList();
    try {
      Recording read = Recording.parse("calls", lines);
      List<String> written = read.lines();
      Finding.unless(
          Recording.parse("again", written).lines().equals(written),
          () -> "not the same again: " + written);
      Finding.unless(
          read.events().size() >= read.calls().size(), () -> "calls without an event: " + written);
    } catch (IllegalArgumentException mistake) {
      String wrong = String.valueOf(mistake.getMessage());
      Finding.unlessOneLine(wrong);
      Finding.unless(
          wrong.matches("calls:[1-9][0-9]*: no recorded call: .+"), () -> "no place: " + wrong);
    }
  }
}

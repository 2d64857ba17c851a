package io.csi4j.testkit.fault;

import io.csi4j.fuzz.Finding;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Fault scripts: each line that makes no sense is named with its place, in one line of the message;
 * a script is taken as a whole or not at all.
 */
public final class FaultScriptFuzz {

  private FaultScriptFuzz() {}

  /** Reads the bytes as a script. */
  public static void fuzzerTestOneInput(byte[] input) {
    List<String> lines = new String(input, StandardCharsets.UTF_8).lines().toList();
    try {
      FaultScript script = FaultScript.parse("script", lines);
      Finding.unless(script.rules().size() <= lines.size(), () -> "more rules than lines");
      for (String line : lines) {
        boolean isRule = !FaultScript.parse("line", List.of(line)).rules().isEmpty();
        String bare = line.strip();
        Finding.unless(
            isRule || bare.isEmpty() || bare.startsWith("#"),
            () -> "passed over without a word: " + line);
      }
    } catch (IllegalArgumentException mistakes) {
      for (String wrong : String.valueOf(mistakes.getMessage()).split(System.lineSeparator(), -1)) {
        Finding.unlessOneLine(wrong);
        String[] place = wrong.split(":", 4);
        Finding.unless(place.length == 4 && place[0].equals("script"), () -> "no place: " + wrong);
        int line = Integer.parseInt(place[1]);
        int column = Integer.parseInt(place[2]);
        Finding.unless(line >= 1 && line <= lines.size(), () -> "no such line: " + wrong);
        Finding.unless(
            column >= 1 && column <= lines.get(line - 1).length() + 1,
            () -> "no such column: " + wrong);
      }
    }
  }
}

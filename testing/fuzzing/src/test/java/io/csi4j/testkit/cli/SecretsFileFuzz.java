package io.csi4j.testkit.cli;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import io.csi4j.fuzz.Finding;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Files of secrets: a mistake is told without a word of the file, and so is what was read. */
public final class SecretsFileFuzz {

  private static final Pattern MISTAKE =
      Pattern.compile(
          "secrets:\\d+: (This line is not a secret\\. Write KEY=VALUE, or \\[OPERATION\\] above the"
              + " secrets of one operation\\.|The brackets contain no operation\\. Write one, such"
              + " as \\[CreateVolume\\]\\.)");

  private SecretsFileFuzz() {}

  /** Reads the bytes as a file of secrets. */
  public static void fuzzerTestOneInput(byte[] input) {
    List<String> lines = new String(input, StandardCharsets.UTF_8).lines().toList();
    SecretsFile file;
    try {
      file = SecretsFile.parse("secrets", lines);
    } catch (CommandFailure failure) {
      Finding.unless(failure.exitCode() == ExitCode.USAGE, () -> "exit code " + failure.exitCode());
      Finding.unless(
          MISTAKE.matcher(String.valueOf(failure.getMessage())).matches(),
          () -> "another message: " + failure.getMessage());
      return;
    }
    Finding.unless(
        file.toString().equals(SecretsFile.parse("secrets", hidden(lines)).toString()),
        () -> "its text depends on a value");
    List<String> written = new ArrayList<>();
    section(written, "", file.forAll());
    file.forOne()
        .forEach((operation, secrets) -> section(written, "[" + name(operation) + "]", secrets));
    Finding.unless(
        SecretsFile.parse("secrets", written).equals(file),
        () -> "written again it says something else");
  }

  private static String name(CsiOperation operation) {
    return operation.rpcName();
  }

  private static void section(List<String> written, String head, Secrets secrets) {
    written.add(head);
    for (Map.Entry<String, String> each : secrets.reveal().entrySet()) {
      written.add(each.getKey() + "=" + each.getValue());
    }
  }

  /** The same lines with another value for each key. */
  private static List<String> hidden(List<String> lines) {
    return lines.stream()
        .map(
            line -> {
              String bare = line.strip();
              boolean isSecret =
                  !bare.startsWith("#")
                      && !(bare.startsWith("[") && bare.endsWith("]"))
                      && bare.indexOf('=') > 0;
              return isSecret ? bare.substring(0, bare.indexOf('=')) + "=another" : line;
            })
        .toList();
  }
}

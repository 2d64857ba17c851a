package io.csi4j.testkit.cli;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The secrets in a file. {@code KEY=VALUE} lines at the top are for every operation. Lines below a
 * heading such as {@code [CreateVolume]} are for that operation.
 *
 * <p>No error message contains any part of a line.
 *
 * @param forAll the secrets for operations that have no section
 * @param forOne the secrets by operation
 */
record SecretsFile(Secrets forAll, Map<CsiOperation, Secrets> forOne) {

  /** Reads a file. */
  static SecretsFile read(Path file) {
    return parse(file.toString(), UserFile.lines("the secrets", file));
  }

  /**
   * Reads the lines of a file.
   *
   * @param name the name of the file in messages
   */
  static SecretsFile parse(String name, List<String> lines) {
    Map<String, String> common = new TreeMap<>();
    Map<CsiOperation, Map<String, String>> sections = new EnumMap<>(CsiOperation.class);
    Map<String, String> section = common;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      String at = name + ":" + (i + 1) + ": ";
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      if (line.startsWith("[") && line.endsWith("]")) {
        section = sections.computeIfAbsent(operation(line, at), each -> new TreeMap<>());
      } else if (line.indexOf('=') < 1) {
        throw CommandFailure.usage(
            at
                + "This line is not a secret. Write KEY=VALUE, or [OPERATION] above the secrets of"
                + " one operation.");
      } else {
        section.put(
            line.substring(0, line.indexOf('=')).strip(),
            line.substring(line.indexOf('=') + 1).strip());
      }
    }
    Map<CsiOperation, Secrets> made = new EnumMap<>(CsiOperation.class);
    sections.forEach((operation, secrets) -> made.put(operation, Secrets.of(secrets)));
    return new SecretsFile(Secrets.of(common), made);
  }

  private static CsiOperation operation(String line, String at) {
    Optional<CsiOperation> found =
        CsiOperation.ofRpcName(line.substring(1, line.length() - 1).strip());
    return found.orElseThrow(
        () ->
            CommandFailure.usage(
                at + "The brackets contain no operation. Write one, such as [CreateVolume]."));
  }

  /**
   * Returns the secrets for one operation: those in its section, or else those for all operations.
   */
  Secrets of(CsiOperation operation) {
    return forOne.getOrDefault(operation, forAll);
  }
}

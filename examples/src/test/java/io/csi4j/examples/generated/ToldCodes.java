package io.csi4j.examples.generated;

import io.csi4j.volume.internal.lifecycle.CallMeaning;
import io.csi4j.volume.model.OperatorCode;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The codes that the volume manager reports: those that its code names outside the catalogue, and
 * those of the table of calls.
 */
final class ToldCodes {

  private static final Path SOURCES = GeneratedPage.ROOT.resolve("volume-manager");
  private static final Pattern NAME = Pattern.compile("[A-Z][A-Z_]+");

  /** A call that only makes a message. */
  private static final Pattern MADE = Pattern.compile("Messages\\.of\\(\\s*OperatorCode\\.\\w+");

  private ToldCodes() {}

  /** The names of the codes that are reported. */
  static Set<String> names() {
    Map<Path, String> sources = WrittenTest.sources(SOURCES, "/src/main/java/");
    sources.keySet().removeIf(file -> file.endsWith("OperatorCode.java"));
    Set<String> names = new TreeSet<>();
    sources.values().forEach(text -> names.addAll(namesIn(text)));
    CallMeaning.table()
        .values()
        .forEach(row -> row.codes().values().forEach(code -> names.add(code.name())));
    names.retainAll(
        Arrays.stream(OperatorCode.values()).map(OperatorCode::name).collect(Collectors.toSet()));
    return names;
  }

  /** The names of the codes that are reported and that no test names but to make a message. */
  static Set<String> withoutTest() {
    Set<String> names = names();
    WrittenTest.sources(SOURCES, "/src/test/java/")
        .forEach(
            (file, text) -> {
              // The tests of texts make messages with every code.
              if (file.toString().endsWith("Test.java")
                  && !file.toString().contains("/internal/text/")) {
                String code = WrittenTest.COMMENT.matcher(text).replaceAll("");
                names.removeAll(namesIn(MADE.matcher(code).replaceAll("")));
              }
            });
    return names;
  }

  private static Set<String> namesIn(String text) {
    return NAME.matcher(text).results().map(MatchResult::group).collect(Collectors.toSet());
  }
}

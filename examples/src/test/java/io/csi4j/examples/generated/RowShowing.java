package io.csi4j.examples.generated;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What the tests of the volume manager provoke, read from their sources: the codes that no test
 * names.
 *
 * @param sources the texts of the files of tests, by the name of their class
 */
record RowShowing(Map<String, String> sources) {

  private static final Path TESTS =
      Path.of(System.getProperty("csi4j.root", "."), "volume-manager");

  private static final Pattern WORD = Pattern.compile("[A-Z][A-Z_]+");

  /** Makes a message, and provokes nothing. */
  private static final Pattern MADE = Pattern.compile("Messages\\.of\\(\\s*OperatorCode\\.\\w+");

  private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/|(?m)^\\s*//[^\\n]*");

  static RowShowing ofTheVolumeManager() throws IOException {
    Map<String, String> sources = new TreeMap<>();
    List<Path> files;
    try (Stream<Path> all = Files.walk(TESTS)) {
      files =
          all.filter(file -> file.toString().contains("/src/test/java/"))
              // There codes are written, and not provoked.
              .filter(file -> !file.toString().contains("/internal/text/"))
              .filter(file -> file.toString().endsWith(".java"))
              .toList();
    }
    for (Path file : files) {
      sources.merge(
          file.getFileName().toString().replace(".java", ""),
          Files.readString(file),
          String::concat);
    }
    return new RowShowing(sources);
  }

  /** Codes that are told and that no test names but to make a message of it. */
  Set<String> unprovoked(Set<String> told) {
    Set<String> missing = new TreeSet<>(told);
    sources.forEach(
        (name, source) -> {
          if (name.endsWith("Test")) {
            missing.removeAll(asserted(source));
          }
        });
    return missing;
  }

  /** The words in capitals in the code of a test, comments and messages that are made left out. */
  private static Set<String> asserted(String source) {
    Set<String> words = new TreeSet<>();
    WORD.matcher(MADE.matcher(COMMENT.matcher(source).replaceAll("")).replaceAll(""))
        .results()
        .forEach(word -> words.add(word.group()));
    return words;
  }

  /** The method of a test with its annotations, in the formatting of csi4j. */
  String text(String test) {
    int hash = test.indexOf('#');
    String source = sources.getOrDefault(test.substring(0, hash), "");
    Matcher declaration =
        Pattern.compile("(?m)^( +)[^ @/*\\n].*?\\b" + test.substring(hash + 1) + "\\(")
            .matcher(source);
    if (!declaration.find()) {
      return "";
    }
    int begin = source.lastIndexOf("\n\n", declaration.start());
    int end = source.indexOf("\n" + declaration.group(1) + "}", declaration.end());
    return source.substring(Math.max(0, begin), end < 0 ? source.length() : end);
  }
}

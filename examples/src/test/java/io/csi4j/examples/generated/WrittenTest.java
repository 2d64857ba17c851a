package io.csi4j.examples.generated;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A test as it stands in its source, which has the formatting of csi4j.
 *
 * @param module the folder of its module, such as {@code volume-manager/node}
 * @param type the name of the outermost class around it
 * @param method its name
 * @param tags its tags and those of the outermost class
 * @param body its text, without comments
 */
record WrittenTest(String module, String type, String method, Set<String> tags, String body) {

  /** A comment on lines that have nothing else; texts may hold what looks like another. */
  static final Pattern COMMENT = Pattern.compile("(?m)^\\s*(?:/\\*(?s:.*?)\\*/|//[^\\n]*)");

  /** Annotations, the first line of a method with its name, and the rest of it. */
  private static final Pattern METHOD =
      Pattern.compile(
          "(?m)^( +)((?:@[^\\n]*\\n(?:\\1  [^\\n]*\\n|\\1}\\)\\n)*\\1)+)"
              + "([^@\\n]*?\\b(\\w+)\\((?s:.*?))\\n\\1}");

  private static final Pattern TEST =
      Pattern.compile("@(?:Test|ParameterizedTest|RepeatedTest|TestFactory)\\b");

  private static final Pattern TAG = Pattern.compile("(?m)^ *@Tag\\(\"([^\"]+)\"\\)");
  private static final Pattern TAG_OF_CLASS = Pattern.compile("(?m)^@Tag\\(\"([^\"]+)\"\\)");

  /** The description of an assertion, which begins with the names of rows. */
  private static final Pattern DESCRIPTION =
      Pattern.compile("\\.as\\(\\s*\"([^:\"]+): (?:\\\\.|[^\"\\\\])*\"");

  private static final Pattern CODE = Pattern.compile("[A-Z][A-Z_]+");

  /**
   * An assertion that names rows of a list, {@code .as("A7 A11: the plugin is asked again")}.
   *
   * @param rows the names of the rows
   * @param codes the words in capitals in its statement
   */
  record Assertion(Set<String> rows, Set<String> codes) {}

  /** Returns all tests of the project. */
  static List<WrittenTest> all() {
    List<WrittenTest> tests = new ArrayList<>();
    sources(GeneratedPage.ROOT, "/src/test/java/")
        .forEach(
            (file, text) -> {
              String path = GeneratedPage.ROOT.relativize(file).toString();
              String module = path.substring(0, path.indexOf("/src/test/java/"));
              String name = file.getFileName().toString().replace(".java", "");
              tests.addAll(in(module, name, text));
            });
    return tests;
  }

  /** Returns the tests in the text of one source file. */
  static List<WrittenTest> in(String module, String type, String source) {
    String code = COMMENT.matcher(source).replaceAll("");
    Set<String> around = words(TAG_OF_CLASS, code);
    List<WrittenTest> tests = new ArrayList<>();
    for (MatchResult found : METHOD.matcher(code).results().toList()) {
      if (TEST.matcher(found.group(2)).find()) {
        Set<String> tags = words(TAG, found.group(1) + found.group(2));
        tags.addAll(around);
        tests.add(new WrittenTest(module, type, found.group(4), tags, found.group(3)));
      }
    }
    return tests;
  }

  /**
   * Returns the text of each source file below the root that lies in a folder of this name. What a
   * build makes is passed over: other modules are built meanwhile, and files come and go there.
   */
  static Map<Path, String> sources(Path root, String folder) {
    Map<Path, String> sources = new TreeMap<>();
    try {
      Files.walkFileTree(
          root,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes of) {
              return directory.endsWith("target")
                  ? FileVisitResult.SKIP_SUBTREE
                  : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes of) throws IOException {
              if (file.toString().contains(folder) && file.toString().endsWith(".java")) {
                sources.put(file, Files.readString(file));
              }
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return sources;
  }

  private static Set<String> words(Pattern form, String text) {
    return form.matcher(text)
        .results()
        .map(found -> found.group(found.groupCount()))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Class and method, as surefire takes them. */
  String name() {
    return type + "#" + method;
  }

  /** True if only the campaigns run it. */
  boolean isCampaign() {
    return tags.contains("campaign");
  }

  /** True if it has these words, in whatever lines. */
  boolean says(String words) {
    return body.replaceAll("\\s+", " ").contains(words.replaceAll("\\s+", " "));
  }

  /** Returns its assertions that name rows of this form. */
  List<Assertion> assertions(Pattern row) {
    List<Assertion> assertions = new ArrayList<>();
    for (String statement : body.split(";\\n", -1)) {
      for (MatchResult found : DESCRIPTION.matcher(statement).results().toList()) {
        Set<String> rows = Set.copyOf(Arrays.asList(found.group(1).split(" ", -1)));
        if (rows.stream().allMatch(name -> row.matcher(name).matches())) {
          int begin = Math.max(0, statement.lastIndexOf("assertThat", found.start()));
          String rest =
              statement.substring(begin, found.start()) + statement.substring(found.end());
          assertions.add(new Assertion(rows, words(CODE, rest)));
        }
      }
    }
    return assertions;
  }
}

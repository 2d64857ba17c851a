package io.csi4j.examples.generated;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads from the sources of the volume manager's tests which of them carry the tag of a row. */
final class RowTags {

  /** Where its tests are. */
  static final Path TESTS = Path.of(System.getProperty("csi4j.root", "."), "volume-manager");

  /** Other tags are none of ours: {@code mount}, {@code P7}, {@code D-03}. */
  private static final Pattern TAG = Pattern.compile("@Tag\\(\"([A-L][0-9]+|I-[0-9]+)\"\\)");

  private static final Pattern TYPE =
      Pattern.compile("^( *)([a-z ]*)\\b(?:class|interface|record) (\\w+).*");

  private static final Pattern RUN = Pattern.compile("@\\w*Test(?:Factory)?\\b(?!\\w).*");
  private static final Pattern METHOD = Pattern.compile("^( +)[^ @/*].*?\\b(\\w+)\\(.*");

  private RowTags() {}

  /** The tests that are run, as class and method, by tag. */
  static SortedMap<String, Set<String>> inTheVolumeManager() throws IOException {
    SortedMap<String, Set<String>> tags = new TreeMap<>();
    List<Path> sources;
    try (Stream<Path> files = Files.walk(TESTS)) {
      sources =
          files
              .filter(file -> file.toString().contains("/src/test/java/"))
              .filter(file -> file.toString().endsWith(".java"))
              .toList();
    }
    for (Path source : sources) {
      of(Files.readAllLines(source))
          .forEach((tag, tests) -> tags.computeIfAbsent(tag, t -> new TreeSet<>()).addAll(tests));
    }
    return tags;
  }

  /**
   * A class around the line that is read.
   *
   * @param indent how far its declaration is indented
   * @param isRun whether its tests are run
   * @param tags its own tags and those of the classes around it
   */
  private record Outer(int indent, boolean isRun, Set<String> tags) {}

  /** The tests in one source file, which has the formatting of the house. */
  static SortedMap<String, Set<String>> of(List<String> lines) {
    SortedMap<String, Set<String>> found = new TreeMap<>();
    Deque<Outer> outer = new ArrayDeque<>();
    Set<String> pending = new LinkedHashSet<>();
    boolean isTest = false;
    String top = "";
    int open = 0;
    for (String line : lines) {
      boolean isArgument = open > 0;
      if (isArgument || line.strip().startsWith("@")) {
        open += parentheses(line);
      }
      if (isArgument) {
        continue;
      }
      Matcher tag = TAG.matcher(line);
      if (tag.find()) {
        pending.add(tag.group(1));
        continue;
      }
      String text = line.strip();
      if (RUN.matcher(text).matches()) {
        isTest = true;
        continue;
      }
      if (text.isEmpty() || text.startsWith("@") || text.startsWith("*") || text.startsWith("/")) {
        continue;
      }
      Matcher type = TYPE.matcher(line);
      Matcher method = METHOD.matcher(line);
      if (type.matches()) {
        int indent = type.group(1).length();
        while (!outer.isEmpty() && outer.peek().indent() >= indent) {
          outer.pop();
        }
        top = outer.isEmpty() ? type.group(3) : top;
        boolean isRun =
            !type.group(2).contains("private") && (outer.isEmpty() || outer.peek().isRun());
        Set<String> tags = new LinkedHashSet<>(pending);
        if (!outer.isEmpty()) {
          tags.addAll(outer.peek().tags());
        }
        outer.push(new Outer(indent, isRun, tags));
      } else if (isTest && method.matches() && !outer.isEmpty()) {
        while (outer.peek().indent() > method.group(1).length() - 2) {
          outer.pop();
        }
        if (outer.peek().isRun()) {
          pending.addAll(outer.peek().tags());
          String test = top + "#" + method.group(2);
          pending.forEach(each -> found.computeIfAbsent(each, t -> new TreeSet<>()).add(test));
        }
      }
      pending.clear();
      isTest = false;
    }
    return found;
  }

  /** How many parentheses of an annotation a line leaves open. */
  private static int parentheses(String line) {
    String code = line.replaceAll("\"(\\\\.|[^\"\\\\])*\"", "");
    return (int)
        (code.chars().filter(c -> c == '(').count() - code.chars().filter(c -> c == ')').count());
  }
}

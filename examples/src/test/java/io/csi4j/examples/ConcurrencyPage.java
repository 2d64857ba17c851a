package io.csi4j.examples;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * The threads and locks that a page names, and those that sources have.
 *
 * @param page the text of the page
 */
record ConcurrencyPage(String page) {

  private static final Pattern ROW = Pattern.compile("^\\| (`[^|]+) \\|.*$", Pattern.MULTILINE);
  private static final Pattern FAMILY =
      Pattern.compile("^\\| (\\w[\\w ]*) \\| (?:`|gRPC).*$", Pattern.MULTILINE);
  private static final Pattern NAME = Pattern.compile("`([^`]+)`");

  private static final String LOCK_TYPES =
      "(?:Lock|ReentrantLock|ReadWriteLock|ReentrantReadWriteLock|StampedLock|Semaphore)";
  private static final List<Pattern> LOCKS =
      List.of(
          Pattern.compile("\\b" + LOCK_TYPES + "\\s+(\\w+)\\s*[;=]"),
          Pattern.compile("(\\w+)\\s*=\\s*new " + LOCK_TYPES + "\\("),
          Pattern.compile("\\bsynchronized\\s*\\(\\s*(?:\\w+\\.)?(\\w+)\\s*\\)"));

  private static final Pattern COMMENT =
      Pattern.compile("(?s:/\\*.*?\\*/)|^\\s*//.*$", Pattern.MULTILINE);
  private static final Pattern LITERAL = Pattern.compile("\"(csi4j-[^\"]*)\"");
  private static final Pattern CONSTANT =
      Pattern.compile("\\bString (\\w+) =\\s+\"(csi4j-[^\"]*)\"");

  /** Behind the name of a family: a placeholder, a role, a number. */
  private static final String NUMBERED =
      "(?:-[A-Z]{2,})?(?:-(?:io|worker|timer))?(?:-(?:N|[0-9]+))?";

  /** A row of locks: what may be taken under each. */
  Map<String, Set<String>> locks() {
    Map<String, Set<String>> locks = new TreeMap<>();
    for (MatchResult row : ROW.matcher(section("## Locks")).results().toList()) {
      String[] cells = row.group().split(" \\| ", -1);
      for (String lock : names(cells[0])) {
        locks.put(lock, names(cells[cells.length - 1]));
      }
    }
    return locks;
  }

  /** Locks of the last column that have no row, and locks that can be taken under themselves. */
  List<String> disorder() {
    Map<String, Set<String>> locks = locks();
    List<String> found = new ArrayList<>();
    locks.forEach(
        (lock, inner) ->
            inner.stream()
                .filter(each -> !locks.containsKey(each))
                .forEach(each -> found.add(each + ", taken under " + lock + ", has no row")));
    for (String lock : locks.keySet()) {
      if (reachable(lock, locks).contains(lock)) {
        found.add(lock + " can be taken under itself");
      }
    }
    return found;
  }

  private static Set<String> reachable(String from, Map<String, Set<String>> locks) {
    Set<String> reached = new TreeSet<>();
    List<String> left = new ArrayList<>(locks.getOrDefault(from, Set.of()));
    while (!left.isEmpty()) {
      String next = left.remove(left.size() - 1);
      if (reached.add(next)) {
        left.addAll(locks.getOrDefault(next, Set.of()));
      }
    }
    return reached;
  }

  /** The names of our own threads. */
  Set<String> threads() {
    Set<String> threads = new TreeSet<>();
    for (MatchResult row : ROW.matcher(section("## Threads")).results().toList()) {
      names(row.group(1)).stream().filter(name -> name.startsWith("csi4j-")).forEach(threads::add);
    }
    return threads;
  }

  /** The families of threads of the volume manager. */
  Set<String> families() {
    Set<String> families = new TreeSet<>();
    FAMILY.matcher(section("## Threads")).results().forEach(row -> families.add(row.group(1)));
    return families;
  }

  /** The families that a row of threads names which has a column for them. */
  Set<String> familiesOfThreads() {
    String threads = section("## Threads");
    int begin = Math.max(0, threads.indexOf("| name | family |"));
    int end = threads.indexOf("\n\n", begin);
    Set<String> families = new TreeSet<>();
    for (MatchResult row : ROW.matcher(threads.substring(begin, end)).results().toList()) {
      families.addAll(List.of(row.group().split(" \\| ", -1)[1].split(", ")));
    }
    return families;
  }

  /** Names of threads on the page that begin with none of these names of families. */
  List<String> threadsBeside(Set<String> families) {
    return threads().stream()
        .filter(thread -> families.stream().noneMatch(family -> isOf(thread, family)))
        .toList();
  }

  /** Names of families that no thread on the page has. */
  List<String> familiesWithoutThread(Set<String> families) {
    Set<String> threads = threads();
    return families.stream()
        .filter(family -> threads.stream().noneMatch(thread -> isOf(thread, family)))
        .sorted()
        .toList();
  }

  private static boolean isOf(String thread, String family) {
    String name = family.endsWith("-") ? family.substring(0, family.length() - 1) : family;
    return thread.startsWith(name) && thread.substring(name.length()).matches(NUMBERED);
  }

  private String section(String heading) {
    int begin = page.indexOf(heading + "\n");
    if (begin < 0) {
      throw new IllegalArgumentException("The page has no section '" + heading + "'.");
    }
    int end = page.indexOf("\n## ", begin);
    return page.substring(begin, end < 0 ? page.length() : end);
  }

  private static Set<String> names(String cell) {
    Set<String> names = new TreeSet<>();
    NAME.matcher(cell).results().forEach(name -> names.add(name.group(1)));
    return names;
  }

  /** The locks of a source file, each with the class that the file is named for. */
  static Set<String> locksIn(String type, String source) {
    String code = COMMENT.matcher(source).replaceAll(" ");
    Set<String> locks = new TreeSet<>();
    for (Pattern lock : LOCKS) {
      lock.matcher(code).results().forEach(found -> locks.add(type + "." + found.group(1)));
    }
    return locks;
  }

  /** Texts of a source file that begin as the names of threads do. */
  static Set<String> literalsIn(String source) {
    String code = COMMENT.matcher(source).replaceAll(" ");
    Set<String> literals = new TreeSet<>();
    LITERAL.matcher(code).results().forEach(found -> literals.add(found.group(1)));
    for (MatchResult constant : CONSTANT.matcher(code).results().toList()) {
      Pattern.compile("\\b" + constant.group(1) + " \\+ \"([^\"]*)\"")
          .matcher(code)
          .results()
          .forEach(found -> literals.add(constant.group(2) + found.group(1)));
    }
    return literals;
  }
}

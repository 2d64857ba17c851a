package io.csi4j.examples.generated;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Words in the source of a test, and whether a statement that asserts something holds them. Calls
 * of methods that assert, in the same file, count as assertions.
 */
final class AssertedWords {

  private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/|(?m)^\\s*//[^\\n]*");
  private static final Pattern ASSERTION = Pattern.compile("\\b(?:assert|fail)\\w*\\(");
  private static final Pattern CALL = Pattern.compile("\\b([a-z]\\w*)\\(");
  private static final Pattern STRING = Pattern.compile("\"(?:\\\\.|[^\"\\\\])*\"");

  private final String source;
  private final String method;

  /**
   * A test.
   *
   * @param source the text of its file, in the formatting of csi4j
   * @param method its name
   */
  AssertedWords(String source, String method) {
    this.source = COMMENT.matcher(source).replaceAll("");
    this.method = method;
  }

  /** Returns what keeps the words from being evidence, if anything does. */
  Optional<String> problem(String words) {
    String text = body();
    if (text.isEmpty()) {
      return Optional.of("there is no such test");
    }
    Set<String> statements = statements(text, words);
    if (statements.isEmpty()) {
      return Optional.of("it does not say " + words);
    }
    return statements.stream().anyMatch(this::asserts)
        ? Optional.empty()
        : Optional.of("nothing is asserted with " + words);
  }

  /** The method with its annotations; empty if there is none. */
  private String body() {
    return new RowShowing(Map.of("Test", source)).text("Test#" + method);
  }

  /** The statements in which the words stand, without regard to line ends. */
  private static Set<String> statements(String text, String words) {
    String line = text.replaceAll("\\s+", " ");
    String wanted = words.replaceAll("\\s+", " ");
    // Signs inside of strings end no statement.
    StringBuilder plain = new StringBuilder(line);
    Matcher string = STRING.matcher(line);
    while (string.find()) {
      plain.replace(string.start(), string.end(), "s".repeat(string.end() - string.start()));
    }
    Set<String> statements = new LinkedHashSet<>();
    for (int at = line.indexOf(wanted); at >= 0; at = line.indexOf(wanted, at + 1)) {
      int from = at;
      while (from > 0 && ";{}".indexOf(plain.charAt(from - 1)) < 0) {
        from--;
      }
      int to = at;
      while (to < line.length() && ";{}".indexOf(plain.charAt(to)) < 0) {
        to++;
      }
      statements.add(line.substring(from, to));
    }
    return statements;
  }

  private boolean asserts(String statement) {
    String code = STRING.matcher(statement).replaceAll("\"\"");
    return ASSERTION.matcher(code).find()
        || CALL.matcher(code).results().anyMatch(call -> isAsserting(call.group(1)));
  }

  /** Whether a method of the same file asserts something. */
  private boolean isAsserting(String name) {
    Matcher declared =
        Pattern.compile(
                "(?m)^( +)(?:(?:public|protected|private|static|final|abstract) )*(?:<[^>]+> )?"
                    + "(?!return\\b|new\\b|throw\\b)[\\w.]+(?:<[^\\n(]*>)?(?:\\[])? "
                    + name
                    + "\\(")
            .matcher(source);
    while (declared.find()) {
      int end = source.indexOf("\n" + declared.group(1) + "}", declared.end());
      String body = source.substring(declared.end(), end < 0 ? source.length() : end);
      if (ASSERTION.matcher(STRING.matcher(body).replaceAll("\"\"")).find()) {
        return true;
      }
    }
    return false;
  }
}

package io.csi4j.volume.functional;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.model.OperatorMessage;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The lines that an engine has printed for people, judged as one of them would. */
final class ToldLines {

  /** Maximum length of a line without the words of a plugin. */
  private static final int LONGEST = 600;

  private static final Pattern ONE_OF_MANY = Pattern.compile("(?<![\\d.,:/])1 [a-z]{3,}s\\b");

  /** The words of a plugin in a line: what it answered to a call, or is quoted to say. */
  private static final Pattern FOREIGN =
      Pattern.compile("(?<= to Node[A-Za-z]{1,20}: ).*\\)|(?<=the plugin says: \").*\"");

  private static final Pattern SECOND_ADVICE = Pattern.compile("[a-z)\\]][.] [A-Z][a-z]");

  private static final Pattern CLAUSES = Pattern.compile("[.;:(] ?");

  private ToldLines() {}

  /** Each line is short, gives one advice, says nothing twice, and counts one thing as one. */
  static void areFitForPeople(Stream<OperatorMessage> told) {
    List<OperatorMessage> messages = told.distinct().toList();
    assertThat(messages)
        .allSatisfy(
            message -> {
              String line = message.line();
              String seen = FOREIGN.matcher(message.seen().text()).replaceAll("");
              int own = line.length() - message.seen().text().length() + seen.length();
              assertThat(own).as("length of: " + line).isLessThan(LONGEST);
              assertThat(line).doesNotContainPattern(ONE_OF_MANY);
              assertThat(seen)
                  .as("an advice before the advice")
                  .doesNotContainPattern(SECOND_ADVICE);
              assertThat(twice(line)).as("said twice in: " + line).isEmpty();
            });
  }

  /** The clauses of a line that occur in it more than once. */
  private static Set<String> twice(String line) {
    Set<String> once = new HashSet<>();
    Set<String> twice = new HashSet<>();
    Arrays.stream(CLAUSES.split(line))
        .map(String::strip)
        .filter(clause -> clause.length() > 20)
        .filter(clause -> !once.add(clause))
        .forEach(twice::add);
    return twice;
  }
}

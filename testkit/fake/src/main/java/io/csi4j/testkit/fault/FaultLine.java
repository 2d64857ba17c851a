package io.csi4j.testkit.fault;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.fault.Fault.WrongAnswer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses one line of a fault script, from left to right.
 *
 * <p>{@code OPERATION… [volume=ID] [nth=N | from=N] [times=N]: STEP, STEP…}
 */
final class FaultLine {

  private static final String STEPS =
      "delay, fail, apply, apply-later, duplicate, hang, drop, answer or change";

  private static final Pattern TIME = Pattern.compile("(\\d{1,9})(ms|s|m|h)");
  private static final char COMMENT = '#';

  private final String line;
  private int at;

  FaultLine(String line) {
    this.line = line;
  }

  /** A mistake in the line, with its position. */
  static final class Mistake extends Exception {

    private static final long serialVersionUID = 1;

    private final int column;

    Mistake(int column, String message) {
      super(message, null, false, false);
      this.column = column;
    }

    /** Returns the position, counted from 1. */
    int column() {
      return column;
    }
  }

  /** A word or a quoted text, and the position where it begins. */
  private record Word(int column, String text, boolean quoted) {
    @Override
    public String toString() {
      return SafeText.quote(text);
    }

    Mistake isNo(String kind, String wanted) {
      return new Mistake(column, this + " is not a valid " + kind + ". Write " + wanted + ".");
    }
  }

  /** Parses the rule of this line. Returns an empty result if the line is blank or a comment. */
  Optional<FaultScript.Rule> read() throws Mistake {
    if (atEnd()) {
      return Optional.empty();
    }
    When when = calls();
    expect(':', "Write a colon between the calls and what happens to them");
    return Optional.of(new FaultScript.Rule(when, steps(when.operations())));
  }

  private When calls() throws Mistake {
    List<CsiOperation> operations = new ArrayList<>();
    boolean any = false;
    Word word = word("an operation such as NodeStageVolume, or any");
    while (true) {
      if (word.text().equals("any")) {
        any = true;
      } else {
        operations.add(operation(word));
      }
      if (atEnd() || peek() == ':') {
        return when(any, operations);
      }
      word = word("a colon");
      if (peek() == '=') {
        return conditions(when(any, operations), word);
      }
    }
  }

  private static When when(boolean any, List<CsiOperation> operations) {
    return any
        ? When.anyCall()
        : When.calling(
            operations.get(0),
            operations.subList(1, operations.size()).toArray(CsiOperation[]::new));
  }

  private static CsiOperation operation(Word word) throws Mistake {
    return CsiOperation.ofRpcName(word.text())
        .orElseThrow(
            () ->
                word.isNo(
                    "operation", "any, " + oneOf(CsiOperation.values(), CsiOperation::rpcName)));
  }

  private When conditions(When all, Word first) throws Mistake {
    When when = all;
    OptionalLong number = OptionalLong.empty();
    OptionalLong times = OptionalLong.empty();
    boolean nth = false;
    for (@Nullable Word key = first; key != null; key = nextKey()) {
      expect('=', "Write KEY=VALUE");
      switch (key.text()) {
        case "volume" -> when = when.ofVolume(volume(word("the id of a volume")));
        case "nth", "from" -> {
          if (number.isPresent()) {
            throw new Mistake(key.column(), "Write either nth or from, and only once.");
          }
          number = OptionalLong.of(positive(word("a number")));
          nth = key.text().equals("nth");
        }
        case "times" -> times = OptionalLong.of(positive(word("a number")));
        default -> throw key.isNo("condition", "volume, nth, from or times");
      }
    }
    if (nth && times.isEmpty()) {
      return when.nth(number.getAsLong());
    }
    when = number.isPresent() ? when.from(number.getAsLong()) : when;
    return times.isPresent() ? when.times(times.getAsLong()) : when;
  }

  private @Nullable Word nextKey() throws Mistake {
    return atEnd() || peek() == ':' ? null : word("volume, nth, from or times");
  }

  private static VolumeId volume(Word word) throws Mistake {
    try {
      return VolumeId.of(word.text());
    } catch (IllegalArgumentException wrong) {
      throw new Mistake(word.column(), String.valueOf(wrong.getMessage()));
    }
  }

  private static long positive(Word word) throws Mistake {
    if (!word.text().matches("[1-9]\\d{0,17}")) {
      throw word.isNo("number of calls", "1 or more");
    }
    return Long.parseLong(word.text());
  }

  private Fault steps(Set<CsiOperation> operations) throws Mistake {
    Fault fault = step(operations);
    while (!atEnd()) {
      expect(',', "Write a comma between two steps");
      fault = fault.then(step(operations));
    }
    return fault;
  }

  private Fault step(Set<CsiOperation> operations) throws Mistake {
    Word word = word(STEPS);
    return switch (word.text()) {
      case "delay" -> Fault.delay(time(word("a time such as 5s")));
      case "fail" -> fail();
      case "apply" -> Fault.apply();
      case "apply-later" -> Fault.applyLater(time(word("a time such as 5s")));
      case "duplicate" -> Fault.duplicate();
      case "hang" -> Fault.hang();
      case "drop" -> Fault.drop();
      case "answer" ->
          peek() == '{'
              ? fields(operations, Fault::answer)
              : Fault.answer(
                  named(
                      word("a wrong answer such as EMPTY, or {\"FIELD\": …}"),
                      "wrong answer",
                      "",
                      WrongAnswer.values()));
      case "change" -> {
        if (peek() != '{') {
          throw new Mistake(at + 1, "Write {\"FIELD\": …}, not " + rest() + ".");
        }
        yield fields(operations, Fault::change);
      }
      default -> throw word.isNo("step", STEPS);
    };
  }

  /**
   * Returns a fault with the fields of an answer. The answers of all operations of the rule must
   * have these fields.
   */
  private Fault fields(Set<CsiOperation> operations, BiFunction<CsiOperation, String, Fault> made)
      throws Mistake {
    int column = at + 1;
    String json = object();
    @Nullable Fault fault = null;
    for (CsiOperation operation : operations) {
      try {
        fault = made.apply(operation, json);
      } catch (IllegalArgumentException wrong) {
        throw new Mistake(column, String.valueOf(wrong.getMessage()));
      }
    }
    return Objects.requireNonNull(fault);
  }

  /** Reads the text from an opening brace to its closing brace. */
  private String object() throws Mistake {
    int from = at;
    int depth = 0;
    boolean quoted = false;
    while (at < line.length()) {
      char c = line.charAt(at++);
      if (quoted && c == '\\') {
        at++;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (!quoted && c == '{') {
        depth++;
      } else if (!quoted && c == '}' && --depth == 0) {
        return line.substring(from, at);
      }
    }
    at = from;
    throw new Mistake(from + 1, "The brace that opens here is not closed.");
  }

  private Fault fail() throws Mistake {
    int code = code(word("a status such as ABORTED"));
    boolean silent = atEnd() || peek() == ',';
    if (silent) {
      return Fault.fail(code, "");
    }
    Word text = word("a text in double quotes");
    if (!text.quoted()) {
      throw new Mistake(text.column(), "Write the text of the failure in double quotes.");
    }
    return Fault.fail(code, text.text());
  }

  private static int code(Word word) throws Mistake {
    if (word.text().matches("-?\\d{1,9}")) {
      return Integer.parseInt(word.text());
    }
    return named(word, "status", "a number, ", StatusCode.values()).value();
  }

  /** Parses a duration: {@code 5s}, {@code 250ms}, {@code 2m}, {@code 1h}. */
  private static Duration time(Word word) throws Mistake {
    Matcher time = TIME.matcher(word.text());
    if (!time.matches()) {
      throw word.isNo("time", "a number and its unit: 250ms, 5s, 2m or 1h");
    }
    long number = Long.parseLong(time.group(1));
    return switch (time.group(2)) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      default -> Duration.ofHours(number);
    };
  }

  /**
   * Returns the constant with this name. The name may be written in lower case and with hyphens.
   */
  private static <E extends Enum<E>> E named(Word word, String kind, String orElse, E[] constants)
      throws Mistake {
    String wanted = word.text().toUpperCase(Locale.ROOT).replace('-', '_');
    return Arrays.stream(constants)
        .filter(each -> each.name().equals(wanted))
        .findFirst()
        .orElseThrow(() -> word.isNo(kind, orElse + oneOf(constants, Enum::name)));
  }

  /** Joins names for a sentence: {@code a, b or c}. */
  private static <T> String oneOf(T[] all, Function<T, String> name) {
    List<String> names = Arrays.stream(all).map(name).toList();
    int last = names.size() - 1;
    return String.join(", ", names.subList(0, last)) + " or " + names.get(last);
  }

  // Methods that read characters.

  /**
   * Returns the next character that is not white space. A comment counts as the end of the line.
   */
  private char peek() {
    while (at < line.length() && Character.isWhitespace(line.charAt(at))) {
      at++;
    }
    return at == line.length() ? COMMENT : line.charAt(at);
  }

  private boolean atEnd() {
    return peek() == COMMENT;
  }

  private void expect(char sign, String otherwise) throws Mistake {
    if (peek() != sign) {
      throw new Mistake(at + 1, otherwise + ", not " + rest() + ".");
    }
    at++;
  }

  private String rest() {
    return atEnd() ? "the end of the line" : SafeText.quote(line.substring(at));
  }

  private Word word(String wanted) throws Mistake {
    char first = peek();
    int column = at + 1;
    if (first == '"') {
      return new Word(column, quoted(), true);
    }
    int from = at;
    while (at < line.length()
        && !Character.isWhitespace(line.charAt(at))
        && ":=,#\"".indexOf(line.charAt(at)) < 0) {
      at++;
    }
    if (at == from) {
      throw new Mistake(column, "Write " + wanted + ", not " + rest() + ".");
    }
    return new Word(column, line.substring(from, at), false);
  }

  /** Reads a quoted text. A backslash makes the next character literal. */
  private String quoted() throws Mistake {
    int opened = at++;
    StringBuilder text = new StringBuilder();
    while (at < line.length() && line.charAt(at) != '"') {
      if (line.charAt(at) == '\\' && at + 1 < line.length()) {
        at++;
      }
      text.append(line.charAt(at++));
    }
    if (at == line.length()) {
      throw new Mistake(opened + 1, "The quotes that open here are not closed.");
    }
    at++;
    return text.toString();
  }
}

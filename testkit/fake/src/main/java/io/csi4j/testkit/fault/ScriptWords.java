package io.csi4j.testkit.fault;

import io.csi4j.client.internal.text.SafeText;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The words of a script of faults: times, names of constants, lists in a sentence. */
final class ScriptWords {

  private ScriptWords() {}

  /** A time as it is written here: {@code 5s}, {@code 250ms}, {@code 2m}, {@code 1h}. */
  static Duration duration(String text) {
    String unit = text.replaceFirst("^\\d+", "");
    String digits = text.substring(0, text.length() - unit.length());
    Optional<Duration> one =
        switch (unit) {
          case "ms" -> Optional.of(Duration.ofMillis(1));
          case "s" -> Optional.of(Duration.ofSeconds(1));
          case "m" -> Optional.of(Duration.ofMinutes(1));
          case "h" -> Optional.of(Duration.ofHours(1));
          default -> Optional.empty();
        };
    if (digits.isEmpty() || digits.length() > 9 || one.isEmpty()) {
      throw new IllegalArgumentException(
          SafeText.quote(text) + " is no time. Write a number and its unit: 250ms, 5s, 2m or 1h.");
    }
    return one.get().multipliedBy(Long.parseLong(digits));
  }

  /** The constant of this name, in any of the two spellings. */
  static <E extends Enum<E>> Optional<E> named(String name, E[] constants) {
    String wanted = name.toUpperCase(Locale.ROOT).replace('-', '_');
    return Arrays.stream(constants).filter(each -> each.name().equals(wanted)).findFirst();
  }

  /** Names as a list in a sentence: {@code a, b or c}. */
  static String oneOf(Stream<String> names) {
    String all = names.collect(Collectors.joining(", "));
    int last = all.lastIndexOf(", ");
    return last < 0 ? all : all.substring(0, last) + " or " + all.substring(last + 2);
  }
}

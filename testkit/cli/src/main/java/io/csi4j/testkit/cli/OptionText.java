package io.csi4j.testkit.cli;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.VolumeId;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Formats and parses the values of options. */
final class OptionText {

  private OptionText() {}

  /** Registers converters for the types of options with the commands. */
  static void registerWith(CommandLine commands) {
    commands.registerConverter(CsiEndpoint.class, reading(CsiEndpoint::parse));
    commands.registerConverter(NodeId.class, reading(NodeId::of));
    commands.registerConverter(VolumeId.class, reading(VolumeId::of));
    commands.registerConverter(SizeOption.class, reading(SizeOption::parse));
    commands.registerConverter(Duration.class, reading(OptionText::duration));
  }

  private static <T> ITypeConverter<T> reading(Function<String, T> reader) {
    return text -> {
      try {
        return reader.apply(text);
      } catch (IllegalArgumentException wrong) {
        throw new TypeConversionException(String.valueOf(wrong.getMessage()));
      }
    };
  }

  /** Parses a duration: {@code 5s}, {@code 250ms}, {@code 2m}, {@code 1h}, {@code 30d}. */
  static Duration duration(String text) {
    String unit = text.replaceFirst("^\\d+", "");
    String digits = text.substring(0, text.length() - unit.length());
    Optional<Duration> one =
        switch (unit) {
          case "ms" -> Optional.of(Duration.ofMillis(1));
          case "s" -> Optional.of(Duration.ofSeconds(1));
          case "m" -> Optional.of(Duration.ofMinutes(1));
          case "h" -> Optional.of(Duration.ofHours(1));
          case "d" -> Optional.of(Duration.ofDays(1));
          default -> Optional.empty();
        };
    if (digits.isEmpty() || digits.length() > 9 || one.isEmpty()) {
      throw new IllegalArgumentException(
          OneLine.quoted(text)
              + " is not a time. Write a number and a unit: 250ms, 5s, 2m, 1h or 30d.");
    }
    Duration time = one.get().multipliedBy(Long.parseLong(digits));
    if (time.isZero()) {
      throw new IllegalArgumentException(
          OneLine.quoted(text) + " is too short. Write a time greater than zero.");
    }
    return time;
  }

  /**
   * Returns the name of a constant as written on the command line: {@code PROBE_A} becomes {@code
   * probe-a}.
   */
  static String written(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Joins names for a sentence: {@code a, b or c}. */
  static String oneOf(Stream<String> names) {
    String all = names.collect(Collectors.joining(", "));
    int last = all.lastIndexOf(", ");
    return last < 0 ? all : all.substring(0, last) + " or " + all.substring(last + 2);
  }
}

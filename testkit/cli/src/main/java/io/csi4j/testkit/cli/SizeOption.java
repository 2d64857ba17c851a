package io.csi4j.testkit.cli;

import java.util.Optional;

/**
 * A size on the command line.
 *
 * @param value the size in bytes
 */
record SizeOption(long value) {

  /** Parses {@code 10GiB}, {@code 512MiB}, {@code 4096}. */
  static SizeOption parse(String text) {
    String unit = text.replaceFirst("^\\d+", "");
    String digits = text.substring(0, text.length() - unit.length());
    Optional<Integer> shift =
        switch (unit) {
          case "" -> Optional.of(0);
          case "KiB" -> Optional.of(10);
          case "MiB" -> Optional.of(20);
          case "GiB" -> Optional.of(30);
          case "TiB" -> Optional.of(40);
          default -> Optional.empty();
        };
    boolean sensible = digits.matches("0*[1-9]\\d{0,17}") && shift.isPresent();
    if (!sensible || Long.parseLong(digits) > Long.MAX_VALUE >> shift.orElse(0)) {
      throw new IllegalArgumentException(
          OneLine.quoted(text)
              + " is not a size. Write a number of bytes, or one with KiB, MiB, GiB or TiB.");
    }
    return new SizeOption(Long.parseLong(digits) << shift.orElse(0));
  }
}

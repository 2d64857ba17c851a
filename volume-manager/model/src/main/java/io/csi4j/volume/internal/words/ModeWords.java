package io.csi4j.volume.internal.words;

import io.csi4j.client.model.AccessMode;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The access modes as job descriptions write them: {@code single-node-writer}. */
public final class ModeWords {

  private ModeWords() {}

  /**
   * The mode of a word.
   *
   * @throws IllegalArgumentException for a word that is none, naming those that there are
   */
  public static AccessMode parse(String word) {
    return stated()
        .filter(mode -> word(mode).equals(word))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    stated()
                        .map(ModeWords::word)
                        .collect(Collectors.joining(", ", "The access modes are ", "."))));
  }

  private static Stream<AccessMode> stated() {
    return Arrays.stream(AccessMode.values()).filter(AccessMode::isStated);
  }

  private static String word(AccessMode mode) {
    return mode.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}

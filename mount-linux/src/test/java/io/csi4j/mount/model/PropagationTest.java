package io.csi4j.mount.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Cases R of the mount facts: the words of propagation, in and out. */
class PropagationTest {

  @ParameterizedTest
  @CsvSource({
    "'', PRIVATE",
    "private, PRIVATE",
    "rprivate, PRIVATE",
    "PRIVATE, PRIVATE",
    "host-to-container, HOST_TO_CONTAINER",
    "host-to-task, HOST_TO_CONTAINER",
    "HostToContainer, HOST_TO_CONTAINER",
    "rslave, HOST_TO_CONTAINER",
    "bidirectional, BIDIRECTIONAL",
    "Bidirectional, BIDIRECTIONAL",
    "rshared, BIDIRECTIONAL"
  })
  void knownWordsAreRead(String word, Propagation propagation) {
    assertThat(Propagation.parse(word)).isEqualTo(propagation);
  }

  @ParameterizedTest
  @EnumSource
  void itsOwnWordsAreReadBack(Propagation propagation) {
    assertThat(Propagation.parse(propagation.word())).isEqualTo(propagation);
    assertThat(Propagation.parse(propagation.kernelWord())).isEqualTo(propagation);
  }

  @ParameterizedTest
  @ValueSource(strings = {"shared", "slave", "unbindable", "none", " ", "private ", "r"})
  void unknownWordsAreRefused(String word) {
    assertThatThrownBy(() -> Propagation.parse(word))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "'"
                + word
                + "' is not a mount propagation. Use private, host-to-container or bidirectional.");
  }

  @Test
  void aWordWithControlCharactersIsShownEscaped() {
    assertThatThrownBy(() -> Propagation.parse("a\nb"))
        .hasMessage(
            "'a\\nb' is not a mount propagation. Use private, host-to-container or bidirectional.");
  }

  @Test
  void wordsAreReadTheSameInEveryLanguage() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("tr"));
    try {
      assertThat(Propagation.parse("BIDIRECTIONAL")).isEqualTo(Propagation.BIDIRECTIONAL);
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void tagsSayWhoSendsAndWhoReceives() {
    Propagation.Tags shared = tags(OptionalInt.of(5), OptionalInt.empty());
    Propagation.Tags slave = tags(OptionalInt.empty(), OptionalInt.of(5));
    Propagation.Tags both = tags(OptionalInt.of(6), OptionalInt.of(5));

    assertThat(Propagation.Tags.PRIVATE.sends() || Propagation.Tags.PRIVATE.receives()).isFalse();
    assertThat(shared.sends() && shared.receives()).isTrue();
    assertThat(slave.sends()).isFalse();
    assertThat(slave.receives()).isTrue();
    assertThat(both.sends() && both.receives()).isTrue();
    assertThat(Propagation.Tags.PRIVATE).hasToString("private");
    assertThat(slave).hasToString("master:5");
    assertThat(both).hasToString("shared:6,master:5");
  }

  @Test
  void tagsOfNewerKernelsAreKept() {
    Propagation.Tags newer =
        new Propagation.Tags(
            OptionalInt.empty(), OptionalInt.empty(), true, List.of(KernelText.of("new:\n7")));

    assertThat(newer).hasToString("unbindable,new:\\n7");
  }

  private static Propagation.Tags tags(OptionalInt peers, OptionalInt master) {
    return new Propagation.Tags(peers, master, false, List.of());
  }
}

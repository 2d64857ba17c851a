package io.csi4j.volume.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The names by which a host knows volumes, workloads and plugins. */
class NamesTest {

  /** Every kind of name: what it is called, and how it is made. */
  static Stream<Arguments> kinds() {
    return Stream.of(
        kind("namespace", Namespace::of),
        kind("volume id", VolumeKey::of),
        kind("workload id", WorkloadId::of),
        kind("plugin id", PluginId::of));
  }

  private static Arguments kind(String name, Function<String, Object> maker) {
    return Arguments.of(name, maker);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void aNameIsAnyTextThatCanBeShown(String kind, Function<String, Object> maker) {
    for (String name :
        List.of("a", "../../etc", "a/b c", "%2e", "ä\u202eb", "\uD83D\uDCBE", "x".repeat(1024))) {
      assertThat(maker.apply(name)).as(kind).isEqualTo(maker.apply(name));
      assertThat(maker.apply(name)).isNotEqualTo(maker.apply("another"));
      assertThat(maker.apply(name).toString()).endsWith(name);
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void whatCannotNameAnythingIsRefused(String kind, Function<String, Object> maker) {
    refused(maker, "", "The " + kind + " is empty. Give the name that the host uses.");
    refused(maker, "x".repeat(1025), "The " + kind + " has 1025 characters. Use 1024 at most.");
    for (String control : List.of("a\nb", "a\u0000b", "a\u007fb", "a\u0085b")) {
      refused(maker, control, "The " + kind + " has a control character at 1. Leave it out.");
    }
    for (String lone :
        List.of("\uD83D", "\uDCBE", "\uDCBE\uD83D", "\uD83Dx", "\uD83D\uD83D\uDCBE")) {
      assertThatThrownBy(() -> maker.apply(lone))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("The " + kind + " is not valid Unicode: lone surrogate at 0.");
    }
    refused(maker, "ab\uDCBE", "The " + kind + " is not valid Unicode: lone surrogate at 2.");
    refused(
        maker, "\uD83D\uDCBE\uDCBE", "The " + kind + " is not valid Unicode: lone surrogate at 2.");
  }

  private static void refused(Function<String, Object> maker, String name, String message) {
    assertThatThrownBy(() -> maker.apply(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void aVolumeBelongsToItsNamespace() {
    VolumeKey one = VolumeKey.of(Namespace.of("one"), "db");
    VolumeKey two = VolumeKey.of(Namespace.of("two"), "db");

    assertThat(one).isNotEqualTo(two).isLessThan(two).hasToString("one/db");
    assertThat(VolumeKey.of("db")).isEqualTo(VolumeKey.of(Namespace.DEFAULT, "db"));
    assertThat(VolumeKey.of("db")).hasToString("default/db");
    assertThat(VolumeKey.of(Namespace.of("one"), "dc")).isGreaterThan(one).isLessThan(two);
  }

  @Test
  void aUseIsOfAVolumeByAWorkload() {
    VolumeUse a = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("a"));
    VolumeUse b = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("b"));
    VolumeUse later = VolumeUse.of(VolumeKey.of("dc"), WorkloadId.of("a"));

    assertThat(a).isEqualTo(VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("a")));
    assertThat(a).isLessThan(b).hasToString("default/db by a");
    assertThat(b).isLessThan(later);
  }

  @Test
  void namesAreInTheOrderOfTheirText() {
    assertThat(PluginId.of("a")).isLessThan(PluginId.of("b"));
    assertThat(WorkloadId.of("a")).isLessThan(WorkloadId.of("b"));
    assertThat(Namespace.of("a")).isLessThan(Namespace.of("b"));
  }
}

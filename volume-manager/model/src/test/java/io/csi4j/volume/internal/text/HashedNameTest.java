package io.csi4j.volume.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The names of directories and records. */
class HashedNameTest {

  @Test
  void aNameIsTheSameForEver() {
    assertThat(HashedName.of("hostpath.csi", "vol-1")).isEqualTo("skv7o2iec4cvupwq4gw4mvo7k4");
    assertThat(HashedName.of("hostpath.csi", "vol-1")).isEqualTo("skv7o2iec4cvupwq4gw4mvo7k4");
  }

  @Test
  void eachOfManyTextsKeepsItsOwnNameHoweverOftenItIsAskedFor() {
    List<String> first = names();
    assertThat(new HashSet<>(first)).hasSize(5_000);
    assertThat(names()).isEqualTo(first);
    assertThat(HashedName.of("a", "b"))
        .isNotEqualTo(HashedName.of("ab"))
        .isNotEqualTo(HashedName.of("b", "a"));
  }

  private static List<String> names() {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      names.add(HashedName.of("plugin", "vol-" + i));
    }
    return names;
  }

  @Test
  void whatACallerDoesToItsTextsLaterChangesNoName() {
    String[] parts = {"plugin", "vol-1"};
    String name = HashedName.of(parts);
    parts[1] = "vol-2";
    assertThat(HashedName.of(parts)).isNotEqualTo(name);
    assertThat(HashedName.of("plugin", "vol-1")).isEqualTo(name);
  }
}

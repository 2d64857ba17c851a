package io.csi4j.volume.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.csi4j.mount.campaign.PlayedInShares;
import io.csi4j.volume.sim.Explorer.Limit;
import io.csi4j.volume.sim.Explorer.Tally;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Histories that join others leave out nothing: the same worlds and violations are reached. */
class CanonicalTest {

  private static final Limit ALL = new Limit(Long.MAX_VALUE, 600, false, 2);

  /** What is reached in all histories of a setup. */
  private record Reached(Set<Canonical.Key> worlds, Set<String> broken, Tally tally) {

    static Reached by(Setup setup, Crossroads crossroads) {
      Tally tally = Explorer.exhaustive(setup, ALL, crossroads);
      assertThat(tally.isComplete()).isTrue();
      return new Reached(crossroads.recorded(), tally.violations().keySet(), tally);
    }

    static Reached inFull(Setup setup) {
      return by(setup, Crossroads.onlyRecording());
    }

    static Reached joined(Setup setup, Set<String> without) {
      return by(setup, Crossroads.recording(without));
    }
  }

  private static Tally assertNothingIsLost(Setup setup) {
    Reached full = Reached.inFull(setup);
    Reached joined = Reached.joined(setup, Set.of());

    assertThat(joined.worlds()).as("worlds of %s", setup).isEqualTo(full.worlds());
    assertThat(joined.broken()).as("broken in %s", setup).isEqualTo(full.broken());
    assertThat(joined.tally().crashedAt().keySet())
        .as("crashes of %s", setup)
        .isEqualTo(full.tally().crashedAt().keySet());
    assertThat(full.tally().joined()).isZero();
    return joined.tally();
  }

  static Stream<Setup> small() {
    List<Setup> setups = new ArrayList<>();
    for (boolean shared : new boolean[] {false, true}) {
      for (boolean serialising : new boolean[] {false, true}) {
        setups.add(Setup.drill(shared, serialising, 1, 0));
        setups.add(Setup.drill(shared, serialising, 0, 1));
      }
      setups.add(Setup.drill(shared, false, 0, 0).with(Setup.Drive.HURRY));
      setups.add(Setup.mend(shared, 0, 0));
    }
    return setups.stream();
  }

  @Tag("campaign")
  @PlayedInShares
  @Test
  void theSameWorldsOfOneCrashAreReachedWithAndWithoutJoining() {
    assertThat(assertNothingIsLost(Setup.drill(false, true, 1, 0)).joined()).isPositive();
  }

  @Tag("campaign")
  @PlayedInShares
  @ParameterizedTest
  @MethodSource("small")
  void theSameWorldsAreReachedWithAndWithoutJoining(Setup setup) {
    assertThat(assertNothingIsLost(setup).joined()).isPositive();
  }

  /** Fields, and a setup in whose worlds they make a difference. */
  static Stream<Arguments> described() {
    Setup crash = Setup.drill(true, true, 1, 0);
    return Stream.of(
        arguments("SimPlugin.late World.time", Setup.drill(false, true, 1, 1)),
        arguments("../state/MemoryMedium.media", crash),
        arguments("../internal/disk/FakeDisk.names ../internal/disk/FakeDisk.namesOnMedia", crash),
        arguments("World.progress", crash),
        arguments("World.watch", crash));
  }

  @Tag("campaign")
  @PlayedInShares
  @ParameterizedTest
  @MethodSource("described")
  void somethingIsLostWhenAPartOfTheWorldIsNotDescribed(String fields, Setup setup) {
    Set<Canonical.Key> all = Reached.joined(setup, Set.of()).worlds();

    Set<Canonical.Key> reached = Reached.joined(setup, Set.of(fields.split(" ", -1))).worlds();

    assertThat(all.containsAll(reached)).as("no others are reached").isTrue();
    assertThat(reached.size()).as("worlds").isLessThan(all.size());
  }

  @Test
  void everyFieldThatIsOmittedIsThere() throws ReflectiveOperationException {
    Set<String> names = new HashSet<>(Omissions.ALWAYS.keySet());
    names.addAll(Omissions.OF_THE_DEAD.keySet());

    for (String name : names) {
      int dot = name.lastIndexOf('.');
      String type = name.substring(0, dot);
      String full =
          type.startsWith("../")
              ? "io.csi4j.volume." + type.substring(3).replace('/', '.')
              : "io.csi4j.volume.sim." + type;
      Field field = Class.forName(full).getDeclaredField(name.substring(dot + 1));
      assertThat(Omissions.name(field)).isEqualTo(name);
    }
  }
}

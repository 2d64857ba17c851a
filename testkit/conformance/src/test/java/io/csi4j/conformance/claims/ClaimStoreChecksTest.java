package io.csi4j.conformance.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.csi4j.conformance.ClaimStoreChecks;
import io.csi4j.volume.claim.spi.ClaimStore;
import io.csi4j.volume.claim.store.LocalClaimStore;
import io.csi4j.volume.claim.store.MemoryClaimStore;
import io.csi4j.volume.state.MemoryMedium;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The stores of this module keep what every store promises. */
class ClaimStoreChecksTest {

  @TempDir Path directory;

  /** A fixture whose places are made by this. */
  private record Fixture(Set<Ability> abilities, Supplier<Place> places)
      implements ClaimStoreFixture {

    @Override
    public Place place() {
      return places.get();
    }
  }

  private static Stream<DynamicTest> tests(ClaimStoreFixture fixture) {
    return ClaimStoreChecks.of(fixture).stream()
        .map(check -> dynamicTest(check.name(), check::run));
  }

  @TestFactory
  Stream<DynamicTest> aStoreInMemoryKeepsItsPromises() {
    return tests(new Fixture(Set.of(), () -> place(MemoryClaimStore::new)));
  }

  @TestFactory
  Stream<DynamicTest> aStoreOnTheDiskOfThisHostKeepsItsPromises() {
    AtomicInteger number = new AtomicInteger();
    return tests(
        new Fixture(
            Set.of(ClaimStoreFixture.Ability.DURABLE),
            () -> {
              Path store = directory.resolve("claims-" + number.incrementAndGet());
              return place(() -> LocalClaimStore.open(store));
            }));
  }

  @TestFactory
  Stream<DynamicTest> aLocalStoreOnAStateThatIsGivenKeepsItsPromises() {
    return tests(
        new Fixture(
            Set.of(ClaimStoreFixture.Ability.DURABLE),
            () -> {
              MemoryMedium medium = MemoryMedium.create();
              return place(() -> LocalClaimStore.on(medium.open()));
            }));
  }

  private static ClaimStoreFixture.Place place(Supplier<ClaimStore> opening) {
    return new ClaimStoreFixture.Place() {
      @Override
      public ClaimStore open() {
        return opening.get();
      }

      @Override
      public void close() {}
    };
  }

  @Test
  void thereAreChecksOfEachSubjectAndNoTwoOfOneName() {
    List<String> names = names(Set.of(ClaimStoreFixture.Ability.values()));

    assertThat(names).doesNotHaveDuplicates().hasSizeGreaterThanOrEqualTo(70);
    assertThat(names(Set.of())).hasSizeBetween(40, names.size() - 14);
    assertThat(names(Set.of(ClaimStoreFixture.Ability.SHARED)))
        .contains("closing one client leaves the others")
        .doesNotContain("the name of a store outlives closing");
    assertThat(names(Set.of(ClaimStoreFixture.Ability.DURABLE)))
        .contains("the name of a store outlives closing")
        .doesNotContain("closing one client leaves the others");
  }

  private static List<String> names(Set<ClaimStoreFixture.Ability> abilities) {
    return ClaimStoreChecks.of(new Fixture(abilities, () -> place(MemoryClaimStore::new))).stream()
        .map(ClaimStoreCheck::name)
        .toList();
  }
}

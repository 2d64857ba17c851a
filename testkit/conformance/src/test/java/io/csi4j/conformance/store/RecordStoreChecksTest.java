package io.csi4j.conformance.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.csi4j.conformance.RecordStoreChecks;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.store.local.MemoryStore;
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
class RecordStoreChecksTest {

  @TempDir Path directory;

  /** A fixture whose places are made by this. */
  private record Fixture(Set<Ability> abilities, Supplier<Place> places)
      implements RecordStoreFixture {

    @Override
    public Place place() {
      return places.get();
    }
  }

  private static Stream<DynamicTest> tests(RecordStoreFixture fixture) {
    return RecordStoreChecks.of(fixture).stream()
        .map(check -> dynamicTest(check.name(), check::run));
  }

  @TestFactory
  Stream<DynamicTest> aStoreInMemoryKeepsItsPromises() {
    return tests(
        new Fixture(Set.of(RecordStoreFixture.Ability.TOGETHER), () -> place(MemoryStore::new)));
  }

  @TestFactory
  Stream<DynamicTest> aStoreOnTheDiskOfThisHostKeepsItsPromises() {
    AtomicInteger number = new AtomicInteger();
    return tests(
        new Fixture(
            Set.of(RecordStoreFixture.Ability.DURABLE),
            () -> {
              Path store = directory.resolve("claims-" + number.incrementAndGet());
              return place(() -> LocalStore.open(store));
            }));
  }

  @TestFactory
  Stream<DynamicTest> aLocalStoreOnAStateThatIsGivenKeepsItsPromises() {
    return tests(
        new Fixture(
            Set.of(RecordStoreFixture.Ability.DURABLE),
            () -> {
              MemoryMedium medium = MemoryMedium.create();
              return place(() -> LocalStore.on(medium.open()));
            }));
  }

  private static RecordStoreFixture.Place place(Supplier<RecordStore> opening) {
    return new RecordStoreFixture.Place() {
      @Override
      public RecordStore open() {
        return opening.get();
      }

      @Override
      public void close() {}
    };
  }

  @Test
  void thereAreChecksOfEachSubjectAndNoTwoOfOneName() {
    List<String> names = names(Set.of(RecordStoreFixture.Ability.values()));

    assertThat(names).doesNotHaveDuplicates().hasSizeGreaterThanOrEqualTo(70);
    assertThat(names(Set.of())).hasSizeBetween(50, names.size() - 14);
    assertThat(names(Set.of(RecordStoreFixture.Ability.SHARED)))
        .contains("closing one client leaves the others")
        .doesNotContain("the name of a store stays the same after closing");
    assertThat(names(Set.of(RecordStoreFixture.Ability.DURABLE)))
        .contains("the name of a store stays the same after closing")
        .doesNotContain("closing one client leaves the others");
  }

  private static List<String> names(Set<RecordStoreFixture.Ability> abilities) {
    return RecordStoreChecks.of(new Fixture(abilities, () -> place(MemoryStore::new))).stream()
        .map(RecordStoreCheck::name)
        .toList();
  }
}

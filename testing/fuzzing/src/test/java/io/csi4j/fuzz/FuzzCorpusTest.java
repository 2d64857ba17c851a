package io.csi4j.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The inputs that are kept: the ones that runs begin with, and each one that was once a finding.
 */
class FuzzCorpusTest {

  private static final Path OURS = Target.ROOT.resolve("testing/fuzzing/corpus");

  static Stream<Arguments> inputs() {
    return Stream.of(Target.values())
        .flatMap(target -> target.corpus().stream().map(file -> Arguments.of(target, file)));
  }

  @ParameterizedTest
  @MethodSource("inputs")
  void thePropertyHoldsForAnInputThatIsKept(Target target, Path input) throws IOException {
    target.check(Files.readAllBytes(input));
  }

  @ParameterizedTest
  @EnumSource
  void thePropertyHoldsForNothingAtAll(Target target) {
    target.check(new byte[0]);
  }

  @ParameterizedTest
  @EnumSource
  void everyTargetHasSomethingToBeginWith(Target target) {
    assertThat(target.corpus()).isNotEmpty();
  }

  @Test
  void everyFolderOfTheCorpusIsThatOfATarget() throws IOException {
    try (Stream<Path> folders = Files.list(OURS)) {
      assertThat(folders.map(folder -> folder.getFileName().toString()))
          .isSubsetOf(Stream.of(Target.values()).map(Target::written).toList());
    }
  }

  /** Each class whose name ends in Fuzz is a target, wherever it is. */
  @Test
  void everyClassWithAPropertyIsATarget() throws IOException {
    Set<String> found = new TreeSet<>();
    try (Stream<Path> files = Files.walk(Target.ROOT)) {
      files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith("Fuzz.java"))
          .forEach(name -> found.add(name.replace(".java", "")));
    }
    assertThat(found)
        .isEqualTo(
            Stream.of(Target.values())
                .map(target -> target.type().getSimpleName())
                .collect(Collectors.toCollection(TreeSet::new)));
  }

  @Test
  void theCorpusIsSmall() throws IOException {
    try (Stream<Path> files = Files.walk(OURS)) {
      assertThat(files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum())
          .isLessThan(64 << 10);
    }
  }
}

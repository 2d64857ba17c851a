package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that run in {@code testing/awaited} or {@code testing/gathered}, in place of the module
 * that they are in.
 */
class AwaitedTestsTest {

  private static final String AWAITED = "testing/awaited";
  private static final String GATHERED = "testing/gathered";

  private static final Path ROOT = PublishedModules.ROOT;

  private static final Pattern TAKEN =
      Pattern.compile("(.+)/\\$\\{target\\.directory}/test-classes/\n");

  private static List<String> taken(String by) throws IOException {
    return TAKEN
        .matcher(Files.readString(ROOT.resolve(by).resolve("modules.txt")))
        .results()
        .map(found -> found.group(1))
        .toList();
  }

  @Test
  void eachModuleThatLeavesItsTestsToAnotherIsTakenOnce() throws IOException {
    List<String> leaving = new ArrayList<>();
    for (MatchResult module :
        Pattern.compile("<module>(.+)</module>")
            .matcher(Files.readString(ROOT.resolve("pom.xml")))
            .results()
            .toList()) {
      Path directory = ROOT.resolve(module.group(1));
      if (Files.isDirectory(directory.resolve("src/test/java"))
          && !Files.readString(directory.resolve("pom.xml"))
              .contains("<maven.test.skip.exec>false<")) {
        leaving.add(module.group(1));
      }
    }

    assertThat(leaving)
        .hasSizeGreaterThan(20)
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(taken(AWAITED).stream(), taken(GATHERED).stream()).toList());
  }

  @ParameterizedTest
  @ValueSource(strings = {AWAITED, GATHERED})
  void noTestHidesOneOfAnotherModule(String by) throws IOException {
    List<String> files = new ArrayList<>();
    for (String module : taken(by)) {
      for (String kind : List.of("java", "resources")) {
        Path top = ROOT.resolve(module).resolve("src/test").resolve(kind);
        if (Files.isDirectory(top)) {
          try (Stream<Path> found = Files.walk(top)) {
            found
                .filter(Files::isRegularFile)
                .forEach(file -> files.add(top.relativize(file).toString()));
          }
        }
      }
    }

    assertThat(files).isNotEmpty().doesNotHaveDuplicates();
  }
}

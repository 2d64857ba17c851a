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

/** Tests that run in {@code testing/awaited}, in place of the module that they are in. */
class AwaitedTestsTest {

  private static final Path ROOT = PublishedModules.ROOT;

  private static final Pattern TAKEN =
      Pattern.compile("<include name=\"(.+)/\\$\\{target\\.directory}/test-classes/\"/>");

  private static List<String> taken() throws IOException {
    return TAKEN
        .matcher(Files.readString(ROOT.resolve("testing/awaited/pom.xml")))
        .results()
        .map(found -> found.group(1))
        .toList();
  }

  @Test
  void eachModuleThatLeavesItsTestsToAnotherIsOneOfThoseThatAreTaken() throws IOException {
    List<String> leaving = new ArrayList<>();
    for (MatchResult module :
        Pattern.compile("<module>(.+)</module>")
            .matcher(Files.readString(ROOT.resolve("pom.xml")))
            .results()
            .toList()) {
      Path pom = ROOT.resolve(module.group(1)).resolve("pom.xml");
      if (Files.readString(pom).contains("${awaited.elsewhere}")) {
        leaving.add(module.group(1));
      }
    }

    assertThat(leaving).isNotEmpty().containsExactlyInAnyOrderElementsOf(taken());
  }

  @Test
  void noTestHidesOneOfAnotherModule() throws IOException {
    List<String> files = new ArrayList<>();
    for (String module : taken()) {
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

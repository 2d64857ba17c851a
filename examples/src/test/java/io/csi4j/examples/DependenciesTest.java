package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Whether a host gets the versions that the modules are built with. The parent manages versions for
 * this build only; for a host the nearest one named wins. So a module that names an artifact which
 * asks for another version of something names that, too.
 */
class DependenciesTest {

  private static final Pattern DEPENDENCY =
      Pattern.compile("<dependency>(.*?)</dependency>", Pattern.DOTALL);
  private static final Pattern EXCLUSIONS =
      Pattern.compile("<exclusions>.*?</exclusions>", Pattern.DOTALL);
  private static final Pattern NAME = Pattern.compile("<artifactId>([^<]+)</artifactId>");

  @Test
  void everyModuleNamesWhatItWouldBringInAnotherVersion() throws IOException {
    List<String> problems = new ArrayList<>();
    for (String module : PublishedModules.modules()) {
      Path pom = PublishedModules.ROOT.resolve(module).resolve("pom.xml");
      problems(named(Files.readString(pom))).forEach(each -> problems.add(module + " " + each));
    }
    assertThat(problems).isEmpty();
  }

  @Test
  void anArtifactThatIsLeftToOthersIsFound() {
    String pom =
        """
        <dependency>
          <artifactId>grpc-protobuf</artifactId>
          <exclusions><exclusion><artifactId>protobuf-java</artifactId></exclusion></exclusions>
        </dependency>
        <dependency>
          <artifactId>guava</artifactId>
          <scope>test</scope>
        </dependency>
        """;

    assertThat(problems(named(pom)))
        .containsExactly(
            "names grpc-protobuf, which asks for protobuf-java 3, and does not name protobuf-java",
            "names grpc-protobuf without csi4j-client or guava: a host would get guava's android"
                + " variant");
  }

  private static List<String> problems(Set<String> names) {
    List<String> problems = new ArrayList<>();
    if (names.contains("grpc-protobuf")) {
      if (!names.contains("protobuf-java")) {
        problems.add(
            "names grpc-protobuf, which asks for protobuf-java 3, and does not name protobuf-java");
      }
      if (!names.contains("csi4j-client") && !names.contains("guava")) {
        problems.add(
            "names grpc-protobuf without csi4j-client or guava: a host would get guava's android"
                + " variant");
      }
    }
    return problems;
  }

  /** The artifacts that a host gets because this descriptor names them. */
  private static Set<String> named(String pom) {
    Set<String> names = new LinkedHashSet<>();
    for (MatchResult found : DEPENDENCY.matcher(pom).results().toList()) {
      String dependency = EXCLUSIONS.matcher(found.group(1)).replaceAll("");
      if (!dependency.contains("<scope>test</scope>") && !dependency.contains("<type>test-jar")) {
        NAME.matcher(dependency).results().forEach(name -> names.add(name.group(1)));
      }
    }
    return names;
  }
}

package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holds the tutorial to programs that compile; {@link TutorialTest} runs them. */
class TutorialPageTest {

  static final Page PAGE = Page.of("docs/tutorial.md", "TutorialPageTest.java");

  @Test
  void eachProgramCompilesWithoutAWarning(@TempDir Path directory) throws IOException {
    List<String> programs = List.copyOf(PAGE.javaBlocks().keySet());
    assertThat(programs)
        .containsExactly(
            "file: Plugin.java",
            "file: Agent.java, which mounts",
            "file: Agent.java, which survives");
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    for (String program : programs) {
      String source = type(program, directory).toString();
      String path = System.getProperty("java.class.path");
      assertThat(
              compiler.run(
                  null, null, null, "-Xlint:all,-path,-processing", "-Werror", "-cp", path, source))
          .as(program)
          .isZero();
    }
  }

  @Test
  void theJarsAreThoseOfThisBuild() throws IOException {
    String pom = PAGE.blocks("xml").get(0).group(3);
    MatchResult version =
        Pattern.compile("<artifactId>csi4j-parent</artifactId>\\s+<version>([^<]+)</version>")
            .matcher(Files.readString(Page.ROOT.resolve("pom.xml")))
            .results()
            .findFirst()
            .orElseThrow();
    for (String artifact : List.of("csi4j-cluster", "csi4j-testkit-hostpath")) {
      assertThat(pom)
          .containsPattern(
              artifact + "</artifactId>\\s+<version>" + Pattern.quote(version.group(1)) + "<");
    }
    assertThat(Files.readString(Page.ROOT.resolve("bom/pom.xml")))
        .contains("<artifactId>csi4j-cluster<", "<artifactId>csi4j-testkit-hostpath<");
  }

  /** Puts a block into the file that its name says. */
  static Path type(String block, Path directory) throws IOException {
    String file = block.replaceFirst("^file: ", "").replaceFirst(",.*", "");
    return Files.writeString(directory.resolve(file), PAGE.javaBlocks().get(block));
  }
}

package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that the README is short, that its programs compile, and that its commands exist. */
class ReadmeTest {

  private static final Path ROOT = Page.ROOT;
  private static final Page PAGE = Page.of("README.md", "ReadmeTest.java");

  @Test
  void everyProgramCompilesAsItIsPrinted(@TempDir Path directory) throws IOException {
    Map<String, String> programs = PAGE.javaBlocks();
    assertThat(programs).containsOnlyKeys("file: FirstMount.java", "file: FirstTest.java");
    assertThat(programs.get("file: FirstMount.java").lines()).hasSizeLessThanOrEqualTo(22);
    assertThat(programs.get("file: FirstTest.java").lines()).hasSizeLessThanOrEqualTo(10);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    String path = System.getProperty("java.class.path");
    for (Map.Entry<String, String> program : programs.entrySet()) {
      String name = program.getKey().replace("file: ", "");
      String source = Files.writeString(directory.resolve(name), program.getValue()).toString();
      assertThat(
              compiler.run(
                  null, null, null, "-Xlint:all,-path,-processing", "-Werror", "-cp", path, source))
          .as(name)
          .isZero();
    }
  }

  @Test
  void itIsReadInAMinute() throws IOException {
    assertThat(Files.readAllLines(PAGE.file())).hasSizeLessThanOrEqualTo(136);
  }

  @Test
  void theCommandsShownAreThere() throws IOException {
    assertThat(PAGE.text("command of the quickstart")).isEqualTo("examples/quickstart");
    assertThat(ROOT.resolve("examples/quickstart")).isExecutable();
    assertThat(Files.readString(PAGE.file())).contains("`mvn -q install -Pfast`");
    assertThat(Files.readString(ROOT.resolve("pom.xml"))).contains("<id>fast</id>");
  }

  @Test
  void everyModuleHasAPageInItsFolder() throws IOException {
    List<Path> modules =
        Pattern.compile("<module>([^<]+)</module>")
            .matcher(Files.readString(ROOT.resolve("pom.xml")))
            .results()
            .map(module -> module.group(1))
            .filter(module -> !module.startsWith("examples/strangers/"))
            .map(ROOT::resolve)
            .toList();
    assertThat(modules).hasSizeGreaterThan(10);
    assertThat(modules).allSatisfy(module -> assertThat(module.resolve("README.md")).exists());
  }
}

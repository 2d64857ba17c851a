package io.csi4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The suite where JUnit is not on the class path: as a command line has it. */
final class SuiteWithoutJUnitTest {

  @Test
  void scenariosAreThereWithoutJUnit() throws Exception {
    try (URLClassLoader bare =
        new URLClassLoader(withoutJUnit(), ClassLoader.getPlatformClassLoader())) {
      assertThatExceptionOfType(ClassNotFoundException.class)
          .isThrownBy(() -> bare.loadClass("org.junit.jupiter.api.Test"));
      Class<?> suite = bare.loadClass(OrchestratorConformance.class.getName());
      assertThat((List<?>) suite.getMethod("cases").invoke(null))
          .hasSameSizeAs(OrchestratorConformance.cases());
      Object made = suite.getMethod("create").invoke(null);
      assertThat((List<?>) suite.getMethod("chosen").invoke(made)).isNotEmpty();
    }
  }

  private static URL[] withoutJUnit() {
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    return Arrays.stream(path.split(File.pathSeparator, -1))
        .filter(entry -> !entry.contains("junit") && !entry.contains("opentest4j"))
        .map(SuiteWithoutJUnitTest::url)
        .toArray(URL[]::new);
  }

  private static URL url(String entry) {
    try {
      return Path.of(entry).toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(e);
    }
  }
}

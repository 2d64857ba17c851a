package io.csi4j.mount.campaign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Where a test stands while it takes long. */
class LongCasesTest {

  @TempDir Path directory;

  private static void pause() {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
  }

  /** Only played by the tests below. */
  static final class Slow {

    @BeforeAll
    static void all() {
      pause();
    }

    @Test
    void waits() {
      pause();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void waitsInOneCase(boolean isLong) {
      if (isLong) {
        pause();
      }
    }
  }

  private List<String> lines(Duration limit) throws IOException {
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(Slow.class))
                .enableImplicitConfigurationParameters(false)
                .build(),
            new LongCases(limit, directory));
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        assertThat(file.getFileName().toString()).startsWith(Slow.class.getName() + "-");
        return Files.readAllLines(file);
      }
    }
    return List.of();
  }

  @Test
  void aCaseThatTakesLongIsNotedWithTheLineWhereItWaits() throws IOException {
    assertThat(lines(Duration.ofMillis(40)))
        .allMatch(line -> line.matches(".*\t[0-9]+\\.[0-9]{2}\t.*"))
        .allMatch(
            line ->
                line.contains("% waits in Unsafe.park, in LongCasesTest.pause, from LongCasesTest"))
        .anyMatch(line -> line.startsWith("(around its cases)\t"))
        .anyMatch(line -> line.startsWith("waits()\t"))
        .anyMatch(line -> line.startsWith("waitsInOneCase(boolean)[1]\t"));
  }

  @Test
  void aClassWhoseCasesAreShortLosesItsFile() throws IOException {
    assertThat(lines(Duration.ofMillis(40))).isNotEmpty();

    assertThat(lines(Duration.ofHours(1))).isEmpty();
  }
}

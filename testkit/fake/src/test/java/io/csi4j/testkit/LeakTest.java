package io.csi4j.testkit;

import static io.csi4j.client.model.CsiOperation.PROBE;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** A thousand plugins in one process leave nothing behind. */
@Isolated("Counts threads and descriptors.")
class LeakTest {

  private static final int PLUGINS = 1_000;

  @Tag("campaign")
  @Test
  void aThousandPluginsLeaveNoThreadNoDescriptorAndNoFile() {
    for (int i = 0; i < 20; i++) {
      assertThat(openAskAndClose()).doesNotExist();
    }
    Set<String> threads = threads();
    List<Path> directories = new ArrayList<>();
    long descriptors = descriptors();

    for (int i = 0; i < PLUGINS; i++) {
      directories.add(openAskAndClose());
    }

    assertThat(LifeTest.threads()).isEmpty();
    assertThat(threads()).isSubsetOf(threads);
    assertThat(directories).doesNotHaveDuplicates().noneMatch(Files::exists);
    // Other tests of this process may have some of their own; a leak would be a thousand.
    assertThat(descriptors()).isLessThan(descriptors + 10);
  }

  private static Path openAskAndClose() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      try (PlainSocketCaller caller = new PlainSocketCaller(plugin.endpoint().path())) {
        assertThat(caller.status("/" + PROBE.fullName(), Requests.probe()))
            .isEqualTo(Status.Code.OK.value());
      }
      return plugin.endpoint().path().getParent();
    }
  }

  private static Set<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static long descriptors() {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package io.csi4j.volume.internal.real;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.volume.internal.link.PluginAnswer;
import io.csi4j.volume.internal.time.Waits;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.node.ManagerSettings;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("Counts threads.")
@MountTest
class RealPartsTest {

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(each -> each.startsWith("csi4j-volume"))
        .sorted()
        .toList();
  }

  @Test
  void thePartsOfThisMachineWorkTogetherAndLeaveNothingBehind(Scratch scratch) throws Exception {
    MountPath root = scratch.directory("root");
    try (FakeCsiPlugin fake = FakeCsiPlugin.open();
        RealParts parts =
            RealParts.open(root, ManagerSettings.builder().threads(2).build(), Optional.empty())) {
      assertThat(threads())
          .containsExactly(
              "csi4j-volume-timer-1", "csi4j-volume-worker-1", "csi4j-volume-worker-2");
      PluginId id = PluginId.of("fake");
      assertThat(parts.plugins().register(PluginBinding.of(id, fake.endpoint())))
          .extracting(PluginFinding::code)
          .doesNotContain(OperatorCode.PLUGIN_SOCKET_TOO_LONG);
      CompletableFuture<PluginAnswer> answer = new CompletableFuture<>();
      parts.plugins().find(id).orElseThrow().facts(answer::complete);

      assertThat(Waits.on(answer)).isInstanceOf(PluginAnswer.Up.class);
      assertThat(parts.layout().root()).isEqualTo(root);
      try (var files = Files.list(root.toPath())) {
        assertThat(files).isEmpty();
      }
    }
    Waits.until(() -> threads().isEmpty());
  }
}

package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeService;
import io.csi4j.client.node.NodeUnpublishVolumeRequest;
import io.csi4j.client.scripted.ScriptedPlugin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StageThreadTest {

  private static final int CALLS = 20;

  private static final NodeUnpublishVolumeRequest REQUEST =
      NodeUnpublishVolumeRequest.builder(VolumeId.of("vol-1"), PluginPath.of("/t")).build();

  @TempDir Path directory;

  /** The budget is looked at by the timer, which is the I/O thread. */
  @Test
  void actionsOfACallWhoseBudgetForbidsARetryDoNotRunOnTheIoThread() throws Exception {
    BlockingQueue<ScriptedPlugin.Reply> held = new LinkedBlockingQueue<>();
    try (ScriptedPlugin scripted = ScriptedPlugin.start(directory.resolve("csi.sock"));
        CsiPlugin plugin = CsiPlugin.connect(scripted.endpoint())) {
      scripted.on(CsiOperation.NODE_UNPUBLISH_VOLUME, (call, reply) -> held.add(reply));
      NodeService.Async node = plugin.node().with(StageThreadTest::noTimeForARetry).async();
      for (int i = 0; i < CALLS; i++) {
        CompletableFuture<String> thread = new CompletableFuture<>();
        node.unpublishVolume(REQUEST)
            .whenComplete((none, thrown) -> thread.complete(Thread.currentThread().getName()));
        // Not before the action hangs there; else it would run here.
        held.take().fail(StatusCode.ABORTED, "still busy");
        assertThat(thread.get()).startsWith("csi4j-callback-");
      }
      assertThat(scripted.calls(CsiOperation.NODE_UNPUBLISH_VOLUME)).hasSize(CALLS);
    }
  }

  /** A pause that is drawn from a year does not fit into a minute. */
  private static CallPolicy.Builder noTimeForARetry(CallPolicy.Builder policy) {
    return policy
        .pendingBackoff(Duration.ofDays(365))
        .backoffCap(Duration.ofDays(365))
        .budget(Duration.ofMinutes(1));
  }
}

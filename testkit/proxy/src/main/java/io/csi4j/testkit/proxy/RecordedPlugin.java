package io.csi4j.testkit.proxy;

import io.csi4j.client.model.NodeId;
import io.csi4j.testkit.TestPlugin;
import io.csi4j.testkit.internal.proxy.ReplayBackend;
import io.csi4j.testkit.internal.server.PluginCore;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.recording.Recording;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A plugin that answers as a recorded one did, and has no other function: it turns a defect report
 * into a test.
 *
 * <p>A call is answered from the first unused recorded call of its operation with an equal request;
 * if there is none, from one about the same volume, or any. When all are used, the last matching
 * one answers again. An operation that is not in the recording fails with FAILED_PRECONDITION.
 *
 * <p>For the opposite direction, recorded calls that are sent to a plugin, see {@link CallReplay}.
 *
 * <pre>{@code
 * try (RecordedPlugin recorded = RecordedPlugin.open(Recording.read(file))) {
 *   orchestrator.accept(recorded.endpoint());
 *   recorded.assertLawful();
 * }
 * }</pre>
 *
 * @since 1.0
 */
public final class RecordedPlugin extends TestPlugin {

  private RecordedPlugin(PluginCore core) {
    super(core);
  }

  /** Opens a plugin that answers from these calls, on a socket in its own temporary directory. */
  public static RecordedPlugin open(Recording recording) {
    return open(recording, null);
  }

  /**
   * Opens a plugin that answers from these calls, on this socket; its directory is created if it is
   * missing.
   *
   * @throws java.io.UncheckedIOException if the plugin cannot listen; the message names the path
   *     and the reason
   */
  public static RecordedPlugin at(Path socket, Recording recording) {
    return open(recording, socket);
  }

  private static RecordedPlugin open(Recording recording, @Nullable Path socket) {
    PluginCore core =
        new PluginCore(
            new PluginCore.Settings(
                PluginShape.full(), List.of(NodeId.of("node-1")), socket, null, false));
    core.serve(new ReplayBackend(recording.calls()));
    return new RecordedPlugin(core);
  }
}

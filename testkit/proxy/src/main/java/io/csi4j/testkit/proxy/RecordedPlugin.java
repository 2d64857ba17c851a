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
 * A plugin that answers as a recorded one did, and does nothing else: a report of a defect becomes
 * a test.
 *
 * <p>Of the recorded calls of an operation, the first that asked the same and was not played yet
 * answers; without one, one about the same volume, or any. When all were played, the last that fits
 * is played again. An operation that is not in the recording fails with FAILED_PRECONDITION.
 *
 * <p>The other direction, recorded calls that are sent to a plugin, is {@link CallReplay}.
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

  /** A plugin that answers from these calls, on a socket in a directory of its own. */
  public static RecordedPlugin open(Recording recording) {
    return open(recording, null);
  }

  /**
   * A plugin that answers from these calls on this socket; its directory is made if it is missing.
   *
   * @throws java.io.UncheckedIOException if it cannot listen, saying where and why
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

package io.csi4j.benchmarks.calls;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.internal.transport.Connection;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodePublishVolumeRequest;
import java.lang.reflect.Field;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Makes calls through a {@link CsiPlugin}, each with a new request. */
final class OurCaller implements Caller, AutoCloseable {

  private static final VolumeId VOLUME = VolumeId.of(Parts.VOLUME);
  private static final PluginPath STAGING = PluginPath.of(Parts.STAGING);
  private static final PluginPath TARGET = PluginPath.of(Parts.TARGET);
  private static final VolumeCapability CAPABILITY =
      VolumeCapability.mount(
          AccessMode.SINGLE_NODE_WRITER, MountOptions.none().withFsType(Parts.FS_TYPE));
  private static final PublishContext PUBLISH_CONTEXT = PublishContext.of(Parts.PUBLISH_CONTEXT);
  private static final VolumeContext VOLUME_CONTEXT = VolumeContext.of(Parts.VOLUME_CONTEXT);
  private static final PublishContext LARGE_PUBLISH_CONTEXT =
      PublishContext.of(Parts.LARGE_PUBLISH_CONTEXT);
  private static final VolumeContext LARGE_VOLUME_CONTEXT =
      VolumeContext.of(Parts.LARGE_VOLUME_CONTEXT);

  private final CsiPlugin plugin;

  /** Connects to the plugin. */
  OurCaller(CsiEndpoint endpoint, ConnectOptions options) {
    plugin = CsiPlugin.connect(endpoint, options);
  }

  /** Returns the connection to the plugin, so that other callers can use the same connection. */
  Connection connection() {
    try {
      Field connection = plugin.getClass().getDeclaredField("connection");
      connection.setAccessible(true);
      return Objects.requireNonNull((Connection) connection.get(plugin));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void call(Operation operation) {
    if (operation != Operation.PROBE) {
      plugin.node().publishVolume(publish(operation));
    } else if (!plugin.identity().probe().isReady()) {
      throw new IllegalStateException("not ready");
    }
  }

  @Override
  public void begin(Operation operation, Consumer<@Nullable Throwable> then) {
    CompletionStage<?> answer =
        operation == Operation.PROBE
            ? plugin.identity().async().probe()
            : plugin.node().async().publishVolume(publish(operation));
    var unused = answer.whenComplete((value, thrown) -> then.accept(thrown));
  }

  private static NodePublishVolumeRequest publish(Operation operation) {
    boolean large = operation == Operation.PUBLISH_LARGE;
    return NodePublishVolumeRequest.builder(VOLUME, TARGET, CAPABILITY)
        .stagingTargetPath(STAGING)
        .publishContext(large ? LARGE_PUBLISH_CONTEXT : PUBLISH_CONTEXT)
        .volumeContext(large ? LARGE_VOLUME_CONTEXT : VOLUME_CONTEXT)
        .build();
  }

  @Override
  public void close() {
    plugin.close();
  }
}

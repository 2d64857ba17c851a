package io.csi4j.testkit;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.StorageHealthEntry;
import io.csi4j.client.model.VolumeCondition;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.internal.backend.MemoryStorage;
import io.csi4j.testkit.internal.backend.SpecBackend;
import io.csi4j.testkit.internal.server.PluginCore;
import io.csi4j.testkit.model.PluginClock;
import io.csi4j.testkit.model.PluginContents;
import io.csi4j.testkit.model.PluginShape;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A CSI plugin that serves every call of the spec on a real UNIX socket and keeps its volumes in
 * memory.
 *
 * <p>The plugin obeys the spec, except where its {@link PluginShape} or an injected {@link
 * io.csi4j.testkit.fault.Fault} makes it deviate. {@code FakeCsiPlugin.open()} is enough for most
 * tests.
 *
 * <pre>{@code
 * try (FakeCsiPlugin fake = FakeCsiPlugin.open();
 *     CsiPlugin plugin = CsiPlugin.connect(fake.endpoint())) {
 *   fake.inject(
 *       Fault.fail(StatusCode.UNAVAILABLE, "restarting"),
 *       When.calling(CsiOperation.CREATE_VOLUME).once());
 *   plugin.controller().createVolume(request); // fails once, and is tried again
 *   fake.assertLawful();
 * }
 * }</pre>
 *
 * @since 1.0
 */
public final class FakeCsiPlugin extends TestPlugin {

  private final SpecBackend backend;

  private FakeCsiPlugin(PluginCore core, SpecBackend backend) {
    super(core);
    this.backend = backend;
  }

  /**
   * Opens a plugin with the shape {@link PluginShape#full}, on a socket in a new temporary
   * directory.
   */
  public static FakeCsiPlugin open() {
    return builder().open();
  }

  /** Opens a plugin of this shape, on a socket in a new temporary directory. */
  public static FakeCsiPlugin open(PluginShape shape) {
    return builder().shape(shape).open();
  }

  /** Returns a builder for a plugin. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes the plugin lose all its state, as a plugin without a disk does when it restarts. */
  public void forget() {
    backend.forget();
    forgotten();
  }

  /** Returns the current contents of the plugin. */
  public PluginContents contents() {
    return backend.contents();
  }

  /** Adds a pre-provisioned volume: a volume that exists without a CreateVolume call. */
  public void addVolume(VolumeId volume, CapacityRange capacity, VolumeContext context) {
    backend.addVolume(volume, capacity, context);
  }

  /** Adds a pre-provisioned volume of 1 GiB without a context. */
  public void addVolume(VolumeId volume) {
    addVolume(volume, CapacityRange.exactly(1L << 30), VolumeContext.empty());
  }

  /**
   * Sets the condition that the plugin reports for a volume from now on. A shape of CSI 1.13
   * reports an abnormal condition as {@code DEGRADED} with the reason {@code VolumeCondition}.
   * Replaces the entries set with {@link #health(VolumeId, VolumeHealthEntry...)}.
   */
  public void condition(VolumeId volume, VolumeCondition condition) {
    backend.health().volume(volume, condition);
  }

  /**
   * Sets the health of a volume. The controller reports this health from now on, and so does every
   * node that has no separate setting. Without entries, the volume is healthy. A shape of CSI 1.12
   * reports a volume with entries as abnormal.
   */
  public void health(VolumeId volume, VolumeHealthEntry... entries) {
    backend.health().volume(volume, List.of(entries));
  }

  /**
   * Sets the health of a volume on one node. Only this node reports it from now on; the controller
   * and the other nodes are not affected. Without entries, the volume is healthy on this node.
   */
  public void health(NodeId node, VolumeId volume, VolumeHealthEntry... entries) {
    backend.health().onNode(node, volume, List.of(entries));
  }

  /**
   * Sets the health of the storage, as every node reports it from now on. Without entries, the
   * storage is healthy.
   *
   * @throws IllegalArgumentException if the volume capability of an entry does not state a valid
   *     access mode
   */
  public void storageHealth(StorageHealthEntry... entries) {
    nodes().forEach(node -> storageHealth(node, entries));
  }

  /**
   * Sets the health of the storage, as one node reports it from now on. Without entries, the
   * storage is healthy.
   *
   * @throws IllegalArgumentException if the volume capability of an entry does not state a valid
   *     access mode
   */
  public void storageHealth(NodeId node, StorageHealthEntry... entries) {
    backend.health().storage(node, List.of(entries));
  }

  /** Makes every volume and the storage of every node healthy again. */
  public void clearHealth() {
    backend.health().clear();
  }

  /** Expires every page token that the plugin has returned. */
  public void expireTokens() {
    backend.expireTokens();
  }

  /** Collects the settings of a fake plugin. */
  public static final class Builder {
    private PluginShape shape = PluginShape.full();
    private List<NodeId> nodes = List.of(NodeId.of("node-1"));
    private @Nullable Path socket;
    private @Nullable PluginClock clock;
    private NodeEffects effects = NodeEffects.files();
    private Duration snapshotsReadyAfter = Duration.ZERO;

    private Builder() {}

    /** Sets the shape of the plugin. Default: {@link PluginShape#full}. */
    public Builder shape(PluginShape shape) {
      this.shape = shape;
      return this;
    }

    /**
     * Sets the nodes on which the plugin runs. Each node has its own socket. Default: {@code
     * node-1}.
     */
    public Builder nodes(NodeId first, NodeId... more) {
      this.nodes = Stream.concat(Stream.of(first), Arrays.stream(more)).toList();
      return this;
    }

    /**
     * Sets the path of the main socket. A missing directory is created. Other sockets are created
     * in the same directory: {@code controller.sock} if the shape has {@link
     * io.csi4j.testkit.model.Quirk#SEPARATE_SOCKETS}, and {@code NODE.sock} for each node after the
     * first. Default: {@code csi.sock} in a new directory, which is removed when the plugin is
     * closed.
     */
    public Builder socket(Path socket) {
      this.socket = socket;
      return this;
    }

    /**
     * Sets the directory of the sockets. The main socket is {@code csi.sock} in this directory; see
     * {@link #socket}.
     */
    public Builder directory(Path directory) {
      return socket(directory.resolve("csi.sock"));
    }

    /** Sets the clock for the journal and for delays. Default: real time. */
    public Builder clock(PluginClock clock) {
      this.clock = clock;
      return this;
    }

    /**
     * Sets the effects of staging and publishing on the filesystem. Default: {@link
     * NodeEffects#files}.
     */
    public Builder effects(NodeEffects effects) {
      this.effects = effects;
      return this;
    }

    /**
     * Sets the time after which a new snapshot reports {@code ready_to_use}. Default: immediately.
     */
    public Builder snapshotsReadyAfter(Duration time) {
      this.snapshotsReadyAfter = time;
      return this;
    }

    /**
     * Starts the plugin.
     *
     * @throws java.io.UncheckedIOException if the plugin cannot listen; the message names the path
     *     and the reason
     */
    public FakeCsiPlugin open() {
      PluginCore core =
          new PluginCore(new PluginCore.Settings(shape, nodes, socket, clock, effects.visible()));
      SpecBackend backend =
          new SpecBackend(
              core::shape, nodes, new MemoryStorage(effects), core.clock(), snapshotsReadyAfter);
      core.serve(backend);
      return new FakeCsiPlugin(core, backend);
    }
  }
}

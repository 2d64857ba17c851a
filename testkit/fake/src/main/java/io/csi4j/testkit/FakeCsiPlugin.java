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
 * <p>It obeys the spec, unless its {@link PluginShape} or an injected {@link
 * io.csi4j.testkit.fault.Fault} says otherwise. {@code FakeCsiPlugin.open()} is enough for most
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

  /** A plugin that offers everything, on a socket in a directory of its own. */
  public static FakeCsiPlugin open() {
    return builder().open();
  }

  /** A plugin of this shape, on a socket in a directory of its own. */
  public static FakeCsiPlugin open(PluginShape shape) {
    return builder().shape(shape).open();
  }

  /** A plugin that is not started yet. */
  public static Builder builder() {
    return new Builder();
  }

  /** Loses everything it knew, as a plugin without a disk does when it restarts. */
  public void forget() {
    backend.forget();
    forgotten();
  }

  /** Returns the contents of the plugin now. */
  public PluginContents contents() {
    return backend.contents();
  }

  /** Adds a volume that was not created through the plugin: a pre-provisioned one. */
  public void addVolume(VolumeId volume, CapacityRange capacity, VolumeContext context) {
    backend.addVolume(volume, capacity, context);
  }

  /** Holds a pre-provisioned volume of 1 GiB without a context. */
  public void addVolume(VolumeId volume) {
    addVolume(volume, CapacityRange.exactly(1L << 30), VolumeContext.empty());
  }

  /**
   * Tells this condition of a volume from now on. A shape of CSI 1.13 tells an abnormal one as
   * {@code DEGRADED} with the reason {@code VolumeCondition}. Takes the place of what {@link
   * #health(VolumeId, VolumeHealthEntry...)} set.
   */
  public void condition(VolumeId volume, VolumeCondition condition) {
    backend.health().volume(volume, condition);
  }

  /**
   * Tells this health of a volume from now on, by the controller and by every node that no health
   * of its own is set for. Without entries the volume is well. A shape of CSI 1.12 tells a volume
   * with entries as abnormal.
   */
  public void health(VolumeId volume, VolumeHealthEntry... entries) {
    backend.health().volume(volume, List.of(entries));
  }

  /**
   * Tells this health of a volume by one node from now on, whatever the controller and other nodes
   * tell. Without entries the volume is well on this node.
   */
  public void health(NodeId node, VolumeId volume, VolumeHealthEntry... entries) {
    backend.health().onNode(node, volume, List.of(entries));
  }

  /**
   * Tells this health of the storage by every node from now on. Without entries it is well.
   *
   * @throws IllegalArgumentException if an entry is for a capability without a stated access mode
   */
  public void storageHealth(StorageHealthEntry... entries) {
    nodes().forEach(node -> storageHealth(node, entries));
  }

  /**
   * Tells this health of the storage by one node from now on. Without entries it is well.
   *
   * @throws IllegalArgumentException if an entry is for a capability without a stated access mode
   */
  public void storageHealth(NodeId node, StorageHealthEntry... entries) {
    backend.health().storage(node, List.of(entries));
  }

  /** Lets every volume, and the storage behind every node, be well again. */
  public void clearHealth() {
    backend.health().clear();
  }

  /** Lets every page token that was given out expire. */
  public void expireTokens() {
    backend.expireTokens();
  }

  /** The settings that a fake plugin is started with. */
  public static final class Builder {
    private PluginShape shape = PluginShape.full();
    private List<NodeId> nodes = List.of(NodeId.of("node-1"));
    private @Nullable Path socket;
    private @Nullable PluginClock clock;
    private NodeEffects effects = NodeEffects.files();
    private Duration snapshotsReadyAfter = Duration.ZERO;

    private Builder() {}

    /** Sets its shape. Default: {@link PluginShape#full}. */
    public Builder shape(PluginShape shape) {
      this.shape = shape;
      return this;
    }

    /** The nodes it runs on, each with a socket. Default: {@code node-1}. */
    public Builder nodes(NodeId first, NodeId... more) {
      this.nodes = Stream.concat(Stream.of(first), Arrays.stream(more)).toList();
      return this;
    }

    /**
     * The path of its socket; its directory is made if it is missing. Further sockets are beside
     * it: {@code controller.sock} where the shape has {@link
     * io.csi4j.testkit.model.Quirk#SEPARATE_SOCKETS}, and {@code NODE.sock} for each further node.
     * Default: {@code csi.sock} in a new directory, removed when the plugin is closed.
     */
    public Builder socket(Path socket) {
      this.socket = socket;
      return this;
    }

    /** The directory for its sockets: {@link #socket} with the name {@code csi.sock}. */
    public Builder directory(Path directory) {
      return socket(directory.resolve("csi.sock"));
    }

    /** The time of its journal and its delays. Default: real time. */
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

    /** Snapshots say {@code ready_to_use} this long after they were cut. Default: at once. */
    public Builder snapshotsReadyAfter(Duration time) {
      this.snapshotsReadyAfter = time;
      return this;
    }

    /**
     * Starts the plugin.
     *
     * @throws java.io.UncheckedIOException if it cannot listen, saying where and why
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

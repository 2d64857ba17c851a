package io.csi4j.testkit.hostpath;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.MountTable;
import io.csi4j.mount.Mounts;
import io.csi4j.testkit.TestPlugin;
import io.csi4j.testkit.internal.backend.SpecBackend;
import io.csi4j.testkit.internal.hostpath.HostPathStorage;
import io.csi4j.testkit.internal.server.PluginCore;
import io.csi4j.testkit.model.PluginClock;
import io.csi4j.testkit.model.PluginContents;
import io.csi4j.testkit.model.PluginShape;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A CSI plugin that really mounts: its volumes are directories and files below one directory of the
 * host, staged and published by bind mounts.
 *
 * <p>It needs Linux and the right to mount: root, or a user namespace; otherwise the first staging
 * or publication fails and reports it. Its state survives a restart of the plugin and of the
 * process; stagings and publications that a reboot removed are dropped.
 *
 * <p>The parameter {@code medium} of a new volume selects its storage, and the context of the
 * volume contains it:
 *
 * <ul>
 *   <li>{@code disk}, the default: a directory. Its size is not enforced.
 *   <li>{@code memory}: a tmpfs of the volume's size, which is enforced. A reboot erases it.
 *   <li>{@code loop}, for raw devices: a sparse file behind a loop device, through losetup(8).
 *   <li>{@code file}, for raw devices if no loop device is available: the file itself is published,
 *       which can be read and written like a device but is none.
 * </ul>
 *
 * <p>Every user may write to a new filesystem. Snapshots and clones are plain copies, not taken
 * atomically; they leave out sockets, pipes, device files and set-user-id bits. The plugin does not
 * follow symbolic links in paths of the caller. It accepts the mount flags {@code ro}, {@code
 * nosuid}, {@code nodev}, {@code noexec}, {@code nosymfollow} and those for access times. It cannot
 * change owners ({@code volume_mount_group}), create filesystems such as ext4, or report
 * conditions. The reported capacity is not reserved: files take space as they are written.
 *
 * <p>All {@linkplain Builder#nodes nodes} are on this machine. By default the plugin attaches no
 * volumes; with a shape that has {@code PUBLISH_UNPUBLISH_VOLUME} it records attachments, and a
 * node mounts only volumes attached to it.
 *
 * <pre>{@code
 * try (HostPathPlugin real = HostPathPlugin.builder(data).open();
 *     CsiPlugin plugin = CsiPlugin.connect(real.endpoint())) {
 *   log.accept(plugin.node().getInfo().nodeId());
 *   real.limits().forEach(log); // what this machine cannot do
 * }
 * }</pre>
 *
 * @since 1.0
 */
public final class HostPathPlugin extends TestPlugin {

  private final SpecBackend backend;
  private final HostPathStorage storage;

  private HostPathPlugin(PluginCore core, SpecBackend backend, HostPathStorage storage) {
    super(core);
    this.backend = backend;
    this.storage = storage;
  }

  /** Returns a builder for a plugin with its volumes and its state below {@code data}. */
  public static Builder builder(Path data) {
    return new Builder(data);
  }

  /** Returns the default shape, with everything that the plugin supports. */
  public static PluginShape defaultShape() {
    return HostPathStorage.defaultShape();
  }

  /**
   * Adds a pre-provisioned volume of 1 GiB; does nothing if the plugin has a volume of that id from
   * an earlier run.
   *
   * @throws IllegalStateException if its directory cannot be created
   */
  public void addVolume(VolumeId volume) {
    if (!backend.contents().volumes().contains(volume)) {
      backend.addVolume(volume, CapacityRange.exactly(1L << 30), VolumeContext.empty());
    }
  }

  /** Returns the current contents of the plugin. */
  public PluginContents contents() {
    return backend.contents();
  }

  /**
   * Returns the features that this machine does not support, each as a sentence with the reason. To
   * determine them, the plugin creates a mount and a loop device, and removes both again.
   */
  public List<String> limits() {
    return storage.limits();
  }

  /**
   * Stops, removes the sockets and releases the data directory; volumes and mounts stay as they
   * are.
   */
  @Override
  public void close() {
    super.close();
    try {
      storage.close();
    } catch (IOException e) {
      throw new UncheckedIOException("The directory of the plugin could not be released.", e);
    }
  }

  /** Collects the settings of a host path plugin. */
  public static final class Builder {
    private final Path data;
    private PluginShape shape = HostPathStorage.defaultShape();
    private List<NodeId> nodes = List.of(NodeId.of("node-1"));
    private @Nullable Path socket;
    private @Nullable PluginClock clock;
    private Mounts mounts = Mounts.system();
    private MountTable table = MountTable.system();

    private Builder(Path data) {
      this.data = data;
    }

    /** Sets its shape. Default: {@link HostPathPlugin#defaultShape}. */
    public Builder shape(PluginShape shape) {
      this.shape = shape;
      return this;
    }

    /** Sets the node on which the plugin runs. Default: {@code node-1}. */
    public Builder node(NodeId node) {
      return nodes(node);
    }

    /**
     * Sets the nodes on which the plugin runs; each has its own socket. Default: {@code node-1}.
     */
    public Builder nodes(NodeId first, NodeId... more) {
      this.nodes = Stream.concat(Stream.of(first), Arrays.stream(more)).toList();
      return this;
    }

    /**
     * Sets the path of the socket; its directory is created if it is missing. Further sockets are
     * in the same directory: {@code controller.sock} where the shape has {@link
     * io.csi4j.testkit.model.Quirk#SEPARATE_SOCKETS}, and {@code NODE.sock} for each further node.
     * Default: {@code csi.sock} in a new directory, which is removed when the plugin is closed.
     */
    public Builder socket(Path socket) {
      this.socket = socket;
      return this;
    }

    /**
     * Sets the directory of the sockets: the same as {@link #socket} with the name {@code csi.sock}
     * in it.
     */
    public Builder directory(Path directory) {
      return socket(directory.resolve("csi.sock"));
    }

    /** Sets the clock of the journal and of faults. Default: real time. */
    public Builder clock(PluginClock clock) {
      this.clock = clock;
      return this;
    }

    /** Sets the mount operations that the plugin uses. Default: the kernel of this machine. */
    public Builder mounts(Mounts mounts, MountTable table) {
      this.mounts = mounts;
      this.table = table;
      return this;
    }

    /**
     * Starts the plugin.
     *
     * @throws UncheckedIOException if the plugin cannot listen or read its state, or another plugin
     *     uses its directory
     * @throws io.csi4j.mount.model.MountException if the kernel's mount table is not readable
     */
    public HostPathPlugin open() {
      PluginCore core = new PluginCore(new PluginCore.Settings(shape, nodes, socket, clock, true));
      HostPathStorage storage = storage();
      boolean done = false;
      try {
        SpecBackend backend =
            new SpecBackend(core::shape, nodes, storage, core.clock(), java.time.Duration.ZERO);
        backend.open();
        if (!backend.contents().empty()) {
          // An earlier life of the plugin left this state.
          core.journal().stopped();
        }
        core.serve(backend);
        done = true;
        return new HostPathPlugin(core, backend, storage);
      } finally {
        if (!done) {
          core.close();
          storage.closeQuietly();
        }
      }
    }

    private HostPathStorage storage() {
      try {
        return HostPathStorage.open(data, mounts, table);
      } catch (IOException e) {
        throw new UncheckedIOException(SafeText.escape(String.valueOf(e.getMessage())), e);
      }
    }
  }
}

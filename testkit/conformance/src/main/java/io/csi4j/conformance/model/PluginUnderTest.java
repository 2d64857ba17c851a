package io.csi4j.conformance.model;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The description of a plugin under test: its endpoints, and the values for its requests.
 *
 * <p>{@code PluginUnderTest.at(CsiEndpoint.parse("unix:///run/csi/csi.sock"))} is enough for a
 * plugin that runs on this machine and needs neither secrets nor parameters. Every object that the
 * suite creates has a unique name and is removed again. The suite may list volumes of other users,
 * but does not change them.
 *
 * @since 1.0
 */
public final class PluginUnderTest {

  private final CsiEndpoint controller;
  private final CsiEndpoint node;
  private final @Nullable Path directory;
  private final @Nullable PluginPath directoryThere;
  private final Secrets secrets;
  private final Map<CsiOperation, Secrets> secretsOf;
  private final Map<String, String> parameters;
  private final Map<String, String> snapshotParameters;
  private final Map<String, String> mutableParameters;
  private final List<VolumeCapability> capabilities;
  private final long volumeBytes;
  private final @Nullable VolumeId existingVolume;
  private final VolumeContext existingContext;
  private final Duration deadline;
  private final @Nullable Duration budget;
  private final @Nullable Topology place;
  private final List<String> command;
  private final @Nullable CsiEndpoint startsAt;
  private final @Nullable Path ledger;
  private final Cleanup cleanup;

  private PluginUnderTest(Builder from) {
    controller = from.controller;
    node = from.node == null ? from.controller : from.node;
    directory = from.directory;
    directoryThere = from.directoryThere;
    secrets = from.secrets;
    secretsOf = Map.copyOf(from.secretsOf);
    parameters = from.parameters;
    snapshotParameters = from.snapshotParameters;
    mutableParameters = from.mutableParameters;
    capabilities = from.capabilities;
    volumeBytes = from.volumeBytes;
    existingVolume = from.existingVolume;
    existingContext = from.existingContext;
    deadline = from.deadline;
    budget = from.budget;
    place = from.place;
    command = from.command;
    startsAt = from.startsAt;
    ledger = from.ledger;
    cleanup = from.cleanup;
  }

  /** Returns the description of a plugin with default values. */
  public static PluginUnderTest at(CsiEndpoint endpoint) {
    return builder(endpoint).build();
  }

  /**
   * Returns a builder for a description.
   *
   * @param controller the endpoint of the plugin's controller, or of all its services
   */
  public static Builder builder(CsiEndpoint controller) {
    return new Builder(controller);
  }

  /** Returns the endpoint of the plugin's controller. */
  public CsiEndpoint controller() {
    return controller;
  }

  /** Returns the endpoint of the plugin's node service. */
  public CsiEndpoint node() {
    return node;
  }

  /** Returns this machine's path of the directory for staging and target paths. */
  public Optional<Path> directory() {
    return Optional.ofNullable(directory);
  }

  /**
   * Returns the plugin's path of the directory, if the plugin sees the directory at a different
   * path.
   */
  public Optional<PluginPath> directoryThere() {
    return Optional.ofNullable(directoryThere);
  }

  /** Returns the secrets for an operation. */
  public Secrets secrets(CsiOperation operation) {
    return secretsOf.getOrDefault(operation, secrets);
  }

  /** Returns the parameters for new volumes. */
  public Map<String, String> parameters() {
    return parameters;
  }

  /** Returns the parameters for new snapshots and group snapshots. */
  public Map<String, String> snapshotParameters() {
    return snapshotParameters;
  }

  /** Returns the mutable parameters that a volume can have. */
  public Map<String, String> mutableParameters() {
    return mutableParameters;
  }

  /** Returns the capabilities with which volumes are used. The first is the usual capability. */
  public List<VolumeCapability> capabilities() {
    return capabilities;
  }

  /** Returns the size of new volumes. */
  public long volumeBytes() {
    return volumeBytes;
  }

  /** Returns the id of an existing volume. */
  public Optional<VolumeId> existingVolume() {
    return Optional.ofNullable(existingVolume);
  }

  /** Returns the context of the existing volume. */
  public VolumeContext existingContext() {
    return existingContext;
  }

  /** Returns the deadline of each call. */
  public Duration deadline() {
    return deadline;
  }

  /** Returns the maximum duration of the run, if it is limited. */
  public Optional<Duration> budget() {
    return Optional.ofNullable(budget);
  }

  /**
   * Returns the topology from which volumes must be accessible; empty if the topology of the node
   * is used.
   */
  public Optional<Topology> place() {
    return Optional.ofNullable(place);
  }

  /** Returns the command that starts the plugin; empty if the suite does not start it. */
  public List<String> command() {
    return command;
  }

  /** Returns the endpoint on which the plugin itself listens. */
  public CsiEndpoint startsAt() {
    return startsAt == null ? controller : startsAt;
  }

  /** Returns the file in which a run records the objects that it creates. */
  public Optional<Path> ledger() {
    return Optional.ofNullable(ledger);
  }

  /** Returns when a case removes the objects that it created. */
  public Cleanup cleanup() {
    return cleanup;
  }

  @Override
  public String toString() {
    return controller.equals(node)
        ? controller.toString()
        : "controller " + controller + ", node " + node;
  }

  /** The condition under which a case removes the objects that it created. */
  public enum Cleanup {
    /** The case always removes its objects. */
    ALWAYS,
    /**
     * The case removes its objects unless it failed. After a failure, the user can inspect the
     * objects.
     */
    UNLESS_FAILED
  }

  /** Builds the description of a plugin under test. */
  public static final class Builder {
    private final CsiEndpoint controller;
    private @Nullable CsiEndpoint node;
    private @Nullable Path directory;
    private @Nullable PluginPath directoryThere;
    private Secrets secrets = Secrets.empty();
    private final Map<CsiOperation, Secrets> secretsOf = new EnumMap<>(CsiOperation.class);
    private Map<String, String> parameters = Map.of();
    private Map<String, String> snapshotParameters = Map.of();
    private Map<String, String> mutableParameters = Map.of();
    private List<VolumeCapability> capabilities =
        List.of(VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER));
    private long volumeBytes = 1L << 30;
    private @Nullable VolumeId existingVolume;
    private VolumeContext existingContext = VolumeContext.empty();
    private Duration deadline = Duration.ofSeconds(30);
    private @Nullable Duration budget;
    private @Nullable Topology place;
    private List<String> command = List.of();
    private @Nullable CsiEndpoint startsAt;
    private @Nullable Path ledger;
    private Cleanup cleanup = Cleanup.ALWAYS;

    private Builder(CsiEndpoint controller) {
      this.controller = controller;
    }

    /** Sets the endpoint of the plugin's node service. Default: the endpoint of the controller. */
    public Builder node(CsiEndpoint endpoint) {
      node = endpoint;
      return this;
    }

    /**
     * Sets an existing directory for staging and target paths. The plugin must see the directory at
     * the same path. Default: a new temporary directory.
     */
    public Builder directory(Path here) {
      directory = here.toAbsolutePath();
      directoryThere = null;
      return this;
    }

    /**
     * Sets an existing directory for staging and target paths. The plugin sees the directory at the
     * path {@code there}, and this process sees it at the path {@code here}.
     */
    public Builder directory(Path here, PluginPath there) {
      directory = here.toAbsolutePath();
      directoryThere = there;
      return this;
    }

    /**
     * Sets the secrets for every operation that accepts secrets, except operations with separately
     * set secrets. Default: none.
     */
    public Builder secrets(Secrets forAll) {
      secrets = forAll;
      return this;
    }

    /** Sets the secrets for one operation. */
    public Builder secrets(CsiOperation operation, Secrets forIt) {
      secretsOf.put(operation, forIt);
      return this;
    }

    /** Sets the parameters of volumes. Default: none. */
    public Builder parameters(Map<String, String> ofVolumes) {
      parameters = Map.copyOf(ofVolumes);
      return this;
    }

    /** Sets the parameters of snapshots and group snapshots. Default: none. */
    public Builder snapshotParameters(Map<String, String> ofSnapshots) {
      snapshotParameters = Map.copyOf(ofSnapshots);
      return this;
    }

    /**
     * Sets mutable parameters that a volume can have. Default: none, so that no volume is modified.
     */
    public Builder mutableParameters(Map<String, String> ofVolumes) {
      mutableParameters = Map.copyOf(ofVolumes);
      return this;
    }

    /**
     * Sets the capabilities with which volumes are used. All cases use the first capability.
     * Capabilities of another access type are also tested through a complete lifecycle. Default: a
     * filesystem that is writable on a single node.
     */
    public Builder capabilities(VolumeCapability first, VolumeCapability... more) {
      capabilities = Stream.concat(Stream.of(first), Stream.of(more)).toList();
      return this;
    }

    /** Sets the size of new volumes. Expansion doubles this size. Default: 1 GiB. */
    public Builder volumeBytes(long bytes) {
      if (bytes <= 0) {
        throw new IllegalArgumentException("A volume of " + bytes + " bytes is none.");
      }
      volumeBytes = bytes;
      return this;
    }

    /**
     * Sets an existing volume that is not in use. The node cases use this volume instead of new
     * volumes, even if the plugin can create volumes. They never delete it.
     */
    public Builder existingVolume(VolumeId volume, VolumeContext context) {
      existingVolume = volume;
      existingContext = context;
      return this;
    }

    /** Sets the deadline of each call. Default: 30 seconds. */
    public Builder deadline(Duration perCall) {
      if (perCall.isNegative() || perCall.isZero()) {
        throw new IllegalArgumentException(
            "The deadline of a call must be positive, not " + perCall + ".");
      }
      deadline = perCall;
      return this;
    }

    /**
     * Sets the maximum duration of the run. When the time is up, no further case runs. Default: no
     * limit.
     */
    public Builder budget(Duration ofRun) {
      if (ofRun.isNegative() || ofRun.isZero()) {
        throw new IllegalArgumentException(
            "The time of a run must be positive, not " + ofRun + ".");
      }
      budget = ofRun;
      return this;
    }

    /**
     * Sets the topology from which volumes must be accessible, for plugins with
     * VOLUME_ACCESSIBILITY_CONSTRAINTS. Default: the topology of the node.
     */
    public Builder place(Topology requisite) {
      place = requisite;
      return this;
    }

    /**
     * Sets the command that starts the plugin. A run executes the command with {@code CSI_ENDPOINT}
     * in its environment, unless a process already listens. The run starts the plugin again after a
     * crash, and ends it at the end. A command that exits with a code other than 0 before the
     * plugin listens has failed. Default: none; the plugin is already running.
     */
    public Builder command(List<String> program) {
      command = List.copyOf(program);
      return this;
    }

    /**
     * Sets the endpoint on which the plugin itself listens, if the suite connects to another
     * socket, such as the socket of a proxy. The {@link #command} gets this endpoint, and results
     * name it. Default: the endpoint of the controller.
     */
    public Builder startsAt(CsiEndpoint endpoint) {
      startsAt = endpoint;
      return this;
    }

    /**
     * Sets a file in which a run records the objects that it has created and not yet removed. If
     * the run ends before it has removed them, {@code PluginConformance.cleanUpAfter} reads this
     * file. The file contains no secrets. Default: none.
     */
    public Builder ledger(Path file) {
      ledger = file.toAbsolutePath();
      return this;
    }

    /** Sets when cases remove the objects that they created. Default: always. */
    public Builder cleanup(Cleanup when) {
      cleanup = when;
      return this;
    }

    /** Builds the description. */
    public PluginUnderTest build() {
      return new PluginUnderTest(this);
    }
  }
}

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
 * A plugin to run the conformance suite against: where it listens, and what to hand it.
 *
 * <p>{@code PluginUnderTest.at(CsiEndpoint.parse("unix:///run/csi/csi.sock"))} is enough for a
 * plugin that runs on this machine and needs neither secrets nor parameters. Everything that the
 * suite makes carries a name of its own and is removed again; volumes of others are not touched,
 * but may be listed.
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

  /** A plugin that listens there, with nothing special about it. */
  public static PluginUnderTest at(CsiEndpoint endpoint) {
    return builder(endpoint).build();
  }

  /**
   * A plugin to be described.
   *
   * @param controller where its controller listens, or where everything does
   */
  public static Builder builder(CsiEndpoint controller) {
    return new Builder(controller);
  }

  /** Where its controller listens. */
  public CsiEndpoint controller() {
    return controller;
  }

  /** Where its node service listens. */
  public CsiEndpoint node() {
    return node;
  }

  /** The directory for staging and target paths, as this machine sees it. */
  public Optional<Path> directory() {
    return Optional.ofNullable(directory);
  }

  /** Returns the directory as the plugin sees it, if it sees it elsewhere. */
  public Optional<PluginPath> directoryThere() {
    return Optional.ofNullable(directoryThere);
  }

  /** The secrets for an operation. */
  public Secrets secrets(CsiOperation operation) {
    return secretsOf.getOrDefault(operation, secrets);
  }

  /** The parameters of volumes. */
  public Map<String, String> parameters() {
    return parameters;
  }

  /** The parameters of snapshots and group snapshots. */
  public Map<String, String> snapshotParameters() {
    return snapshotParameters;
  }

  /** The mutable parameters that a volume can be given. */
  public Map<String, String> mutableParameters() {
    return mutableParameters;
  }

  /** How volumes are used, the usual way first. */
  public List<VolumeCapability> capabilities() {
    return capabilities;
  }

  /** How large volumes are made. */
  public long volumeBytes() {
    return volumeBytes;
  }

  /** A volume that exists already. */
  public Optional<VolumeId> existingVolume() {
    return Optional.ofNullable(existingVolume);
  }

  /** The context of the volume that exists already. */
  public VolumeContext existingContext() {
    return existingContext;
  }

  /** How long each call may take. */
  public Duration deadline() {
    return deadline;
  }

  /** Returns how long the whole run may take, if that is limited. */
  public Optional<Duration> budget() {
    return Optional.ofNullable(budget);
  }

  /** Returns the place where volumes have to be accessible, if it is not that of the node. */
  public Optional<Topology> place() {
    return Optional.ofNullable(place);
  }

  /** Returns the command that starts the plugin; empty if others start it. */
  public List<String> command() {
    return command;
  }

  /** Returns where the plugin itself listens. */
  public CsiEndpoint startsAt() {
    return startsAt == null ? controller : startsAt;
  }

  /** Returns the file in which a run notes what it makes. */
  public Optional<Path> ledger() {
    return Optional.ofNullable(ledger);
  }

  /** Returns what becomes of the things that a case has made. */
  public Cleanup cleanup() {
    return cleanup;
  }

  @Override
  public String toString() {
    return controller.equals(node)
        ? controller.toString()
        : "controller " + controller + ", node " + node;
  }

  /** When a case cleans up after itself. */
  public enum Cleanup {
    /** Always. */
    ALWAYS,
    /** Unless it failed: what it made can then be looked at. */
    UNLESS_FAILED
  }

  /** The description of a plugin under test. */
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

    /** Where its node service listens. Default: where its controller does. */
    public Builder node(CsiEndpoint endpoint) {
      node = endpoint;
      return this;
    }

    /**
     * An existing directory for staging and target paths, which the plugin sees at the same path.
     * Default: a new one for temporary files.
     */
    public Builder directory(Path here) {
      directory = here.toAbsolutePath();
      directoryThere = null;
      return this;
    }

    /** An existing directory for staging and target paths, here and as the plugin sees it. */
    public Builder directory(Path here, PluginPath there) {
      directory = here.toAbsolutePath();
      directoryThere = there;
      return this;
    }

    /** The secrets for every operation that takes some and has none of its own. Default: none. */
    public Builder secrets(Secrets forAll) {
      secrets = forAll;
      return this;
    }

    /** The secrets for one operation. */
    public Builder secrets(CsiOperation operation, Secrets forIt) {
      secretsOf.put(operation, forIt);
      return this;
    }

    /** The parameters of volumes. Default: none. */
    public Builder parameters(Map<String, String> ofVolumes) {
      parameters = Map.copyOf(ofVolumes);
      return this;
    }

    /** The parameters of snapshots and group snapshots. Default: none. */
    public Builder snapshotParameters(Map<String, String> ofSnapshots) {
      snapshotParameters = Map.copyOf(ofSnapshots);
      return this;
    }

    /** Mutable parameters that a volume can be given. Default: none, nothing is modified. */
    public Builder mutableParameters(Map<String, String> ofVolumes) {
      mutableParameters = Map.copyOf(ofVolumes);
      return this;
    }

    /**
     * How volumes are used: the first is used throughout, those of another access type get a life
     * of their own as well. Default: as a filesystem, written on a single node.
     */
    public Builder capabilities(VolumeCapability first, VolumeCapability... more) {
      capabilities = Stream.concat(Stream.of(first), Stream.of(more)).toList();
      return this;
    }

    /** How large volumes are made; twice as large they get. Default: 1 GiB. */
    public Builder volumeBytes(long bytes) {
      if (bytes <= 0) {
        throw new IllegalArgumentException("A volume of " + bytes + " bytes is none.");
      }
      volumeBytes = bytes;
      return this;
    }

    /**
     * A volume that exists and is not in use. It is used on the node instead of new ones, also by
     * plugins that could create one, and not deleted.
     */
    public Builder existingVolume(VolumeId volume, VolumeContext context) {
      existingVolume = volume;
      existingContext = context;
      return this;
    }

    /** How long each call may take. Default: 30 seconds. */
    public Builder deadline(Duration perCall) {
      if (perCall.isNegative() || perCall.isZero()) {
        throw new IllegalArgumentException("A call needs some time, not " + perCall + ".");
      }
      deadline = perCall;
      return this;
    }

    /** How long the whole run may take; cases beyond it are not run. Default: without limit. */
    public Builder budget(Duration ofRun) {
      if (ofRun.isNegative() || ofRun.isZero()) {
        throw new IllegalArgumentException("A run needs some time, not " + ofRun + ".");
      }
      budget = ofRun;
      return this;
    }

    /**
     * The place where volumes have to be accessible, for plugins with
     * VOLUME_ACCESSIBILITY_CONSTRAINTS. Default: where the node is.
     */
    public Builder place(Topology requisite) {
      place = requisite;
      return this;
    }

    /**
     * The command of the plugin. A run starts it with {@code CSI_ENDPOINT} unless something listens
     * already, starts it again after it died, and ends it. A command that ends with another code
     * than 0 before the plugin listens has failed. Default: others start the plugin.
     */
    public Builder command(List<String> program) {
      command = List.copyOf(program);
      return this;
    }

    /**
     * Where the plugin itself listens, also one that {@link #command} starts, if the suite reaches
     * it by way of another socket, as that of a proxy. Results name this one. Default: the endpoint
     * of its controller.
     */
    public Builder startsAt(CsiEndpoint endpoint) {
      startsAt = endpoint;
      return this;
    }

    /**
     * A file in which a run notes what it makes until it has undone it, without secrets: for {@code
     * PluginConformance.cleanUpAfter} if the run does not live to do so. Default: none.
     */
    public Builder ledger(Path file) {
      ledger = file.toAbsolutePath();
      return this;
    }

    /** When cases clean up after themselves. Default: always. */
    public Builder cleanup(Cleanup when) {
      cleanup = when;
      return this;
    }

    /** The description. */
    public PluginUnderTest build() {
      return new PluginUnderTest(this);
    }
  }
}

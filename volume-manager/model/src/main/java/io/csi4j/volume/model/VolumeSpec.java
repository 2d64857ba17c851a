package io.csi4j.volume.model;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.client.model.Violation;
import io.csi4j.client.model.Violation.Rule;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeCapability.AccessType;
import io.csi4j.client.model.VolumeContentSource;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.internal.names.ModeNames;
import io.csi4j.volume.internal.names.Violations;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The specification of a requested volume. Two specs are equal if all their properties are equal;
 * the order of the capabilities and of the required topologies does not matter.
 *
 * @since 1.0
 */
public final class VolumeSpec {

  /** The limit of CSI for the total size of a map, in bytes. */
  private static final int MAP_LIMIT = 4096;

  private final Builder parts;

  private VolumeSpec(Builder parts) {
    this.parts = parts.copy();
  }

  /** Returns a builder for a volume of a plugin, with no other properties set. */
  public static Builder builder(PluginId plugin) {
    return new Builder(plugin);
  }

  /** Returns a builder with the properties of this spec. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /**
   * Returns this spec with the changeable properties of another spec: the capabilities, the mount
   * options, the topologies and the reference to secrets.
   */
  public VolumeSpec describedBy(VolumeSpec other) {
    Builder changed = toBuilder();
    changed.capabilities.clear();
    changed.capabilities.addAll(other.parts.capabilities);
    changed.mountOptions = other.parts.mountOptions;
    changed.topologies = other.topologies().orElse(null);
    changed.secrets = other.parts.secrets;
    return changed.build();
  }

  /** Returns this spec with another spec's reference to secrets. */
  public VolumeSpec withSecretsOf(VolumeSpec other) {
    Builder changed = toBuilder();
    changed.secrets = other.parts.secrets;
    return changed.build();
  }

  /** Returns the plugin of the volume. */
  public PluginId plugin() {
    return parts.plugin;
  }

  /**
   * Returns the requested capabilities; there is at least one. A capability contains only the mount
   * options that were set for it, without the mount options of the volume.
   */
  public Set<VolumeCapability> capabilities() {
    return Collections.unmodifiableSet(parts.capabilities);
  }

  /** Returns the requested size. */
  public Optional<CapacityRange> capacity() {
    return Optional.ofNullable(parts.capacity);
  }

  /** Returns the topologies from which the volume must be reachable. */
  public Optional<TopologyRequirement> topologies() {
    return Optional.ofNullable(parts.topologies)
        .flatMap(asked -> asked.within(parts.snapshotPlaces));
  }

  /** Returns the parameters of the volume, which only the plugin interprets. */
  public SortedMap<String, String> parameters() {
    return Collections.unmodifiableSortedMap(parts.parameters);
  }

  /**
   * Returns the parameters that may change after the volume was created, which only the plugin
   * interprets.
   */
  public SortedMap<String, String> mutableParameters() {
    return Collections.unmodifiableSortedMap(parts.mutableParameters);
  }

  /**
   * Returns the mount options that all capabilities for a filesystem share. Options that a
   * capability sets itself take precedence.
   */
  public MountOptions mountOptions() {
    return parts.mountOptions;
  }

  /** Returns the reference to the volume's secrets. */
  public Optional<SecretsReference> secrets() {
    return Optional.ofNullable(parts.secrets);
  }

  /**
   * Returns the snapshot or volume that the new volume is a copy of; empty for a new, empty volume.
   */
  public Optional<VolumeContentSource> source() {
    return Optional.ofNullable(parts.snapshot)
        .map(VolumeContentSource::of)
        .or(() -> Optional.ofNullable(parts.original).map(VolumeContentSource::of));
  }

  /** Whether the volume is deleted when its use ends. */
  public boolean ephemeral() {
    return parts.ephemeral;
  }

  /**
   * Returns the capabilities as they are sent to the plugin, with the mount options of the volume
   * added.
   */
  public Set<VolumeCapability> capabilitiesInFull() {
    Set<VolumeCapability> full = new LinkedHashSet<>();
    for (VolumeCapability each : parts.capabilities) {
      full.add(
          each.mountOptions()
              .map(
                  own ->
                      VolumeCapability.mount(
                          each.accessMode(), parts.mountOptions.overlaidWith(own)))
              .orElse(each));
    }
    return Collections.unmodifiableSet(full);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof VolumeSpec that && all().equals(that.all());
  }

  @Override
  public int hashCode() {
    return all().hashCode();
  }

  private List<Object> all() {
    return List.of(
        plugin(),
        capabilities(),
        capacity(),
        topologies(),
        parameters(),
        mutableParameters(),
        mountOptions(),
        secrets(),
        source(),
        ephemeral());
  }

  /** Returns all properties, without the values of parameters, which belong to the plugin. */
  @Override
  public String toString() {
    return "VolumeSpec[plugin="
        + plugin()
        + ", capabilities="
        + capabilities()
        + capacity().map(range -> ", " + range).orElse("")
        + topologies().map(places -> ", " + places).orElse("")
        + ", parameters="
        + parameters().keySet()
        + ", mutableParameters="
        + mutableParameters().keySet()
        + ", mountOptions="
        + mountOptions()
        + secrets().map(name -> ", secrets=" + name).orElse("")
        + source().map(from -> ", source=" + from).orElse("")
        + (ephemeral() ? ", ephemeral" : "")
        + "]";
  }

  /** Returns all violations in these properties. */
  private static List<Violation> violations(
      Collection<VolumeCapability> capabilities,
      Map<String, String> parameters,
      Map<String, String> mutableParameters,
      MountOptions mountOptions) {
    List<Violation> wrong = new ArrayList<>();
    if (capabilities.isEmpty()) {
      wrong.add(
          new Violation("capabilities", Rule.REQUIRED, "is empty: say how the volume may be used"));
    }
    int at = 0;
    for (VolumeCapability each : capabilities) {
      String field = "capabilities[" + at + "]";
      if (!each.accessMode().isStated()) {
        wrong.add(
            new Violation(
                field + ".access_mode",
                Rule.REQUIRED,
                "is none of the spec: " + each.accessMode()));
      }
      if (each.accessType() instanceof AccessType.Unspecified) {
        wrong.add(
            new Violation(
                field + ".access_type",
                Rule.REQUIRED,
                "is missing: say whether a filesystem or a block device"));
      }
      at++;
    }
    boolean isMounted = capabilities.stream().anyMatch(each -> !each.isBlock());
    if (!capabilities.isEmpty() && !isMounted && !mountOptions.equals(MountOptions.none())) {
      wrong.add(
          new Violation(
              "mount_options",
              Rule.MISMATCH,
              "are given for a volume that is a block device only, and never mounted"));
    }
    map(wrong, "parameters", parameters);
    map(wrong, "mutable_parameters", mutableParameters);
    return List.copyOf(wrong);
  }

  private static void map(List<Violation> wrong, String field, Map<String, String> map) {
    long bytes = 0;
    for (Map.Entry<String, String> entry : map.entrySet()) {
      if (entry.getKey().isEmpty()) {
        wrong.add(new Violation(field, Rule.REQUIRED, "has an empty key"));
      }
      bytes += entry.getKey().getBytes(StandardCharsets.UTF_8).length;
      bytes += entry.getValue().getBytes(StandardCharsets.UTF_8).length;
    }
    if (bytes > MAP_LIMIT) {
      wrong.add(
          new Violation(
              field, Rule.TOO_LARGE, "has " + bytes + " bytes; the spec allows " + MAP_LIMIT));
    }
  }

  /** Builder of a {@link VolumeSpec}. */
  public static final class Builder {

    private final PluginId plugin;
    private final Violations words = new Violations();
    private final Set<VolumeCapability> capabilities = new LinkedHashSet<>();
    private final SortedMap<String, String> parameters = new TreeMap<>();
    private final SortedMap<String, String> mutableParameters = new TreeMap<>();
    private MountOptions mountOptions = MountOptions.none();
    private @Nullable CapacityRange capacity;
    private @Nullable TopologyRequirement topologies;
    private @Nullable SecretsReference secrets;
    private @Nullable SnapshotId snapshot;
    private List<Topology> snapshotPlaces = List.of();
    private @Nullable VolumeId original;
    private boolean ephemeral;

    private Builder(PluginId plugin) {
      this.plugin = Objects.requireNonNull(plugin, "plugin");
    }

    /**
     * Returns a copy of this builder. Later changes of one builder do not affect the other builder.
     */
    public Builder copy() {
      Builder copy = new Builder(plugin);
      copy.words.addAll(words.all());
      copy.capabilities.addAll(capabilities);
      copy.parameters.putAll(parameters);
      copy.mutableParameters.putAll(mutableParameters);
      copy.mountOptions = mountOptions;
      copy.capacity = capacity;
      copy.topologies = topologies;
      copy.secrets = secrets;
      copy.snapshot = snapshot;
      copy.snapshotPlaces = snapshotPlaces;
      copy.original = original;
      copy.ephemeral = ephemeral;
      return copy;
    }

    /** Adds a requested capability. */
    public Builder use(VolumeCapability capability) {
      capabilities.add(Objects.requireNonNull(capability, "capability"));
      return this;
    }

    /** Adds a requested capability that has only the mount options of the volume. */
    public Builder use(AccessMode mode, AttachmentMode attachment) {
      return use(
          attachment == AttachmentMode.BLOCK
              ? VolumeCapability.block(mode)
              : VolumeCapability.mount(mode));
    }

    /**
     * Adds a requested capability by its names in a job description, such as {@code
     * single-node-writer} and {@code filesystem}. An unknown name is reported together with all
     * other violations.
     */
    public Builder use(RawValue mode, RawValue attachment) {
      Optional<AccessMode> how = words.read("access_mode", mode.value(), ModeNames::parse);
      Optional<AttachmentMode> what =
          words.read("attachment_mode", attachment.value(), AttachmentMode::parse);
      return how.isEmpty() || what.isEmpty()
          ? this
          : use(
              what.get() == AttachmentMode.BLOCK
                  ? VolumeCapability.block(how.get())
                  : VolumeCapability.mount(how.get()));
    }

    /** Sets the requested size. */
    public Builder capacity(CapacityRange value) {
      capacity = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets the topologies from which the volume must be reachable. */
    public Builder topologies(TopologyRequirement value) {
      topologies = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Adds parameters that only the plugin interprets. */
    public Builder parameters(Map<String, String> value) {
      parameters.putAll(value);
      return this;
    }

    /** Adds parameters that only the plugin interprets and that may change later. */
    public Builder mutableParameters(Map<String, String> value) {
      mutableParameters.putAll(value);
      return this;
    }

    /** Sets the mount options that all capabilities for a filesystem share. */
    public Builder mountOptions(MountOptions value) {
      mountOptions = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets the reference to the volume's secrets. */
    public Builder secrets(SecretsReference value) {
      secrets = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets the snapshot that the volume is a copy of. A volume has at most one source. */
    public Builder fromSnapshot(SnapshotId value) {
      snapshot = Objects.requireNonNull(value, "value");
      snapshotPlaces = List.of();
      return this;
    }

    /**
     * Sets the snapshot that the volume is a copy of, and the topologies from which the snapshot is
     * usable; an empty collection means everywhere. The required topologies of the volume are
     * limited to these topologies. If no topologies are required, the plugin chooses.
     */
    @Experimental
    public Builder fromSnapshot(SnapshotId value, Collection<Topology> places) {
      fromSnapshot(value);
      snapshotPlaces = List.copyOf(places);
      return this;
    }

    /** Sets the volume that the new volume is a copy of. A volume has at most one source. */
    public Builder cloneOf(VolumeId value) {
      original = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets whether the volume is deleted when its use ends. The default is false. */
    public Builder ephemeral(boolean value) {
      ephemeral = value;
      return this;
    }

    /** Returns all violations so far; empty if the spec can be built. */
    public List<Violation> violations() {
      List<Violation> all = new ArrayList<>(words.all());
      boolean triedToSay = all.stream().anyMatch(each -> each.field().endsWith("_mode"));
      VolumeSpec.violations(capabilities, parameters, mutableParameters, mountOptions).stream()
          .filter(each -> !(triedToSay && each.field().equals("capabilities")))
          .forEach(all::add);
      if (snapshot != null && original != null) {
        all.add(
            new Violation(
                "source", Rule.MISMATCH, "is a snapshot and a volume: leave one of them out"));
      }
      TopologyRequirement asked = topologies;
      if (asked != null && asked.within(snapshotPlaces).isEmpty()) {
        all.add(
            new Violation(
                "topologies",
                Rule.MISMATCH,
                "are "
                    + asked.requisite()
                    + ", and snapshot '"
                    + snapshot
                    + "' can only be used from "
                    + snapshotPlaces
                    + ": ask for one of its places, or take another source"));
      }
      return List.copyOf(all);
    }

    /**
     * Returns the spec.
     *
     * @throws InvalidRequestException with all violations
     */
    public VolumeSpec build() {
      InvalidRequestException.check("The volume", violations());
      return new VolumeSpec(this);
    }
  }
}

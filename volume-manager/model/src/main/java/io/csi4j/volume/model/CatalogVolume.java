package io.csi4j.volume.model;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An existing volume. Two volumes are equal if all their properties are equal; the order of the
 * topologies does not matter.
 *
 * @since 1.0
 */
public final class CatalogVolume {

  /** The origins of a volume. */
  public enum Origin {
    /** The volume was created by csi4j, which can also delete it. */
    CREATED,
    /**
     * The volume existed before the host registered it. Only its record can be removed by csi4j.
     */
    REGISTERED
  }

  private final Builder parts;

  private CatalogVolume(Builder parts) {
    this.parts = parts.copy();
  }

  /**
   * Returns a builder for a registered volume without further properties.
   *
   * @param key the host's key of the volume
   * @param spec the requested volume
   * @param id the plugin's id of the volume
   */
  public static Builder builder(VolumeKey key, VolumeSpec spec, VolumeId id) {
    return new Builder(key, spec, id);
  }

  /** Returns a builder with the properties of this volume. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /** Returns the host's key of the volume. */
  public VolumeKey key() {
    return parts.key;
  }

  /** Returns the spec of the volume. */
  public VolumeSpec spec() {
    return parts.spec;
  }

  /** Returns the plugin's id of the volume. */
  public VolumeId id() {
    return parts.id;
  }

  /** Returns whether the volume was created or registered. */
  public Origin origin() {
    return parts.origin;
  }

  /** Returns the plugin's own name, if known. */
  public Optional<PluginName> provider() {
    return Optional.ofNullable(parts.provider);
  }

  /**
   * Returns the version of the plugin that created the volume or confirmed its registration, if the
   * plugin reported one.
   */
  public Optional<String> providerVersion() {
    return Optional.ofNullable(parts.providerVersion);
  }

  /** Returns the context that the plugin expects in most calls. */
  public VolumeContext context() {
    return parts.context;
  }

  /**
   * Returns the topologies from which the volume can be reached. One of them suffices. Empty if the
   * volume can be reached from anywhere.
   */
  public Set<Topology> topologies() {
    return parts.topologies;
  }

  /** Returns the size of the volume; empty if the plugin does not know the size. */
  public OptionalLong capacityBytes() {
    return parts.capacityBytes;
  }

  /**
   * Returns the size to which a node must still expand the volume after the storage was expanded;
   * empty if no expansion is pending on a node.
   */
  public Optional<CapacityRange> pendingOnNode() {
    return Optional.ofNullable(parts.pendingOnNode);
  }

  /** Returns the plugin of the volume. */
  public PluginId plugin() {
    return parts.spec.plugin();
  }

  /**
   * Returns the capability for this access and attachment, with its mount options.
   *
   * @return empty if the spec does not request this capability
   */
  public Optional<VolumeCapability> capability(AccessMode mode, AttachmentMode attachment) {
    boolean isBlock = attachment == AttachmentMode.BLOCK;
    return parts.spec.capabilitiesInFull().stream()
        .filter(each -> each.accessMode() == mode && each.isBlock() == isBlock)
        .findFirst();
  }

  /** Returns the volume with another size, and with or without a pending expansion on the node. */
  public CatalogVolume grown(OptionalLong bytes, Optional<CapacityRange> owed) {
    Builder grown = toBuilder();
    grown.capacityBytes = bytes;
    grown.pendingOnNode = owed.orElse(null);
    return grown.build();
  }

  /** Returns the volume with another spec. */
  public CatalogVolume as(VolumeSpec changed) {
    Builder other = toBuilder();
    other.spec = changed;
    return other.build();
  }

  /**
   * Returns the volume with the changeable properties of another description. These are the
   * properties that {@link VolumeSpec#describedBy} takes, the context and the topologies. The size
   * is taken only if this volume has none.
   */
  public CatalogVolume describedBy(CatalogVolume other) {
    Builder changed = toBuilder();
    changed.spec = parts.spec.describedBy(other.parts.spec);
    changed.context = other.parts.context;
    changed.topologies = other.parts.topologies;
    if (changed.capacityBytes.isEmpty()) {
      changed.capacityBytes = other.parts.capacityBytes;
    }
    return changed.build();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CatalogVolume that && named().equals(that.named());
  }

  @Override
  public int hashCode() {
    return named().hashCode();
  }

  /** Returns all properties, without the values of the context, which belong to the plugin. */
  @Override
  public String toString() {
    return "CatalogVolume" + named();
  }

  private Map<String, Object> named() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("key", parts.key);
    all.put("spec", parts.spec);
    all.put("id", parts.id);
    all.put("origin", parts.origin);
    all.put("provider", provider());
    all.put("providerVersion", providerVersion());
    all.put("context", parts.context);
    all.put("topologies", parts.topologies);
    all.put("capacityBytes", parts.capacityBytes);
    all.put("pendingOnNode", pendingOnNode());
    return all;
  }

  /** Builder of a {@link CatalogVolume}. */
  public static final class Builder {
    private final VolumeKey key;
    private VolumeSpec spec;
    private final VolumeId id;
    private Origin origin = Origin.REGISTERED;
    private @Nullable PluginName provider;
    private @Nullable String providerVersion;
    private VolumeContext context = VolumeContext.empty();
    private Set<Topology> topologies = Set.of();
    private OptionalLong capacityBytes = OptionalLong.empty();
    private @Nullable CapacityRange pendingOnNode;

    private Builder(VolumeKey key, VolumeSpec spec, VolumeId id) {
      this.key = Objects.requireNonNull(key, "key");
      this.spec = Objects.requireNonNull(spec, "spec");
      this.id = Objects.requireNonNull(id, "id");
    }

    private Builder copy() {
      Builder copy = new Builder(key, spec, id);
      copy.origin = origin;
      copy.provider = provider;
      copy.providerVersion = providerVersion;
      copy.context = context;
      copy.topologies = topologies;
      copy.capacityBytes = capacityBytes;
      copy.pendingOnNode = pendingOnNode;
      return copy;
    }

    /**
     * Sets whether the volume was created or registered. The default is registered: a host
     * registers volumes that existed before.
     */
    public Builder origin(Origin value) {
      origin = Objects.requireNonNull(value, "origin");
      return this;
    }

    /** Sets the plugin's own name. */
    public Builder provider(PluginName value) {
      provider = Objects.requireNonNull(value, "provider");
      return this;
    }

    /** Sets the version of the plugin. */
    public Builder providerVersion(String value) {
      providerVersion = Objects.requireNonNull(value, "providerVersion");
      return this;
    }

    /** Sets the context that the plugin expects in most calls. */
    public Builder context(VolumeContext value) {
      context = Objects.requireNonNull(value, "context");
      return this;
    }

    /** Sets the topologies from which the volume can be reached. One of them suffices. */
    public Builder topologies(Collection<Topology> value) {
      topologies = Collections.unmodifiableSet(new LinkedHashSet<>(value));
      return this;
    }

    /** Sets the size of the volume. */
    public Builder capacityBytes(long value) {
      capacityBytes = OptionalLong.of(value);
      return this;
    }

    /** Sets the size to which a node must still expand the volume. */
    public Builder pendingOnNode(CapacityRange value) {
      pendingOnNode = Objects.requireNonNull(value, "pendingOnNode");
      return this;
    }

    /** Returns the volume. */
    public CatalogVolume build() {
      return new CatalogVolume(this);
    }
  }
}

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
 * A volume that there is. Equal if all of it is; the order of places does not count.
 *
 * @since 1.0
 */
public final class CatalogVolume {

  /** How a volume came here. */
  public enum Origin {
    /** The volume was made here, and is deleted here. */
    CREATED,
    /** The volume was there before, and is only forgotten here. */
    REGISTERED
  }

  private final Builder parts;

  private CatalogVolume(Builder parts) {
    this.parts = parts.copy();
  }

  /**
   * Begins with a volume that was there before, and of which nothing more is known.
   *
   * @param key how the host names it
   * @param spec what was asked for
   * @param id how the plugin names it
   */
  public static Builder builder(VolumeKey key, VolumeSpec spec, VolumeId id) {
    return new Builder(key, spec, id);
  }

  /** Begins with this volume. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /** How the host names it. */
  public VolumeKey key() {
    return parts.key;
  }

  /** Returns the specification of what was asked for. */
  public VolumeSpec spec() {
    return parts.spec;
  }

  /** How the plugin names it. */
  public VolumeId id() {
    return parts.id;
  }

  /** How it came here. */
  public Origin origin() {
    return parts.origin;
  }

  /** Returns the plugin's own name, where it is known. */
  public Optional<PluginName> provider() {
    return Optional.ofNullable(parts.provider);
  }

  /**
   * Returns the version of the plugin that made the volume, or took it on record, if it said one.
   */
  public Optional<String> providerVersion() {
    return Optional.ofNullable(parts.providerVersion);
  }

  /** Returns what the plugin wants back with most calls. */
  public VolumeContext context() {
    return parts.context;
  }

  /** Returns from where it can be reached: from any one of these, or from anywhere if empty. */
  public Set<Topology> topologies() {
    return parts.topologies;
  }

  /** Returns its size; nothing if the plugin does not know. */
  public OptionalLong capacityBytes() {
    return parts.capacityBytes;
  }

  /**
   * Returns what the node has to be told, the next time it has the volume: how large it is since it
   * was grown.
   */
  public Optional<CapacityRange> pendingOnNode() {
    return Optional.ofNullable(parts.pendingOnNode);
  }

  /** Whose volume it is. */
  public PluginId plugin() {
    return parts.spec.plugin();
  }

  /**
   * One way to use it, with its own mount options.
   *
   * @return nothing if it was not asked for to be used so
   */
  public Optional<VolumeCapability> capability(AccessMode mode, AttachmentMode attachment) {
    boolean isBlock = attachment == AttachmentMode.BLOCK;
    return parts.spec.capabilitiesInFull().stream()
        .filter(each -> each.accessMode() == mode && each.isBlock() == isBlock)
        .findFirst();
  }

  /** Returns the volume of another size, with or without a debt to the node. */
  public CatalogVolume grown(OptionalLong bytes, Optional<CapacityRange> owed) {
    Builder grown = toBuilder();
    grown.capacityBytes = bytes;
    grown.pendingOnNode = owed.orElse(null);
    return grown.build();
  }

  /** Returns the volume with another specification. */
  public CatalogVolume as(VolumeSpec changed) {
    Builder other = toBuilder();
    other.spec = changed;
    return other.build();
  }

  /**
   * Returns the volume with what may change of one that exists, as another description has it: what
   * {@link VolumeSpec#describedBy} takes, the context and the places; and its size, if it is not
   * known here.
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

  /** Shows no values of the context, which belong to the plugin. */
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

  /** Collects what is known of a {@link CatalogVolume}. */
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

    /** Says how it came here. A host registers what was there before, which is the default. */
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

    /** Sets what the plugin wants back with most calls. */
    public Builder context(VolumeContext value) {
      context = Objects.requireNonNull(value, "context");
      return this;
    }

    /** Says that it can be reached from any one of these places only. */
    public Builder topologies(Collection<Topology> value) {
      topologies = Collections.unmodifiableSet(new LinkedHashSet<>(value));
      return this;
    }

    /** Sets its size. */
    public Builder capacityBytes(long value) {
      capacityBytes = OptionalLong.of(value);
      return this;
    }

    /** Sets what the node has to be told, the next time it has the volume. */
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

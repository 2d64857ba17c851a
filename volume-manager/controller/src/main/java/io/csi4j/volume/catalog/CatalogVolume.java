package io.csi4j.volume.catalog;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A volume that there is. Equal if all of it is; the order of places does not count.
 *
 * @param key how the host names it
 * @param spec what was asked for
 * @param origin how it came here
 * @param id how the plugin names it
 * @param provider the plugin's own name, where it is known
 * @param context what the plugin wants back with most calls
 * @param topologies from where it can be reached: from any one of these, or from anywhere if empty
 * @param capacityBytes its size; nothing if the plugin does not know
 * @param owedToNode what the node has to be told, the next time it has the volume: how large it is
 *     since it was grown
 */
public record CatalogVolume(
    VolumeKey key,
    VolumeSpec spec,
    Origin origin,
    VolumeId id,
    Optional<PluginName> provider,
    VolumeContext context,
    Set<Topology> topologies,
    OptionalLong capacityBytes,
    Optional<CapacityRange> owedToNode) {

  /** How a volume came here. */
  public enum Origin {
    /** The volume was made here, and is deleted here. */
    CREATED,
    /** The volume was there before, and is only forgotten here. */
    REGISTERED
  }

  /** Copies the places, and checks that all parts are there. */
  public CatalogVolume {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(spec, "spec");
    Objects.requireNonNull(origin, "origin");
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(provider, "provider");
    Objects.requireNonNull(context, "context");
    Objects.requireNonNull(capacityBytes, "capacityBytes");
    Objects.requireNonNull(owedToNode, "owedToNode");
    topologies = places(topologies);
  }

  private static Set<Topology> places(Collection<Topology> all) {
    Set<Topology> copy = new LinkedHashSet<>();
    all.forEach(place -> copy.add(Objects.requireNonNull(place, "place")));
    return Collections.unmodifiableSet(copy);
  }

  /** Whose volume it is. */
  public PluginId plugin() {
    return spec.plugin();
  }

  /**
   * One way to use it, with its own mount options.
   *
   * @return nothing if it was not asked for to be used so
   */
  public Optional<VolumeCapability> capability(AccessMode mode, AttachmentMode attachment) {
    boolean isBlock = attachment == AttachmentMode.BLOCK;
    return spec.capabilitiesInFull().stream()
        .filter(each -> each.accessMode() == mode && each.isBlock() == isBlock)
        .findFirst();
  }

  /** Returns the volume of another size, with or without a debt to the node. */
  public CatalogVolume grown(OptionalLong bytes, Optional<CapacityRange> owed) {
    return new CatalogVolume(key, spec, origin, id, provider, context, topologies, bytes, owed);
  }

  /** Returns the volume with other parameters. */
  public CatalogVolume as(VolumeSpec changed) {
    return new CatalogVolume(
        key, changed, origin, id, provider, context, topologies, capacityBytes, owedToNode);
  }
}

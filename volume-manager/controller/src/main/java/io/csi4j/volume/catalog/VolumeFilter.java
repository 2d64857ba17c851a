package io.csi4j.volume.catalog;

import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A filter for lists of volumes; a volume must match all its conditions.
 *
 * <pre>{@code
 * VolumeFilter wanted =
 *     VolumeFilter.all()
 *         .ofPlugin(plugin)
 *         .inNamespace(Namespace.of("shop"))
 *         .withPrefix("db-")
 *         .inState(VolumeSummary.State.CREATING, VolumeSummary.State.DELETING);
 * }</pre>
 *
 * @param plugin the plugin of the volumes; empty for all plugins
 * @param namespace the namespace of their keys; empty for all namespaces
 * @param prefix the beginning of the ids in their keys; empty for all ids
 * @param states the accepted states
 * @since 1.0
 */
public record VolumeFilter(
    Optional<PluginId> plugin,
    Optional<Namespace> namespace,
    String prefix,
    Set<VolumeSummary.State> states) {

  private static final VolumeFilter ALL =
      new VolumeFilter(
          Optional.empty(), Optional.empty(), "", EnumSet.allOf(VolumeSummary.State.class));

  /** Copies the states. */
  public VolumeFilter {
    Objects.requireNonNull(plugin, "plugin");
    Objects.requireNonNull(namespace, "namespace");
    Objects.requireNonNull(prefix, "prefix");
    states = Set.copyOf(states);
  }

  /** Returns the filter that matches all volumes. */
  public static VolumeFilter all() {
    return ALL;
  }

  /** Returns the filter for the volumes of one plugin. */
  public VolumeFilter ofPlugin(PluginId value) {
    return new VolumeFilter(Optional.of(value), namespace, prefix, states);
  }

  /** Returns the filter for the volumes of one namespace. */
  public VolumeFilter inNamespace(Namespace value) {
    return new VolumeFilter(plugin, Optional.of(value), prefix, states);
  }

  /** Returns the filter for volumes with keys whose id begins with a text. */
  public VolumeFilter withPrefix(String value) {
    return new VolumeFilter(plugin, namespace, value, states);
  }

  /** Returns the filter for volumes in one of these states. */
  public VolumeFilter inState(VolumeSummary.State first, VolumeSummary.State... others) {
    return new VolumeFilter(plugin, namespace, prefix, EnumSet.of(first, others));
  }

  /** Returns whether a volume with this key may match. */
  public boolean matches(VolumeKey key) {
    return namespace.filter(it -> !it.equals(key.namespace())).isEmpty()
        && key.id().startsWith(prefix);
  }

  /** Returns whether a volume matches. */
  public boolean matches(CatalogEntry volume) {
    return plugin.filter(it -> !it.equals(volume.spec().plugin())).isEmpty()
        && matches(volume.key())
        && states.contains(VolumeSummary.State.of(volume));
  }
}

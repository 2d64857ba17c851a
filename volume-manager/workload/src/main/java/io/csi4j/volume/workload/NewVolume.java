package io.csi4j.volume.workload;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.model.PluginId;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A volume that is created for a job, as its job description says it: {@link
 * VolumeRequest.Builder#created}. Nothing here creates it; the host hands the wish to its control
 * plane. Immutable; compares by value; values of parameters are never printed.
 *
 * @since 1.0
 */
public final class NewVolume {

  private final Builder parts;

  private NewVolume(Builder parts) {
    this.parts = parts.copy();
  }

  /** Begins with a volume of a plugin of which nothing else is asked yet. */
  public static Builder builder(PluginId plugin) {
    return new Builder(plugin);
  }

  /** Begins with this wish. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /** Returns the plugin whose volume it will be. */
  public PluginId plugin() {
    return parts.plugin;
  }

  /** Returns how large it has to be; nothing if the plugin may decide. */
  public Optional<CapacityRange> capacity() {
    return Optional.ofNullable(parts.capacity);
  }

  /** Returns the parameters, which only the plugin understands. */
  public SortedMap<String, String> parameters() {
    return Collections.unmodifiableSortedMap(parts.parameters);
  }

  /** Returns the snapshot that it begins as a copy of. */
  public Optional<SnapshotId> snapshot() {
    return Optional.ofNullable(parts.snapshot);
  }

  /** Returns the volume that it begins as a copy of. */
  public Optional<VolumeId> original() {
    return Optional.ofNullable(parts.original);
  }

  /** Whether it stays when the last claim of it has been given back; else it is deleted then. */
  public boolean retained() {
    return parts.retained;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof NewVolume that && all().equals(that.all());
  }

  @Override
  public int hashCode() {
    return all().hashCode();
  }

  private List<Object> all() {
    return List.of(plugin(), capacity(), parameters(), snapshot(), original(), retained());
  }

  @Override
  public String toString() {
    return "NewVolume["
        + plugin()
        + capacity().map(range -> ", " + range).orElse("")
        + (parts.parameters.isEmpty() ? "" : ", parameters=" + parts.parameters.keySet())
        + snapshot().map(from -> ", from snapshot " + from).orElse("")
        + original().map(from -> ", clone of " + from).orElse("")
        + (retained() ? ", retained" : "")
        + "]";
  }

  /** Collects the parts of a wish. */
  public static final class Builder {

    private final PluginId plugin;
    private final SortedMap<String, String> parameters = new TreeMap<>();
    private @Nullable CapacityRange capacity;
    private @Nullable SnapshotId snapshot;
    private @Nullable VolumeId original;
    private boolean retained;

    private Builder(PluginId plugin) {
      this.plugin = Objects.requireNonNull(plugin, "plugin");
    }

    private Builder copy() {
      Builder copy = new Builder(plugin);
      copy.parameters.putAll(parameters);
      copy.capacity = capacity;
      copy.snapshot = snapshot;
      copy.original = original;
      copy.retained = retained;
      return copy;
    }

    /** Sets how large it has to be. */
    public Builder capacity(CapacityRange value) {
      capacity = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Adds parameters, which only the plugin understands. */
    public Builder parameters(Map<String, String> value) {
      parameters.putAll(value);
      return this;
    }

    /** Lets it begin as a copy of a snapshot; it has one source at most. */
    public Builder fromSnapshot(SnapshotId value) {
      snapshot = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Lets it begin as a copy of a volume; it has one source at most. */
    public Builder cloneOf(VolumeId value) {
      original = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Sets whether it stays when the last claim of it has been given back. It is deleted by
     * default.
     */
    public Builder retained(boolean value) {
      retained = value;
      return this;
    }

    /**
     * Returns the wish.
     *
     * @throws IllegalArgumentException if it has two sources
     */
    public NewVolume build() {
      if (snapshot != null && original != null) {
        throw new IllegalArgumentException(
            "A new volume of plugin '"
                + plugin
                + "' cannot begin as a copy of both snapshot '"
                + snapshot
                + "' and volume '"
                + original
                + "'. Leave one of them out.");
      }
      return new NewVolume(this);
    }
  }
}

package io.csi4j.volume.workload;

import io.csi4j.client.controller.Volume;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The knowledge of the host about a volume that a workload asks for.
 *
 * @since 1.0
 */
public sealed interface ResolvedVolume {

  /** The volume as the host names it. */
  VolumeKey key();

  /** Of which kind it is. */
  VolumeRequest.Type type();

  /** A volume of a plugin, of which nothing more is known than its names. */
  static Csi csi(VolumeKey key, PluginId plugin, VolumeId handle) {
    return Csi.builder(key, plugin, handle).build();
  }

  /** A volume of a plugin, as the plugin told when it made it. */
  static Csi csi(VolumeKey key, PluginId plugin, Volume made) {
    return Csi.builder(key, plugin, made.id())
        .volumeContext(made.context())
        .reachableFrom(made.accessibleTopology())
        .build();
  }

  /**
   * An inline volume, which its plugin makes when it is published for this use.
   *
   * @param attributes what the plugin makes it of
   */
  static Csi inline(VolumeUse usage, PluginId plugin, VolumeContext attributes) {
    VolumeId handle =
        MountRequest.inline(plugin, usage, AccessMode.SINGLE_NODE_WRITER).build().handle();
    Csi.Builder volume = Csi.builder(usage.volume(), plugin, handle).volumeContext(attributes);
    volume.inline = true;
    return volume.build();
  }

  /** A directory of the host. */
  static Host host(VolumeKey key, MountPath path, boolean readOnly) {
    return new Host(key, path, readOnly);
  }

  /** A volume of a plugin. Immutable; compares by value. */
  final class Csi implements ResolvedVolume {

    private final Builder parts;

    private Csi(Builder parts) {
      this.parts = parts.copy();
    }

    /** Begins with a volume of which nothing more is known than its names. */
    public static Builder builder(VolumeKey key, PluginId plugin, VolumeId handle) {
      return new Builder(key, plugin, handle);
    }

    /** Begins with this volume. */
    public Builder toBuilder() {
      return parts.copy();
    }

    /**
     * Returns the volume, claimed, and attached to this node where it has to be, as the claim says.
     */
    public Csi claimed(ClaimGrant grant) {
      return toBuilder().claim(grant).build();
    }

    @Override
    public VolumeRequest.Type type() {
      return VolumeRequest.Type.CSI;
    }

    @Override
    public VolumeKey key() {
      return parts.key;
    }

    /**
     * Whether it is made by its plugin when it is published, and deleted when it is unpublished.
     */
    public boolean inline() {
      return parts.inline;
    }

    /** Returns the plugin. */
    public PluginId plugin() {
      return parts.plugin;
    }

    /** The volume as the plugin names it. */
    public VolumeId handle() {
      return parts.handle;
    }

    /** Returns the ways in which it may be used; empty if that is not known. */
    public List<VolumeCapability> allowed() {
      return parts.allowed;
    }

    /** Returns from where it can be reached: from any one of these, or from anywhere if empty. */
    public List<Topology> reachableFrom() {
      return parts.reachableFrom;
    }

    /** Returns the mount options that it was registered with. */
    public MountOptions mountOptions() {
      return parts.mountOptions;
    }

    /** Returns its own context, as its plugin gave it. */
    public VolumeContext volumeContext() {
      return parts.volumeContext;
    }

    /** Returns what attaching it to this node returned, as its claim has it. */
    public PublishContext publishContext() {
      return claim().map(ClaimGrant::context).orElse(parts.publishContext);
    }

    /** Returns where the secrets come from. */
    public SecretsProvider secrets() {
      return parts.secrets;
    }

    /** Returns the workload's claim of it; nothing if it needs none. */
    public Optional<ClaimGrant> claim() {
      return Optional.ofNullable(parts.claim);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Csi that && parts.all().equals(that.parts.all());
    }

    @Override
    public int hashCode() {
      return parts.all().hashCode();
    }

    /** The names alone. */
    @Override
    public String toString() {
      return parts.key + " (" + parts.handle + " of " + parts.plugin + ")";
    }

    /** Collects what the host knows. */
    public static final class Builder {
      private final VolumeKey key;
      private final PluginId plugin;
      private final VolumeId handle;
      private boolean inline;
      private List<VolumeCapability> allowed = List.of();
      private List<Topology> reachableFrom = List.of();
      private MountOptions mountOptions = MountOptions.none();
      private VolumeContext volumeContext = VolumeContext.empty();
      private PublishContext publishContext = PublishContext.empty();
      private SecretsProvider secrets = SecretsProvider.none();
      private @Nullable ClaimGrant claim;

      private Builder(VolumeKey key, PluginId plugin, VolumeId handle) {
        this.key = Objects.requireNonNull(key, "key");
        this.plugin = Objects.requireNonNull(plugin, "plugin");
        this.handle = Objects.requireNonNull(handle, "handle");
      }

      private Builder copy() {
        Builder copy = new Builder(key, plugin, handle);
        copy.inline = inline;
        copy.allowed = allowed;
        copy.reachableFrom = reachableFrom;
        copy.mountOptions = mountOptions;
        copy.volumeContext = volumeContext;
        copy.publishContext = publishContext;
        copy.secrets = secrets;
        copy.claim = claim;
        return copy;
      }

      private List<Object> all() {
        return List.of(
            key,
            plugin,
            handle,
            inline,
            allowed,
            reachableFrom,
            mountOptions,
            volumeContext,
            publishContext,
            secrets,
            Optional.ofNullable(claim));
      }

      /** Lets it be used in these ways only. */
      public Builder allowed(List<VolumeCapability> value) {
        allowed = List.copyOf(value);
        return this;
      }

      /** Says that it can be reached from any one of these places only. */
      public Builder reachableFrom(List<Topology> value) {
        reachableFrom = List.copyOf(value);
        return this;
      }

      /** Sets the mount options that it was registered with. */
      public Builder mountOptions(MountOptions value) {
        mountOptions = Objects.requireNonNull(value, "mountOptions");
        return this;
      }

      /** Sets its own context, as its plugin gave it. */
      public Builder volumeContext(VolumeContext value) {
        volumeContext = Objects.requireNonNull(value, "volumeContext");
        return this;
      }

      /** Sets what attaching it to this node returned, for a volume without a claim. */
      public Builder publishContext(PublishContext value) {
        publishContext = Objects.requireNonNull(value, "publishContext");
        return this;
      }

      /** Says where the secrets come from. There are none by default. */
      public Builder secrets(SecretsProvider value) {
        secrets = Objects.requireNonNull(value, "secrets");
        return this;
      }

      /** Sets the workload's claim of it, which says how it is attached and mounted. */
      public Builder claim(ClaimGrant value) {
        claim = Objects.requireNonNull(value, "claim");
        return this;
      }

      /** Returns the volume. */
      public Csi build() {
        return new Csi(this);
      }
    }
  }

  /**
   * A directory that the host offers.
   *
   * @param key the volume as the host names it
   * @param path the directory
   * @param readOnly whether it may only be read
   */
  record Host(VolumeKey key, MountPath path, boolean readOnly) implements ResolvedVolume {

    /** Checks that all parts are there. */
    public Host {
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(path, "path");
    }

    @Override
    public VolumeRequest.Type type() {
      return VolumeRequest.Type.HOST;
    }

    /** As a workload has it: it is there without being mounted. */
    public MountedVolume forWorkload(WorkloadId workload) {
      return new MountedVolume.Filesystem(VolumeUse.of(key, workload), path.toPath(), readOnly);
    }
  }

  /**
   * The host's knowledge of its volumes.
   *
   * @since 1.0
   */
  @FunctionalInterface
  interface Lookup {

    /**
     * Finds a volume.
     *
     * @param request what is asked for
     * @param source which volume: that of the request, with the number of the instance where each
     *     has its own
     * @return nothing if there is no such volume
     */
    Optional<ResolvedVolume> find(VolumeRequest request, String source);
  }
}

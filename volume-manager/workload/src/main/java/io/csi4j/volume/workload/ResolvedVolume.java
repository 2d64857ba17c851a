package io.csi4j.volume.workload;

import io.csi4j.client.controller.Volume;
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
import io.csi4j.volume.node.MountedVolume;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** The knowledge of the host about a volume that a workload asks for. */
public sealed interface ResolvedVolume {

  /** The volume as the host names it. */
  VolumeKey key();

  /** Of which kind it is. */
  VolumeType type();

  /** A volume of a plugin, of which nothing more is known than its names. */
  static Csi csi(VolumeKey key, PluginId plugin, VolumeId handle) {
    return new Csi(
        key,
        plugin,
        handle,
        List.of(),
        List.of(),
        MountOptions.none(),
        VolumeContext.empty(),
        PublishContext.empty(),
        SecretsProvider.none(),
        OptionalLong.empty());
  }

  /** A volume of a plugin, as the plugin told when it made it. */
  static Csi csi(VolumeKey key, PluginId plugin, Volume made) {
    return csi(key, plugin, made.id())
        .withVolumeContext(made.context())
        .withReachableFrom(made.accessibleTopology());
  }

  /** A directory of the host. */
  static Host host(VolumeKey key, MountPath path, boolean readOnly) {
    return new Host(key, path, readOnly);
  }

  /**
   * A volume of a plugin. Immutable; each {@code with} gives another one.
   *
   * @param key the volume as the host names it
   * @param plugin the plugin
   * @param handle the volume as the plugin names it
   * @param allowed the ways in which it may be used; empty if that is not known
   * @param reachableFrom from where it can be reached: from any one of these, or from anywhere if
   *     empty
   * @param mountOptions the mount options that it was registered with
   * @param volumeContext its own context, as its plugin gave it
   * @param publishContext what attaching it to this node returned
   * @param secrets where the secrets come from
   * @param claimEpoch the epoch of the workload's claim of it; nothing if it needs none
   */
  record Csi(
      VolumeKey key,
      PluginId plugin,
      VolumeId handle,
      List<VolumeCapability> allowed,
      List<Topology> reachableFrom,
      MountOptions mountOptions,
      VolumeContext volumeContext,
      PublishContext publishContext,
      SecretsProvider secrets,
      OptionalLong claimEpoch)
      implements ResolvedVolume {

    /** Copies the lists. */
    public Csi {
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(plugin, "plugin");
      Objects.requireNonNull(handle, "handle");
      Objects.requireNonNull(mountOptions, "mountOptions");
      Objects.requireNonNull(volumeContext, "volumeContext");
      Objects.requireNonNull(publishContext, "publishContext");
      Objects.requireNonNull(secrets, "secrets");
      Objects.requireNonNull(claimEpoch, "claimEpoch");
      allowed = List.copyOf(allowed);
      reachableFrom = List.copyOf(reachableFrom);
    }

    @Override
    public VolumeType type() {
      return VolumeType.CSI;
    }

    /** Returns the volume, which may be used in these ways only. */
    public Csi withAllowed(List<VolumeCapability> ways) {
      return changed(parts -> parts.allowed = ways);
    }

    /** Returns the volume, which can be reached from any one of these places. */
    public Csi withReachableFrom(List<Topology> places) {
      return changed(parts -> parts.reachableFrom = places);
    }

    /** Returns the volume, registered with these mount options. */
    public Csi withMountOptions(MountOptions options) {
      return changed(parts -> parts.mountOptions = options);
    }

    /** Returns the volume with this context of its own. */
    public Csi withVolumeContext(VolumeContext context) {
      return changed(parts -> parts.volumeContext = context);
    }

    /** Returns the volume, attached to this node. */
    public Csi withPublishContext(PublishContext context) {
      return changed(parts -> parts.publishContext = context);
    }

    /** Returns the volume with secrets. */
    public Csi withSecrets(SecretsProvider provider) {
      return changed(parts -> parts.secrets = provider);
    }

    /**
     * Returns the volume, claimed, and attached to this node where it has to be, as the claim says.
     */
    public Csi claimed(ClaimGrant grant) {
      return changed(
          parts -> {
            parts.mountOptions =
                grant
                    .capability()
                    .flatMap(VolumeCapability::mountOptions)
                    .orElse(parts.mountOptions);
            parts.publishContext = grant.context();
            parts.claimEpoch = OptionalLong.of(grant.epoch());
          });
    }

    private Csi changed(Consumer<Parts> change) {
      Parts parts = new Parts(this);
      change.accept(parts);
      return new Csi(
          key,
          plugin,
          handle,
          parts.allowed,
          parts.reachableFrom,
          parts.mountOptions,
          parts.volumeContext,
          parts.publishContext,
          parts.secrets,
          parts.claimEpoch);
    }

    /** The parts of a volume that may be changed, while one of them is. */
    private static final class Parts {
      private List<VolumeCapability> allowed;
      private List<Topology> reachableFrom;
      private MountOptions mountOptions;
      private VolumeContext volumeContext;
      private PublishContext publishContext;
      private SecretsProvider secrets;
      private OptionalLong claimEpoch;

      Parts(Csi volume) {
        allowed = volume.allowed;
        reachableFrom = volume.reachableFrom;
        mountOptions = volume.mountOptions;
        volumeContext = volume.volumeContext;
        publishContext = volume.publishContext;
        secrets = volume.secrets;
        claimEpoch = volume.claimEpoch;
      }
    }

    /** The names alone. */
    @Override
    public String toString() {
      return key + " (" + handle + " of " + plugin + ")";
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
    public VolumeType type() {
      return VolumeType.HOST;
    }

    /** As a workload has it: it is there without being mounted. */
    public MountedVolume forWorkload(WorkloadId workload) {
      return new MountedVolume.Filesystem(VolumeUse.of(key, workload), path.toPath(), readOnly);
    }
  }
}

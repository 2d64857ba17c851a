package io.csi4j.volume.workload;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import java.util.Objects;
import java.util.Optional;

/**
 * A requested volume that the host has found, with its properties.
 *
 * @since 1.0
 */
public sealed interface ResolvedVolume {

  /** Returns the host's key for the volume. */
  VolumeKey key();

  /** Returns the type of the volume. */
  VolumeRequest.Type type();

  /**
   * Returns a volume of a plugin, as described in the catalog.
   *
   * @param secrets the provider of the secrets that the volume's spec refers to
   */
  static Csi csi(CatalogVolume volume, SecretsProvider secrets) {
    return new Csi(volume, false, secrets, Optional.empty(), PublishContext.empty());
  }

  /**
   * Returns an inline volume, which its plugin creates when the volume is published for this use.
   *
   * @param attributes the attributes from which the plugin creates the volume
   */
  static Csi inline(VolumeUse usage, PluginId plugin, VolumeContext attributes) {
    VolumeSpec spec =
        VolumeSpec.builder(plugin)
            .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
            .ephemeral(true)
            .build();
    VolumeId id =
        MountRequest.inline(plugin, usage, AccessMode.SINGLE_NODE_WRITER).build().handle();
    CatalogVolume volume =
        CatalogVolume.builder(usage.volume(), spec, id).context(attributes).build();
    return new Csi(volume, true, SecretsProvider.none(), Optional.empty(), PublishContext.empty());
  }

  /** Returns a directory of the host. */
  static Host host(VolumeKey key, MountPath path, boolean readOnly) {
    return new Host(key, path, readOnly);
  }

  /**
   * A volume of a plugin.
   *
   * @param volume the volume
   * @param inline whether the volume is an inline volume, which its plugin creates when it is
   *     published and deletes when it is unpublished
   * @param secrets the provider of the volume's secrets
   * @param claim the workload's claim of the volume; empty if the workload needs no claim
   * @param publishContext the result of attaching the volume to this node; replaced by the context
   *     of the claim if there is a claim
   */
  record Csi(
      CatalogVolume volume,
      boolean inline,
      SecretsProvider secrets,
      Optional<ClaimGrant> claim,
      PublishContext publishContext)
      implements ResolvedVolume {

    /** Checks that all parts are set. */
    public Csi {
      Objects.requireNonNull(volume, "volume");
      Objects.requireNonNull(secrets, "secrets");
      publishContext =
          claim
              .map(ClaimGrant::context)
              .orElse(Objects.requireNonNull(publishContext, "publishContext"));
    }

    /**
     * Returns the volume with a claim. The claim also provides the publish context, if the volume
     * is attached.
     */
    public Csi claimed(ClaimGrant grant) {
      return new Csi(volume, inline, secrets, Optional.of(grant), publishContext);
    }

    /** Returns the volume without a claim, and with this result of attaching it to this node. */
    public Csi attached(PublishContext context) {
      return new Csi(volume, inline, secrets, Optional.empty(), context);
    }

    @Override
    public VolumeRequest.Type type() {
      return VolumeRequest.Type.CSI;
    }

    @Override
    public VolumeKey key() {
      return volume.key();
    }

    /** Returns only names, without contexts and secrets. */
    @Override
    public String toString() {
      return key() + " (" + volume.id() + " of " + volume.plugin() + ")";
    }
  }

  /**
   * A directory that the host provides.
   *
   * @param key the host's key for the volume
   * @param path the directory
   * @param readOnly whether workloads may only read the directory
   */
  record Host(VolumeKey key, MountPath path, boolean readOnly) implements ResolvedVolume {

    /** Checks that all parts are set. */
    public Host {
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(path, "path");
    }

    @Override
    public VolumeRequest.Type type() {
      return VolumeRequest.Type.HOST;
    }

    /**
     * Returns the directory as a mounted volume of a workload. A directory of the host needs no
     * mount.
     */
    public MountedVolume forWorkload(WorkloadId workload) {
      return new MountedVolume.Filesystem(VolumeUse.of(key, workload), path.toPath(), readOnly);
    }
  }

  /**
   * Finds the volumes that a workload requests.
   *
   * @since 1.0
   */
  @FunctionalInterface
  interface Lookup {

    /**
     * Finds a requested volume.
     *
     * @param request the request
     * @param source the host's name for the volume. This is the source of the request, followed by
     *     the number of the instance if each instance has its own volume
     * @return empty if the host has no such volume
     */
    Optional<ResolvedVolume> find(VolumeRequest request, String source);
  }
}

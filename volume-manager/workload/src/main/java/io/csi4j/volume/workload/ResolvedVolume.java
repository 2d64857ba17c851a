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
 * The knowledge of the host about a volume that a workload asks for.
 *
 * @since 1.0
 */
public sealed interface ResolvedVolume {

  /** The volume as the host names it. */
  VolumeKey key();

  /** Of which kind it is. */
  VolumeRequest.Type type();

  /**
   * A volume of a plugin, as the catalog has it.
   *
   * @param secrets the source of the secrets that its spec refers to
   */
  static Csi csi(CatalogVolume volume, SecretsProvider secrets) {
    return new Csi(volume, false, secrets, Optional.empty(), PublishContext.empty());
  }

  /**
   * An inline volume, which its plugin makes when it is published for this use, in whatever way it
   * is used.
   *
   * @param attributes what the plugin makes it of
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

  /** A directory of the host. */
  static Host host(VolumeKey key, MountPath path, boolean readOnly) {
    return new Host(key, path, readOnly);
  }

  /**
   * A volume of a plugin.
   *
   * @param volume the volume
   * @param inline whether its plugin makes it when it is published, and deletes it when it is
   *     unpublished
   * @param secrets the source of its secrets
   * @param claim the workload's claim of it; nothing if it needs none
   * @param publishContext the result of attaching it to this node; that of the claim, if there is
   *     one
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
     * Returns the volume, claimed, and attached to this node where it has to be, as the claim says.
     */
    public Csi claimed(ClaimGrant grant) {
      return new Csi(volume, inline, secrets, Optional.of(grant), publishContext);
    }

    /** Returns the volume without a claim, attached to this node with this result. */
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

    /** The names alone. */
    @Override
    public String toString() {
      return key() + " (" + volume.id() + " of " + volume.plugin() + ")";
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

    /** Checks that all parts are set. */
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

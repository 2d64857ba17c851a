package io.csi4j.volume.internal.port;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.model.SecretsProvider;
import java.util.Optional;

/** One call to a plugin, with paths of this host; the port turns them into the plugin's. */
public sealed interface NodeCall {

  /** The volume. */
  VolumeId volume();

  /** Where its secrets come from. */
  default SecretsProvider secrets() {
    return SecretsProvider.none();
  }

  /** Whether the host has to be asked for secrets before it can be sent, which may take a while. */
  default boolean takesSecrets() {
    return secrets() != SecretsProvider.none();
  }

  /**
   * The parcel that a forward call hands over.
   *
   * @param capability how the volume is used
   * @param volumeContext the volume's own context
   * @param publishContext the context that attaching returned
   * @param secrets where the secrets come from; asked by the port
   */
  record Parcel(
      VolumeCapability capability,
      VolumeContext volumeContext,
      PublishContext publishContext,
      SecretsProvider secrets) {}

  /**
   * Makes a volume usable on the node.
   *
   * @param volume the volume
   * @param staging its staging directory
   * @param parcel what is handed over
   */
  record Stage(VolumeId volume, MountPath staging, Parcel parcel) implements NodeCall {
    @Override
    public SecretsProvider secrets() {
      return parcel.secrets();
    }
  }

  /**
   * Makes a volume appear.
   *
   * @param volume the volume
   * @param staging its staging directory, if it is staged
   * @param target where
   * @param readOnly whether it may only be read
   * @param parcel what is handed over
   */
  record Publish(
      VolumeId volume,
      Optional<MountPath> staging,
      MountPath target,
      boolean readOnly,
      Parcel parcel)
      implements NodeCall {
    @Override
    public SecretsProvider secrets() {
      return parcel.secrets();
    }
  }

  /**
   * Makes a volume disappear.
   *
   * @param volume the volume
   * @param target from where
   */
  record Unpublish(VolumeId volume, MountPath target) implements NodeCall {}

  /**
   * Undoes the staging.
   *
   * @param volume the volume
   * @param staging its staging directory
   */
  record Unstage(VolumeId volume, MountPath staging) implements NodeCall {}

  /**
   * Lets the node take notice that a volume has grown; the answer is a {@code Long}, or nothing.
   *
   * @param volume the volume
   * @param target where it is published
   * @param staging its staging directory, if it is staged
   * @param capability how it is used, as far as it is known
   * @param capacity what it has now
   * @param secrets where the secrets come from
   */
  record Expand(
      VolumeId volume,
      MountPath target,
      Optional<MountPath> staging,
      Optional<VolumeCapability> capability,
      CapacityRange capacity,
      SecretsProvider secrets)
      implements NodeCall {}

  /**
   * Reads how full a volume is; the answer is a {@code VolumeStats}.
   *
   * @param volume the volume
   * @param target where it is published
   * @param staging its staging directory, if it is staged
   */
  record Stats(VolumeId volume, MountPath target, Optional<MountPath> staging)
      implements NodeCall {}
}

package io.csi4j.volume.internal.port;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.model.SecretsProvider;
import java.time.Duration;
import java.util.Optional;

/** One call to a plugin, with paths of this host; the port turns them into the plugin's. */
public sealed interface NodeCall {

  /** A call about a volume. */
  sealed interface OfVolume extends NodeCall {

    /** The volume. */
    VolumeId volume();
  }

  /** The time that it may take, if that is less than the policy gives to a call. */
  default Optional<Duration> limit() {
    return Optional.empty();
  }

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
  record Stage(VolumeId volume, MountPath staging, Parcel parcel) implements OfVolume {
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
      implements OfVolume {
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
  record Unpublish(VolumeId volume, MountPath target) implements OfVolume {}

  /**
   * Undoes the staging.
   *
   * @param volume the volume
   * @param staging its staging directory
   */
  record Unstage(VolumeId volume, MountPath staging) implements OfVolume {}

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
      implements OfVolume {}

  /**
   * Reads how full a volume is; the answer is a {@code VolumeStats}.
   *
   * @param volume the volume
   * @param target where it is published
   * @param staging its staging directory, if it is staged
   */
  record Stats(VolumeId volume, MountPath target, Optional<MountPath> staging)
      implements OfVolume {}

  /** The time that questions for health may take: they hold up the other calls of a volume. */
  Duration HEALTH_LIMIT = Duration.ofSeconds(10);

  /**
   * Reads the faults of a volume; the answer is a {@code VolumeHealthReport}.
   *
   * @param volume the volume
   * @param target where it is, or was to be, published, if anywhere
   * @param staging its staging directory, if it is staged
   */
  record Health(VolumeId volume, Optional<MountPath> target, Optional<MountPath> staging)
      implements OfVolume {
    @Override
    public Optional<Duration> limit() {
      return Optional.of(HEALTH_LIMIT);
    }
  }

  /**
   * Reads the faults of a volume with how full it is, as plugins of CSI 1.3 to 1.12 tell them; the
   * answer is a {@code VolumeStats}.
   *
   * @param stats the question
   */
  record Condition(Stats stats) implements OfVolume {
    @Override
    public VolumeId volume() {
      return stats.volume();
    }

    @Override
    public Optional<Duration> limit() {
      return Optional.of(HEALTH_LIMIT);
    }
  }

  /**
   * Reads the faults of the storage behind the plugin; the answer is a {@code StorageHealth}.
   *
   * @param secrets where the secrets come from
   */
  record Storage(SecretsProvider secrets) implements NodeCall {
    @Override
    public Optional<Duration> limit() {
      return Optional.of(HEALTH_LIMIT);
    }
  }
}

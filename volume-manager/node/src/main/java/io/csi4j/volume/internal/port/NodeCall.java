package io.csi4j.volume.internal.port;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.record.Plan;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.node.ExpandRequest;
import io.csi4j.volume.node.MountRequest;
import java.time.Duration;
import java.util.Optional;

/**
 * One call to a plugin, with paths of this host; the port turns them into the plugin's. A call for
 * a caller's request has that request, and the port takes from it what it sends.
 */
public sealed interface NodeCall {

  /** A call about a volume. */
  sealed interface OfVolume extends NodeCall {

    /** The volume. */
    VolumeId volume();
  }

  /** The call of the spec. */
  CsiOperation operation();

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
   * Makes a volume usable on the node.
   *
   * @param request the request that needs it
   * @param plan how it is used, as it was decided at its first use
   * @param staging its staging directory
   */
  record Stage(MountRequest request, Plan plan, MountPath staging) implements OfVolume {
    @Override
    public CsiOperation operation() {
      return CsiOperation.NODE_STAGE_VOLUME;
    }

    @Override
    public VolumeId volume() {
      return request.handle();
    }

    @Override
    public SecretsProvider secrets() {
      return request.secrets();
    }
  }

  /**
   * Makes a volume appear.
   *
   * @param request the request for it
   * @param plan how it is used, as it was decided at its first use
   * @param staging its staging directory, if it is staged
   * @param target where
   */
  record Publish(MountRequest request, Plan plan, Optional<MountPath> staging, MountPath target)
      implements OfVolume {
    @Override
    public CsiOperation operation() {
      return CsiOperation.NODE_PUBLISH_VOLUME;
    }

    @Override
    public VolumeId volume() {
      return request.handle();
    }

    @Override
    public SecretsProvider secrets() {
      return request.secrets();
    }
  }

  /**
   * Makes a volume disappear.
   *
   * @param volume the volume
   * @param target from where
   */
  record Unpublish(VolumeId volume, MountPath target) implements OfVolume {
    @Override
    public CsiOperation operation() {
      return CsiOperation.NODE_UNPUBLISH_VOLUME;
    }
  }

  /**
   * Undoes the staging.
   *
   * @param volume the volume
   * @param staging its staging directory
   */
  record Unstage(VolumeId volume, MountPath staging) implements OfVolume {
    @Override
    public CsiOperation operation() {
      return CsiOperation.NODE_UNSTAGE_VOLUME;
    }
  }

  /**
   * Lets the node take notice that a volume has grown; the answer is a {@code Long}, or nothing.
   *
   * @param request the request for it
   * @param volume the volume
   * @param target where it is published
   * @param staging its staging directory, if it is staged
   */
  record Expand(
      ExpandRequest request, VolumeId volume, MountPath target, Optional<MountPath> staging)
      implements OfVolume {
    @Override
    public CsiOperation operation() {
      return CsiOperation.NODE_EXPAND_VOLUME;
    }

    @Override
    public SecretsProvider secrets() {
      return request.secrets();
    }
  }

  /**
   * Reads how full a volume is; the answer is a {@code VolumeStats}.
   *
   * @param volume the volume
   * @param target where it is published
   * @param staging its staging directory, if it is staged
   */
  record Stats(VolumeId volume, MountPath target, Optional<MountPath> staging) implements OfVolume {
    @Override
    public CsiOperation operation() {
      return CsiOperation.NODE_GET_VOLUME_STATS;
    }
  }

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
    public CsiOperation operation() {
      return CsiOperation.NODE_GET_VOLUME_HEALTH;
    }

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
    public CsiOperation operation() {
      return stats.operation();
    }

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
    public CsiOperation operation() {
      return CsiOperation.NODE_GET_STORAGE_HEALTH;
    }

    @Override
    public Optional<Duration> limit() {
      return Optional.of(HEALTH_LIMIT);
    }
  }
}

package io.csi4j.volume.internal.port;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.record.Plan;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.node.MountRequest;
import java.time.Duration;
import java.util.Optional;

/**
 * One call to a plugin, with paths of this host, which the port translates into the plugin's. A
 * call for a request of a caller carries that request, and the port takes its arguments from it.
 */
public sealed interface NodeCall {

  /** A call for a volume. */
  sealed interface OfVolume extends NodeCall {

    /** Returns the volume. */
    VolumeId volume();
  }

  /** Returns the call of the spec. */
  CsiOperation operation();

  /** Returns the time limit of the call, if it is shorter than that of the policy. */
  default Optional<Duration> limit() {
    return Optional.empty();
  }

  /** Returns the provider of the secrets. */
  default SecretsProvider secrets() {
    return SecretsProvider.none();
  }

  /**
   * Returns whether the call needs secrets from the host before it can be sent; the host may take a
   * while.
   */
  default boolean takesSecrets() {
    return secrets() != SecretsProvider.none();
  }

  /**
   * Stages a volume.
   *
   * @param request the request that needs it
   * @param plan how the volume is used, as decided at its first use
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
   * Publishes a volume.
   *
   * @param request the request
   * @param plan how the volume is used, as decided at its first use
   * @param staging its staging directory, if it is staged
   * @param target the target
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
   * Unpublishes a volume.
   *
   * @param volume the volume
   * @param target the target
   */
  record Unpublish(VolumeId volume, MountPath target) implements OfVolume {
    @Override
    public CsiOperation operation() {
      return CsiOperation.NODE_UNPUBLISH_VOLUME;
    }
  }

  /**
   * Unstages a volume.
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
   * Expands a volume on the node after the volume has grown. The answer is a {@code Long} or empty.
   *
   * @param request the request
   * @param volume the volume
   * @param target its target
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
   * Reads the usage of a volume. The answer is a {@code VolumeStats}.
   *
   * @param volume the volume
   * @param target its target
   * @param staging its staging directory, if it is staged
   */
  record Stats(VolumeId volume, MountPath target, Optional<MountPath> staging) implements OfVolume {
    @Override
    public CsiOperation operation() {
      return CsiOperation.NODE_GET_VOLUME_STATS;
    }
  }

  /** The time limit of questions about health, because they delay the other calls of a volume. */
  Duration HEALTH_LIMIT = Duration.ofSeconds(10);

  /**
   * Reads the faults of a volume. The answer is a {@code VolumeHealthReport}.
   *
   * @param volume the volume
   * @param target its target, or the intended target, if it has one
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
   * Reads the faults of a volume together with its usage, as plugins of CSI 1.3 to 1.12 report
   * them. The answer is a {@code VolumeStats}.
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
   * Reads the faults of the storage behind the plugin. The answer is a {@code StorageHealth}.
   *
   * @param secrets the provider of the secrets
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

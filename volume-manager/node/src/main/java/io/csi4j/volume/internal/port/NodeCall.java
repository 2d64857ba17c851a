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
 * One call to a plugin. The paths in it are paths of this host; the implementation of {@link
 * NodePlugin} translates them into the plugin's paths. A call for a caller's request contains that
 * request, and the implementation takes the other arguments from it.
 */
public sealed interface NodeCall {

  /** A call for a volume. */
  sealed interface OfVolume extends NodeCall {

    /** Returns the volume. */
    VolumeId volume();
  }

  /** Returns the operation of the CSI spec. */
  CsiOperation operation();

  /** Returns the time limit of the call, if it may be shorter than the limit of the policy. */
  default Optional<Duration> limit() {
    return Optional.empty();
  }

  /** Returns the provider of the secrets. */
  default SecretsProvider secrets() {
    return SecretsProvider.none();
  }

  /**
   * Returns whether the host must provide secrets before the call can be sent. This may take a
   * while.
   */
  default boolean takesSecrets() {
    return secrets() != SecretsProvider.none();
  }

  /**
   * Stages a volume.
   *
   * @param request the request for which the volume is staged
   * @param plan the parameters of the volume, as its first use decided them
   * @param staging the staging directory
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
   * @param plan the parameters of the volume, as its first use decided them
   * @param staging the staging directory, if the volume is staged
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
   * @param staging the staging directory
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
   * @param target the target of a use
   * @param staging the staging directory, if the volume is staged
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
   * @param target the target of a use
   * @param staging the staging directory, if the volume is staged
   */
  record Stats(VolumeId volume, MountPath target, Optional<MountPath> staging) implements OfVolume {
    @Override
    public CsiOperation operation() {
      return CsiOperation.NODE_GET_VOLUME_STATS;
    }
  }

  /**
   * The time limit of health queries. It is short because a query delays the other calls for the
   * volume.
   */
  Duration HEALTH_LIMIT = Duration.ofSeconds(10);

  /**
   * Reads the faults of a volume. The answer is a {@code VolumeHealthReport}.
   *
   * @param volume the volume
   * @param target the target of a use or its intended target, if the volume has a use
   * @param staging the staging directory, if the volume is staged
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
   * Reads the condition of a volume together with its usage. Plugins of CSI 1.3 to 1.12 report
   * faults in this way. The answer is a {@code VolumeStats}.
   *
   * @param stats the call that reads both
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

package io.csi4j.client.model;

import java.time.Duration;

/** The default time limits and retries of each operation. */
final class PolicyTable {

  /** Reads that supervisors repeat themselves, so the client never repeats them. */
  private static final CallPolicy QUESTION = policy(Duration.ofSeconds(10), 1);

  /** A read that must be quick. */
  private static final CallPolicy PROBE = policy(Duration.ofSeconds(5), 1);

  /** Reads for which a storage system may need some time. */
  private static final CallPolicy READ = policy(Duration.ofMinutes(1), 3);

  /** Changes: attaching, mounting, creating, copying. */
  private static final CallPolicy WORK = policy(Duration.ofMinutes(2), 3);

  private PolicyTable() {}

  /** The default policy of {@code operation}. */
  public static CallPolicy policy(CsiOperation operation) {
    return switch (operation) {
      case PROBE -> PROBE;
      case GET_PLUGIN_INFO,
          GET_PLUGIN_CAPABILITIES,
          CONTROLLER_GET_CAPABILITIES,
          GROUP_CONTROLLER_GET_CAPABILITIES,
          NODE_GET_CAPABILITIES,
          NODE_GET_INFO ->
          QUESTION;
      case VALIDATE_VOLUME_CAPABILITIES,
          LIST_VOLUMES,
          CONTROLLER_LIST_VOLUME_HEALTH,
          CONTROLLER_GET_VOLUME_HEALTH,
          GET_CAPACITY,
          LIST_SNAPSHOTS,
          GET_SNAPSHOT,
          CONTROLLER_GET_VOLUME,
          GET_VOLUME_GROUP_SNAPSHOT,
          GET_METADATA_ALLOCATED,
          GET_METADATA_DELTA,
          NODE_GET_VOLUME_STATS,
          NODE_GET_VOLUME_HEALTH,
          NODE_GET_STORAGE_HEALTH ->
          READ;
      case CREATE_VOLUME,
          DELETE_VOLUME,
          CONTROLLER_PUBLISH_VOLUME,
          CONTROLLER_UNPUBLISH_VOLUME,
          CREATE_SNAPSHOT,
          DELETE_SNAPSHOT,
          CONTROLLER_EXPAND_VOLUME,
          CONTROLLER_MODIFY_VOLUME,
          CREATE_VOLUME_GROUP_SNAPSHOT,
          DELETE_VOLUME_GROUP_SNAPSHOT,
          NODE_STAGE_VOLUME,
          NODE_UNSTAGE_VOLUME,
          NODE_PUBLISH_VOLUME,
          NODE_UNPUBLISH_VOLUME,
          NODE_EXPAND_VOLUME ->
          WORK;
    };
  }

  private static CallPolicy policy(Duration attemptDeadline, int attempts) {
    Duration budget = attemptDeadline.multipliedBy(attempts).plusSeconds(30);
    return CallPolicy.builder(attemptDeadline, attempts, budget).build();
  }
}

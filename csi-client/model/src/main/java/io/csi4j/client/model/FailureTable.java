package io.csi4j.client.model;

import java.util.Map;
import java.util.Optional;

/**
 * What every status of every operation means: the one table that all failures are judged by.
 *
 * <p>A status means what its general row says, unless {@link OwnFailures} has a row for it and the
 * operation. Where the same request may simply be repeated, the advice goes on with what the
 * operation may have left behind. Both switches below are exhaustive, so no pair can lack a rule.
 */
final class FailureTable {

  private static final Map<CsiOperation, Map<StatusCode, Row>> OWN = OwnFailures.rows();

  private FailureTable() {}

  /**
   * A row before it is bound to an operation and a code.
   *
   * @param retry what has to happen before the call makes sense again
   * @param meaning what the status means, as a clause
   * @param advice what to do next, in full sentences
   */
  public record Row(Retry retry, String meaning, String advice) {}

  /** The rule for this operation and code. */
  public static FailureRule rule(CsiOperation operation, StatusCode code) {
    Row row = own(operation).getOrDefault(code, general(code));
    String advice = row.advice();
    if (row.retry() == Retry.BACKOFF) {
      advice = leftBehind(operation).map(rest -> row.advice() + " " + rest).orElse(advice);
    }
    return new FailureRule(operation, code, row.meaning(), row.retry(), outcome(code), advice);
  }

  /** The rows of its own that {@code operation} has, in the order of their codes. */
  public static Map<StatusCode, Row> own(CsiOperation operation) {
    return OWN.getOrDefault(operation, Map.of());
  }

  /**
   * What a failure with this code leaves behind. It is settled only where the plugin says that it
   * refused: whoever undoes too much loses nothing, whoever undoes too little leaks a volume.
   */
  public static Outcome outcome(StatusCode code) {
    return switch (code) {
      case INVALID_ARGUMENT,
          NOT_FOUND,
          ALREADY_EXISTS,
          PERMISSION_DENIED,
          FAILED_PRECONDITION,
          OUT_OF_RANGE,
          UNIMPLEMENTED,
          UNAUTHENTICATED ->
          Outcome.SETTLED;
      case CANCELLED,
          UNKNOWN,
          DEADLINE_EXCEEDED,
          RESOURCE_EXHAUSTED,
          ABORTED,
          INTERNAL,
          UNAVAILABLE,
          DATA_LOSS ->
          Outcome.UNCERTAIN;
      case OK -> throw noFailure();
    };
  }

  /** What a code means where an operation has no row of its own for it. */
  public static Row general(StatusCode code) {
    return switch (code) {
      case CANCELLED ->
          new Row(
              Retry.BACKOFF,
              "the call was cancelled before it was answered",
              "Call again if the result is still wanted.");
      case UNKNOWN ->
          new Row(
              Retry.BACKOFF,
              "the plugin failed without saying in what way",
              "Look for the cause in the plugin's log.");
      case INVALID_ARGUMENT ->
          new Row(
              Retry.AFTER_REQUEST_CHANGE,
              "a required field is missing, or the plugin does not accept a value",
              "Correct the request before it is sent again; the plugin's own words may name the"
                  + " field.");
      case DEADLINE_EXCEEDED ->
          new Row(
              Retry.BACKOFF,
              "no answer came within the time allowed",
              "Look in the plugin's log for what it is waiting for; if it is only slow, allow the"
                  + " call more time.");
      case NOT_FOUND ->
          new Row(
              Retry.AFTER_FIX,
              "something that the request names is unknown to the plugin",
              "Check that every id in the request is right and that what it names was not deleted,"
                  + " then call again.");
      case ALREADY_EXISTS ->
          new Row(
              Retry.AFTER_REQUEST_CHANGE,
              "it exists already, but with other properties",
              "Send the properties it was made with, or choose another name.");
      case PERMISSION_DENIED ->
          new Row(
              Retry.AFTER_FIX,
              "the identity behind the secrets may not do this",
              "Have an administrator of the storage system grant the permission, then call again.");
      case RESOURCE_EXHAUSTED ->
          new Row(
              Retry.BACKOFF,
              "a quota, a rate limit or the space is used up",
              "If it does not pass by itself, free some of it or have the limit raised.");
      case FAILED_PRECONDITION ->
          new Row(
              Retry.AFTER_FIX,
              "the storage system is not in a state that allows this",
              "Put right what the plugin's own words name, then call again.");
      case ABORTED ->
          new Row(
              Retry.AFTER_PENDING,
              "another call for the same object is still pending",
              "Make sure that no other call for it is open, then repeat this one; a plugin may need"
                  + " minutes to let go of a call whose caller has gone.");
      case OUT_OF_RANGE ->
          new Row(
              Retry.AFTER_REQUEST_CHANGE,
              "a value is outside what the plugin allows",
              "Change the value; the plugin's own words may name the limits.");
      case UNIMPLEMENTED ->
          new Row(
              Retry.NEVER,
              "the plugin does not serve this call, or not in its present mode",
              "Do not repeat it. Read the plugin's capabilities again and use only what they"
                  + " offer.");
      case INTERNAL ->
          new Row(
              Retry.BACKOFF,
              "the plugin failed internally",
              "Look in the plugin's log; if it keeps failing, restart it and tell whoever maintains"
                  + " it.");
      case UNAVAILABLE ->
          new Row(
              Retry.BACKOFF,
              "the plugin cannot be reached, or says that it cannot serve now",
              "Check that it is running and that its socket is there; once it listens again, calls"
                  + " find it.");
      case DATA_LOSS ->
          new Row(
              Retry.NEVER,
              "the plugin reports data that is lost beyond recovery",
              "Do not repeat it. Stop using this data and have the storage system examined first.");
      case UNAUTHENTICATED ->
          new Row(
              Retry.AFTER_REQUEST_CHANGE,
              "the request carries no secrets that the plugin accepts",
              "Check that the secrets are there and have not expired, and send valid ones.");
      case OK -> throw noFailure();
    };
  }

  /**
   * What {@code operation} may have left behind when its end is not known, and how to settle that;
   * nothing for an operation that changes nothing.
   */
  public static Optional<String> leftBehind(CsiOperation operation) {
    String text =
        switch (operation) {
          case PROBE -> "Until it answers, take the plugin as unhealthy.";
          case CREATE_VOLUME ->
              "The volume may exist: send the same request under the same name to learn its id,"
                  + " then keep the volume or delete it.";
          case DELETE_VOLUME ->
              "The volume may be gone: keep its record and repeat the call until it succeeds, which"
                  + " it also does for a volume that is gone.";
          case CONTROLLER_PUBLISH_VOLUME ->
              "The volume may be attached: repeat the call, or give up with"
                  + " ControllerUnpublishVolume.";
          case CONTROLLER_UNPUBLISH_VOLUME ->
              "The volume may still be attached: repeat the call until it succeeds, and count the"
                  + " volume as attached before that.";
          case CREATE_SNAPSHOT ->
              "The snapshot may exist: send the same request under the same name to learn its id,"
                  + " then keep the snapshot or delete it.";
          case DELETE_SNAPSHOT ->
              "The snapshot may be gone: keep its record and repeat the call until it succeeds,"
                  + " which it also does for a snapshot that is gone.";
          case CONTROLLER_EXPAND_VOLUME ->
              "The volume may have grown: repeat the call, for only its answer tells the new size"
                  + " and whether the node has to follow.";
          case CONTROLLER_MODIFY_VOLUME ->
              "The new parameters may be in force: repeat the call with the same values until it"
                  + " succeeds.";
          case CREATE_VOLUME_GROUP_SNAPSHOT ->
              "The group snapshot may exist: send the same request under the same name to learn its"
                  + " id; what was cut only in part, the plugin cleans up itself.";
          case DELETE_VOLUME_GROUP_SNAPSHOT ->
              "The group may be gone, in part or as a whole: keep the records of all its snapshots"
                  + " and repeat the call until it succeeds.";
          case GET_METADATA_ALLOCATED, GET_METADATA_DELTA ->
              "What was delivered stays valid: ask again from the offset behind the last range, and"
                  + " nothing is read twice.";
          case NODE_STAGE_VOLUME ->
              "The volume may be staged: repeat the call with the same path, or give up with"
                  + " NodeUnstageVolume.";
          case NODE_UNSTAGE_VOLUME ->
              "The volume may still be staged: repeat the call until it succeeds, and neither"
                  + " remove the staging path nor detach the volume before that.";
          case NODE_PUBLISH_VOLUME ->
              "The volume may be mounted at the target path: repeat the call with the same path, or"
                  + " give up with NodeUnpublishVolume.";
          case NODE_UNPUBLISH_VOLUME ->
              "The volume may still be mounted at the target path: repeat the call until it"
                  + " succeeds, and delete nothing below the path before that.";
          case NODE_EXPAND_VOLUME ->
              "The filesystem may have grown: repeat the call, which also succeeds if the size is"
                  + " reached already.";
          case GET_PLUGIN_INFO,
              GET_PLUGIN_CAPABILITIES,
              VALIDATE_VOLUME_CAPABILITIES,
              LIST_VOLUMES,
              GET_CAPACITY,
              CONTROLLER_GET_CAPABILITIES,
              LIST_SNAPSHOTS,
              GET_SNAPSHOT,
              CONTROLLER_GET_VOLUME,
              GROUP_CONTROLLER_GET_CAPABILITIES,
              GET_VOLUME_GROUP_SNAPSHOT,
              NODE_GET_VOLUME_STATS,
              NODE_GET_CAPABILITIES,
              NODE_GET_INFO ->
              "";
        };
    return Optional.of(text).filter(rest -> !rest.isEmpty());
  }

  private static IllegalArgumentException noFailure() {
    return new IllegalArgumentException("OK is no failure; no rule is kept for it.");
  }
}

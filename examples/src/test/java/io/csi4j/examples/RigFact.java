package io.csi4j.examples;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** One fact of the history of a cluster, as the rig has seen it. */
sealed interface RigFact {

  /** When: for a call its beginning, for all else the moment in which it was known. */
  Instant at();

  /** The calls that change where a volume can be written to. */
  enum Kind {
    CONTROLLER_PUBLISH,
    CONTROLLER_UNPUBLISH,
    NODE_PUBLISH,
    NODE_UNPUBLISH
  }

  /**
   * A call that reached the storage system.
   *
   * @param volume the id of the volume
   * @param isWriter whether it is about a single writer, and not read-only
   * @param ended when it had an answer
   * @param isDone whether the answer was OK
   */
  record Call(
      Kind kind,
      String volume,
      String node,
      boolean isWriter,
      Instant at,
      Optional<Instant> ended,
      boolean isDone)
      implements RigFact {}

  /** The processes of a node were killed, and all its mounts are gone: the proof of a fence. */
  record Fenced(String node, Instant at) implements RigFact {}

  /**
   * A control plane was asked to take a node as off or fenced.
   *
   * @param answered when it had done so
   */
  record Attested(String node, Instant at, Instant answered) implements RigFact {}

  /**
   * A control plane has granted a volume to a workload on a node.
   *
   * @param epoch the epoch of the claim, the same as before if it was there already
   */
  record Granted(String volume, String workload, String node, String epoch, Instant at)
      implements RigFact {}

  /** A control plane or a node is asked to end the use of a workload. */
  record GivingBack(String volume, String workload, Instant at) implements RigFact {}

  /**
   * The workload has written a number, one higher each time.
   *
   * @param isAcknowledged whether the write has succeeded; otherwise it may have
   */
  record Wrote(String volume, long number, boolean isAcknowledged, Instant at) implements RigFact {}

  /** The workload has read this number from a volume that was just mounted. */
  record Found(String volume, String node, long number, Instant at) implements RigFact {}

  /** A control plane has acknowledged that a volume has grown. */
  record Grown(String volume, long bytes, Instant at) implements RigFact {}

  /**
   * A call that lets the filesystem of a volume on a node follow its size, and succeeded.
   *
   * @param volume the id of the volume
   */
  record Expanded(String volume, String node, long bytes, Instant at) implements RigFact {}

  /**
   * A control plane says that all nodes follow the size of a volume that has grown while it was
   * mounted there.
   *
   * @param volume the id of the volume
   */
  record Followed(String volume, String node, long bytes, Instant at) implements RigFact {}

  /**
   * The size of a volume after its changes had ended.
   *
   * @param where such as {@code the storage}, or {@code the filesystem on n1}
   */
  record Size(String volume, String where, long bytes, Instant at) implements RigFact {}

  /** A control plane has acknowledged that a volume is deleted. */
  record Deleted(String volume, Instant at) implements RigFact {}

  /** Work that did not end although everything ran again. */
  record NotEnded(String what, String seen, Duration after, Instant at) implements RigFact {}

  /**
   * Everything that is there once all work has ended.
   *
   * @param wanted the ids of the volumes that were created and not deleted
   * @param stored the volumes that the storage system has
   * @param attached the attachments that it has
   * @param mounts the mounts of each node
   * @param known what the manager of each node knows
   * @param claims the claims on record
   */
  record AtRest(
      Set<String> wanted,
      Set<String> stored,
      List<String> attached,
      Map<String, List<String>> mounts,
      Map<String, List<String>> known,
      List<String> claims,
      Instant at)
      implements RigFact {}
}

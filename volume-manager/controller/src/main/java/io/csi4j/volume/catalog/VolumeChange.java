package io.csi4j.volume.catalog;

import io.csi4j.client.model.CapacityRange;
import java.time.Instant;
import java.util.Collections;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A requested change of a volume, or its deletion, that is not done: its progress, the last
 * failure, and the host's next step.
 *
 * <pre>{@code
 * for (VolumeChange change : controller.changes(key)) {
 *   log.accept(change.request() + ": " + change.progress() + " " + change.seen());
 *   log.accept(change.next()); // what the host does next, in sentences
 * }
 * }</pre>
 *
 * @param request the requested change
 * @param progress the progress of the change
 * @param seen the failure of the last attempt, with the plugin's message; the operator message if
 *     the change waits for a person; empty if nothing failed, or if the failure was before a
 *     restart
 * @param at the time of the refusal; empty if the change was not refused
 * @since 1.0
 */
public record VolumeChange(Request request, Progress progress, String seen, Optional<Instant> at) {

  /** The requested change. */
  public sealed interface Request {

    /**
     * A change of the size.
     *
     * @param to the requested size
     */
    record Size(CapacityRange to) implements Request {
      @Override
      public String toString() {
        return "size " + to;
      }
    }

    /**
     * A change of parameters.
     *
     * @param values the requested parameters with their new values
     */
    record Parameters(SortedMap<String, String> values) implements Request {

      /** Copies mutable arguments. */
      public Parameters {
        values = Collections.unmodifiableSortedMap(new TreeMap<>(values));
      }

      /** Omits the values, which belong to the plugin. */
      @Override
      public String toString() {
        return "parameters " + values.keySet();
      }
    }

    /** The deletion of the volume, pending until the storage system confirms it. */
    record Deletion() implements Request {
      @Override
      public String toString() {
        return "deletion";
      }
    }
  }

  /** The progress of a change. */
  public enum Progress {
    /**
     * The request is repeated with growing pauses until the plugin has completed it or refuses it
     * for good. A refusal is not final if it is due to the state of the volume, such as its use.
     */
    IN_PROGRESS,
    /** Nothing more is tried until a person has intervened. */
    HELD,
    /**
     * The plugin refused the request and would refuse the same request again. Nothing more is
     * tried.
     */
    INFEASIBLE,
    /** The storage has the new size; the node must still expand the filesystem. */
    PENDING_ON_NODE,
    /**
     * The storage has the new size, and the plugin on the node refused to expand the filesystem.
     */
    INFEASIBLE_ON_NODE
  }

  /** Checks that all parts are set. */
  public VolumeChange {
    Objects.requireNonNull(request, "request");
    Objects.requireNonNull(progress, "progress");
    Objects.requireNonNull(seen, "seen");
    Objects.requireNonNull(at, "at");
  }

  /** Returns the host's next step, in sentences. */
  public String next() {
    boolean isSize = request instanceof Request.Size;
    if (request instanceof Request.Deletion && progress == Progress.IN_PROGRESS) {
      return "csi4j retries after growing pauses; resume retries at once. Deregister the volume to"
          + " keep it at the storage system.";
    }
    return switch (progress) {
      case HELD ->
          "Do what the message says, then call resume; or deregister the volume, which keeps it at"
              + " the storage system.";
      case IN_PROGRESS ->
          isSize
              ? "csi4j retries after growing pauses; resume retries at once. To replace the"
                  + " change, expand to another size, but not below the present one; or abandon it."
              : "csi4j retries after growing pauses; resume retries at once. To replace the"
                  + " values, modify the parameters again; or abandon the change.";
      case INFEASIBLE ->
          isSize
              ? "Expand to a size that the plugin allows. If its message names another cause, such"
                  + " as secrets or permissions, fix that and expand to the same size again. The"
                  + " volume keeps its present size."
              : "Modify with values that the plugin allows. If its message names another cause,"
                  + " such as secrets or permissions, fix that and modify again. If an earlier"
                  + " attempt had an uncertain result, some refused values may be in force.";
      case PENDING_ON_NODE ->
          "Expand the volume on the node that has it mounted, then call nodeHasExpanded. A volume"
              + " that is not mounted can wait until it is.";
      case INFEASIBLE_ON_NODE ->
          "Follow the plugin's message: for example, unmount the volume or repair its filesystem."
              + " Then expand it on the node again, and call nodeHasExpanded.";
    };
  }
}

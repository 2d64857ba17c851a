package io.csi4j.volume.catalog;

import io.csi4j.client.model.CapacityRange;
import java.time.Instant;
import java.util.Collections;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A change of a volume, or its deletion, that was asked for and is not done: how far it is, what
 * was said about it, and what the host does next.
 *
 * <pre>{@code
 * for (VolumeChange change : controller.changes(key)) {
 *   log.accept(change.request() + ": " + change.progress() + " " + change.seen());
 *   log.accept(change.next()); // what the host does next, in sentences
 * }
 * }</pre>
 *
 * @param request what was asked for
 * @param progress how far it is
 * @param seen what was seen at the last attempt, with the words of the plugin; the message of the
 *     failure if the change waits for a person; empty if nothing failed, or if that was before a
 *     restart
 * @param at when it was refused; nothing if it was not
 * @since 1.0
 */
public record VolumeChange(Request request, Progress progress, String seen, Optional<Instant> at) {

  /** What was asked for. */
  public sealed interface Request {

    /**
     * Another size.
     *
     * @param to the size that was asked for
     */
    record Size(CapacityRange to) implements Request {
      @Override
      public String toString() {
        return "size " + to;
      }
    }

    /**
     * Other parameters.
     *
     * @param values the parameters that were named, with their new values
     */
    record Parameters(SortedMap<String, String> values) implements Request {

      /** Copies what can change. */
      public Parameters {
        values = Collections.unmodifiableSortedMap(new TreeMap<>(values));
      }

      /** Shows no values, which belong to the plugin. */
      @Override
      public String toString() {
        return "parameters " + values.keySet();
      }
    }

    /** The end of the volume, from its deletion on until the storage system has confirmed it. */
    record Deletion() implements Request {
      @Override
      public String toString() {
        return "deletion";
      }
    }
  }

  /** How far a change is. */
  public enum Progress {
    /**
     * It is asked for again and again, with growing pauses, until the plugin has done it or refuses
     * it for good. A refusal is not for good if the state of the volume is in the way, such as its
     * use.
     */
    IN_PROGRESS,
    /** Nothing more is tried before a person has looked. */
    HELD,
    /** The plugin refused it, and would refuse the same again. Nothing more is tried. */
    INFEASIBLE,
    /** The storage has the size; the node still has to make the filesystem as large. */
    PENDING_ON_NODE,
    /** The storage has the size, and the plugin on the node refused to follow. */
    INFEASIBLE_ON_NODE
  }

  /** Checks that all parts are there. */
  public VolumeChange {
    Objects.requireNonNull(request, "request");
    Objects.requireNonNull(progress, "progress");
    Objects.requireNonNull(seen, "seen");
    Objects.requireNonNull(at, "at");
  }

  /** Returns what the host does next, in sentences. */
  public String next() {
    boolean isSize = request instanceof Request.Size;
    if (request instanceof Request.Deletion && progress == Progress.IN_PROGRESS) {
      return "It is tried again with growing pauses; resume tries it at once. Deregister the volume"
          + " to leave it in the storage system.";
    }
    return switch (progress) {
      case HELD ->
          "Do what the message asks for, then call resume; or deregister the volume, which leaves it"
              + " in the storage system.";
      case IN_PROGRESS ->
          isSize
              ? "It is tried again with growing pauses; resume tries it at once. Expand to another"
                  + " size to replace it, which may be smaller, but not smaller than the volume is;"
                  + " or abandon it."
              : "It is tried again with growing pauses; resume tries it at once. Modify the"
                  + " parameters once more to replace the values, or abandon it.";
      case INFEASIBLE ->
          isSize
              ? "Expand to a size that the plugin allows. If its words name another cause, such as"
                  + " secrets or a permission, put that right and expand to the same size again. The volume keeps"
                  + " the size that it has."
              : "Modify with values that the plugin allows. If its words name another cause, such as"
                  + " secrets or a permission, put that right and modify again. If an attempt before this one had no"
                  + " known end, some of the refused values may be in force.";
      case PENDING_ON_NODE ->
          "Expand the volume on the node that has it mounted, then call nodeHasExpanded. A volume"
              + " that is mounted nowhere may wait until it is.";
      case INFEASIBLE_ON_NODE ->
          "Do what the words of the plugin ask for, such as unmounting the volume or repairing its"
              + " filesystem; expand it on the node again, then call nodeHasExpanded.";
    };
  }
}

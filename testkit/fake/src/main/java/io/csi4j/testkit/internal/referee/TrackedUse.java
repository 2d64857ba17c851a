package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.journal.RecordedCall;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An attachment, a staging or a publication, as its caller has to see it. */
final class TrackedUse {

  enum Made {
    NO,
    MAYBE,
    YES
  }

  private static final int MOST_REFUSALS = 5;

  private Made made = Made.NO;
  private boolean undoing;
  private boolean undoAsked;
  private boolean tried;
  private boolean succeeded;

  /** How often it was tried to take it away, and the plugin answered that it did not. */
  private int refusals;

  private @Nullable RecordedCall maker;
  private @Nullable RecordedCall lost;
  private final List<Map<String, String>> contexts = new ArrayList<>();

  /** Whether it is there for certain, and is not being taken away. */
  boolean certain() {
    return made == Made.YES && !undoing;
  }

  /** Whether it was made, and no call to take it away has succeeded. */
  boolean standing() {
    return made == Made.YES;
  }

  /** Whether it was made, and nobody ever asked for it to be taken away. */
  boolean neverAskedBack() {
    return made == Made.YES && !undoAsked;
  }

  /**
   * Whether its caller cannot be blamed for going on without it: the plugin has refused to take it
   * away again and again.
   */
  boolean refusedOften() {
    return refusals >= MOST_REFUSALS;
  }

  /** Whether it can be there. */
  boolean possible() {
    return made != Made.NO;
  }

  /**
   * Whether its caller was told that it is there, and not that it is gone: it may be gone since,
   * where the plugin forgot. What was only asked for does not count.
   */
  boolean succeeded() {
    return possible() && succeeded;
  }

  boolean tried() {
    return tried;
  }

  /** The call that made it, or may have. */
  @Nullable RecordedCall maker() {
    return maker;
  }

  List<RecordedCall> evidence() {
    return maker == null ? List.of() : List.of(maker);
  }

  /** The request that made it, if it is there for certain. */
  io.csi4j.testkit.journal.@Nullable WireMessage request() {
    return made == Made.YES && maker != null ? maker.request() : null;
  }

  /** The call whose outcome was lost, and that was not followed up. */
  @Nullable RecordedCall lost() {
    return lost;
  }

  /** The publish contexts that were answered since it was made. */
  List<Map<String, String>> contexts() {
    return contexts;
  }

  void making() {
    tried = true;
    lost = null;
  }

  void made(RecordedCall call) {
    switch (CallOutcome.of(call)) {
      case OK -> {
        made = Made.YES;
        succeeded = true;
        undoing = false;
        undoAsked = false;
        refusals = 0;
        maker = call;
      }
      case UNCERTAIN -> {
        if (made == Made.NO) {
          made = Made.MAYBE;
          maker = call;
        }
        lost = CallOutcome.isLost(call) ? call : lost;
      }
      case REFUSED -> {}
    }
  }

  /** The work of a call was done after its caller had an answer, or none. */
  void worked(RecordedCall call) {
    if (made == Made.NO) {
      made = Made.MAYBE;
      maker = call;
    }
  }

  /** Another answer told that it is there. */
  void told() {
    made = made == Made.NO ? Made.MAYBE : made;
    succeeded = true;
  }

  void undoing() {
    undoing = true;
    undoAsked = true;
    lost = null;
  }

  void undone(RecordedCall call) {
    refusals += CallOutcome.of(call) == CallOutcome.OK || CallOutcome.isLost(call) ? 0 : 1;
    switch (CallOutcome.of(call)) {
      case OK -> gone();
      case UNCERTAIN -> {}
      case REFUSED -> {
        undoing = false;
        if (CallOutcome.code(call) == io.csi4j.client.model.StatusCode.NOT_FOUND) {
          unknown();
        }
      }
    }
  }

  void gone() {
    made = Made.NO;
    succeeded = false;
    undoing = false;
    refusals = 0;
    lost = null;
    contexts.clear();
  }

  /** Its presence is not known any more. */
  void unknown() {
    made = made == Made.YES ? Made.MAYBE : made;
    lost = null;
  }
}

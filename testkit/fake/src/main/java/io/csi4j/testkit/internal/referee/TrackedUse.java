package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.journal.RecordedCall;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A use of a volume (an attachment, a staging or a publication), as far as the caller can know it.
 */
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

  /** Number of attempts to remove the use that the plugin refused. */
  private int refusals;

  private @Nullable RecordedCall maker;
  private @Nullable RecordedCall lost;
  private final List<Map<String, String>> contexts = new ArrayList<>();

  /** Returns whether the use certainly exists, and no call is removing it. */
  boolean certain() {
    return made == Made.YES && !undoing;
  }

  /**
   * Returns whether the use was certainly created, and has not been removed by a successful call.
   */
  boolean standing() {
    return made == Made.YES;
  }

  /** Returns whether the use was certainly created, and no call has tried to remove it. */
  boolean neverAskedBack() {
    return made == Made.YES && !undoAsked;
  }

  /**
   * Returns whether the plugin has refused so many attempts to remove the use that the caller may
   * continue as if the use were removed.
   */
  boolean refusedOften() {
    return refusals >= MOST_REFUSALS;
  }

  /** Returns whether the use may exist. */
  boolean possible() {
    return made != Made.NO;
  }

  /**
   * Returns whether an answer of the plugin confirmed the use, and no answer confirmed its removal.
   * The use may have ended nevertheless, if the plugin lost its state.
   */
  boolean succeeded() {
    return possible() && succeeded;
  }

  boolean tried() {
    return tried;
  }

  /** Returns the call that created the use, or may have created it. */
  @Nullable RecordedCall maker() {
    return maker;
  }

  List<RecordedCall> evidence() {
    return maker == null ? List.of() : List.of(maker);
  }

  /** Returns the request that created the use; null if the use is not certain. */
  io.csi4j.testkit.journal.@Nullable WireMessage request() {
    return made == Made.YES && maker != null ? maker.request() : null;
  }

  /**
   * Returns the call whose outcome was lost; null if there is none, or if a later call settled the
   * outcome.
   */
  @Nullable RecordedCall lost() {
    return lost;
  }

  /** Returns the publish contexts that the plugin has returned since the use was created. */
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

  /** Records that the plugin finished the work of a call only after the call had ended. */
  void worked(RecordedCall call) {
    if (made == Made.NO) {
      made = Made.MAYBE;
      maker = call;
    }
  }

  /** Records that the answer to another call confirmed the use. */
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

  /** Records that the existence of the use has become uncertain. */
  void unknown() {
    made = made == Made.YES ? Made.MAYBE : made;
    lost = null;
  }
}

package io.csi4j.testkit.journal;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The calls of a test plugin, in order. The journal grows while the plugin runs. Its methods return
 * snapshots.
 *
 * @since 1.0
 */
public interface CallJournal {

  /** Returns all events, in order. */
  List<JournalEvent> events();

  /** Returns all calls in the order of their arrival, each with its progress so far. */
  List<RecordedCall> calls();

  /** Returns the calls of one operation. */
  default List<RecordedCall> calls(CsiOperation operation) {
    return calls().stream().filter(call -> call.operation() == operation).toList();
  }

  /** Returns the calls that concern one volume. */
  default List<RecordedCall> calls(VolumeId volume) {
    return calls().stream()
        .filter(call -> call.volume().filter(volume::equals).isPresent())
        .toList();
  }

  /** Returns the operations called, in order. */
  default List<CsiOperation> operations() {
    return calls().stream().map(RecordedCall::operation).toList();
  }

  /** Returns the calls that have not ended. */
  default List<RecordedCall> inFlight() {
    return calls().stream().filter(call -> call.end().isEmpty()).toList();
  }

  /** Returns the last call of an operation. */
  default Optional<RecordedCall> last(CsiOperation operation) {
    List<RecordedCall> calls = calls(operation);
    return calls.isEmpty() ? Optional.empty() : Optional.of(calls.get(calls.size() - 1));
  }

  /**
   * Returns the volume capability in the last call of an operation, if its request contains a valid
   * capability.
   */
  Optional<VolumeCapability> lastCapability(CsiOperation operation);

  /**
   * Waits in real time until a call satisfies {@code fits}, and returns the first such call. The
   * call may still be in flight.
   *
   * @throws AssertionError when {@code atMost} has passed; the message lists the recorded calls
   */
  RecordedCall await(Predicate<RecordedCall> fits, Duration atMost);

  /**
   * Removes all events recorded so far. Calls in flight remain, and the numbering of calls
   * continues.
   */
  void clear();

  /** Returns the complete journal as text: one line per event, redacted. */
  String describe();
}

package io.csi4j.testkit.journal;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The calls of a test plugin, in order: grows while the plugin runs, and shows snapshots.
 *
 * @since 1.0
 */
public interface CallJournal {

  /** Everything that happened, in order. */
  List<JournalEvent> events();

  /** Every call, in the order they came in, each as far as it went. */
  List<RecordedCall> calls();

  /** The calls of one operation. */
  default List<RecordedCall> calls(CsiOperation operation) {
    return calls().stream().filter(call -> call.operation() == operation).toList();
  }

  /** The calls about one volume. */
  default List<RecordedCall> calls(VolumeId volume) {
    return calls().stream()
        .filter(call -> call.volume().filter(volume::equals).isPresent())
        .toList();
  }

  /** The names of the operations called, in order. */
  default List<CsiOperation> operations() {
    return calls().stream().map(RecordedCall::operation).toList();
  }

  /** The calls that have not ended. */
  default List<RecordedCall> inFlight() {
    return calls().stream().filter(call -> call.end().isEmpty()).toList();
  }

  /** The last call of an operation. */
  default Optional<RecordedCall> last(CsiOperation operation) {
    List<RecordedCall> calls = calls(operation);
    return calls.isEmpty() ? Optional.empty() : Optional.of(calls.get(calls.size() - 1));
  }

  /** The volume capability in the last call of an operation, if it had a lawful one. */
  Optional<VolumeCapability> lastCapability(CsiOperation operation);

  /**
   * Waits, in real time, until a call fits, and returns the first that does: also one that is still
   * in flight.
   *
   * @throws AssertionError when {@code atMost} has passed, listing the calls there were
   */
  RecordedCall await(Predicate<RecordedCall> fits, Duration atMost);

  /** Forgets what happened so far; numbers go on. Calls in flight stay. */
  void clear();

  /** The whole journal for a person: one line per event, redacted. */
  String describe();
}

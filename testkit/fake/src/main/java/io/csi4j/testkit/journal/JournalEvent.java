package io.csi4j.testkit.journal;

import io.csi4j.testkit.model.PluginShape;
import java.time.Instant;

/**
 * An event in the life of a test plugin. The order of events is the order in which the journal
 * recorded them.
 *
 * @since 1.0
 */
public sealed interface JournalEvent {

  /** Returns the time of the event. */
  Instant at();

  /** The plugin began to listen, with this shape. */
  record Started(Instant at, PluginShape shape) implements JournalEvent {}

  /**
   * The plugin stopped listening. As the first event of a journal: an earlier life of the plugin
   * ended, and its calls are not in this journal.
   */
  record Stopped(Instant at) implements JournalEvent {}

  /** The plugin lost its state. */
  record Forgot(Instant at) implements JournalEvent {}

  /** A call arrived and has not ended. */
  record Began(RecordedCall call) implements JournalEvent {
    @Override
    public Instant at() {
      return call.began();
    }
  }

  /**
   * The plugin finished the work of a call, before the end of the call or long after it; {@code
   * call} shows the call at that time.
   */
  record Worked(Instant at, RecordedCall call) implements JournalEvent {}

  /** A call ended. */
  record Ended(RecordedCall call) implements JournalEvent {
    @Override
    public Instant at() {
      return call.ended().orElseThrow();
    }
  }
}

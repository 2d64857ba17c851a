package io.csi4j.testkit.journal;

import io.csi4j.testkit.model.PluginShape;
import java.time.Instant;

/**
 * An event in the journal of a test plugin. Events are in the order in which the journal recorded
 * them.
 *
 * @since 1.0
 */
public sealed interface JournalEvent {

  /** Returns the time of the event. */
  Instant at();

  /** The plugin began to listen, with this shape. */
  record Started(Instant at, PluginShape shape) implements JournalEvent {}

  /**
   * The plugin stopped listening. If this is the first event of a journal, the plugin ran before
   * the journal began, and the earlier calls are not recorded.
   */
  record Stopped(Instant at) implements JournalEvent {}

  /** The plugin lost its state. */
  record Forgot(Instant at) implements JournalEvent {}

  /** A call arrived. */
  record Began(RecordedCall call) implements JournalEvent {
    @Override
    public Instant at() {
      return call.began();
    }
  }

  /**
   * The plugin finished the work of a call, before or after the end of the call. The component
   * {@code call} is a snapshot of the call at that time.
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

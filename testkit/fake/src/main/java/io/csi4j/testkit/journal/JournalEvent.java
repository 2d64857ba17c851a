package io.csi4j.testkit.journal;

import io.csi4j.testkit.model.PluginShape;
import java.time.Instant;

/**
 * One thing that happened to a test plugin. The order of events is the order of the journal.
 *
 * @since 1.0
 */
public sealed interface JournalEvent {

  /** When. */
  Instant at();

  /** The plugin began to listen, as this shape. */
  record Started(Instant at, PluginShape shape) implements JournalEvent {}

  /**
   * The plugin stopped listening. As the first event of all: an earlier life of it ended, whose
   * calls are not here.
   */
  record Stopped(Instant at) implements JournalEvent {}

  /** The plugin forgot what it knew. */
  record Forgot(Instant at) implements JournalEvent {}

  /** A call came in; it has not ended. */
  record Began(RecordedCall call) implements JournalEvent {
    @Override
    public Instant at() {
      return call.began();
    }
  }

  /** The work of a call, as it was then, was done: before its end or long after. */
  record Worked(Instant at, RecordedCall call) implements JournalEvent {}

  /** A call ended. */
  record Ended(RecordedCall call) implements JournalEvent {
    @Override
    public Instant at() {
      return call.ended().orElseThrow();
    }
  }
}

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

  /**
   * The plugin began to listen.
   *
   * @param at when
   * @param shape as what
   */
  record Started(Instant at, PluginShape shape) implements JournalEvent {}

  /**
   * The plugin stopped listening. As the first event of all: an earlier life of it ended, whose
   * calls are not here.
   *
   * @param at when
   */
  record Stopped(Instant at) implements JournalEvent {}

  /**
   * The plugin forgot what it knew.
   *
   * @param at when
   */
  record Forgot(Instant at) implements JournalEvent {}

  /**
   * A call came in.
   *
   * @param call the call, not ended
   */
  record Began(RecordedCall call) implements JournalEvent {
    @Override
    public Instant at() {
      return call.began();
    }
  }

  /**
   * The work of a call was done, before its end or long after.
   *
   * @param at when
   * @param call the call, as it was then
   */
  record Worked(Instant at, RecordedCall call) implements JournalEvent {}

  /**
   * A call ended.
   *
   * @param call the call, ended
   */
  record Ended(RecordedCall call) implements JournalEvent {
    @Override
    public Instant at() {
      return call.ended().orElseThrow();
    }
  }
}

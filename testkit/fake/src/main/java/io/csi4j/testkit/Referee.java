package io.csi4j.testkit;

import io.csi4j.testkit.internal.referee.AllRules;
import io.csi4j.testkit.journal.JournalEvent;
import io.csi4j.testkit.referee.Duty;
import io.csi4j.testkit.referee.Verdict;
import java.util.List;

/**
 * Judges whether the caller of a plugin keeps its duties, based on the events in the plugin's
 * journal.
 *
 * <p>Duties that depend on earlier calls, such as the order of the lifecycle, are judged only if
 * the journal is complete. A journal is incomplete if it was cleared, or if the plugin kept its
 * state from before the journal began.
 *
 * @since 1.0
 */
public final class Referee {

  private Referee() {}

  /** Judges these events, which must be ordered from oldest to newest. */
  public static Verdict judge(List<JournalEvent> events) {
    return AllRules.judge(events);
  }

  /** Returns all duties, ordered by number. */
  public static List<Duty> duties() {
    return Duty.all();
  }
}

package io.csi4j.testkit;

import io.csi4j.testkit.internal.referee.AllRules;
import io.csi4j.testkit.journal.JournalEvent;
import io.csi4j.testkit.referee.Duty;
import io.csi4j.testkit.referee.Verdict;
import java.util.List;

/**
 * Judges a caller by the events of a plugin's journal.
 *
 * <p>Duties about what came before a call, such as the order of the lifecycle, are judged only
 * where the journal shows the plugin's whole life. One that was cleared does not, and neither does
 * that of a plugin that kept its state from an earlier life.
 *
 * @since 1.0
 */
public final class Referee {

  private Referee() {}

  /** Judges these events, oldest first. */
  public static Verdict judge(List<JournalEvent> events) {
    return AllRules.judge(events);
  }

  /** Every duty there is, in the order of the numbers. */
  public static List<Duty> duties() {
    return Duty.all();
  }
}

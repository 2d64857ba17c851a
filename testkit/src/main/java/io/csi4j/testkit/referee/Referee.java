package io.csi4j.testkit.referee;

import io.csi4j.testkit.internal.referee.Bench;
import io.csi4j.testkit.journal.JournalEvent;
import java.util.List;

/** Judges a caller by the events of a plugin's journal. */
public final class Referee {

  private Referee() {}

  /** Judges these events, oldest first. */
  public static Verdict judge(List<JournalEvent> events) {
    return Bench.judge(events);
  }

  /** Every duty there is, in the order of the numbers. */
  public static List<Duty> duties() {
    return Bench.duties();
  }
}

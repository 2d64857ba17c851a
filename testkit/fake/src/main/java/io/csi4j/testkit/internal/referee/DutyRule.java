package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.journal.JournalEvent;
import io.csi4j.testkit.journal.RecordedCall;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Judges duties of one kind while the journal is read from its beginning to its end. A rule sees
 * the world as it was just before the event it is told of.
 */
abstract class DutyRule {

  /** The events so far. */
  final KnownWorld world;

  private final BreachSheet sheet;
  private final String title;
  private final Set<Integer> duties;

  /** A rule that judges {@code duties} and no others. */
  DutyRule(Hearing hearing, String title, int... duties) {
    this.world = hearing.world();
    this.sheet = hearing.sheet();
    this.title = title;
    this.duties = new TreeSet<>(IntStream.of(duties).boxed().toList());
  }

  /**
   * The parts that all rules of one judgement share.
   *
   * @param world the world that they read
   * @param sheet the sheet that they write on
   */
  record Hearing(KnownWorld world, BreachSheet sheet) {}

  /** Returns what its duties have in common. */
  final String title() {
    return title;
  }

  /** The numbers of the duties that it judges. */
  final Set<Integer> duties() {
    return duties;
  }

  /** A call came in. */
  void began(RecordedCall call) {}

  /** A call ended. */
  void ended(RecordedCall call) {}

  /** Something else happened: the world knows of it already. */
  void happened(JournalEvent event) {}

  /** The journal is at its end. */
  void finished() {}

  /** There was occasion to break these duties, and they were kept. */
  final void kept(int... numbers) {
    for (int duty : numbers) {
      sheet.kept(declared(duty));
    }
  }

  /**
   * These duties were broken by {@code call}.
   *
   * @param why goes on a sentence that began with the call, and says what to do instead
   * @param earlier calls that show it, beside {@code call}
   */
  final void broken(RecordedCall call, String why, List<RecordedCall> earlier, int... numbers) {
    String story = BreachWords.call(call) + " " + why;
    List<RecordedCall> calls = new ArrayList<>(earlier);
    calls.add(call);
    for (int duty : numbers) {
      sheet.broken(declared(duty), story, calls);
    }
  }

  /**
   * These duties were bent by {@code call} for a reason that counts.
   *
   * @param why goes on a sentence that began with the call, and says the reason
   * @param earlier calls that show it, beside {@code call}
   */
  final void excused(RecordedCall call, String why, List<RecordedCall> earlier, int... numbers) {
    String story = BreachWords.call(call) + " " + why;
    List<RecordedCall> calls = new ArrayList<>(earlier);
    calls.add(call);
    for (int duty : numbers) {
      sheet.excused(declared(duty), story, calls);
    }
  }

  /** The call kept these duties or broke them. */
  final void judge(boolean good, RecordedCall call, String why, int... numbers) {
    if (good) {
      kept(numbers);
    } else {
      broken(call, why, List.of(), numbers);
    }
  }

  private int declared(int duty) {
    if (!duties.contains(duty)) {
      throw new IllegalStateException(
          "The rule '" + title + "' does not judge " + duty + " of " + Arrays.asList(duties));
    }
    return duty;
  }
}

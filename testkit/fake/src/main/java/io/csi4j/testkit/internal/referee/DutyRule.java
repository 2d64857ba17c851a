package io.csi4j.testkit.internal.referee;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.journal.JournalEvent;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.model.PluginShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Judges duties of one kind while the journal is read from its beginning to its end. A rule sees
 * the world as it was just before the event it is told of.
 *
 * <p>A rule holds the conditions. The duties that a condition is about, and the words for their
 * breach, are its rows in {@code judgements.tsv}. The words go on a sentence that begins with the
 * call, and say what to do instead. They hold back secrets, flags and contexts by not knowing them.
 */
abstract class DutyRule {

  private static final int NAME_LIMIT = 160;

  final KnownWorld world;

  private final WrittenVerdict verdict;
  private final String title;
  private final DutyCatalogue.Judgements judgements;

  DutyRule(Hearing hearing, String title) {
    this.world = hearing.world();
    this.verdict = hearing.verdict();
    this.title = title;
    this.judgements = DutyCatalogue.judgements(title);
  }

  /** The parts that all rules of one judgement share. */
  record Hearing(KnownWorld world, WrittenVerdict verdict) {

    Hearing() {
      this(new KnownWorld(), new WrittenVerdict());
    }

    /** Of an empty journal, with this shape of the plugin until an event tells another. */
    Hearing(PluginShape told) {
      this(new KnownWorld(told), new WrittenVerdict());
    }
  }

  final String title() {
    return title;
  }

  final Set<Integer> duties() {
    Set<Integer> all = new TreeSet<>();
    judgements.all().forEach(judgement -> all.addAll(judgement.duties()));
    return all;
  }

  void began(RecordedCall call) {}

  void ended(RecordedCall call) {}

  /** Something else happened: the world knows of it already. */
  void happened(JournalEvent event) {}

  /** The journal is at its end. */
  void finished() {}

  /** Whether there is a row about this for the call's operation, or for any. */
  final boolean isJudged(RecordedCall call, String about) {
    return judgements.find(call.operation(), about) != null;
  }

  /** There was occasion to break the duties of a row, and they were kept. */
  final void kept(RecordedCall call, String about) {
    judgements.get(call.operation(), about).duties().forEach(verdict::kept);
  }

  final void judge(boolean good, RecordedCall call, String about, Object... facts) {
    judge(good, List.of(), call, about, facts);
  }

  /**
   * The call kept the duties of a row or broke them.
   *
   * @param earlier calls that show it, beside {@code call}
   * @param facts for the places in the row's words
   */
  final void judge(
      boolean good, List<RecordedCall> earlier, RecordedCall call, String about, Object... facts) {
    if (good) {
      kept(call, about);
      return;
    }
    DutyCatalogue.Judgement judgement = judgements.get(call.operation(), about);
    String story = subject(call) + " " + judgement.words().formatted(facts);
    judgement.duties().forEach(duty -> verdict.broken(duty, story, shown(earlier, call)));
  }

  /** The call bent the duties of a row for a reason that counts. */
  final void excused(List<RecordedCall> earlier, RecordedCall call, String about, Object... facts) {
    DutyCatalogue.Judgement judgement = judgements.get(call.operation(), about);
    String story = subject(call) + " " + judgement.words().formatted(facts);
    judgement.duties().forEach(duty -> verdict.excused(duty, story, shown(earlier, call)));
  }

  private static List<RecordedCall> shown(List<RecordedCall> earlier, RecordedCall call) {
    List<RecordedCall> calls = new ArrayList<>(earlier);
    calls.add(call);
    return calls;
  }

  /** A call as the subject of a sentence: number, operation, and what it is about. */
  private static String subject(RecordedCall call) {
    StringBuilder out = new StringBuilder("call ");
    out.append(call.number()).append(' ').append(call.operation().rpcName());
    about(out, call, " of volume ", "volume_id");
    about(out, call, " named ", "name");
    about(out, call, " of snapshot ", "snapshot_id");
    about(out, call, " of group snapshot ", "group_snapshot_id");
    if (WireFields.knows(call, "node_id")) {
      about(out, call, " for node ", "node_id");
    } else if (call.operation().service() == CsiOperation.Service.NODE && call.node().isPresent()) {
      out.append(" on node ").append(quote(WireFields.node(call)));
    }
    return out.toString();
  }

  private static void about(StringBuilder out, RecordedCall call, String words, String field) {
    String value = WireFields.text(call, field);
    if (!value.isEmpty()) {
      out.append(words).append(quote(value));
    }
  }

  /** A reference to a call, in round brackets. */
  static String ref(@Nullable RecordedCall call) {
    return call == null ? "" : " (call " + call.number() + ")";
  }

  static String quote(String text) {
    return "'" + SafeText.escape(text, NAME_LIMIT) + "'";
  }
}

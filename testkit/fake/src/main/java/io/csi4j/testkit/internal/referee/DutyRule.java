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
 * Judges duties of one kind while it reads the journal from beginning to end. A rule sees the state
 * just before the event that it receives.
 *
 * <p>A rule implements the conditions. The duties of a condition, and the text for a breach, are
 * its rows in {@code judgements.tsv}. The text continues a sentence that begins with the call, and
 * states what to do instead. Texts contain no secrets, flags or contexts, because rules never pass
 * them on.
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

    /**
     * Starts with an empty journal, and with this shape of the plugin until an event contains
     * another.
     */
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

  /** Receives an event that is not about a call; the world has applied it already. */
  void happened(JournalEvent event) {}

  /** Called at the end of the journal. */
  void finished() {}

  /** Returns whether a row exists for this condition and the call's operation, or any operation. */
  final boolean isJudged(RecordedCall call, String about) {
    return judgements.find(call.operation(), about) != null;
  }

  /** Records that the caller could have broken the duties of a row, and kept them. */
  final void kept(RecordedCall call, String about) {
    judgements.get(call.operation(), about).duties().forEach(verdict::kept);
  }

  final void judge(boolean good, RecordedCall call, String about, Object... facts) {
    judge(good, List.of(), call, about, facts);
  }

  /**
   * Records whether the call kept the duties of a row or broke them.
   *
   * @param earlier calls that prove the finding, in addition to {@code call}
   * @param facts values for the placeholders in the row's text
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

  /** Records that the call broke the duties of a row for an accepted reason. */
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

  /** Returns a call as the subject of a sentence: number, operation, and object. */
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

  /** Returns a reference to a call, in round brackets. */
  static String ref(@Nullable RecordedCall call) {
    return call == null ? "" : " (call " + call.number() + ")";
  }

  static String quote(String text) {
    return "'" + SafeText.escape(text, NAME_LIMIT) + "'";
  }
}

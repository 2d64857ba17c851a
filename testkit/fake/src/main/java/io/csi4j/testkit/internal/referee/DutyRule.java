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
 * Judges duties of one kind while it reads the journal from beginning to end. When a rule receives
 * the start or the end of a call, {@code world} does not contain the effects of that event yet.
 *
 * <p>A rule implements conditions. For each condition, {@code judgements.tsv} contains the duties
 * and the text for a breach. The text continues a sentence that begins with the call, and states
 * how the caller should behave. Rules never insert secrets, flags or contexts into a text.
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

  /** The objects that all rules of one judgement share. */
  record Hearing(KnownWorld world, WrittenVerdict verdict) {

    Hearing() {
      this(new KnownWorld(), new WrittenVerdict());
    }

    /**
     * Starts without any events. The plugin is assumed to have this shape until an event contains
     * another shape.
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

  /** Receives an event that concerns no call. Here, {@code world} already contains its effects. */
  void happened(JournalEvent event) {}

  /** Called after the last event of the journal. */
  void finished() {}

  /**
   * Returns whether {@code judgements.tsv} has a row for this condition, for the call's operation
   * or for any operation.
   */
  final boolean isJudged(RecordedCall call, String about) {
    return judgements.find(call.operation(), about) != null;
  }

  /** Records that the caller kept the duties of a row, although it could have broken them. */
  final void kept(RecordedCall call, String about) {
    judgements.get(call.operation(), about).duties().forEach(verdict::kept);
  }

  final void judge(boolean good, RecordedCall call, String about, Object... facts) {
    judge(good, List.of(), call, about, facts);
  }

  /**
   * Records whether the call kept or broke the duties of a row.
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

  /** Records that the call broke the duties of a row, but for an accepted reason. */
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

  /**
   * Returns a text that names a call by its number, operation and object. The text is the subject
   * of a sentence.
   */
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

  /** Returns a reference to a call in parentheses; {@code ""} without a call. */
  static String ref(@Nullable RecordedCall call) {
    return call == null ? "" : " (call " + call.number() + ")";
  }

  static String quote(String text) {
    return "'" + SafeText.escape(text, NAME_LIMIT) + "'";
  }
}

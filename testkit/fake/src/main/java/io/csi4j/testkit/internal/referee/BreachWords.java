package io.csi4j.testkit.internal.referee;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.testkit.journal.RecordedCall;
import org.jspecify.annotations.Nullable;

/**
 * Words for the stories of breaches. Holds back secrets, flags and contexts by not knowing them.
 */
final class BreachWords {

  private static final int NAME_LIMIT = 160;

  private BreachWords() {}

  /** A call as the subject of a sentence: number, operation, and what it is about. */
  static String call(RecordedCall call) {
    StringBuilder out = new StringBuilder("call ");
    out.append(call.number()).append(' ').append(call.operation().rpcName());
    about(out, call, " of volume ", "volume_id");
    about(out, call, " named ", "name");
    about(out, call, " of snapshot ", "snapshot_id");
    about(out, call, " of group snapshot ", "group_snapshot_id");
    if (WireFields.knows(call, "node_id")) {
      about(out, call, " for node ", "node_id");
    } else if (call.operation().service() == io.csi4j.client.model.CsiService.NODE) {
      out.append(" on node ").append(quote(WireFields.node(call)));
    }
    return out.toString();
  }

  /** A reference to a call, in round brackets. */
  static String ref(@Nullable RecordedCall call) {
    return call == null ? "" : " (call " + call.number() + ")";
  }

  /** An id, a name or a path. */
  static String quote(String text) {
    return "'" + SafeText.escape(text, NAME_LIMIT) + "'";
  }

  private static void about(StringBuilder out, RecordedCall call, String words, String field) {
    String value = WireFields.text(call, field);
    if (!value.isEmpty()) {
      out.append(words).append(quote(value));
    }
  }
}

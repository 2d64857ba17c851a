package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.journal.RecordedCall;

/** The subject of a call, so that one that repeats another can be told. */
final class CallSubject {

  private CallSubject() {}

  /** Returns the subject, the same for two calls if the second can be a repeat of the first. */
  static String of(RecordedCall call) {
    StringBuilder out = new StringBuilder(call.operation().name());
    part(out, WireFields.node(call));
    for (String field :
        new String[] {
          "name",
          "volume_id",
          "node_id",
          "target_path",
          "volume_path",
          "snapshot_id",
          "group_snapshot_id",
          "base_snapshot_id",
          "target_snapshot_id",
          "starting_token"
        }) {
      part(out, WireFields.text(call, field));
    }
    return out.toString();
  }

  private static void part(StringBuilder out, String text) {
    out.append('\n').append(text.length()).append(' ').append(text);
  }
}

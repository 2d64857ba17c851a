package io.csi4j.testkit.internal.journal;

import com.google.protobuf.Message;
import io.csi4j.client.internal.redaction.SensitiveValues;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.RecordedCall;

/** The failure as the journal keeps it: plugins like to repeat what they were asked. */
final class FailureRedaction {

  private FailureRedaction() {}

  /** The end as it was, unless its text repeats something sensitive or is too long to tell. */
  static CallEnd of(RecordedCall call, CallEnd end) {
    if (!(end instanceof CallEnd.Failed failed) || failed.text().isEmpty()) {
      return end;
    }
    Message request = ((ProtoMessage) call.request()).message();
    String shown = new SensitiveValues().scrub(failed.text(), request);
    String whole = new SensitiveValues().scrub(failed.text());
    boolean harmless =
        shown.equals(whole) && failed.text().length() < SafeText.FOREIGN_TEXT_LIMIT / 2;
    return harmless ? end : new CallEnd.Failed(failed.code(), shown);
  }
}

package io.csi4j.testkit.proxy;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.testkit.internal.proxy.ReplayRun;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.recording.Recording;
import java.time.Duration;
import java.util.List;

/**
 * Replays the calls of a recording against a plugin, and compares its answers with the recorded
 * ones.
 *
 * <p>Calls that overlapped in the recording overlap again; every other call waits for the end of
 * those before it. Ids and tokens that the plugin returns replace the recorded ones, and contexts
 * that it returns replace those left out of the recording. Secrets that were left out are sent as
 * the placeholders of the recording. Recorded paths are used unchanged: the plugin mounts there.
 *
 * <p>For the opposite direction, a plugin that answers from a recording, see {@link
 * RecordedPlugin}.
 *
 * @since 1.0
 */
public final class CallReplay {

  private final Recording recording;
  private final Duration deadline;

  private CallReplay(Recording recording, Duration deadline) {
    this.recording = recording;
    this.deadline = deadline;
  }

  /** Returns a replay of these calls, with a deadline of one minute for each. */
  public static CallReplay of(Recording recording) {
    return new CallReplay(recording, Duration.ofMinutes(1));
  }

  /** Returns the replay with another deadline for each call. */
  public CallReplay deadline(Duration value) {
    return new CallReplay(recording, value);
  }

  /**
   * A replayed call.
   *
   * @param recorded the recorded call
   * @param end the end of the replayed call
   * @param differences the differences as text, a line each; empty if the call ended as recorded
   * @param redacted the fields of the request, such as {@code secrets}, whose values the recording
   *     left out: the request was sent without them, which may cause differences
   */
  public record Played(
      RecordedCall recorded, CallEnd end, List<String> differences, List<String> redacted) {
    /** Copies the lists. */
    public Played {
      differences = List.copyOf(differences);
      redacted = List.copyOf(redacted);
    }

    /**
     * Returns whether the call ended differently, possibly because the recording left values out.
     */
    public boolean perhapsRedacted() {
      return !differences.isEmpty() && !redacted.isEmpty();
    }

    /** Returns one line of text, and one more for each difference and for its likely cause. */
    @Override
    public String toString() {
      StringBuilder text =
          new StringBuilder("#")
              .append(recorded.number())
              .append(' ')
              .append(recorded.operation().rpcName())
              .append(
                  recorded
                      .volume()
                      .map(volume -> " of " + SafeText.quote(volume.value()))
                      .orElse(""))
              .append(differences.isEmpty() ? ": as recorded, " : ": differs, ")
              .append(ReplayRun.words(end));
      differences.forEach(line -> text.append("\n    ").append(SafeText.escape(line)));
      if (perhapsRedacted()) {
        text.append("\n    perhaps because it was sent without the values of ")
            .append(String.join(", ", redacted))
            .append(", which the recording leaves out");
      }
      return text.toString();
    }
  }

  /** Replays the calls, and returns them in the order of the recording. */
  public List<Played> against(CsiEndpoint plugin) {
    return ReplayRun.play(recording.calls(), plugin, deadline, Played::new);
  }
}

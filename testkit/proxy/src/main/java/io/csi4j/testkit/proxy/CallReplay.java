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
 * Plays the calls of a recording against a plugin, and compares its answers with those recorded.
 *
 * <p>Calls that were in flight together are again; all others wait for the end of those before
 * them. Ids and tokens that the plugin gives take the place of those recorded, and contexts that
 * were left out of the recording those that the plugin gave. Secrets that were left out are sent as
 * they stand there. Paths are used as they are recorded: the plugin mounts there.
 *
 * <p>The other direction, a plugin that answers as one was recorded, is a {@link RecordedPlugin}.
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

  /** A replay of these calls; each has a minute. */
  public static CallReplay of(Recording recording) {
    return new CallReplay(recording, Duration.ofMinutes(1));
  }

  /** The replay with another deadline for each call. */
  public CallReplay deadline(Duration value) {
    return new CallReplay(recording, value);
  }

  /**
   * A call that was played.
   *
   * @param recorded the call as it was recorded
   * @param end how it ended now
   * @param differences in words, a line each; empty if it ended as it did then
   * @param redacted the fields of the request, such as {@code secrets}, whose values the recording
   *     left out: it was sent without them, and a difference may come from that
   */
  public record Played(
      RecordedCall recorded, CallEnd end, List<String> differences, List<String> redacted) {
    /** Copies the lists. */
    public Played {
      differences = List.copyOf(differences);
      redacted = List.copyOf(redacted);
    }

    /** Whether it ended otherwise, perhaps because the recording left values out. */
    public boolean perhapsRedacted() {
      return !differences.isEmpty() && !redacted.isEmpty();
    }

    /** One line for a person, and one more for each difference and for its likely cause. */
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

  /** Plays the calls, and returns them in the order of the recording. */
  public List<Played> against(CsiEndpoint plugin) {
    return ReplayRun.play(recording.calls(), plugin, deadline, Played::new);
  }
}

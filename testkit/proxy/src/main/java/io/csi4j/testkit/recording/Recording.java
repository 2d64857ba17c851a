package io.csi4j.testkit.recording;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.testkit.internal.journal.CallRecord;
import io.csi4j.testkit.internal.proxy.RecordedLine;
import io.csi4j.testkit.internal.proxy.RecordingWriter;
import io.csi4j.testkit.journal.CallJournal;
import io.csi4j.testkit.journal.JournalEvent;
import io.csi4j.testkit.journal.RecordedCall;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * Recorded calls, which can be shown, judged and replayed.
 *
 * <p>A file contains one line with a JSON object for each call: {@code call} is its number, {@code
 * at} the time of its arrival, {@code us} its duration in microseconds, {@code method} its path in
 * gRPC, {@code beside} the calls that were in flight, {@code request} and {@code answer} the
 * messages under the names of the spec, {@code code} and {@code text} a status in place of an
 * answer, {@code broken} or {@code abandoned} any other end. Secrets, mount flags and the values of
 * contexts are left out unless requested.
 *
 * @since 1.0
 */
public final class Recording {

  private final List<RecordedCall> calls;

  private Recording(List<RecordedCall> calls) {
    this.calls = calls.stream().sorted(Comparator.comparingLong(RecordedCall::number)).toList();
  }

  /**
   * Reads a file.
   *
   * @throws UncheckedIOException if the file cannot be read
   * @throws IllegalArgumentException if a line is not a call; the message names the first such line
   *     and the reason
   */
  public static Recording read(Path file) {
    try {
      return parse(file.toString(), Files.readAllLines(file));
    } catch (IOException e) {
      throw new UncheckedIOException(
          "Reading the recording %s failed: %s. Name a file that CsiProxy or proxy --record wrote."
              .formatted(SafeText.quote(file.toString()), SafeText.escape(e.toString())),
          e);
    }
  }

  /**
   * Reads lines.
   *
   * @param name the name of the lines in messages, such as the path of their file
   * @throws IllegalArgumentException if a line is not a call; the message names the first such line
   *     and the reason
   */
  public static Recording parse(String name, List<String> lines) {
    List<RecordedCall> calls = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      if (!lines.get(i).isBlank()) {
        try {
          calls.add(RecordedLine.parse(lines.get(i)));
        } catch (IllegalArgumentException | ArithmeticException e) {
          throw new IllegalArgumentException(
              SafeText.escape(name) + ":" + (i + 1) + ": no recorded call: " + e.getMessage());
        }
      }
    }
    return new Recording(calls);
  }

  /** Returns a recording of the calls in a journal that have ended. */
  public static Recording of(CallJournal journal) {
    return new Recording(journal.calls().stream().filter(call -> call.end().isPresent()).toList());
  }

  /** Returns the calls in the order of their arrival. */
  public List<RecordedCall> calls() {
    return calls;
  }

  /** Returns the lines of a file, redacted. */
  public List<String> lines() {
    return calls.stream().map(call -> RecordedLine.of(call, false)).toList();
  }

  /**
   * Writes a file, redacted.
   *
   * @throws UncheckedIOException if the file cannot be written
   */
  public void write(Path file) {
    try {
      Files.write(file, lines());
    } catch (IOException e) {
      throw new UncheckedIOException(RecordingWriter.cannot("Writing the recording", file, e));
    }
  }

  /**
   * Returns the events of the calls: each call begins after the end of the calls with which it did
   * not overlap. The first event states that the plugin may have had an earlier life. {@link
   * io.csi4j.testkit.Referee} judges these events.
   */
  public List<JournalEvent> events() {
    List<JournalEvent> events = new ArrayList<>();
    if (calls.isEmpty()) {
      return events;
    }
    events.add(new JournalEvent.Stopped(calls.get(0).began()));
    List<RecordedCall> open = new ArrayList<>();
    for (RecordedCall call : calls) {
      end(open, call.beside(), events);
      events.add(new JournalEvent.Began(unended(call)));
      open.add(call);
    }
    end(open, List.of(), events);
    return events;
  }

  private static void end(List<RecordedCall> open, List<Long> beside, List<JournalEvent> events) {
    open.sort(Comparator.comparing(call -> call.ended().orElse(Instant.MAX)));
    for (Iterator<RecordedCall> each = open.iterator(); each.hasNext(); ) {
      RecordedCall call = each.next();
      if (call.end().isPresent() && !beside.contains(call.number())) {
        if (call.worked()) {
          events.add(new JournalEvent.Worked(call.ended().orElseThrow(), call));
        }
        events.add(new JournalEvent.Ended(call));
        each.remove();
      }
    }
  }

  private static RecordedCall unended(RecordedCall call) {
    return ((CallRecord) call).with(Optional.empty(), Optional.empty(), false);
  }
}

package io.csi4j.testkit.internal.journal;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.JournalEvent;
import io.csi4j.testkit.journal.RecordedCall;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Formats the journal as text, with one line per event and without secrets. */
final class JournalText {

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneOffset.UTC);

  private JournalText() {}

  static String of(List<JournalEvent> events) {
    return events.isEmpty()
        ? "Nothing happened.\n"
        : events.stream().map(JournalText::line).collect(Collectors.joining("\n", "", "\n"));
  }

  /** Formats a call as one line, with its request and its progress. */
  static String of(CallRecord call) {
    return call.ended()
        .map(at -> head(call) + " " + end(call) + " after " + elapsed(call, at))
        .orElseGet(() -> head(call) + " in flight" + (call.worked() ? ", its work done" : ""));
  }

  static String duration(Duration time) {
    return time.toMillis() < 10_000
        ? time.toMillis() + " ms"
        : String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1000.0);
  }

  private static String line(JournalEvent event) {
    return TIME.format(event.at()) + "  " + text(event);
  }

  private static String text(JournalEvent event) {
    if (event instanceof JournalEvent.Began began) {
      RecordedCall call = began.call();
      return head(call) + " began" + beside(call) + ": " + call.request();
    }
    if (event instanceof JournalEvent.Worked worked) {
      RecordedCall call = worked.call();
      String late = call.end().isPresent() ? ", although it had ended" : "";
      return head(call) + " did its work after " + elapsed(call, worked.at()) + late;
    }
    if (event instanceof JournalEvent.Ended ended) {
      RecordedCall call = ended.call();
      return head(call) + " " + end(call) + " after " + elapsed(call, ended.at()) + beside(call);
    }
    if (event instanceof JournalEvent.Started started) {
      String version = SafeText.escape(started.shape().vendorVersion());
      return "Plugin started as " + started.shape().name() + " " + version;
    }
    return event instanceof JournalEvent.Stopped ? "Plugin stopped" : "Plugin lost its state";
  }

  private static String head(RecordedCall call) {
    return "#"
        + call.number()
        + " "
        + call.operation().rpcName()
        + call.volume().map(volume -> " of " + SafeText.quote(volume.value())).orElse("")
        + call.node().map(node -> " on " + SafeText.quote(node.value())).orElse("");
  }

  private static String end(RecordedCall call) {
    CallEnd end = call.end().orElseThrow();
    if (end instanceof CallEnd.Answered answered) {
      return switch (answered.messages().size()) {
        case 0 -> "ended OK without a message";
        case 1 -> "ended OK";
        default -> "ended OK with " + answered.messages().size() + " messages";
      };
    }
    if (end instanceof CallEnd.Failed failed) {
      return "failed with "
          + code(failed.code())
          + (failed.text().isEmpty() ? " and no text" : " " + SafeText.quote(failed.text()))
          + (call.worked() ? ", its work done," : "");
    }
    String work = call.worked() ? ", its work done," : "";
    return (end instanceof CallEnd.Broken ? "broke" : "was abandoned by the caller") + work;
  }

  private static String code(int code) {
    return Arrays.stream(StatusCode.values())
        .filter(known -> known.value() == code)
        .findFirst()
        .map(known -> known + " (" + code + ")")
        .orElse("the unknown code " + code);
  }

  private static String beside(RecordedCall call) {
    return call.beside().isEmpty()
        ? ""
        : ", beside "
            + call.beside().stream().map(number -> "#" + number).collect(Collectors.joining(", "));
  }

  private static String elapsed(RecordedCall call, Instant at) {
    return duration(Duration.between(call.began(), at));
  }
}

package io.csi4j.testkit.cli;

import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.CallJournal;
import io.csi4j.testkit.journal.JournalEvent;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Prints the events of a growing journal as lines of JSON. Values are redacted as in the journal's
 * own text.
 */
final class JournalLines {

  private final CallJournal journal;
  private final PrintWriter out;
  private int printed;

  JournalLines(CallJournal journal, PrintWriter out) {
    this.journal = journal;
    this.out = out;
  }

  /** Prints the events that were recorded since the last call of this method. */
  void printNew() {
    List<JournalEvent> events = journal.events();
    if (events.size() > printed) {
      events.subList(printed, events.size()).forEach(event -> out.println(line(event)));
      out.flush();
      printed = events.size();
    }
  }

  private static String line(JournalEvent event) {
    String name = event.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    Json json = new Json().with("at", event.at()).with("event", name);
    if (event instanceof JournalEvent.Started started) {
      json.with("plugin", started.shape().name()).with("version", started.shape().vendorVersion());
    } else if (event instanceof JournalEvent.Began began) {
      began(call(json, began.call()), began.call());
    } else if (event instanceof JournalEvent.Worked worked) {
      call(json, worked.call());
    } else if (event instanceof JournalEvent.Ended ended) {
      call(json, ended.call()).with("worked", ended.call().worked());
      ended.call().end().ifPresent(end -> ended(json, end));
    }
    return json.toString();
  }

  private static Json call(Json json, RecordedCall call) {
    return json.with("call", call.number()).with("operation", call.operation().rpcName());
  }

  private static void began(Json json, RecordedCall call) {
    call.node().ifPresent(node -> json.with("node", node.value()));
    json.with("authority", call.authority());
    json.with("beside", call.beside());
    json.with("paths", new TreeMap<>(call.paths()));
    json.raw("request", call.request().json());
  }

  private static void ended(Json json, CallEnd end) {
    json.with("end", end.getClass().getSimpleName().toLowerCase(Locale.ROOT));
    if (end instanceof CallEnd.Answered answered) {
      json.raw(
          "answer",
          answered.messages().stream()
              .map(WireMessage::json)
              .collect(Collectors.joining(",", "[", "]")));
    } else if (end instanceof CallEnd.Failed failed) {
      json.with("code", failed.code()).with("text", failed.text());
    }
  }
}

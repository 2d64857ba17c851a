package io.csi4j.testkit.internal.proxy;

import com.google.protobuf.Message;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.internal.journal.MessageFields;
import io.csi4j.testkit.internal.journal.ProtoMessage;
import io.csi4j.testkit.internal.journal.WireOperation;
import io.csi4j.testkit.internal.server.PluginReply;
import io.csi4j.testkit.internal.server.RawCalls;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.RecordedCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Replays recorded calls against a plugin; each waits for the earlier calls with which it did not
 * overlap.
 */
public final class ReplayRun {

  private ReplayRun() {}

  /** Receives the result of each replayed call. */
  public interface Outcome<T> {
    T of(RecordedCall recorded, CallEnd end, List<String> differences, List<String> redacted);
  }

  /** Replays the calls, and returns the results in the order of the calls. */
  public static <T> List<T> play(
      List<RecordedCall> recorded, CsiEndpoint plugin, Duration deadline, Outcome<T> outcome) {
    PlayedIds ids = new PlayedIds();
    Map<Long, CompletableFuture<T>> played = new LinkedHashMap<>();
    try (RawCalls calls = new RawCalls(plugin, "csi4j-testkit-replay-io")) {
      for (RecordedCall call : recorded) {
        played.forEach(
            (number, earlier) -> {
              if (!call.beside().contains(number)) {
                var unused = earlier.join();
              }
            });
        Message request = ids.request(((ProtoMessage) call.request()).message());
        WireOperation wire = WireOperation.of(call.operation());
        played.put(
            call.number(),
            calls
                .call(wire, request, deadline)
                .thenApply(came -> compared(call, request, end(came, wire), ids, outcome)));
      }
      return played.values().stream().map(CompletableFuture::join).toList();
    }
  }

  private static CallEnd end(Optional<PluginReply> came, WireOperation wire) {
    if (came.isEmpty()) {
      return new CallEnd.Abandoned();
    }
    PluginReply reply = came.get();
    return reply.kind() == PluginReply.Kind.LOST
        ? new CallEnd.Broken()
        : reply.end(wire.answer(), "plugin");
  }

  private static <T> T compared(
      RecordedCall call, Message request, CallEnd end, PlayedIds ids, Outcome<T> outcome) {
    List<String> differences = new ArrayList<>();
    CallEnd before = call.end().orElse(new CallEnd.Abandoned());
    if (before instanceof CallEnd.Answered recorded && end instanceof CallEnd.Answered now) {
      differences.addAll(
          ids.compare(request, ProtoMessage.messages(recorded), ProtoMessage.messages(now)));
    } else if (!words(before).equals(words(end))) {
      differences.add("ended " + words(end) + "; recorded was " + words(before));
    }
    return outcome.of(call, end, differences, MessageFields.redacted(request));
  }

  public static String words(CallEnd end) {
    if (end instanceof CallEnd.Failed failed) {
      return "with " + StatusCode.ofValue(failed.code()) + " (" + failed.code() + ")";
    }
    if (end instanceof CallEnd.Answered) {
      return "OK";
    }
    return end instanceof CallEnd.Broken ? "with a broken connection" : "without an answer";
  }
}

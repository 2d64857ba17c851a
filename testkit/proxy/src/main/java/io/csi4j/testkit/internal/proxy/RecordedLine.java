package io.csi4j.testkit.internal.proxy;

import com.google.protobuf.Message;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import io.csi4j.testkit.internal.journal.CallFacts;
import io.csi4j.testkit.internal.journal.CallRecord;
import io.csi4j.testkit.internal.journal.JsonText;
import io.csi4j.testkit.internal.journal.MessageFields;
import io.csi4j.testkit.internal.journal.ProtoMessage;
import io.csi4j.testkit.internal.journal.WireOperation;
import io.csi4j.testkit.internal.json.JsonReader;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes and reads a call as one line of a recording: a JSON object. */
public final class RecordedLine {

  private static final Instant EARLIEST = Instant.EPOCH;
  private static final Instant LATEST = Instant.parse("2200-01-01T00:00:00Z");
  private static final Duration LONGEST = Duration.ofDays(3_650);

  private final Map<String, Object> fields;

  private RecordedLine(Map<String, Object> fields) {
    this.fields = fields;
  }

  /** Returns the line of a call that has ended, without secrets unless requested. */
  public static String of(RecordedCall call, boolean secrets) {
    StringBuilder line = new StringBuilder("{\"call\":").append(call.number());
    text(line, "at", call.began().toString());
    call.ended()
        .ifPresent(
            at -> line.append(",\"us\":").append(ChronoUnit.MICROS.between(call.began(), at)));
    text(line, "method", WireOperation.of(call.operation()).path());
    call.node().ifPresent(node -> text(line, "node", node.value()));
    text(line, "authority", call.authority());
    if (!call.beside().isEmpty()) {
      line.append(",\"beside\":")
          .append(
              call.beside().stream()
                  .map(String::valueOf)
                  .collect(Collectors.joining(",", "[", "]")));
    }
    line.append(",\"request\":").append(json(call.request(), secrets));
    line.append(",\"worked\":").append(call.worked());
    call.end().ifPresent(end -> end(line, end, secrets));
    return line.append('}').toString();
  }

  private static void end(StringBuilder line, CallEnd end, boolean secrets) {
    if (end instanceof CallEnd.Answered answered) {
      line.append(",\"answer\":")
          .append(
              answered.messages().stream()
                  .map(message -> json(message, secrets))
                  .collect(Collectors.joining(",", "[", "]")));
    } else if (end instanceof CallEnd.Failed failed) {
      line.append(",\"code\":").append(failed.code());
      text(line, "text", failed.text());
    } else {
      line.append(end instanceof CallEnd.Broken ? ",\"broken\":true" : ",\"abandoned\":true");
    }
  }

  private static void text(StringBuilder line, String name, String value) {
    line.append(",\"").append(name).append("\":").append(JsonText.string(value));
  }

  private static String json(WireMessage message, boolean secrets) {
    return secrets && message instanceof ProtoMessage proto
        ? JsonText.unredacted(proto.message())
        : message.json();
  }

  /**
   * Parses the call of a line.
   *
   * @throws IllegalArgumentException if the line is invalid; the message says why
   */
  public static RecordedCall parse(String line) {
    return new RecordedLine(JsonReader.object(line)).call();
  }

  private RecordedCall call() {
    WireOperation wire = wire();
    Message request = MessageFields.with(wire.request(), map("request"));
    Instant began = began();
    Optional<CallEnd> end = end(wire);
    return new CallRecord(
        number("call"),
        wire.operation(),
        given("node").map(NodeId::of),
        new ProtoMessage(request),
        given("authority").orElse(""),
        began,
        fields.containsKey("beside")
            ? list("beside").stream().map(each -> whole("beside", each)).toList()
            : List.of(),
        CallFacts.paths(request, false),
        end.map(any -> began.plus(taken())),
        end,
        Boolean.TRUE.equals(fields.get("worked")),
        CallFacts.volume(request),
        Map.of());
  }

  private WireOperation wire() {
    String method = text("method");
    return CsiOperation.ofRpcName(method.substring(method.lastIndexOf('/') + 1))
        .map(WireOperation::of)
        .filter(wire -> wire.path().equals(method))
        .orElseThrow(
            () ->
                new IllegalArgumentException(SafeText.quote(method) + " is not a method of CSI."));
  }

  private Instant began() {
    try {
      Instant time = Instant.parse(text("at"));
      if (!time.isBefore(EARLIEST) && time.isBefore(LATEST)) {
        return time;
      }
    } catch (DateTimeException e) {
      throw missing("at", "a time such as 2030-01-31T12:00:00Z");
    }
    throw missing("at", "a time between 1970 and 2200");
  }

  private Duration taken() {
    long micros = number("us");
    if (micros < 0 || micros > LONGEST.toMillis() * 1000) {
      throw missing("us", "a number of microseconds, of ten years at most");
    }
    return Duration.of(micros, ChronoUnit.MICROS);
  }

  private Optional<CallEnd> end(WireOperation wire) {
    if (fields.containsKey("answer")) {
      List<WireMessage> messages = new ArrayList<>();
      for (Object each : list("answer")) {
        if (!(each instanceof Map<?, ?> answer)) {
          throw new IllegalArgumentException("The field answer is not a list of objects.");
        }
        messages.add(new ProtoMessage(MessageFields.with(wire.answer(), answer)));
      }
      return Optional.of(new CallEnd.Answered(messages));
    }
    if (fields.containsKey("code")) {
      int code = Math.toIntExact(number("code"));
      return Optional.of(new CallEnd.Failed(code, given("text").orElse("")));
    }
    if (fields.containsKey("broken")) {
      return Optional.of(new CallEnd.Broken());
    }
    return fields.containsKey("abandoned")
        ? Optional.of(new CallEnd.Abandoned())
        : Optional.empty();
  }

  private Optional<String> given(String name) {
    return fields.containsKey(name) ? Optional.of(text(name)) : Optional.empty();
  }

  private String text(String name) {
    if (fields.get(name) instanceof String text) {
      return text;
    }
    throw missing(name, "a text");
  }

  private long number(String name) {
    return whole(name, fields.get(name));
  }

  private static long whole(String name, @Nullable Object value) {
    try {
      if (value instanceof BigDecimal number) {
        return number.longValueExact();
      }
    } catch (ArithmeticException e) {
      throw missing(name, "a whole number");
    }
    throw missing(name, "a whole number");
  }

  private Map<?, ?> map(String name) {
    if (fields.get(name) instanceof Map<?, ?> map) {
      return map;
    }
    throw missing(name, "an object");
  }

  private List<?> list(String name) {
    if (fields.get(name) instanceof List<?> list) {
      return list;
    }
    throw missing(name, "a list");
  }

  private static IllegalArgumentException missing(String name, String wanted) {
    return new IllegalArgumentException("The field " + name + " must be " + wanted + ".");
  }
}

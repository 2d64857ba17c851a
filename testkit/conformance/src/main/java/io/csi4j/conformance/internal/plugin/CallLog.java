package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.Message;
import io.csi4j.client.internal.redaction.RedactedText;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/** The calls of a case, and the conclusions from the last call. */
final class CallLog {

  private static final Set<CsiOperation> DELETIONS =
      Set.of(
          CsiOperation.DELETE_VOLUME,
          CsiOperation.DELETE_SNAPSHOT,
          CsiOperation.DELETE_VOLUME_GROUP_SNAPSHOT);

  private final UnaryOperator<String> scrubber;
  private final List<LoggedCall> calls = new ArrayList<>();
  private StatusCode last = StatusCode.OK;

  /**
   * A call of the case.
   *
   * @param setUp whether the call is part of the preparation
   */
  private record LoggedCall(boolean setUp, Message request, boolean ok, String line) {

    CsiOperation operation() {
      return RawPlugin.operation(request);
    }

    /** Returns the ids and names in the request. */
    Set<String> things() {
      Set<String> found = new HashSet<>();
      collect(request, found);
      return found;
    }

    private static void collect(Message message, Set<String> found) {
      message
          .getAllFields()
          .forEach(
              (field, value) -> {
                String name = field.getName();
                if (value instanceof Message part) {
                  collect(part, found);
                } else if (name.equals("name")
                    || (name.endsWith("_id") && !name.equals("node_id"))) {
                  found.add(String.valueOf(value));
                }
              });
    }
  }

  CallLog(UnaryOperator<String> scrubber) {
    this.scrubber = scrubber;
  }

  /** Adds a call that has ended. */
  void add(boolean setUp, Message request, Reply reply) {
    last = reply.code();
    String line =
        "%s %s -> %s in %s ms"
            .formatted(
                RawPlugin.operation(request).rpcName(),
                RedactedText.of(request, scrubber),
                reply.shown(scrubber),
                reply.took().toMillis());
    calls.add(new LoggedCall(setUp, request, reply.isOk(), line));
  }

  /** Returns the calls as lines of text. All successful calls of the preparation share one line. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    List<String> before =
        calls.stream()
            .filter(each -> each.setUp() && each.ok())
            .map(each -> each.operation().rpcName())
            .toList();
    if (!before.isEmpty()) {
      lines.add("set-up, all OK: " + String.join(", ", before));
    }
    calls.stream()
        .filter(each -> !each.setUp() || !each.ok())
        .map(LoggedCall::line)
        .forEach(lines::add);
    return lines;
  }

  /** Returns the code of the last call that the case judges. */
  StatusCode lastCode() {
    return last;
  }

  /** Sets the code that the case judges, after a call that only investigated further. */
  void judgeBy(StatusCode code) {
    last = code;
  }

  /** Returns the operation of the last call, if the plugin does not implement that operation. */
  Optional<CsiOperation> lastUnserved() {
    return last == StatusCode.UNIMPLEMENTED
        ? Optional.of(calls.get(calls.size() - 1).operation())
        : Optional.empty();
  }

  /**
   * Returns whether an earlier call of the case had the same operation and object as the last call,
   * or removed the object of the last call.
   */
  boolean lastIsAboutTheSame() {
    if (calls.isEmpty()) {
      return false;
    }
    LoggedCall present = calls.get(calls.size() - 1);
    Set<String> things = present.things();
    return calls.subList(0, calls.size() - 1).stream()
        .filter(
            each -> each.operation() == present.operation() || DELETIONS.contains(each.operation()))
        .filter(LoggedCall::ok)
        .anyMatch(each -> each.things().stream().anyMatch(things::contains));
  }
}

package io.csi4j.testkit.internal.proxy;

import com.google.protobuf.Message;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.internal.backend.Backend;
import io.csi4j.testkit.internal.backend.Refusal;
import io.csi4j.testkit.internal.journal.CallFacts;
import io.csi4j.testkit.internal.journal.ProtoMessage;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.RecordedCall;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * Answers as a recorded plugin did. A call gets the answer of the first unused recorded call of its
 * operation with an equal request; if there is none, with the same volume; if there is none, any.
 * When all are used, the last matching one answers again.
 */
public final class ReplayBackend implements Backend {

  private final Map<CsiOperation, List<Take>> takes = new EnumMap<>(CsiOperation.class);
  private final ReentrantLock lock = new ReentrantLock();

  /** The lock guards these fields. */
  private final Set<Take> played = new HashSet<>();

  /** A recorded call, and its request without secrets for comparison. */
  private record Take(RecordedCall call, String request) {}

  public ReplayBackend(List<RecordedCall> calls) {
    for (RecordedCall call : calls) {
      takes
          .computeIfAbsent(call.operation(), none -> new ArrayList<>())
          .add(new Take(call, call.request().json()));
    }
  }

  @Override
  public List<Message> answer(Asked asked) throws Refusal {
    String request = new ProtoMessage(asked.request()).json();
    Optional<VolumeId> volume = CallFacts.volume(asked.request());
    List<Take> all = takes.getOrDefault(asked.operation(), List.of());
    Take take =
        next(all, one -> one.request().equals(request))
            .or(() -> next(all, one -> volume.isPresent() && one.call().volume().equals(volume)))
            .or(() -> next(all, one -> true))
            .orElseThrow(
                () ->
                    new Refusal(
                        StatusCode.FAILED_PRECONDITION,
                        "The recording has no call of "
                            + asked.operation().rpcName()
                            + ". Record one, or inject its answer."));
    return answer(take.call());
  }

  /** Returns the first unused match, or else the last match. */
  private Optional<Take> next(List<Take> all, Predicate<Take> fits) {
    lock.lock();
    try {
      List<Take> fitting = all.stream().filter(fits).toList();
      Optional<Take> fresh = fitting.stream().filter(take -> !played.contains(take)).findFirst();
      fresh.ifPresent(played::add);
      return fresh.isPresent() || fitting.isEmpty()
          ? fresh
          : Optional.of(fitting.get(fitting.size() - 1));
    } finally {
      lock.unlock();
    }
  }

  private static List<Message> answer(RecordedCall call) throws Refusal {
    CallEnd end = call.end().orElse(new CallEnd.Abandoned());
    if (end instanceof CallEnd.Answered answered) {
      return ProtoMessage.messages(answered);
    }
    if (end instanceof CallEnd.Failed failed) {
      throw new Refusal(StatusCode.ofValue(failed.code()), failed.text());
    }
    throw new Refusal(
        StatusCode.UNAVAILABLE,
        end instanceof CallEnd.Broken
            ? "In the recording the connection broke here."
            : "In the recording the caller gave up here.");
  }

  @Override
  public void open() {
    // The only state is the position in the recording, which a restart keeps.
  }
}

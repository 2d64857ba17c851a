package io.csi4j.testkit.internal.journal;

import com.google.protobuf.Message;
import io.csi4j.client.internal.redaction.SensitiveValues;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.CallJournal;
import io.csi4j.testkit.journal.JournalEvent;
import io.csi4j.testkit.journal.PathFact;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.model.PluginClock;
import io.csi4j.testkit.model.PluginShape;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Records the events of a plugin. The events are in the order in which their threads acquired the
 * lock.
 */
public final class PluginJournal implements CallJournal {

  private final PluginClock clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // The lock guards all of the following fields.
  private final List<JournalEvent> events = new ArrayList<>();
  private final TreeMap<Long, CallRecord> calls = new TreeMap<>();
  private final TreeMap<Long, CallRecord> open = new TreeMap<>();
  private long numbers;
  private long changes;
  private Consumer<RecordedCall> whenEnded = call -> {};

  public PluginJournal(PluginClock clock) {
    this.clock = clock;
  }

  /** A call that has just arrived. */
  public record Arrival(
      CsiOperation operation,
      Optional<NodeId> node,
      Message request,
      String authority,
      Map<String, String> metadata,
      Map<String, PathFact> paths) {}

  /** Returns the call that {@link #began} would record now. */
  public RecordedCall preview(Arrival arrival) {
    return read(() -> record(arrival, numbers + 1, clock.now()));
  }

  public RecordedCall began(Arrival arrival) {
    return write(
        at -> {
          CallRecord call = record(arrival, ++numbers, at);
          calls.put(call.number(), call);
          open.put(call.number(), call);
          events.add(new JournalEvent.Began(call));
          return call;
        });
  }

  public void worked(RecordedCall call) {
    note(at -> new JournalEvent.Worked(at, change(call, CallRecord::withWork)));
  }

  /** Records how a call ended. If the call had already ended, returns false and records nothing. */
  public boolean ended(RecordedCall call, CallEnd however) {
    CallEnd end = redacted(call, however);
    return write(
        at -> {
          if (!open.containsKey(call.number())) {
            return false;
          }
          CallRecord now = change(call, record -> record.withEnd(at, end));
          open.remove(call.number());
          events.add(new JournalEvent.Ended(now));
          whenEnded.accept(now);
          return true;
        });
  }

  /**
   * Notifies {@code listener} of each call that ends from now on, in the order of the journal. The
   * lock is held during the notification, so the listener must only record the call.
   */
  public void whenEnded(Consumer<RecordedCall> listener) {
    boolean unused =
        write(
            at -> {
              whenEnded = listener;
              return true;
            });
  }

  public void started(PluginShape shape) {
    note(at -> new JournalEvent.Started(at, shape));
  }

  public void stopped() {
    note(at -> new JournalEvent.Stopped(at));
  }

  public void forgot() {
    note(at -> new JournalEvent.Forgot(at));
  }

  private void note(Function<Instant, JournalEvent> event) {
    boolean unused = write(at -> events.add(event.apply(at)));
  }

  @Override
  public List<JournalEvent> events() {
    return read(() -> List.copyOf(events));
  }

  @Override
  public List<RecordedCall> calls() {
    return read(() -> List.copyOf(calls.values()));
  }

  @Override
  public Optional<VolumeCapability> lastCapability(CsiOperation operation) {
    return last(operation)
        .flatMap(call -> CallFacts.capability(((ProtoMessage) call.request()).message()));
  }

  @Override
  public RecordedCall await(Predicate<RecordedCall> fits, Duration atMost) {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (true) {
      long seen = read(() -> changes);
      // The condition is code of the test, so it is evaluated without the lock.
      Optional<RecordedCall> found = calls().stream().filter(fits).findFirst();
      if (found.isPresent()) {
        return found.get();
      }
      if (!awaitChange(seen, deadline)) {
        throw new AssertionError(
            "No call met the condition within "
                + JournalText.duration(atMost)
                + ". The journal:\n"
                + describe());
      }
    }
  }

  @Override
  public void clear() {
    boolean unused =
        write(
            at -> {
              calls.keySet().retainAll(open.keySet());
              return events.removeIf(event -> !isOfOpenCall(event));
            });
  }

  @Override
  public String describe() {
    return JournalText.of(events());
  }

  private CallRecord record(Arrival arrival, long number, Instant at) {
    return new CallRecord(
        number,
        arrival.operation(),
        arrival.node(),
        new ProtoMessage(arrival.request()),
        arrival.authority(),
        at,
        List.copyOf(open.keySet()),
        arrival.paths(),
        Optional.empty(),
        Optional.empty(),
        false,
        CallFacts.volume(arrival.request()),
        arrival.metadata());
  }

  private boolean isOfOpenCall(JournalEvent event) {
    return (event instanceof JournalEvent.Began began && open.containsKey(began.call().number()))
        || (event instanceof JournalEvent.Worked worked
            && open.containsKey(worked.call().number()));
  }

  /**
   * Changes the current record of the call, even if the journal has been cleared since the call
   * arrived.
   */
  private CallRecord change(RecordedCall call, UnaryOperator<CallRecord> change) {
    CallRecord before = calls.getOrDefault(call.number(), (CallRecord) call);
    CallRecord after = change.apply(before);
    calls.replace(call.number(), after);
    open.replace(call.number(), after);
    return after;
  }

  private boolean awaitChange(long seen, long deadline) {
    lock.lock();
    try {
      while (changes == seen) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        long unused = changed.awaitNanos(left);
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      lock.unlock();
    }
  }

  private <T> T read(Supplier<T> reading) {
    lock.lock();
    try {
      return reading.get();
    } finally {
      lock.unlock();
    }
  }

  /**
   * The clock is read under the lock, so that no event has an earlier time than the event before
   * it.
   */
  private <T> T write(Function<Instant, T> writing) {
    lock.lock();
    try {
      T result = writing.apply(clock.now());
      changes++;
      changed.signalAll();
      return result;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns the end of a call, redacted for the journal. Plugins often repeat values of the request
   * in their failure messages. A message that repeats a sensitive value or is too long is scrubbed
   * and shortened.
   */
  private static CallEnd redacted(RecordedCall call, CallEnd end) {
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

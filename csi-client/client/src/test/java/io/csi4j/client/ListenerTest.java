package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.metadata.GetMetadataAllocatedRequest;
import io.csi4j.client.metadata.MetadataStream;
import io.csi4j.client.model.CsiConditionException;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiTransientException;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.scripted.ScriptedPlugin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is told of calls: to listeners, to the flight recorder, to the wire log. */
class ListenerTest extends AgainstScriptedPlugin {

  private static final CsiOperation OPERATION = CsiOperation.NODE_UNPUBLISH_VOLUME;

  /** Takes down what it is told, and on which threads. */
  private static final class Notes implements CsiListener {
    final List<Object> events = new CopyOnWriteArrayList<>();
    final List<String> threads = new CopyOnWriteArrayList<>();

    @Override
    public void onStart(Started event) {
      note(event);
    }

    @Override
    public void onEnd(Ended event) {
      note(event);
    }

    private void note(Object event) {
      events.add(event);
      threads.add(Thread.currentThread().getName());
    }

    /** The events of calls of an operation. */
    List<String> of(CsiOperation operation) {
      List<String> lines = new ArrayList<>();
      for (Object each : events) {
        if (each instanceof Started start && start.operation() == operation) {
          lines.add("start " + start.attempt());
        } else if (each instanceof Ended end && end.started().operation() == operation) {
          lines.add(
              "end "
                  + end.started().attempt()
                  + " "
                  + end.code()
                  + end.outcome().map(o -> " " + o).orElse(""));
        }
      }
      return lines;
    }

    /** Whether each start has had its one end, after it. */
    boolean isBalanced() {
      List<Started> open = new ArrayList<>();
      for (Object each : events) {
        if (each instanceof Started start) {
          open.add(start);
        } else if (each instanceof Ended end) {
          assertThat(open.remove(end.started())).isTrue();
        }
      }
      return open.isEmpty();
    }
  }

  @Test
  void everyAttemptBeginsAndEndsOnceAndInOrder() {
    Notes notes = new Notes();
    CsiPlugin plugin = connect(options -> options.listener(notes));
    AtomicInteger calls = new AtomicInteger();
    scripted.on(
        OPERATION,
        (call, reply) ->
            reply.fail(
                calls.incrementAndGet() < 3 ? StatusCode.ABORTED : StatusCode.NOT_FOUND, "no"));
    assertThat(
            catchThrowableOfType(
                CsiConditionException.class, () -> plugin.node().unpublishVolume(UNPUBLISH)))
        .returns(StatusCode.NOT_FOUND, CsiException::code);
    assertThat(notes.of(OPERATION))
        .containsExactly(
            "start 1",
            "end 1 ABORTED uncertain",
            "start 2",
            "end 2 ABORTED uncertain",
            "start 3",
            "end 3 NOT_FOUND settled");
    assertThat(notes.of(CsiOperation.PROBE)).containsExactly("start 1", "end 1 OK");
    assertThat(notes.isBalanced()).isTrue();
  }

  @Test
  void aStreamIsAskedForOnTheThreadOfItsCaller() {
    List<String> threads = new CopyOnWriteArrayList<>();
    CsiListener listener =
        new CsiListener() {
          @Override
          public void onAsked(Asked event) {
            if (event.operation() == CsiOperation.GET_METADATA_ALLOCATED) {
              threads.add(Thread.currentThread().getName());
            }
          }
        };
    try (MetadataStream batches =
        connect(options -> options.listener(listener))
            .snapshotMetadata()
            .getMetadataAllocated(
                GetMetadataAllocatedRequest.builder(SnapshotId.of("s")).build())) {
      batches.forEachRemaining(batch -> {});
    }
    assertThat(threads).containsExactly(Thread.currentThread().getName());
  }

  @Test
  void aLostConnectionAndTheNextOneAreTold() {
    List<Object> told = new CopyOnWriteArrayList<>();
    CsiListener careless =
        new CsiListener() {
          @Override
          public void onConnected(Connected event) {
            throw new IllegalStateException("the test wants it so");
          }
        };
    CsiListener listener =
        new CsiListener() {
          @Override
          public void onConnected(Connected event) {
            told.add(event);
          }

          @Override
          public void onLost(Lost event) {
            told.add(event);
          }
        };
    CsiPlugin plugin = connect(options -> options.listener(careless).listener(listener));
    eventually(() -> told.size() == 1);
    long changes = plugin.connectionChanges();

    scripted.stop();
    eventually(() -> told.size() == 2);
    scripted.start();
    var unused = plugin.identity().probe();
    eventually(() -> told.size() == 3);
    plugin.close();

    CsiListener.Connected connected =
        new CsiListener.Connected(plugin.name(), plugin.endpoint(), plugin.peer());
    assertThat(told)
        .containsExactly(
            connected, new CsiListener.Lost(plugin.name(), plugin.endpoint()), connected);
    assertThat(plugin.connectionChanges()).isGreaterThan(changes + 1);
  }

  @Test
  void cancelledAndClosedCallsEndToo() {
    Notes notes = new Notes();
    CsiPlugin plugin = connect(options -> options.listener(notes));
    hang(OPERATION);
    CompletableFuture<Void> first =
        plugin.node().async().unpublishVolume(UNPUBLISH).toCompletableFuture();
    arrived(OPERATION, 1);
    first.cancel(true);
    eventually(() -> notes.of(OPERATION).contains("end 1 CANCELLED uncertain"));
    CompletableFuture<Void> second =
        plugin.node().async().unpublishVolume(UNPUBLISH).toCompletableFuture();
    arrived(OPERATION, 2);
    plugin.close();
    assertThat(second).isCompletedExceptionally();
    assertThat(notes.of(OPERATION)).hasSize(4).endsWith("end 1 UNAVAILABLE uncertain");
    assertThat(notes.isBalanced()).isTrue();
  }

  @Test
  void racesOfCancellingClosingAndFailingLeaveNoStartWithoutAnEnd() {
    for (int round = 0; round < 20; round++) {
      Notes notes = new Notes();
      CsiPlugin plugin = connect(options -> options.listener(notes));
      AtomicInteger calls = new AtomicInteger();
      scripted.on(
          OPERATION,
          (call, reply) -> {
            if (calls.incrementAndGet() % 3 == 0) {
              reply.ok(ScriptedPlugin.defaultAnswer(call.operation(), call.request()));
            } else {
              reply.fail(StatusCode.UNAVAILABLE, "no");
            }
          });
      List<CompletableFuture<Void>> all =
          IntStream.range(0, 60)
              .mapToObj(
                  i ->
                      plugin
                          .node()
                          .with(policy -> policy.attempts(50))
                          .async()
                          .unpublishVolume(UNPUBLISH)
                          .toCompletableFuture())
              .toList();
      for (int i = 0; i < all.size(); i += 2) {
        all.get(i).cancel(true);
      }
      plugin.close();
      for (CompletableFuture<Void> each : all) {
        // Unlike join, this wait ends when the test is interrupted at its time limit.
        assertThat(each.handle((none, thrown) -> true))
            .as("the end of a call in round %s", round)
            .succeedsWithin(LONG);
      }
      eventually(notes::isBalanced);
    }
  }

  @Test
  void listenersAreNotToldOnTheIoThread() {
    Notes notes = new Notes();
    CsiPlugin plugin = connect(options -> options.listener(notes));
    scripted.fail(OPERATION, StatusCode.ABORTED, "no");
    for (int i = 0; i < 20; i++) {
      assertThat(
              catchThrowableOfType(
                  CsiTransientException.class, () -> plugin.node().unpublishVolume(UNPUBLISH)))
          .returns(StatusCode.ABORTED, CsiException::code);
      plugin.identity().async().probe().toCompletableFuture().join();
    }
    assertThat(notes.threads).isNotEmpty().noneMatch(name -> name.startsWith("csi4j-io-"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatAListenerThrowsGoesNoFurther(boolean error) {
    Notes notes = new Notes();
    CsiListener angry =
        new CsiListener() {
          @Override
          public void onStart(Started event) {
            fail();
          }

          @Override
          public void onEnd(Ended event) {
            fail();
          }

          private void fail() {
            if (error) {
              throw new AssertionError("from a listener");
            }
            throw new IllegalStateException("from a listener");
          }
        };
    Logger logger = Logger.getLogger("io.csi4j.client");
    logger.setLevel(Level.OFF);
    try {
      CsiPlugin plugin = connect(options -> options.listener(angry).listener(notes));
      plugin.node().unpublishVolume(UNPUBLISH);
      plugin.node().async().unpublishVolume(UNPUBLISH).toCompletableFuture().join();
    } finally {
      logger.setLevel(null);
    }
    assertThat(notes.of(OPERATION)).hasSize(4);
    assertThat(notes.isBalanced()).isTrue();
  }

  @Test
  void theFlightRecorderHasAnEventForEachAttempt() throws Exception {
    CsiPlugin plugin = connect();
    scripted.fail(OPERATION, StatusCode.ABORTED, "secret reasons");
    List<RecordedEvent> events = recorded(plugin);
    if (events.stream().anyMatch(event -> event.getString("plugin") == null)) {
      // JDK 17 mixes up the texts of a recording with those of the last but one; a dump in
      // between puts it out of step.
      try (Recording recording = new Recording()) {
        recording.start();
        recording.dump(directory.resolve("between.jfr"));
      }
      events = recorded(plugin);
    }
    assertThat(events).hasSize(3);
    assertThat(events)
        .allSatisfy(
            event -> {
              assertThat(event.getEventType().getName()).isEqualTo("io.csi4j.CsiCall");
              assertThat(event.getString("operation")).isEqualTo("NodeUnpublishVolume");
              assertThat(event.getString("plugin")).isEqualTo("scripted.csi4j.example");
              assertThat(event.getString("endpoint")).isEqualTo(plugin.endpoint().toString());
              assertThat(event.getString("code")).isEqualTo("ABORTED");
              assertThat(event.getString("outcome")).isEqualTo("uncertain");
              assertThat(event.getDuration()).isPositive();
              assertThat(event.toString()).doesNotContain("secret", "vol-1");
            });
    assertThat(events)
        .extracting(event -> event.getInt("attempt"))
        .containsExactlyInAnyOrder(1, 2, 3);
  }

  private List<RecordedEvent> recorded(CsiPlugin plugin) throws Exception {
    Path file = directory.resolve("calls.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("io.csi4j.CsiCall").withThreshold(Duration.ZERO);
      recording.start();
      assertThat(
              catchThrowableOfType(
                  CsiTransientException.class, () -> plugin.node().unpublishVolume(UNPUBLISH)))
          .returns(StatusCode.ABORTED, CsiTransientException::code)
          .returns(Outcome.UNCERTAIN, CsiTransientException::outcome);
      recording.stop();
      recording.dump(file);
    }
    return RecordingFile.readAllEvents(file);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theWireLogHasLinesIfItIsWanted(boolean wanted) {
    List<LogRecord> lines = new CopyOnWriteArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            lines.add(line);
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger("io.csi4j.client.wire");
    logger.setLevel(Level.ALL);
    logger.setUseParentHandlers(false);
    logger.addHandler(handler);
    try {
      connect(options -> options.wireLog(wanted)).node().unpublishVolume(UNPUBLISH);
    } finally {
      logger.removeHandler(handler);
      logger.setUseParentHandlers(true);
      logger.setLevel(null);
    }
    if (wanted) {
      assertThat(lines).extracting(LogRecord::getLevel).contains(Level.FINE, Level.FINER);
      assertThat(lines)
          .filteredOn(line -> line.getLevel().equals(Level.FINE))
          .extracting(
              line -> java.text.MessageFormat.format(line.getMessage(), line.getParameters()))
          .anyMatch(
              text -> text.startsWith("NodeUnpublishVolume #") && text.contains(" OK after "));
    } else {
      assertThat(lines).isEmpty();
    }
  }
}

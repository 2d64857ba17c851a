package io.csi4j.client.metadata;

import static io.csi4j.client.metadata.MetadataScript.CAPACITY;
import static io.csi4j.client.metadata.MetadataScript.await;
import static io.csi4j.client.metadata.MetadataScript.cancelled;
import static io.csi4j.client.metadata.MetadataScript.message;
import static io.csi4j.client.metadata.MetadataScript.offsets;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.csi4j.client.CsiPlugin;
import io.csi4j.client.internal.proto.GetMetadataDeltaResponse;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesResponse;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiAnswerException;
import io.csi4j.client.model.CsiCancelledException;
import io.csi4j.client.model.CsiConditionException;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiRequestException;
import io.csi4j.client.model.CsiTransientException;
import io.csi4j.client.model.CsiUnsupportedException;
import io.csi4j.client.model.FailureRule;
import io.csi4j.client.model.FailureRule.Retry;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Violation;
import io.csi4j.client.scripted.ScriptedPlugin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Streams of block metadata, read by a thread. */
class MetadataStreamTest {

  private static final GetMetadataAllocatedRequest REQUEST =
      GetMetadataAllocatedRequest.builder(SnapshotId.of("snap-1")).build();

  @TempDir Path directory;
  private ScriptedPlugin scripted;
  private CsiPlugin plugin;

  @BeforeEach
  void connect() {
    scripted = ScriptedPlugin.start(directory.resolve("csi.sock"));
    plugin =
        CsiPlugin.connect(
            scripted.endpoint(),
            ConnectOptions.builder()
                .policies(policy -> policy.backoff(Duration.ZERO).pendingBackoff(Duration.ZERO))
                .build());
  }

  @AfterEach
  void close() {
    plugin.close();
    scripted.close();
  }

  /** The first call is handled by the first handler, and so on; the last handles all others. */
  private void script(ScriptedPlugin.Handler... handlers) {
    Deque<ScriptedPlugin.Handler> left = new ArrayDeque<>(Arrays.asList(handlers));
    scripted.on(
        CsiOperation.GET_METADATA_ALLOCATED,
        (call, reply) -> {
          ScriptedPlugin.Handler handler = left.size() > 1 ? left.poll() : left.element();
          handler.handle(call, reply);
        });
  }

  private MetadataStream open() {
    return plugin.snapshotMetadata().getMetadataAllocated(REQUEST);
  }

  private static List<BlockMetadataBatch.Range> rest(MetadataStream stream) {
    List<BlockMetadataBatch.Range> ranges = new ArrayList<>();
    stream.forEachRemaining(batch -> ranges.addAll(batch.ranges()));
    return ranges;
  }

  @Test
  void aCompleteStreamIsReadToItsEnd() {
    script(
        (call, reply) -> {
          reply.next(message(0, 10, 20, 5));
          reply.next(message());
          reply.next(message(30, 1));
          reply.complete();
        });
    try (MetadataStream stream = open()) {
      assertThat(scripted.calls(CsiOperation.GET_METADATA_ALLOCATED)).isEmpty();
      BlockMetadataBatch first = stream.next();
      assertThat(first.ranges())
          .containsExactly(
              new BlockMetadataBatch.Range(0, 10), new BlockMetadataBatch.Range(20, 5));
      assertThat(first.volumeCapacityBytes()).isEqualTo(CAPACITY);
      assertThat(first.type()).isEqualTo(BlockMetadataBatch.Type.VARIABLE_LENGTH);
      assertThat(stream.next().ranges()).isEmpty();
      assertThat(stream.next().ranges()).containsExactly(new BlockMetadataBatch.Range(30, 1));
      assertThat(stream.hasNext()).isFalse();
      assertThat(stream.hasNext()).isFalse();
      assertThatThrownBy(stream::next).isInstanceOf(NoSuchElementException.class);
      assertThat(stream.resumeOffset()).isEqualTo(31);
      stream.close();
      assertThat(stream.hasNext()).isFalse();
    }
  }

  @Test
  void anEmptyStreamIsComplete() {
    script((call, reply) -> reply.complete());
    try (MetadataStream stream = open()) {
      assertThat(stream.hasNext()).isFalse();
      assertThat(stream.resumeOffset()).isZero();
    }
  }

  @Test
  void theOtherStreamIsReadTheSameWay() {
    scripted.on(
        CsiOperation.GET_METADATA_DELTA,
        (call, reply) -> {
          reply.next(GetMetadataDeltaResponse.parseFrom(message(512, 8).toByteString()));
          reply.complete();
        });
    GetMetadataDeltaRequest request =
        GetMetadataDeltaRequest.builder(SnapshotId.of("old"), SnapshotId.of("new"))
            .startingOffset(512)
            .maxResults(3)
            .secrets(Secrets.of(Map.of("k", "v")))
            .build();
    try (MetadataStream stream = plugin.snapshotMetadata().getMetadataDelta(request)) {
      assertThat(rest(stream)).containsExactly(new BlockMetadataBatch.Range(512, 8));
    }
    assertThat(scripted.calls(CsiOperation.GET_METADATA_DELTA))
        .extracting(ScriptedPlugin.Call::request)
        .containsExactly(
            io.csi4j.client.internal.proto.GetMetadataDeltaRequest.newBuilder()
                .setBaseSnapshotId("old")
                .setTargetSnapshotId("new")
                .setStartingOffset(512)
                .setMaxResults(3)
                .putSecrets("k", "v")
                .build());
  }

  @Test
  void aBrokenStreamGoesOnWhereItStoppedWithAllElseUnchanged() {
    script(
        (call, reply) -> {
          reply.next(message(0, 10, 10, 10));
          reply.fail(StatusCode.UNAVAILABLE, "broken");
        },
        (call, reply) -> {
          reply.next(message(15, 10));
          reply.fail(StatusCode.ABORTED, "broken again");
        },
        (call, reply) -> {
          reply.next(message(1000, 1));
          reply.complete();
        });
    GetMetadataAllocatedRequest request =
        GetMetadataAllocatedRequest.builder(SnapshotId.of("snap-1"))
            .maxResults(9)
            .secrets(Secrets.of(Map.of("k", "v")))
            .build();
    try (MetadataStream stream = plugin.snapshotMetadata().getMetadataAllocated(request)) {
      assertThat(rest(stream))
          .containsExactly(
              new BlockMetadataBatch.Range(0, 10),
              new BlockMetadataBatch.Range(10, 10),
              new BlockMetadataBatch.Range(20, 5),
              new BlockMetadataBatch.Range(1000, 1));
    }
    var expected =
        io.csi4j.client.internal.proto.GetMetadataAllocatedRequest.newBuilder()
            .setSnapshotId("snap-1")
            .setMaxResults(9)
            .putSecrets("k", "v");
    assertThat(scripted.calls(CsiOperation.GET_METADATA_ALLOCATED))
        .extracting(ScriptedPlugin.Call::request)
        .containsExactly(
            expected.build(),
            expected.setStartingOffset(20).build(),
            expected.setStartingOffset(25).build());
  }

  @Test
  void onlyAttemptsWithoutProgressAreCounted() {
    AtomicInteger calls = new AtomicInteger();
    script(
        (call, reply) -> {
          int number = calls.getAndIncrement();
          if (number < 20) {
            reply.next(message(number, 1));
          }
          reply.fail(StatusCode.UNAVAILABLE, "broken");
        });
    try (MetadataStream stream = open()) {
      for (int i = 0; i < 20; i++) {
        assertThat(stream.next().ranges()).containsExactly(new BlockMetadataBatch.Range(i, 1));
      }
      CsiTransientException failure =
          catchThrowableOfType(CsiTransientException.class, stream::hasNext);
      assertThat(failure.attempts()).isEqualTo(22);
      assertThat(failure.getSuppressed()).hasSize(2);
      assertThat(stream.resumeOffset()).isEqualTo(20);
      assertThatThrownBy(stream::hasNext).isSameAs(failure);
    }
  }

  @Test
  void emptyMessagesAreNoProgress() {
    script(
        (call, reply) -> {
          reply.next(message());
          reply.fail(StatusCode.UNAVAILABLE, "broken");
        });
    try (MetadataStream stream = open()) {
      assertThatThrownBy(() -> rest(stream)).isInstanceOf(CsiTransientException.class);
    }
    assertThat(offsets(scripted)).containsExactly(0L, 0L, 0L);
  }

  @Test
  void aFailureThatIsNotTransientIsThrownAndNothingIsCalledComplete() {
    script(
        (call, reply) -> {
          reply.next(message(0, 10));
          reply.fail(StatusCode.FAILED_PRECONDITION, "no changed-block tracking");
        });
    try (MetadataStream stream = open()) {
      stream.next();
      CsiConditionException failure =
          catchThrowableOfType(CsiConditionException.class, stream::hasNext);
      assertThat(failure.code()).isEqualTo(StatusCode.FAILED_PRECONDITION);
      assertThatThrownBy(stream::hasNext).isSameAs(failure);
      assertThatThrownBy(stream::next).isSameAs(failure);
      assertThat(stream.resumeOffset()).isEqualTo(10);
    }
    assertThat(offsets(scripted)).hasSize(1);
  }

  @Test
  void theResumeOffsetDoesNotCountABatchThatWasNotTakenYet() {
    script(
        (call, reply) -> {
          reply.next(message(100, 50));
          reply.complete();
        });
    GetMetadataAllocatedRequest request =
        GetMetadataAllocatedRequest.builder(SnapshotId.of("snap-1")).startingOffset(100).build();
    try (MetadataStream stream = plugin.snapshotMetadata().getMetadataAllocated(request)) {
      assertThat(stream.hasNext()).isTrue();
      assertThat(stream.resumeOffset()).isEqualTo(100);
      stream.next();
      assertThat(stream.resumeOffset()).isEqualTo(150);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "5, 10, 1099511627776, ORDER",
    "10, 0, 1099511627776, OUT_OF_RANGE",
    "10, 5, 4096, MISMATCH",
    "0, 5, 1099511627776, ORDER"
  })
  void aMessageAgainstTheRulesEndsTheCallWithTheRule(
      long offset, long size, long capacity, Violation.Rule rule) {
    CompletableFuture<CountDownLatch> gaveUp = new CompletableFuture<>();
    script(
        (call, reply) -> {
          gaveUp.complete(cancelled(call));
          reply.next(message(0, 10));
          reply.next(message(offset, size).toBuilder().setVolumeCapacityBytes(capacity).build());
        });
    try (MetadataStream stream = open()) {
      stream.next();
      CsiAnswerException failure = catchThrowableOfType(CsiAnswerException.class, stream::hasNext);
      assertThat(failure.violations())
          .singleElement()
          .satisfies(each -> assertThat(each.rule()).isEqualTo(rule));
      assertThat(stream.resumeOffset()).isEqualTo(10);
      await(gaveUp.join());
    }
  }

  @Test
  void aPluginCanSendOnlyLittleAheadOfItsReader() {
    // An unknown field makes the message big.
    UnknownFieldSet ballast =
        UnknownFieldSet.newBuilder()
            .addField(
                999,
                UnknownFieldSet.Field.newBuilder()
                    .addLengthDelimited(ByteString.copyFrom(new byte[1 << 18]))
                    .build())
            .build();
    AtomicInteger sent = new AtomicInteger();
    CountDownLatch full = new CountDownLatch(1);
    script(
        (call, reply) -> {
          while (reply.isReady() && sent.get() < 400) {
            reply.next(
                message(sent.getAndIncrement(), 1).toBuilder().setUnknownFields(ballast).build());
          }
          full.countDown();
        });
    try (MetadataStream stream = open()) {
      stream.next();
      await(full);
      assertThat(sent.get()).isLessThan(80);
    }
  }

  @Test
  void closingMidwayCancelsTheCallOnce() {
    CompletableFuture<CountDownLatch> gaveUp = new CompletableFuture<>();
    script(
        (call, reply) -> {
          gaveUp.complete(cancelled(call));
          reply.next(message(0, 10));
        });
    MetadataStream stream = open();
    stream.next();
    stream.close();
    stream.close();
    await(gaveUp.join());
    CsiCancelledException failure =
        catchThrowableOfType(CsiCancelledException.class, stream::hasNext);
    assertThat(failure.reason()).isEqualTo(CsiCancelledException.Reason.CANCELLED);
    assertThat(offsets(scripted)).hasSize(1);
  }

  @Test
  void aStreamThatIsClosedBeforeItIsReadIsNeverSent() {
    MetadataStream stream = open();
    stream.close();
    assertThatThrownBy(stream::hasNext).isInstanceOf(CsiCancelledException.class);
    assertThat(offsets(scripted)).isEmpty();
  }

  @Test
  void anInterruptEndsTheCallAndStaysSet() {
    CompletableFuture<CountDownLatch> gaveUp = new CompletableFuture<>();
    Thread reader = Thread.currentThread();
    script(
        (call, reply) -> {
          gaveUp.complete(cancelled(call));
          reader.interrupt();
        });
    try (MetadataStream stream = open()) {
      CsiCancelledException failure =
          catchThrowableOfType(CsiCancelledException.class, stream::hasNext);
      assertThat(Thread.interrupted()).isTrue();
      assertThat(failure.reason()).isEqualTo(CsiCancelledException.Reason.INTERRUPTED);
      await(gaveUp.join());
    }
  }

  @Test
  void anInterruptedThreadSendsNothing() {
    try (MetadataStream stream = open()) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(stream::hasNext).isInstanceOf(CsiCancelledException.class);
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(offsets(scripted)).isEmpty();
  }

  @Test
  void closingThePluginEndsTheStream() {
    CountDownLatch came = new CountDownLatch(1);
    script((call, reply) -> came.countDown());
    try (MetadataStream stream = open()) {
      CompletableFuture<Void> closing =
          CompletableFuture.runAsync(
              () -> {
                await(came);
                plugin.close();
              });
      CsiCancelledException failure =
          catchThrowableOfType(CsiCancelledException.class, stream::hasNext);
      assertThat(failure.reason()).isEqualTo(CsiCancelledException.Reason.CLOSED);
      closing.join();
    }
    try (MetadataStream late = open()) {
      CsiCancelledException failure =
          catchThrowableOfType(CsiCancelledException.class, late::hasNext);
      assertThat(failure.reason()).isEqualTo(CsiCancelledException.Reason.CLOSED);
    }
  }

  @Test
  void whatThePluginDoesNotOfferIsRefusedBeforeItIsSent() {
    plugin.close();
    scripted.answer(
        CsiOperation.GET_PLUGIN_CAPABILITIES, GetPluginCapabilitiesResponse.getDefaultInstance());
    plugin = CsiPlugin.connect(scripted.endpoint());
    try (MetadataStream stream = open()) {
      assertThatThrownBy(stream::hasNext).isInstanceOf(CsiUnsupportedException.class);
    }
    assertThat(offsets(scripted)).isEmpty();
  }

  @Test
  void aRequestAgainstTheRulesIsRefusedBeforeItIsSent() {
    GetMetadataAllocatedRequest request =
        GetMetadataAllocatedRequest.builder(SnapshotId.of("snap-1")).startingOffset(-1).build();
    try (MetadataStream stream = plugin.snapshotMetadata().getMetadataAllocated(request)) {
      assertThatThrownBy(stream::hasNext).isInstanceOf(CsiRequestException.class);
    }
    assertThat(offsets(scripted)).isEmpty();
  }

  @Test
  void aStreamGoesOnWithAPluginThatWasRestarted() {
    script(
        (call, reply) -> reply.next(message(0, 10)),
        (call, reply) -> {
          reply.next(message(10, 10));
          reply.complete();
        });
    try (MetadataStream stream = open()) {
      stream.next();
      scripted.kill();
      scripted.start();
      assertThat(rest(stream)).containsExactly(new BlockMetadataBatch.Range(10, 10));
    }
    assertThat(offsets(scripted)).containsExactly(0L, 10L);
  }

  @Tag("campaign")
  @Test
  void whateverBreaksEveryRangeIsDeliveredOnceAndInOrder() {
    List<StatusCode> transientCodes =
        Arrays.stream(StatusCode.values())
            .filter(code -> code != StatusCode.OK)
            .filter(
                code -> {
                  Retry retry = FailureRule.of(CsiOperation.GET_METADATA_ALLOCATED, code).retry();
                  return retry == Retry.BACKOFF || retry == Retry.AFTER_PENDING;
                })
            .toList();
    assertThat(transientCodes).contains(StatusCode.UNAVAILABLE, StatusCode.DEADLINE_EXCEEDED);
    SnapshotMetadataService service =
        plugin.snapshotMetadata().with(policy -> policy.attempts(1000));
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      List<BlockMetadataBatch.Range> ranges = new ArrayList<>();
      long end = 0;
      for (int i = random.nextInt(40); i > 0; i--) {
        long offset = end + (random.nextBoolean() ? 0 : random.nextInt(100));
        ranges.add(new BlockMetadataBatch.Range(offset, 1 + random.nextInt(50)));
        end = ranges.get(ranges.size() - 1).end();
      }
      script((call, reply) -> answer(random, ranges, transientCodes, call, reply));
      try (MetadataStream stream = service.getMetadataAllocated(REQUEST)) {
        assertThat(rest(stream)).as("seed %d", seed).isEqualTo(ranges);
        assertThat(stream.resumeOffset()).isEqualTo(end);
      } catch (CsiException failure) {
        throw new AssertionError("seed " + seed, failure);
      }
    }
  }

  /** Sends what is left from the offset asked for, or a part of it. */
  private static void answer(
      Random random,
      List<BlockMetadataBatch.Range> ranges,
      List<StatusCode> codes,
      ScriptedPlugin.Call call,
      ScriptedPlugin.Reply reply) {
    long from =
        call.as(io.csi4j.client.internal.proto.GetMetadataAllocatedRequest.class)
            .getStartingOffset();
    Deque<BlockMetadataBatch.Range> left = new ArrayDeque<>();
    ranges.stream().filter(range -> range.end() > from).forEach(left::add);
    if (from > 0 && !left.isEmpty() && left.element().offset() == from) {
      long overlap = random.nextInt((int) Math.min(from, 30) + 1);
      left.push(new BlockMetadataBatch.Range(from - overlap, left.pop().size() + overlap));
    }
    while (random.nextInt(4) > 0) {
      List<Long> numbers = new ArrayList<>();
      for (int i = random.nextInt(6); i > 0 && !left.isEmpty(); i--) {
        numbers.add(left.element().offset());
        numbers.add(left.pop().size());
      }
      reply.next(message(numbers.stream().mapToLong(Long::longValue).toArray()));
    }
    if (left.isEmpty() && random.nextBoolean()) {
      reply.complete();
    } else {
      reply.fail(codes.get(random.nextInt(codes.size())), "broken");
    }
  }
}

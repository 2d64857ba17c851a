package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.DeleteVolumeRequest;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.CreateVolumeResponse;
import io.csi4j.client.internal.proto.GetPluginInfoResponse;
import io.csi4j.client.internal.proto.NodeUnpublishVolumeResponse;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.model.CsiAnswerException;
import io.csi4j.client.model.CsiConditionException;
import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiRequestException;
import io.csi4j.client.model.CsiTransientException;
import io.csi4j.client.model.CsiUnsupportedException;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Violation;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.scripted.Samples;
import io.csi4j.client.scripted.ScriptedPlugin;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Single calls: threads, answers, texts, sizes. */
class CallTest extends AgainstScriptedPlugin {

  private static final CsiOperation OPERATION = CsiOperation.NODE_UNPUBLISH_VOLUME;

  private static CompletableFuture<Void> unpublish(CsiPlugin plugin) {
    return plugin.node().async().unpublishVolume(UNPUBLISH).toCompletableFuture();
  }

  private static CreateVolumeRequest create() {
    return (CreateVolumeRequest)
        java.util.Objects.requireNonNull(new Samples(7).request(CsiOperation.CREATE_VOLUME, false));
  }

  // Threads

  @Test
  void actionsOnStagesNeverRunOnTheIoThread() {
    CsiPlugin plugin = connect();
    Set<String> threads = ConcurrentHashMap.newKeySet();
    for (int i = 0; i < 200; i++) {
      unpublish(plugin).thenRun(() -> threads.add(Thread.currentThread().getName())).join();
    }
    scripted.fail(OPERATION, StatusCode.ABORTED, "again and again");
    for (int i = 0; i < 50; i++) {
      unpublish(plugin)
          .handle((none, thrown) -> threads.add(Thread.currentThread().getName()))
          .join();
    }
    assertThat(threads).noneMatch(name -> name.startsWith("csi4j-io-"));
    assertThat(threads).anyMatch(name -> name.startsWith("csi4j-callback-"));
  }

  @Test
  void aRefusalThatABlockingCallLearnedOfIsNotToldOnTheIoThread() {
    CsiPlugin plugin = connect();
    Queue<ScriptedPlugin.Reply> held = new ConcurrentLinkedQueue<>();
    scripted.on(CsiOperation.CONTROLLER_GET_CAPABILITIES, (call, reply) -> held.add(reply));
    CompletableFuture<Void> blocking =
        CompletableFuture.runAsync(() -> plugin.controller().expandVolume(EXPAND));
    eventually(() -> !held.isEmpty());
    CompletableFuture<String> thread = new CompletableFuture<>();
    var unused =
        plugin
            .controller()
            .async()
            .expandVolume(EXPAND)
            .whenComplete((none, thrown) -> thread.complete(Thread.currentThread().getName()));
    held.remove().ok(ControllerGetCapabilitiesResponse.getDefaultInstance());
    assertThat(thread.join()).startsWith("csi4j-callback-");
    assertThat(catchThrowableOfType(CompletionException.class, blocking::join))
        .hasCauseInstanceOf(CsiUnsupportedException.class);
  }

  @Test
  void anExecutorOfTheHostIsUsed() {
    ExecutorService mine =
        Executors.newSingleThreadExecutor(task -> new Thread(task, "the-hosts-own"));
    try {
      CsiPlugin plugin = connect(options -> options.callbackExecutor(mine));
      List<String> threads = new CopyOnWriteArrayList<>();
      unpublish(plugin).thenRun(() -> threads.add(Thread.currentThread().getName())).join();
      hang(OPERATION);
      CompletableFuture<Void> second =
          unpublish(plugin)
              .whenComplete((none, thrown) -> threads.add(Thread.currentThread().getName()));
      arrived(OPERATION, 2);
      scripted.kill();
      assertThat(catchThrowableOfType(CompletionException.class, second::join))
          .hasCauseInstanceOf(CsiTransientException.class);
      assertThat(threads).contains("the-hosts-own").noneMatch(name -> name.startsWith("csi4j-io"));
    } finally {
      mine.shutdownNow();
    }
  }

  @Test
  void answersThatAreTakenInPlaceComeOnTheIoThreadAndFailuresThatTakeALookDoNot() {
    CsiPlugin plugin = connect(options -> options.callbacksInPlace(true));
    Queue<ScriptedPlugin.Reply> held = new ConcurrentLinkedQueue<>();
    scripted.on(OPERATION, (call, reply) -> held.add(reply));
    CompletableFuture<String> answered = threadOf(unpublish(plugin));
    eventually(() -> !held.isEmpty());
    held.remove().ok(NodeUnpublishVolumeResponse.getDefaultInstance());
    assertThat(answered.join()).startsWith("csi4j-io-");

    CompletableFuture<String> failed = threadOf(unpublish(plugin));
    eventually(() -> !held.isEmpty());
    scripted.kill();
    assertThat(failed.join()).startsWith("csi4j-callback-");
  }

  private static CompletableFuture<String> threadOf(CompletableFuture<Void> call) {
    return call.handle((none, thrown) -> Thread.currentThread().getName());
  }

  @Test
  void anExecutorThatRejectsStillLetsCallsEnd() {
    CsiPlugin plugin =
        connect(
            options ->
                options
                    .listener(new CsiListener() {})
                    .callbackExecutor(
                        task -> {
                          throw new RejectedExecutionException("full");
                        }));
    plugin.node().unpublishVolume(UNPUBLISH);
    unpublish(plugin).join();
    scripted.fail(OPERATION, StatusCode.UNAVAILABLE, "no");
    assertThat(
            catchThrowableOfType(
                    CsiTransientException.class, () -> plugin.node().unpublishVolume(UNPUBLISH))
                .attempts())
        .isEqualTo(3);
  }

  @Test
  void anExecutorWithoutAThreadStillLetsCallsEnd() {
    CsiPlugin plugin =
        connect(
            options ->
                options.callbackExecutor(
                    task -> {
                      throw new OutOfMemoryError("unable to create native thread");
                    }));
    unpublish(plugin).orTimeout(20, TimeUnit.SECONDS).join();
    scripted.fail(OPERATION, StatusCode.UNAVAILABLE, "no");
    assertThat(
            catchThrowableOfType(
                CompletionException.class,
                () -> unpublish(plugin).orTimeout(20, TimeUnit.SECONDS).join()))
        .cause()
        .isInstanceOfSatisfying(
            CsiTransientException.class, failure -> assertThat(failure.attempts()).isEqualTo(3));
  }

  @Test
  void aFailureShowsWhoCalled() {
    scripted.fail(OPERATION, StatusCode.NOT_FOUND, "gone");
    CsiPlugin plugin = connect();
    CsiConditionException failure =
        catchThrowableOfType(
            CsiConditionException.class, () -> plugin.node().unpublishVolume(UNPUBLISH));
    assertThat(failure.getStackTrace())
        .anyMatch(frame -> frame.getMethodName().contains("aFailureShowsWhoCalled"));
  }

  @Test
  void aFailureIsPrintedWithItsCodeAndWithoutFramesOfTheTransport() {
    scripted.fail(OPERATION, StatusCode.RESOURCE_EXHAUSTED, "too many calls");
    for (boolean inPlace : List.of(false, true)) {
      CsiPlugin plugin = connect(options -> options.callbacksInPlace(inPlace));
      CsiTransientException blocking =
          catchThrowableOfType(
              CsiTransientException.class, () -> plugin.node().unpublishVolume(UNPUBLISH));
      CompletionException async =
          catchThrowableOfType(CompletionException.class, () -> unpublish(plugin).join());

      assertThat(blocking.getSuppressed()).as("earlier attempts").hasSize(2);
      for (String trace :
          List.of(Throwables.getStackTrace(blocking), Throwables.getStackTrace(async.getCause()))) {
        assertThat(trace)
            .contains("(RESOURCE_EXHAUSTED); the plugin says: \"too many calls\"")
            .contains("\tat io.csi4j.client.")
            .doesNotContain("io.grpc.", "io.netty.");
      }
    }
  }

  // Answers

  @Test
  void anAnswerThatIsTooLargeIsRefusedAndTheNextIsTaken() {
    CsiPlugin plugin = connect(options -> options.maxMessageBytes(10_000));
    scripted.answer(
        CsiOperation.GET_PLUGIN_INFO,
        GetPluginInfoResponse.newBuilder()
            .setName("n")
            .setVendorVersion("x".repeat(20_000))
            .build());
    CsiAnswerException failure =
        catchThrowableOfType(CsiAnswerException.class, () -> plugin.identity().getPluginInfo());
    assertThat(failure.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
    assertThat(failure.outcome()).isEqualTo(Outcome.UNCERTAIN);
    assertThat(failure.violations())
        .singleElement()
        .satisfies(each -> assertThat(each.rule()).isEqualTo(Violation.Rule.TOO_LARGE));
    assertThat(failure.getMessage()).contains("10000 bytes").contains("larger maxMessageBytes");
    assertThat(plugin.identity().probe().isReady()).isTrue();
    assertThat(failure.attempts()).isEqualTo(1);
  }

  @Test
  void aPluginThatReportsExhaustionIsNotMistakenForALargeAnswer() {
    scripted.fail(
        CsiOperation.DELETE_VOLUME,
        StatusCode.RESOURCE_EXHAUSTED,
        "gRPC message exceeds maximum size, says the plugin");
    CsiPlugin plugin = connect();
    CsiTransientException failure =
        catchThrowableOfType(
            CsiTransientException.class, () -> plugin.controller().deleteVolume(DELETE));
    assertThat(failure.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
  }

  @ParameterizedTest
  @ValueSource(ints = {9_000, 100_000, 900_000})
  void aLongTextKeepsItsCodeAndIsCut(int length) {
    scripted.fail(OPERATION, StatusCode.FAILED_PRECONDITION, "because " + "x".repeat(length));
    CsiPlugin plugin = connect();
    CsiConditionException failure =
        catchThrowableOfType(
            CsiConditionException.class, () -> plugin.node().unpublishVolume(UNPUBLISH));
    assertThat(failure.code()).isEqualTo(StatusCode.FAILED_PRECONDITION);
    assertThat(failure.failure().pluginText())
        .hasValueSatisfying(
            text -> assertThat(text).startsWith("because xxx").hasSizeLessThan(2000));
  }

  @Test
  void anUnusableAnswerNamesWhatWasMade() {
    scripted.answer(
        CsiOperation.CREATE_VOLUME,
        CreateVolumeResponse.newBuilder()
            .setVolume(Volume.newBuilder().setVolumeId("made-1").setCapacityBytes(-1))
            .build());
    CsiPlugin plugin = connect();
    CsiAnswerException failure =
        catchThrowableOfType(
            CsiAnswerException.class, () -> plugin.controller().createVolume(create()));
    assertThat(failure.created()).contains("made-1");
    assertThat(failure.code()).isEqualTo(StatusCode.OK);
    assertThat(failure.outcome()).isEqualTo(Outcome.UNCERTAIN);
    assertThat(failure.advice()).startsWith("Delete 'made-1'");
    assertThat(failure.violations()).extracting(Violation::field).contains("volume.capacity_bytes");
    assertThat(scripted.calls(CsiOperation.CREATE_VOLUME)).hasSize(1);
  }

  @Test
  void whatCannotBeDecodedIsAnInternalFailureAndTheNextCallWorks() {
    CsiPlugin plugin = connect();
    // Field 1 is a string, and this is no UTF-8.
    scripted.answer(CsiOperation.GET_PLUGIN_INFO, named(new byte[] {(byte) 0xff, (byte) 0xfe}));
    CsiTransientException failure =
        catchThrowableOfType(CsiTransientException.class, () -> plugin.identity().getPluginInfo());
    assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
    assertThat(failure.outcome()).isEqualTo(Outcome.UNCERTAIN);
    assertThat(failure.failure().why()).contains("the answer cannot be decoded");
    assertThat(failure.failure().pluginText()).isEmpty();
    assertThat(plugin.identity().probe().isReady()).isTrue();
  }

  private static com.google.protobuf.Message named(byte[] name) {
    return io.csi4j.client.internal.proto.ProbeResponse.newBuilder()
        .setUnknownFields(
            UnknownFieldSet.newBuilder()
                .addField(
                    1,
                    UnknownFieldSet.Field.newBuilder()
                        .addLengthDelimited(ByteString.copyFrom(name))
                        .build())
                .build())
        .build();
  }

  // Requests

  @Test
  void strictSizesRefuseWhatTheSpecForbidsAndOthersWarn() {
    String id = "v".repeat(129);
    DeleteVolumeRequest tooLong = DeleteVolumeRequest.builder(VolumeId.of(id)).build();
    CsiPlugin strict = connect(options -> options.strictSizes(true));
    CsiRequestException failure =
        catchThrowableOfType(
            CsiRequestException.class, () -> strict.controller().deleteVolume(tooLong));
    assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
    assertThat(failure.outcome()).isEqualTo(Outcome.SETTLED);
    assertThat(failure.attempts()).isZero();
    assertThat(failure.violations())
        .singleElement()
        .satisfies(
            each -> {
              assertThat(each.field()).isEqualTo("volume_id");
              assertThat(each.rule()).isEqualTo(Violation.Rule.TOO_LARGE);
            });
    assertThat(scripted.calls(CsiOperation.DELETE_VOLUME)).isEmpty();

    List<CsiListener.Warning> warnings = new CopyOnWriteArrayList<>();
    CsiPlugin lenient =
        connect(
            options ->
                options.listener(
                    new CsiListener() {
                      @Override
                      public void onWarning(Warning event) {
                        warnings.add(event);
                      }
                    }));
    lenient.controller().deleteVolume(tooLong);
    assertThat(warnings)
        .singleElement()
        .satisfies(
            each -> {
              assertThat(each.operation()).isEqualTo(CsiOperation.DELETE_VOLUME);
              assertThat(each.violation().field()).isEqualTo("volume_id");
            });
    assertThat(scripted.calls(CsiOperation.DELETE_VOLUME)).hasSize(1);
  }

  @Test
  void allThatIsWrongWithARequestIsToldAtOnce() {
    CsiPlugin plugin = connect(options -> options.strictSizes(true));
    DeleteVolumeRequest wrong =
        DeleteVolumeRequest.builder(VolumeId.of("v".repeat(200)))
            .secrets(Secrets.of(Map.of("key", "s".repeat(5000))))
            .build();
    CsiRequestException failure =
        catchThrowableOfType(
            CsiRequestException.class, () -> plugin.controller().deleteVolume(wrong));
    assertThat(failure.violations())
        .extracting(Violation::field)
        .containsExactlyInAnyOrder("volume_id", "secrets");
    assertThat(scripted.calls(CsiOperation.DELETE_VOLUME)).isEmpty();
  }

  @Test
  void theSecretOfALongCallIsRememberedHoweverManyCallsCameAfterIt() {
    CountDownLatch others = new CountDownLatch(1);
    scripted.on(
        CsiOperation.DELETE_VOLUME,
        (call, reply) -> {
          if (call.as(io.csi4j.client.internal.proto.DeleteVolumeRequest.class)
              .getVolumeId()
              .equals("slow")) {
            others.await();
            reply.fail(StatusCode.INTERNAL, "mount -o token=s3cr3t-s3cr3t failed");
          } else {
            reply.ok(ScriptedPlugin.defaultAnswer(call.operation(), call.request()));
          }
        });
    CsiPlugin plugin = connect(options -> options.policies(policy -> policy.attempts(1)));
    CompletableFuture<?> slow =
        plugin
            .controller()
            .async()
            .deleteVolume(deletion("slow", "s3cr3t-s3cr3t"))
            .toCompletableFuture();
    arrived(CsiOperation.DELETE_VOLUME, 1);
    for (int i = 0; i < 300; i++) {
      plugin.controller().deleteVolume(deletion("vol-" + i, "another-" + i));
    }
    others.countDown();
    CompletionException failure = catchThrowableOfType(CompletionException.class, slow::join);
    assertThat(failure.getCause())
        .hasMessageContaining("the plugin says: \"mount -o token=<redacted> failed\"");
  }

  private static DeleteVolumeRequest deletion(String volume, String token) {
    return DeleteVolumeRequest.builder(VolumeId.of(volume))
        .secrets(Secrets.of(Map.of("token", token)))
        .build();
  }

  @Test
  void noLimitIsALimitToo() {
    Duration endless = Duration.ofSeconds(Long.MAX_VALUE);
    CsiPlugin plugin =
        connect(
            options -> options.policies(policy -> policy.attemptDeadline(endless).budget(endless)));
    plugin.controller().deleteVolume(DELETE);
    plugin.controller().async().deleteVolume(DELETE).toCompletableFuture().join();
    assertThat(scripted.calls(CsiOperation.DELETE_VOLUME)).hasSize(2);
  }
}

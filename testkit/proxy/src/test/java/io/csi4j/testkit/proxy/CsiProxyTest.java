package io.csi4j.testkit.proxy;

import static io.csi4j.client.model.CsiOperation.CONTROLLER_GET_CAPABILITIES;
import static io.csi4j.client.model.CsiOperation.CREATE_VOLUME;
import static io.csi4j.client.model.CsiOperation.DELETE_VOLUME;
import static io.csi4j.client.model.CsiOperation.GET_METADATA_ALLOCATED;
import static io.csi4j.client.model.CsiOperation.GET_PLUGIN_CAPABILITIES;
import static io.csi4j.client.model.CsiOperation.GET_PLUGIN_INFO;
import static io.csi4j.client.model.CsiOperation.LIST_VOLUMES;
import static io.csi4j.client.model.CsiOperation.NODE_STAGE_VOLUME;
import static io.csi4j.client.model.CsiOperation.PROBE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import io.csi4j.client.CsiPlugin;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.CreateVolumeResponse;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesRequest;
import io.csi4j.client.internal.proto.GetPluginInfoRequest;
import io.csi4j.client.internal.proto.GetPluginInfoResponse;
import io.csi4j.client.internal.proto.ListVolumesRequest;
import io.csi4j.client.internal.proto.ProbeRequest;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.RawCaller;
import io.csi4j.testkit.RawCaller.Ended;
import io.csi4j.testkit.RawCaller.Pending;
import io.csi4j.testkit.Requests;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.Fault.WrongAnswer;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.internal.journal.MessageFields;
import io.csi4j.testkit.internal.journal.WireOperation;
import io.csi4j.testkit.internal.json.JsonReader;
import io.csi4j.testkit.internal.server.PluginThread;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.JournalEvent;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.recording.Recording;
import io.csi4j.testkit.referee.AnswerFinding;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A proxy between a caller and a plugin, as each of the two sees it. */
class CsiProxyTest {

  private static final Duration SOON = Duration.ofSeconds(20);

  @TempDir Path directory;
  private FakeCsiPlugin plugin;
  private CsiProxy proxy;
  private RawCaller caller;

  @BeforeEach
  void open() {
    plugin = FakeCsiPlugin.open();
    proxy = CsiProxy.builder(plugin.endpoint()).newPlugin(true).open();
    caller = new RawCaller(proxy.endpoint());
  }

  @AfterEach
  void close() {
    caller.close();
    proxy.close();
    plugin.close();
  }

  // What is passed on.

  @Test
  void aStreamOfAMethodThatCsiDoesNotHavePassesWithHeadersAndTrailers() throws IOException {
    try (ForeignPlugin foreign = new ForeignPlugin(directory.resolve("f.sock"));
        CsiProxy between = CsiProxy.open(foreign.endpoint());
        RawCaller client = new RawCaller(between.endpoint(), "somewhere.example")) {
      MethodDescriptor<byte[], byte[]> method =
          MethodDescriptor.newBuilder(new RawCaller.Bytes(), new RawCaller.Bytes())
              .setFullMethodName("vendor.v7.Extras/Chat")
              .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
              .build();
      ClientCall<byte[], byte[]> call =
          client
              .channel()
              .newCall(method, CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS));
      List<String> heard = new ArrayList<>();
      CompletableFuture<Status> status = new CompletableFuture<>();
      CompletableFuture<Metadata> trailers = new CompletableFuture<>();
      Metadata headers = new Metadata();
      headers.put(ForeignPlugin.WORD, "kept");
      call.start(
          new ClientCall.Listener<>() {
            @Override
            public void onMessage(byte[] message) {
              heard.add(new String(message, StandardCharsets.UTF_8));
              if (heard.size() < 3) {
                call.sendMessage(("ping" + heard.size()).getBytes(StandardCharsets.UTF_8));
              } else {
                call.halfClose();
              }
            }

            @Override
            public void onClose(Status ended, Metadata told) {
              status.complete(ended);
              trailers.complete(told);
            }
          },
          headers);
      call.request(100);
      call.sendMessage("ping0".getBytes(StandardCharsets.UTF_8));

      assertThat(status.orTimeout(20, TimeUnit.SECONDS).join().getCode())
          .isEqualTo(Status.Code.NOT_FOUND);
      assertThat(status.join().getDescription()).isEqualTo("näher");
      assertThat(heard).containsExactly("ping0", "ping1", "ping2");
      assertThat(trailers.join().get(ForeignPlugin.WORD)).isEqualTo("kept");
      assertThat(trailers.join().get(ForeignPlugin.DETAILS)).containsExactly(1, 2, 3);
      assertThat(foreign.authorities()).containsExactly("localhost");
      assertThat(foreign.deadlines()).containsExactly(true);
      assertThat(between.unknownMethods()).containsExactly(entry("/vendor.v7.Extras/Chat", 1L));
      assertThat(between.journal().calls()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void trailersThatTheCallerDoesNotTakeEndItsCall(boolean through) throws IOException {
    try (ForeignPlugin foreign = new ForeignPlugin(directory.resolve("f.sock"));
        CsiProxy between = CsiProxy.open(foreign.endpoint());
        RawCaller client = new RawCaller(through ? between.endpoint() : foreign.endpoint())) {
      Status ended = probe(client, ForeignPlugin.LARGE_TRAILERS, new byte[0]);

      assertThat(ended.getCode()).isEqualTo(Status.Code.INTERNAL);
      assertThat(ended.getCause()).hasMessageContaining("Header size exceeded");
    }
  }

  @Test
  void anAnswerThatIsLargerThanTheProxyHoldsIsRefusedAndNeverHasAHole() throws IOException {
    try (ForeignPlugin foreign = new ForeignPlugin(directory.resolve("f.sock"));
        CsiProxy between = CsiProxy.open(foreign.endpoint());
        RawCaller client = new RawCaller(between.endpoint())) {
      UnknownFieldSet.Field large =
          UnknownFieldSet.Field.newBuilder()
              .addLengthDelimited(ByteString.copyFrom(new byte[3 << 20]))
              .build();
      byte[] request =
          UnknownFieldSet.newBuilder().addField(999, large).build().toByteString().toByteArray();

      Status ended = probe(client, ForeignPlugin.MANY_ANSWERS, request);

      assertThat(ended.getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      assertThat(ended.getDescription())
          .isEqualTo(
              "The plugin behind the proxy did the work, but its answer has more than 67108864"
                  + " bytes, which is the limit.");
    }
  }

  private static Status probe(RawCaller client, String word, byte[] request) {
    Metadata headers = new Metadata();
    headers.put(ForeignPlugin.WORD, word);
    CompletableFuture<Status> status = new CompletableFuture<>();
    ClientCall<byte[], byte[]> call =
        client
            .channel()
            .newCall(
                MethodDescriptor.newBuilder(new RawCaller.Bytes(), new RawCaller.Bytes())
                    .setFullMethodName(PROBE.fullName())
                    .setType(MethodDescriptor.MethodType.UNARY)
                    .build(),
                CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS));
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status ended, Metadata told) {
            status.complete(ended);
          }
        },
        headers);
    call.sendMessage(request);
    call.halfClose();
    call.request(2);
    return status.orTimeout(20, TimeUnit.SECONDS).join();
  }

  @Test
  void aRequestThatCannotBeReadIsPassedAndWrittenDownNowhere() throws IOException {
    byte[] request = "\377 no message, and secret".getBytes(StandardCharsets.ISO_8859_1);
    try (ForeignPlugin foreign = new ForeignPlugin(directory.resolve("f.sock"));
        CsiProxy between = CsiProxy.builder(foreign.endpoint()).newPlugin(true).open();
        RawCaller client = new RawCaller(between.endpoint())) {
      Ended ended = client.begin(NODE_STAGE_VOLUME.fullName(), request).ended();

      assertThat(ended.messages()).singleElement().isEqualTo(request);
      assertThat(ended.code()).isEqualTo(Status.Code.NOT_FOUND);
      assertThat(between.journal().calls()).isEmpty();
      assertThat(between.unknownMethods())
          .containsExactly(entry("/" + NODE_STAGE_VOLUME.fullName(), 1L));
      assertThat(between.findings()).isEmpty();
      assertThat(between.verdict().lawful()).isTrue();
    }
  }

  @Test
  void unknownFieldsOfACallOfCsiComeBackAsTheyWere() throws IOException {
    UnknownFieldSet extra =
        UnknownFieldSet.newBuilder()
            .addField(
                999,
                UnknownFieldSet.Field.newBuilder()
                    .addLengthDelimited(ByteString.copyFromUtf8("vendor"))
                    .build())
            .build();
    byte[] request = ProbeRequest.newBuilder().setUnknownFields(extra).build().toByteArray();
    try (ForeignPlugin foreign = new ForeignPlugin(directory.resolve("f.sock"));
        CsiProxy between = CsiProxy.open(foreign.endpoint());
        RawCaller client = new RawCaller(between.endpoint())) {
      Ended ended = client.begin(PROBE.fullName(), request).ended();

      assertThat(ended.messages()).singleElement().isEqualTo(request);
      assertThat(ended.code()).isEqualTo(Status.Code.NOT_FOUND);
      assertThat(between.journal().last(PROBE).orElseThrow().end())
          .contains(new CallEnd.Failed(5, "näher"));
    }
  }

  @Test
  void aPluginsAnswerAndRefusalReachTheCallerAndTheJournal() throws IOException {
    Ended made = caller.call(CREATE_VOLUME, Requests.create("v"));
    Ended refused = caller.call(CREATE_VOLUME, Requests.create(""));

    String id = CreateVolumeResponse.parseFrom(made.messages().get(0)).getVolume().getVolumeId();
    assertThat(id).isNotEmpty();
    assertThat(refused.code()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    List<RecordedCall> calls = proxy.journal().calls(CREATE_VOLUME);
    assertThat(calls).hasSize(2);
    assertThat(calls.get(0).answer().orElseThrow().message("volume").text("volume_id"))
        .isEqualTo(id);
    assertThat(calls.get(0).worked()).isTrue();
    assertThat(calls.get(1).end())
        .contains(new CallEnd.Failed(3, String.valueOf(refused.status().getDescription())));
    assertThat(calls.get(1).worked()).isFalse();
    assertThat(proxy.findings()).isEmpty();
  }

  @Test
  void theMessagesOfAStreamAreAllInTheJournal() {
    try (CsiPlugin direct = CsiPlugin.connect(plugin.endpoint())) {
      assertThat(direct.identity().getPluginInfo().name().value()).isNotEmpty();
    }
    Ended straight;
    try (RawCaller other = new RawCaller(plugin.endpoint())) {
      straight = other.call(GET_METADATA_ALLOCATED, Requests.probe());
    }
    Ended through = caller.call(GET_METADATA_ALLOCATED, Requests.probe());

    assertThat(through.code()).isEqualTo(straight.code());
    assertThat(through.messages()).hasSameSizeAs(straight.messages());
  }

  @Test
  void aStatusThatGrpcDoesNotKnowReachesTheCallerAsItIs() {
    var unused = plugin.inject(Fault.fail(17, "odd"), When.calling(PROBE));

    Ended ended = caller.call(PROBE, Requests.probe());

    assertThat(ended.code()).isEqualTo(Status.Code.UNKNOWN);
    assertThat(proxy.journal().last(PROBE).orElseThrow().end())
        .contains(new CallEnd.Failed(17, "odd"));
  }

  @Test
  void aCallerThatGivesUpIsGivenUpAtThePlugin() {
    var unused = plugin.inject(Fault.hang(), When.calling(PROBE));
    Pending pending = caller.begin(PROBE, Requests.probe());
    RecordedCall begun = plugin.journal().await(call -> call.operation() == PROBE, SOON);

    pending.cancel();

    assertThat(
            plugin
                .journal()
                .await(call -> call.number() == begun.number() && call.end().isPresent(), SOON)
                .end())
        .contains(new CallEnd.Abandoned());
    assertThat(proxy.journal().await(call -> call.end().isPresent(), SOON).end())
        .contains(new CallEnd.Abandoned());
  }

  @Test
  void aRealClientWorksThroughItAndIsLawful() {
    try (CsiPlugin client = CsiPlugin.connect(proxy.endpoint())) {
      assertThat(client.identity().getPluginInfo().name()).isEqualTo(plugin.shape().name());
      assertThat(
              client
                  .controller()
                  .listVolumes(io.csi4j.client.controller.ListVolumesRequest.builder().build())
                  .entries())
          .isEmpty();
    }
    proxy.assertLawful();
    assertThat(proxy.journal().operations()).contains(GET_PLUGIN_INFO, LIST_VOLUMES);
  }

  // What goes wrong when it is told to.

  @Test
  void aRefusalOfTheProxyNeverReachesThePlugin() {
    var rule =
        proxy.inject(Fault.fail(StatusCode.ABORTED, "busy"), When.calling(CREATE_VOLUME).once());

    assertThat(caller.call(CREATE_VOLUME, Requests.create("v")).code())
        .isEqualTo(Status.Code.ABORTED);
    assertThat(plugin.journal().calls()).isEmpty();
    assertThat(rule.hits()).isEqualTo(1);
    assertThat(caller.call(CREATE_VOLUME, Requests.create("v")).code()).isEqualTo(Status.Code.OK);
  }

  @Test
  void aLostAnswerLeavesTheWorkDone() {
    var unused = proxy.inject(Fault.applyThenHang(), When.calling(CREATE_VOLUME).once());
    Pending pending = caller.begin(CREATE_VOLUME, Requests.create("v"));
    RecordedCall worked = proxy.journal().await(RecordedCall::worked, SOON);

    assertThat(worked.end()).isEmpty();
    assertThat(plugin.contents().volumes()).hasSize(1);
    proxy.release();
    assertThat(pending.ended().code()).isEqualTo(Status.Code.OK);
  }

  @Test
  void aDuplicateReachesThePluginTwoTimes() throws IOException {
    var unused = proxy.inject(Fault.duplicate(), When.calling(CREATE_VOLUME));

    Ended ended = caller.call(CREATE_VOLUME, Requests.create("v"));

    assertThat(ended.code()).isEqualTo(Status.Code.OK);
    assertThat(ended.messages()).hasSize(1);
    assertThat(plugin.journal().calls(CREATE_VOLUME)).hasSize(2).allMatch(RecordedCall::ok);
    assertThat(proxy.journal().calls(CREATE_VOLUME)).hasSize(1);
  }

  @Test
  void aDropBreaksTheConnectionOfTheCallerAndNothingElse() {
    var unused = proxy.inject(Fault.applyThenDrop(), When.calling(CREATE_VOLUME).once());

    assertThat(caller.call(CREATE_VOLUME, Requests.create("v")).code())
        .isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(proxy.journal().last(CREATE_VOLUME).orElseThrow().end())
        .contains(new CallEnd.Broken());
    assertThat(plugin.contents().volumes()).hasSize(1);
    assertThat(caller.call(CREATE_VOLUME, Requests.create("v")).code()).isEqualTo(Status.Code.OK);
  }

  @Test
  void aDelayHoldsTheCallBack() {
    var unused = proxy.inject(Fault.delay(Duration.ofMillis(30)), When.calling(PROBE));

    assertThat(caller.call(PROBE, Requests.probe()).code()).isEqualTo(Status.Code.OK);
    RecordedCall call = proxy.journal().last(PROBE).orElseThrow();
    assertThat(Duration.between(call.began(), call.ended().orElseThrow()))
        .isGreaterThanOrEqualTo(Duration.ofMillis(30));
  }

  @Test
  void anAnswerIsChangedGivenOrMadeWrong() throws InvalidProtocolBufferException {
    var changed =
        proxy.inject(
            Fault.change(GET_PLUGIN_INFO, "{\"vendor_version\": \"9\"}"),
            When.calling(GET_PLUGIN_INFO).once());
    GetPluginInfoResponse told = info();
    assertThat(told.getVendorVersion()).isEqualTo("9");
    assertThat(told.getName()).isEqualTo(plugin.shape().name().value());
    assertThat(changed.hits()).isEqualTo(1);

    var given =
        proxy.inject(
            Fault.answer(GET_PLUGIN_INFO, "{\"name\": \"x\"}"),
            When.calling(GET_PLUGIN_INFO).once());
    assertThat(info()).isEqualTo(GetPluginInfoResponse.newBuilder().setName("x").build());
    assertThat(given.hits()).isEqualTo(1);

    var unused = proxy.inject(Fault.answer(WrongAnswer.NO_MESSAGE), When.calling(LIST_VOLUMES));
    Ended none = caller.call(LIST_VOLUMES, ListVolumesRequest.getDefaultInstance());
    assertThat(none.code()).isEqualTo(Status.Code.OK);
    assertThat(none.messages()).isEmpty();
    assertThat(proxy.findings()).isEmpty();
  }

  private GetPluginInfoResponse info() throws InvalidProtocolBufferException {
    return GetPluginInfoResponse.parseFrom(
        caller.call(GET_PLUGIN_INFO, GetPluginInfoRequest.getDefaultInstance()).messages().get(0));
  }

  // The plugin.

  @Test
  void anAnswerThatBreaksTheSpecIsFound() {
    var unused =
        plugin.answer(
            CREATE_VOLUME,
            request -> Map.of("volume", Map.of("capacity_bytes", 5, "volume_context", Map.of())));

    assertThat(caller.call(CREATE_VOLUME, Requests.create("v")).code()).isEqualTo(Status.Code.OK);
    assertThat(proxy.findings().stream().map(AnswerFinding::toString))
        .containsExactly(
            "The answer to #1 CreateVolume breaks the spec: volume.volume_id is absent, and the"
                + " spec marks it REQUIRED.",
            "The answer to #1 CreateVolume breaks the spec: volume.capacity_bytes is 5, less than"
                + " the required_bytes 1073741824.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GET_PLUGIN_INFO | {} | {\"name\": \"-x\"} | name is '-x'; the spec allows up to 63"
            + " letters,"
            + " digits, dashes and dots, with a letter or digit at both ends.",
        "CREATE_VOLUME | {\"capacity_range\": {\"limit_bytes\": 7}} | {\"volume\":"
            + " {\"capacity_bytes\": 8}} | volume.capacity_bytes is 8, more than the limit_bytes"
            + " 7.",
        "CONTROLLER_EXPAND_VOLUME | {\"capacity_range\": {\"required_bytes\": 7}} |"
            + " {\"capacity_bytes\": 6} | capacity_bytes is 6, less than the required_bytes"
            + " 7.",
        "CONTROLLER_GET_VOLUME | {\"volume_id\": \"a\"} | {\"volume\": {\"volume_id\": \"b\"}} |"
            + " volume.volume_id is 'b'; requested was 'a'.",
        "CREATE_SNAPSHOT | {\"source_volume_id\": \"a\"} | {\"snapshot\": {\"source_volume_id\":"
            + " \"b\"}} | snapshot.source_volume_id is 'b'; requested was 'a'.",
        "LIST_VOLUMES | {\"max_entries\": 1} | {\"entries\": [{}, {}]} | entries has 2 entries;"
            + " max_entries was 1.",
        "LIST_SNAPSHOTS | {\"max_entries\": 1} | {\"entries\": [{}, {}]} | entries has 2 entries;"
            + " max_entries was 1.",
        "LIST_SNAPSHOTS | {\"snapshot_id\": \"a\"} | {\"entries\": [{}, {\"snapshot\":"
            + " {\"snapshot_id\": \"b\"}}]} | entries[1].snapshot.snapshot_id is 'b'; requested was"
            + " 'a'.",
        "LIST_SNAPSHOTS | {\"source_volume_id\": \"a\"} | {\"entries\": [{\"snapshot\":"
            + " {\"source_volume_id\": \"b\"}}]} | entries[0].snapshot.source_volume_id is 'b';"
            + " requested was 'a'."
      })
  void anAnswerThatDoesNotFitItsRequestIsFound(
      CsiOperation operation, String request, String answer, String finding) {
    var unused = plugin.inject(Fault.answer(operation, answer), When.calling(operation));
    Message asked =
        MessageFields.with(WireOperation.of(operation).request(), JsonReader.object(request));

    assertThat(caller.call(operation, asked).code()).isEqualTo(Status.Code.OK);

    assertThat(proxy.findings().stream().map(AnswerFinding::toString))
        .contains("The answer to #1 " + operation.rpcName() + " breaks the spec: " + finding);
  }

  @Test
  void aKilledPluginBreaksTheConnectionsOfCallersAndIsFoundAgain() {
    assertThat(caller.call(PROBE, Requests.probe()).code()).isEqualTo(Status.Code.OK);
    var unused = proxy.inject(Fault.applyThenHang(), When.calling(CREATE_VOLUME).once());
    Pending pending = caller.begin(CREATE_VOLUME, Requests.create("v"));
    var worked =
        proxy.journal().await(call -> call.operation() == CREATE_VOLUME && call.worked(), SOON);
    assertThat(worked.end()).isEmpty();

    plugin.stop();

    Ended ended = pending.ended();
    assertThat(ended.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(ended.status().getDescription()).doesNotContain("proxy");
    assertThat(proxy.journal().last(CREATE_VOLUME).orElseThrow().end())
        .contains(new CallEnd.Broken());
    assertThat(isListening(proxy)).as("refused before the connections broke").isFalse();
    assertThat(proxy.endpoint().path()).as("that of a killed plugin stays").exists();
    assertThat(caller.call(PROBE, Requests.probe()).code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(proxy.lookForPlugin()).isFalse();

    plugin.start();

    await("the proxy listens", () -> isListening(proxy));
    assertThat(answeredAgain()).isEqualTo(Status.Code.OK);
    assertThat(proxy.journal().calls(PROBE)).hasSize(2).allMatch(RecordedCall::ok);
    assertThat(proxy.journal().events())
        .filteredOn(event -> event instanceof JournalEvent.Stopped)
        .hasSize(1);
  }

  /** A call by another caller: the first one may still pause after it found no socket. */
  private Status.Code answeredAgain() {
    try (RawCaller other = new RawCaller(proxy.endpoint())) {
      return other.call(PROBE, Requests.probe()).code();
    }
  }

  private static boolean isListening(CsiProxy proxy) {
    try (SocketChannel knock = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      return knock.connect(UnixDomainSocketAddress.of(proxy.endpoint().path()));
    } catch (IOException refused) {
      return false;
    }
  }

  private static void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + SOON.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      LockSupport.parkNanos(100_000);
    }
  }

  @Test
  void aPluginThatRestartsIsThereAllTheTimeForWhoConnectsAfterIt() {
    for (int i = 0; i < 50; i++) {
      plugin.restart();
      assertThat(proxy.lookForPlugin()).isTrue();
      assertThat(answeredAgain()).isEqualTo(Status.Code.OK);
      plugin.replaceSocket();
      assertThat(proxy.lookForPlugin()).isTrue();
      assertThat(answeredAgain()).isEqualTo(Status.Code.OK);
    }
    assertThat(plugin.journal().calls(PROBE)).hasSize(100).allMatch(RecordedCall::ok);
    assertThat(proxy.journal().calls(PROBE)).hasSize(100).allMatch(RecordedCall::ok);
  }

  @Test
  void aRefusalDoesNotOutliveThePluginThatGaveIt() {
    var unused =
        plugin.inject(
            Fault.fail(StatusCode.INVALID_ARGUMENT, "too new"), When.calling(CREATE_VOLUME).once());
    assertThat(create("v").code()).isEqualTo(Status.Code.INVALID_ARGUMENT);

    plugin.restart();

    assertThat(proxy.lookForPlugin()).isTrue();
    assertThat(create("v").code()).isEqualTo(Status.Code.OK);
    proxy.assertLawful();
  }

  /** Creates a volume as a caller that has just connected. */
  private Ended create(String name) {
    try (RawCaller other = new RawCaller(proxy.endpoint())) {
      assertThat(other.call(PROBE, Requests.probe()).code()).isEqualTo(Status.Code.OK);
      assertThat(other.call(GET_PLUGIN_INFO, GetPluginInfoRequest.getDefaultInstance()).code())
          .isEqualTo(Status.Code.OK);
      assertThat(
              other
                  .call(GET_PLUGIN_CAPABILITIES, GetPluginCapabilitiesRequest.getDefaultInstance())
                  .code())
          .isEqualTo(Status.Code.OK);
      assertThat(
              other
                  .call(
                      CONTROLLER_GET_CAPABILITIES,
                      ControllerGetCapabilitiesRequest.getDefaultInstance())
                  .code())
          .isEqualTo(Status.Code.OK);
      return other.call(CREATE_VOLUME, Requests.create(name));
    }
  }

  @Test
  void aPluginThatIsNotThereYetHasNoSocketAndTheProxyListensOnceItDoes() throws IOException {
    Path socket = directory.resolve("late.sock");
    Path between = directory.resolve("p.sock");
    try (CsiProxy early =
        CsiProxy.builder(CsiEndpoint.of(socket)).socket(between).newPlugin(true).open()) {
      assertThat(between).doesNotExist();
      assertThat(early.lookForPlugin()).isFalse();
      assertThat(between).doesNotExist();
      try (FakeCsiPlugin late = FakeCsiPlugin.builder().socket(socket).open()) {
        await("it listens", () -> Files.exists(between));
        try (CsiPlugin client = CsiPlugin.connect(early.endpoint())) {
          assertThat(client.identity().getPluginInfo().name()).isEqualTo(late.shape().name());
        }
        late.restart();
        assertThat(early.lookForPlugin()).isTrue();
      }
      await("its socket is gone", () -> !Files.exists(between));
      assertThat(early.journal().operations())
          .containsExactly(PROBE, GET_PLUGIN_INFO, GET_PLUGIN_INFO);
    }
  }

  @Test
  void aPluginThatEndsBeforeItsFirstCallIsStillNew() {
    plugin.restart();
    assertThat(proxy.lookForPlugin()).isTrue();

    assertThat(answeredAgain()).isEqualTo(Status.Code.OK);

    assertThat(proxy.journal().events())
        .hasOnlyElementsOfTypes(
            JournalEvent.Began.class, JournalEvent.Worked.class, JournalEvent.Ended.class);
  }

  @Test
  void aPluginThatTakesItsLeaveEndsTheCallsThatItHas() throws IOException {
    ForeignPlugin foreign = new ForeignPlugin(directory.resolve("f.sock"));
    try (CsiProxy between = CsiProxy.open(foreign.endpoint());
        RawCaller client = new RawCaller(between.endpoint())) {
      assertThat(client.call(PROBE, Requests.probe()).code()).isEqualTo(Status.Code.NOT_FOUND);
      Metadata headers = new Metadata();
      CompletableFuture<String> heard = new CompletableFuture<>();
      CompletableFuture<Status> status = new CompletableFuture<>();
      ClientCall<byte[], byte[]> open =
          client
              .channel()
              .newCall(
                  MethodDescriptor.newBuilder(new RawCaller.Bytes(), new RawCaller.Bytes())
                      .setFullMethodName("vendor.v7.Extras/Chat")
                      .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                      .build(),
                  CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS));
      open.start(
          new ClientCall.Listener<>() {
            @Override
            public void onMessage(byte[] message) {
              heard.complete(new String(message, StandardCharsets.UTF_8));
            }

            @Override
            public void onClose(Status ended, Metadata told) {
              status.complete(ended);
            }
          },
          headers);
      open.request(2);
      open.sendMessage("ping".getBytes(StandardCharsets.UTF_8));
      assertThat(heard.orTimeout(20, TimeUnit.SECONDS).join()).isEqualTo("ping");

      foreign.takeLeave();

      await("nobody new is let in", () -> !Files.exists(between.endpoint().path()));
      assertThat(status).isNotDone();
      open.halfClose();
      assertThat(status.orTimeout(20, TimeUnit.SECONDS).join().getDescription()).isEqualTo("näher");
      assertThat(client.call(PROBE, Requests.probe()).code()).isEqualTo(Status.Code.UNAVAILABLE);
    } finally {
      foreign.close();
    }
  }

  @Test
  void aPluginThatEndsEachConnectionIsNotAskedWithoutAPause() throws Exception {
    Path socket = directory.resolve("rude.sock");
    try (ServerSocketChannel rude = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      rude.bind(UnixDomainSocketAddress.of(socket));
      AtomicInteger asked = new AtomicInteger();
      Thread ending =
          new Thread(
              () -> {
                try {
                  while (true) {
                    rude.accept().close();
                    asked.incrementAndGet();
                  }
                } catch (IOException closed) {
                  // The test is over.
                }
              },
              "rude-plugin");
      ending.start();
      long begun = System.nanoTime();
      try (CsiProxy between = CsiProxy.open(CsiEndpoint.of(socket))) {
        await("it tries again", () -> asked.get() > 4);
        long pauses = (System.nanoTime() - begun) / Duration.ofMillis(10).toNanos();

        assertThat(asked.get()).isLessThanOrEqualTo((int) pauses + 2);
        assertThat(between.journal().events()).hasSize(1); // it is no new plugin
      }
      rude.close();
      ending.join();
    }
  }

  @Test
  void aPluginThatDiesWhileTheProxyIsFrozenIsMissedWhenItThaws() {
    assertThat(caller.call(PROBE, Requests.probe()).code()).isEqualTo(Status.Code.OK);
    proxy.freeze();
    // What gRPC has not written when a connection breaks ends with UNKNOWN.
    Pending pending = caller.begin(PROBE, Requests.probe()).written();
    plugin.stop();

    assertThat(isListening(proxy)).isTrue();
    assertThat(pending.end()).isNotDone();
    proxy.thaw();

    assertThat(pending.ended().code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(proxy.lookForPlugin()).isFalse();
    assertThat(isListening(proxy)).isFalse();
  }

  @Test
  void aFaultActsAlsoOnACallWhosePluginRestarts() {
    var rule =
        proxy.inject(
            Fault.apply().then(Fault.delay(Duration.ofMillis(50))).then(Fault.drop()),
            When.calling(CREATE_VOLUME).once());
    Pending pending = caller.begin(CREATE_VOLUME, Requests.create("v"));
    var worked = proxy.journal().await(RecordedCall::worked, SOON);
    assertThat(worked.operation()).isEqualTo(CREATE_VOLUME);

    plugin.restart();

    assertThat(pending.ended().code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(rule.hits()).isEqualTo(1);
    assertThat(proxy.lookForPlugin()).isTrue();
    assertThat(answeredAgain()).isEqualTo(Status.Code.OK);
    assertThat(proxy.journal().last(CREATE_VOLUME).orElseThrow().end())
        .contains(new CallEnd.Broken());
  }

  @Test
  void aSocketThatIsTakenMeanwhileIsListenedOnOnceItIsFree() throws IOException {
    Path socket = directory.resolve("p.sock");
    try (CsiProxy between = CsiProxy.builder(plugin.endpoint()).socket(socket).open()) {
      plugin.stop();
      assertThat(between.lookForPlugin()).isFalse();
      try (FakeCsiPlugin squatter = FakeCsiPlugin.builder().socket(socket).open()) {
        plugin.start();
        assertThat(between.lookForPlugin()).isTrue();
        try (RawCaller other = new RawCaller(between.endpoint())) {
          assertThat(other.call(PROBE, Requests.probe()).code()).isEqualTo(Status.Code.OK);
        }
        assertThat(squatter.journal().operations()).containsExactly(PROBE);
      }
      await("the path is free and taken again", () -> isListening(between));
      try (RawCaller other = new RawCaller(between.endpoint())) {
        assertThat(other.call(PROBE, Requests.probe()).code()).isEqualTo(Status.Code.OK);
      }
      assertThat(plugin.journal().calls(PROBE)).hasSize(1);
    }
  }

  @Test
  void aFrozenProxyAnswersWhenItThaws() {
    assertThat(caller.call(PROBE, Requests.probe()).code()).isEqualTo(Status.Code.OK);
    proxy.freeze();
    Pending pending = caller.begin(PROBE, Requests.probe());

    assertThat(pending.end()).isNotDone();
    proxy.thaw();

    assertThat(pending.ended().code()).isEqualTo(Status.Code.OK);
    assertThat(plugin.journal().calls(PROBE)).hasSize(2);
  }

  @Test
  void aFrozenPluginIsWaitedForUntilTheCallersDeadline() {
    plugin.freeze();
    Pending pending =
        caller.begin(
            PROBE.fullName(),
            new byte[0],
            CallOptions.DEFAULT.withDeadlineAfter(200, TimeUnit.MILLISECONDS));

    assertThat(pending.ended().code()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
    plugin.thaw();
    assertThat(caller.call(PROBE, Requests.probe()).code()).isEqualTo(Status.Code.OK);
  }

  // Its own life.

  @Test
  void itDoesNotListenOnTheSocketOfItsPlugin() {
    assertThatThrownBy(
            () ->
                CsiProxy.builder(plugin.endpoint()).socket(plugin.endpoint().path()).open().close())
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("which is the socket of the plugin");
  }

  @Test
  void closedByTwoThreadsItLeavesNeitherSocketNorThreadWhenEitherReturns() {
    Path socket = proxy.endpoint().path();
    assertThat(socket).exists();

    CompletableFuture.anyOf(
            CompletableFuture.runAsync(proxy::close), CompletableFuture.runAsync(proxy::close))
        .join();

    assertThat(socket.getParent()).doesNotExist();
    assertThat(PluginThread.of(proxy.journal())).isEmpty();
  }

  // Recordings.

  @Test
  void aSecondProxyThatCannotListenLeavesTheRecordingOfTheFirst() throws IOException {
    Path file = directory.resolve("calls.jsonl");
    Path socket = directory.resolve("proxy.sock");
    try (CsiProxy recorder =
            CsiProxy.builder(plugin.endpoint()).socket(socket).record(file).open();
        RawCaller client = new RawCaller(recorder.endpoint())) {
      assertThat(client.call(CREATE_VOLUME, Requests.create("v")).code()).isEqualTo(Status.Code.OK);
      CsiProxy.Builder second = CsiProxy.builder(plugin.endpoint()).socket(socket).record(file);

      assertThatThrownBy(second::open).isInstanceOf(UncheckedIOException.class);

      assertThat(client.call(CREATE_VOLUME, Requests.create("w")).code()).isEqualTo(Status.Code.OK);
      recorder.close();
      assertThat(Recording.read(file).calls()).hasSize(2);
      assertThat(recorder.recordingFailed()).isFalse();
    }
  }

  @Test
  void aRecordingWithSecretsIsForItsOwnerAlone() throws IOException {
    Path there = Files.createFile(directory.resolve("there.jsonl"));
    Files.setPosixFilePermissions(there, PosixFilePermissions.fromString("rw-r--r--"));
    for (Path file : List.of(there, directory.resolve("new.jsonl"))) {
      CsiProxy.builder(plugin.endpoint()).record(file).recordSecrets(true).open().close();

      assertThat(Files.getPosixFilePermissions(file))
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }
  }

  @Test
  void aRecordingThatCannotBeWrittenIsTold() {
    try (CsiProxy recorder =
            CsiProxy.builder(plugin.endpoint()).record(Path.of("/dev/full")).open();
        RawCaller client = new RawCaller(recorder.endpoint())) {
      assertThat(client.call(CREATE_VOLUME, Requests.create("v")).code()).isEqualTo(Status.Code.OK);
      recorder.close();

      assertThat(recorder.recordingFailed()).isTrue();
    }
  }

  @Test
  void aRecordingHoldsEveryCallAndNoSecret() throws IOException {
    Path file = directory.resolve("calls.jsonl");
    try (CsiProxy recorder = CsiProxy.builder(plugin.endpoint()).record(file).open();
        RawCaller client = new RawCaller(recorder.endpoint())) {
      Ended ok =
          client.call(
              CREATE_VOLUME,
              Requests.create("v").toBuilder().putSecrets("key", "canary-1234").build());
      Ended refused = client.call(CREATE_VOLUME, Requests.create(""));
      assertThat(ok.code()).isEqualTo(Status.Code.OK);
      assertThat(refused.code()).isEqualTo(Status.Code.INVALID_ARGUMENT);
      recorder.close();

      Recording read = Recording.read(file);
      assertThat(Files.readString(file)).doesNotContain("canary-1234").contains("<redacted>");
      assertThat(read.calls()).hasSize(2);
      RecordedCall first = read.calls().get(0);
      RecordedCall seen = recorder.journal().calls().get(0);
      assertThat(first.operation()).isEqualTo(CREATE_VOLUME);
      assertThat(first.end().map(Object::toString)).isEqualTo(seen.end().map(Object::toString));
      assertThat(first.request().json()).isEqualTo(seen.request().json());
      assertThat(read.calls().get(1).end()).isEqualTo(recorder.journal().calls().get(1).end());
      assertThat(Recording.parse("again", read.lines()).lines()).isEqualTo(read.lines());
    }
  }

  @Test
  void aLineThatIsNoCallIsNamed() {
    assertThatThrownBy(() -> Recording.parse("f", List.of("", "{\"call\":1}")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("f:2: no recorded call: The field method must be a text.");
  }

  @Test
  void aRecordingPlaysAgainstAnotherPluginWithIdsOfItsOwn() throws InvalidProtocolBufferException {
    Recording recording = recorded();
    try (FakeCsiPlugin other = FakeCsiPlugin.open()) {
      takeAnId(other);
      List<CallReplay.Played> played = CallReplay.of(recording).against(other.endpoint());

      assertThat(played).hasSize(recording.calls().size());
      assertThat(played).allMatch(each -> each.differences().isEmpty());
      assertThat(other.contents().volumes()).isEmpty();
    }
  }

  /** Makes a volume and deletes it, so that the next has another id than in a new plugin. */
  private static void takeAnId(FakeCsiPlugin plugin) throws InvalidProtocolBufferException {
    try (RawCaller client = new RawCaller(plugin.endpoint())) {
      Ended made = client.call(CREATE_VOLUME, Requests.create("taken"));
      String id = CreateVolumeResponse.parseFrom(made.messages().get(0)).getVolume().getVolumeId();
      assertThat(client.call(DELETE_VOLUME, Requests.delete(id)).code()).isEqualTo(Status.Code.OK);
    }
  }

  @Test
  void aPluginThatAnswersOtherwiseDiffers() {
    Recording recording = recorded();
    try (FakeCsiPlugin other = FakeCsiPlugin.open()) {
      var refusing =
          other.inject(
              Fault.fail(StatusCode.RESOURCE_EXHAUSTED, "full"), When.calling(CREATE_VOLUME));

      List<CallReplay.Played> played = CallReplay.of(recording).against(other.endpoint());

      assertThat(refusing.hits()).isEqualTo(1);
      assertThat(played.get(0).differences())
          .containsExactly("ended with RESOURCE_EXHAUSTED (8); recorded was OK");
    }
  }

  @Test
  void aRecordingPlaysAsAPlugin() throws IOException {
    Recording recording = recorded();
    try (RecordedPlugin player = RecordedPlugin.open(recording);
        RawCaller client = new RawCaller(player.endpoint())) {
      Ended made = client.call(CREATE_VOLUME, Requests.create("v"));
      Ended other = client.call(PROBE, Requests.probe());

      assertThat(CreateVolumeResponse.parseFrom(made.messages().get(0)).getVolume().getVolumeId())
          .isEqualTo(
              recording.calls().get(0).answer().orElseThrow().message("volume").text("volume_id"));
      assertThat(other.code()).isEqualTo(Status.Code.FAILED_PRECONDITION);
      assertThat(other.status().getDescription()).contains("The recording has no call of Probe");
    }
  }

  @Test
  void aRecordedPluginGivesTheAnswersToRepeatedRequestsInTheirOrder() throws Exception {
    Recording recording =
        Recording.read(Path.of(CsiProxyTest.class.getResource("calls.jsonl").toURI()));
    Path socket = directory.resolve("made/recorded.sock");
    try (RecordedPlugin player = RecordedPlugin.at(socket, recording);
        RawCaller client = new RawCaller(CsiEndpoint.of(socket))) {
      assertThat(client.call(PROBE, Requests.probe()).code()).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(client.call(PROBE, Requests.probe()).code()).isEqualTo(Status.Code.OK);
      assertThat(client.call(PROBE, Requests.probe()).code()).isEqualTo(Status.Code.OK);
      assertThat(player.journal().calls()).hasSize(3);
    }
  }

  /** A volume made and deleted again. */
  private Recording recorded() {
    try {
      String id =
          CreateVolumeResponse.parseFrom(
                  caller.call(CREATE_VOLUME, Requests.create("v")).messages().get(0))
              .getVolume()
              .getVolumeId();
      Ended listed = caller.call(LIST_VOLUMES, ListVolumesRequest.getDefaultInstance());
      assertThat(listed.code()).isEqualTo(Status.Code.OK);
      Ended deleted = caller.call(DELETE_VOLUME, Requests.delete(id));
      assertThat(deleted.code()).isEqualTo(Status.Code.OK);
      return Recording.of(proxy.journal());
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }
}

package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.ListVolumesRequest;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.proxy.CsiProxy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The gRPC of Node at the other end of a socket: as the plugin of csi4j's client, and as the caller
 * of the testkit's plugin; each with the proxy between.
 */
@Tag("campaign")
class NodeStackTest {

  private static final String PING_ANSWERED = "Received ping response";
  private static final Map<String, String> SHOW_PINGS =
      Map.of("GRPC_TRACE", "keepalive", "GRPC_VERBOSITY", "DEBUG");
  private static final Duration LONG = Duration.ofSeconds(60);

  /** A status text with punctuation, two lines, and letters of one to four octets. */
  private static final String TEXT = "50% of ä, € and 𝄞; #1 at /a?b=c&d [e]+{f}\n\"second\" line";

  @TempDir Path directory;

  @BeforeEach
  void require() throws Exception {
    NodePrograms.require();
  }

  private Path socket() {
    return directory.resolve("csi.sock");
  }

  private static RunningProgram serve(Path socket, String options) throws IOException {
    return listening(
        NodePrograms.start("src/test/node/stack.js", "serve", socket.toString(), options), socket);
  }

  private static RunningProgram listening(RunningProgram plugin, Path socket) throws IOException {
    assertThat(plugin.lineThatBegins("The plugin"))
        .isEqualTo("The plugin listens at unix://" + socket);
    return plugin;
  }

  private static CsiPlugin connect(Path socket) {
    return CsiPlugin.connect(CsiEndpoint.of(socket));
  }

  private static CreateVolumeRequest create(String name, Map<String, String> parameters) {
    return CreateVolumeRequest.builder(
            name, List.of(VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER)))
        .parameters(parameters)
        .build();
  }

  private static Volume createOnce(CsiPlugin plugin, String name, Map<String, String> parameters) {
    return plugin.controller().with(once(LONG)).createVolume(create(name, parameters));
  }

  private static CompletableFuture<Volume> createdLater(CsiPlugin plugin, Duration limit) {
    return plugin
        .controller()
        .with(once(limit))
        .async()
        .createVolume(create("after-a-line", Map.of()))
        .toCompletableFuture();
  }

  private static UnaryOperator<CallPolicy.Builder> once(Duration limit) {
    return policy -> policy.attempts(1).attemptDeadline(limit).budget(limit);
  }

  private static CsiException failure(Runnable call) {
    CsiException failed = catchThrowableOfType(CsiException.class, call::run);
    assertThat(failed).as("the failure of the call").isNotNull();
    return failed;
  }

  // The plugin is in Node.

  @Test
  void theLongestPathOfASocketIsServedAndALongerOneIsRefused() throws Exception {
    int room = 107 - directory.toString().getBytes(StandardCharsets.UTF_8).length - 1;
    Path longest = directory.resolve("s".repeat(room));
    try (RunningProgram plugin = serve(longest, "{}");
        CsiPlugin client = connect(longest)) {
      assertThat(client.name().orElseThrow().value()).isEqualTo("node.csi4j.test");
    }

    Path longer = directory.resolve("s".repeat(room + 1));
    CsiException refused = failure(() -> connect(longer).close());
    assertThat(refused)
        .isInstanceOfSatisfying(
            CsiConnectException.class,
            failed ->
                assertThat(failed.reason()).isEqualTo(CsiConnectException.Reason.PATH_TOO_LONG));
  }

  @Test
  void aPluginThatFindsTheSocketOfItsKilledPredecessorServesTheSameConnection() throws Exception {
    RunningProgram killed = serve(socket(), "{}");
    try (CsiPlugin client = connect(socket())) {
      killed.kill();
      assertThat(socket()).exists();
      CsiException failed = failure(() -> createOnce(client, "one", Map.of()));
      assertThat(failed.code()).isEqualTo(StatusCode.UNAVAILABLE);
      assertThat(failed.outcome()).isEqualTo(Outcome.SETTLED);

      try (RunningProgram second = serve(socket(), "{}")) {
        assertThat(client.controller().createVolume(create("one", Map.of())).id().value())
            .isEqualTo("v-1");
        assertThat(second.lineThatBegins("call CreateVolume")).contains("authority localhost");
      }
    } finally {
      killed.close();
    }
  }

  @Test
  void theAuthorityIsLocalhostAndTheDeadlineArrives() throws Exception {
    try (RunningProgram plugin = serve(socket(), "{}");
        CsiPlugin client = connect(socket())) {
      createOnce(client, "one", Map.of());
      assertThat(plugin.lineThatBegins("call CreateVolume"))
          .matches("call CreateVolume authority localhost deadline (5\\d{4}|60000)");
    }
  }

  @Test
  void aCallThatHangsEndsAtItsDeadlineAndThePluginSeesItEnd() throws Exception {
    try (RunningProgram plugin = serve(socket(), "{}");
        CsiPlugin client = connect(socket())) {
      CsiException failed =
          failure(
              () ->
                  client
                      .controller()
                      .with(once(Duration.ofMillis(300)))
                      .createVolume(create("hang", Map.of())));
      assertThat(failed.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
      assertThat(failed.outcome()).isEqualTo(Outcome.UNCERTAIN);
      assertThat(plugin.lineThatBegins("ended hang")).isEqualTo("ended hang");
      assertThat(client.identity().probe().isReady()).isTrue();
    }
  }

  @Test
  void aDeadlineOfAMonthIsNotOverAtOnce() throws Exception {
    try (RunningProgram plugin = serve(socket(), "{}");
        CsiPlugin client = connect(socket())) {
      CompletableFuture<Volume> created = createdLater(client, Duration.ofDays(30));
      plugin.lineThatBegins("call CreateVolume");
      for (int i = 0; i < 100; i++) {
        client.identity().probe();
      }
      plugin.order("now");
      assertThat(created.join().id().value()).isEqualTo("v-1");
    }
  }

  @Test
  void aPluginThatReceivesSigtermFinishesItsCallsAndItsSuccessorServesTheNext() throws Exception {
    try (RunningProgram plugin = serve(socket(), "{}");
        CsiPlugin client = connect(socket())) {
      CompletableFuture<Volume> running = createdLater(client, LONG);
      plugin.lineThatBegins("call CreateVolume");
      plugin.terminate();
      // Node removes the socket where it stops listening, just before it sends GOAWAY.
      while (Files.exists(socket())) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
      }
      CompletableFuture<Volume> next =
          client
              .controller()
              .with(patient -> patient.attempts(10_000).backoffCap(Duration.ofMillis(20)))
              .async()
              .createVolume(create("two", Map.of()))
              .toCompletableFuture();
      try (RunningProgram successor = serve(socket(), "{}")) {
        assertThat(next.join().id().value()).isEqualTo("v-1");
        successor.lineThatBegins("call CreateVolume");
        assertThat(running).isNotDone();
        plugin.order("now");
        assertFinished(running);
        assertThat(plugin.status()).isZero();
      }
    }
  }

  /** Node before 20 may end a connection before it has sent the last answer. */
  private static void assertFinished(CompletableFuture<Volume> running) throws Exception {
    try {
      assertThat(running.join().id().value()).isEqualTo("v-1");
    } catch (CompletionException lost) {
      assertThat(NodePrograms.release()).as("%s", lost).isLessThan(20);
      assertThat(lost.getCause())
          .isInstanceOfSatisfying(
              CsiException.class,
              failed -> {
                assertThat(failed.code()).isEqualTo(StatusCode.UNAVAILABLE);
                assertThat(failed.outcome()).isEqualTo(Outcome.UNCERTAIN);
              });
    }
  }

  @Test
  void noCallIsLostToAPluginThatEndsItsConnectionsAllTheTime() throws Exception {
    try (RunningProgram plugin = serve(socket(), "{\"grpc.max_connection_age_ms\": 200}");
        CsiPlugin client = connect(socket())) {
      long end = client.connectionChanges() + 20;
      while (client.connectionChanges() < end) {
        // Node refuses a call that was already on its way, and the policy sends it again.
        Volume created =
            client
                .controller()
                .with(policy -> policy.attempts(10))
                .createVolume(create("one", Map.of()));
        assertThat(created.id().value()).isEqualTo("v-1");
      }
    }
  }

  @Test
  void pingsAreAnsweredWhileACallRunsAndCostNoConnection() throws Exception {
    String eachTenth = "{\"grpc.keepalive_time_ms\": 10, \"grpc.keepalive_timeout_ms\": 60000}";
    try (RunningProgram plugin =
            listening(
                NodePrograms.start(
                    SHOW_PINGS, "src/test/node/stack.js", "serve", socket().toString(), eachTenth),
                socket());
        CsiPlugin client = connect(socket())) {
      long before = client.connectionChanges();
      CompletableFuture<Volume> running = createdLater(client, LONG);
      plugin.lineThatBegins("call CreateVolume");
      pings(plugin, 30);
      plugin.order("now");
      assertThat(running.join().id().value()).isEqualTo("v-1");
      assertThat(client.connectionChanges()).isEqualTo(before);
    }
  }

  private static void pings(RunningProgram program, int number) throws IOException {
    for (int i = 0; i < number; ) {
      String line = program.line();
      assertThat(line).isNotEqualTo("null").doesNotStartWith("ended after-a-line");
      if (line.contains(PING_ANSWERED)) {
        i++;
      }
    }
  }

  @Test
  void aListAboveTheLimitIsRefusedAndReadOnceTheLimitIsRaised() throws Exception {
    ListVolumesRequest eightMebibytes = ListVolumesRequest.builder().maxEntries(8 << 10).build();
    try (RunningProgram plugin = serve(socket(), "{}");
        CsiPlugin client = connect(socket());
        CsiPlugin wider =
            CsiPlugin.connect(
                CsiEndpoint.of(socket()),
                ConnectOptions.builder().maxMessageBytes(16 << 20).build())) {
      long before = client.connectionChanges();
      CsiException refused = failure(() -> client.controller().listVolumes(eightMebibytes));
      assertThat(refused.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
      assertThat(refused).hasMessageContaining("4194304");
      assertThat(client.identity().probe().isReady()).isTrue();
      assertThat(client.connectionChanges()).isEqualTo(before);

      assertThat(wider.controller().listVolumes(eightMebibytes).entries()).hasSize(8 << 10);
    }
  }

  @Test
  void theLargestRequestIsTakenAndOneAboveTheLimitOfThePluginCostsNoConnection() throws Exception {
    Map<String, String> largest = Map.of("filler", "x".repeat((1 << 20) - "filler".length()));
    try (RunningProgram plugin = serve(socket(), "{}");
        CsiPlugin client = connect(socket())) {
      assertThat(createOnce(client, "one", largest).id().value()).isEqualTo("v-1");
    }

    try (RunningProgram plugin = serve(socket(), "{\"grpc.max_receive_message_length\": 65536}");
        CsiPlugin client = connect(socket())) {
      long before = client.connectionChanges();
      CsiException refused = failure(() -> createOnce(client, "one", largest));
      assertThat(refused.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
      assertThat(refused).hasMessageContaining("larger than max");
      assertThat(client.identity().probe().isReady()).isTrue();
      assertThat(client.connectionChanges()).isEqualTo(before);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theTextOfAStatusArrivesWithEachOfItsLetters(boolean throughTheProxy) throws Exception {
    try (RunningProgram plugin = serve(socket(), "{}");
        CsiProxy proxy = CsiProxy.open(CsiEndpoint.of(socket()));
        CsiPlugin client =
            CsiPlugin.connect(throughTheProxy ? proxy.endpoint() : CsiEndpoint.of(socket()))) {
      CsiException failed =
          failure(() -> createOnce(client, "fail", Map.of("code", "11", "text", TEXT)));
      assertThat(failed.code()).isEqualTo(StatusCode.OUT_OF_RANGE);
      assertThat(failed)
          .hasMessageContaining("50% of ä, € and 𝄞; #1 at /a?b=c&d [e]+{f}\\n\"second\" line");

      CsiException longer =
          failure(
              () -> createOnce(client, "fail", Map.of("code", "11", "text", "ä".repeat(5_000))));
      assertThat(longer.code()).isEqualTo(StatusCode.OUT_OF_RANGE);
      assertThat(longer).hasMessageContaining("ä".repeat(400));
    }
  }

  @Test
  void theProxyPassesOnWhatNodeSaysAndEndsWhereNodeEnds() throws Exception {
    try (RunningProgram plugin = serve(socket(), "{}");
        CsiProxy proxy = CsiProxy.builder(CsiEndpoint.of(socket())).newPlugin(true).open();
        CsiPlugin client =
            CsiPlugin.connect(
                proxy.endpoint(), ConnectOptions.builder().maxMessageBytes(16 << 20).build())) {
      createOnce(client, "one", Map.of());
      assertThat(plugin.lineThatBegins("call CreateVolume"))
          .matches("call CreateVolume authority localhost deadline (5\\d{4}|60000)");
      ListVolumesRequest eightMebibytes = ListVolumesRequest.builder().maxEntries(8 << 10).build();
      assertThat(client.controller().listVolumes(eightMebibytes).entries()).hasSize(8 << 10);

      CompletableFuture<Volume> running = createdLater(client, LONG);
      plugin.lineThatBegins("call CreateVolume");
      plugin.terminate();
      while (Files.exists(proxy.endpoint().path())) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
      }
      plugin.order("now");
      assertFinished(running);
      assertThat(plugin.status()).isZero();
      assertThat(proxy.findings()).isEmpty();
      proxy.assertLawful();
    }
  }

  // The caller is in Node.

  private RunningProgram caller(CsiEndpoint plugin, Map<String, String> variables, String options)
      throws IOException {
    RunningProgram caller =
        NodePrograms.start(
            variables, "src/test/node/stack.js", "call", plugin.path().toString(), options);
    caller.lineThatBegins("ready");
    return caller;
  }

  private static String call(RunningProgram caller, String call) throws IOException {
    caller.order(call);
    return caller.line();
  }

  private static String creation(String name, String timeout) {
    return "controller CreateVolume "
        + timeout
        + " {\"name\": \""
        + name
        + "\", \"volume_capabilities\": [{\"mount\": {}, \"access_mode\": {\"mode\":"
        + " \"SINGLE_NODE_WRITER\"}}]}";
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aCallerInNodeIsServedAsLocalhostUntilItsDeadlineAndNotIfItPacks(boolean throughTheProxy)
      throws Exception {
    try (FakeCsiPlugin fake = FakeCsiPlugin.open();
        CsiProxy proxy = CsiProxy.builder(fake.endpoint()).newPlugin(true).open()) {
      CsiEndpoint endpoint = throughTheProxy ? proxy.endpoint() : fake.endpoint();
      try (RunningProgram caller = caller(endpoint, Map.of(), "{}")) {
        assertThat(call(caller, "identity GetPluginInfo none {}")).startsWith("0 ");
        assertThat(call(caller, creation("volume", "60000"))).startsWith("0 ");
      }
      assertThat(fake.journal().calls(CsiOperation.CREATE_VOLUME))
          .singleElement()
          .matches(RecordedCall::ok)
          .extracting(RecordedCall::authority)
          .isEqualTo("localhost");

      // A server in Go answers so, too, unless it imports the package gzip.
      try (RunningProgram packing =
          caller(endpoint, Map.of(), "{\"grpc.default_compression_algorithm\": 2}")) {
        assertThat(call(packing, "identity GetPluginInfo none {}"))
            .isEqualTo("12 0 \"The request is compressed. Send it as it is.\"");
      }

      fake.inject(Fault.hang(), When.calling(CsiOperation.CREATE_VOLUME).once());
      try (RunningProgram caller = caller(endpoint, Map.of(), "{}")) {
        assertThat(call(caller, creation("other", "200"))).startsWith("4 ");
        RecordedCall hung =
            fake.journal()
                .await(
                    call ->
                        call.operation() == CsiOperation.CREATE_VOLUME
                            && !call.ok()
                            && call.end().isPresent(),
                    LONG);
        assertThat(hung.end()).containsInstanceOf(CallEnd.Abandoned.class);
      }
      assertThat(proxy.unknownMethods()).isEmpty();
      fake.assertLawful();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aCallerInNodeGetsLongListsAndTheTextsOfFailures(boolean throughTheProxy) throws Exception {
    try (FakeCsiPlugin fake = FakeCsiPlugin.open();
        CsiProxy proxy = CsiProxy.open(fake.endpoint())) {
      for (int i = 0; i < 6 << 10; i++) {
        fake.addVolume(
            VolumeId.of("volume-" + i),
            CapacityRange.atLeast(1 << 20),
            VolumeContext.of(Map.of("filler", "x".repeat(1 << 10))));
      }
      CsiEndpoint endpoint = throughTheProxy ? proxy.endpoint() : fake.endpoint();
      try (RunningProgram caller = caller(endpoint, Map.of(), "{}")) {
        assertThat(call(caller, "controller ListVolumes none {}"))
            .startsWith("8 ")
            .contains("larger than max");
        fake.inject(
            Fault.fail(StatusCode.OUT_OF_RANGE, TEXT), When.calling(CsiOperation.LIST_VOLUMES));
        assertThat(call(caller, "controller ListVolumes none {}"))
            .isEqualTo("11 0 \"50% of ä, € and 𝄞; #1 at /a?b=c&d [e]+{f}\\n\\\"second\\\" line\"");
        fake.clearFaults();
      }
      String wider = "{\"grpc.max_receive_message_length\": " + (16 << 20) + "}";
      try (RunningProgram caller = caller(endpoint, Map.of(), wider)) {
        assertThat(call(caller, "controller ListVolumes none {}")).matches("0 [678]\\d{6} ");
      }
    }
  }

  @Test
  void aCallerInNodeComesBackToAPluginThatStartedAgain() throws Exception {
    try (FakeCsiPlugin fake = FakeCsiPlugin.open();
        RunningProgram caller =
            caller(
                fake.endpoint(),
                Map.of(),
                "{\"grpc.initial_reconnect_backoff_ms\": 100,"
                    + " \"grpc.max_reconnect_backoff_ms\": 100}")) {
      assertThat(call(caller, "identity Probe 60000 {}")).startsWith("0 ");
      fake.stop();
      assertThat(call(caller, "identity Probe 60000 {}")).startsWith("14 ");
      fake.start();
      // Between two attempts to connect, Node fails each call with the result of the last attempt.
      String answer;
      do {
        answer = call(caller, "identity Probe 60000 {}");
      } while (answer.startsWith("14 "));
      assertThat(answer).startsWith("0 ");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void pingsOfACallerAreAnsweredWhileItsCallHangs(boolean throughTheProxy) throws Exception {
    try (FakeCsiPlugin fake = FakeCsiPlugin.open();
        CsiProxy proxy = CsiProxy.open(fake.endpoint());
        RunningProgram caller =
            caller(
                throughTheProxy ? proxy.endpoint() : fake.endpoint(),
                SHOW_PINGS,
                "{\"grpc.keepalive_time_ms\": 10, \"grpc.keepalive_timeout_ms\": 60000}")) {
      fake.inject(Fault.hang(), When.calling(CsiOperation.PROBE).once());
      caller.order("identity Probe none {}");
      pings(caller, 30);
      fake.release();
      assertThat(caller.lineThatBegins("0 ")).matches("0 \\d+ ");
      assertThat(fake.journal().calls()).hasSize(1);
    }
  }
}

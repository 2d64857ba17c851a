package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.BoolValue;
import io.csi4j.client.identity.IdentityService.Readiness;
import io.csi4j.client.internal.proto.GetPluginInfoResponse;
import io.csi4j.client.internal.proto.ProbeResponse;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.ConnectOptions.Transport;
import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiConnectException.Reason;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.StatusCode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connecting to something that speaks gRPC: is it ready, healthy, and who is it? */
class ConnectTest extends AgainstScriptedPlugin {

  private static final PluginName REQUIRED = PluginName.of("ebs.csi.aws.com");
  private static final Duration SHORT = Duration.ofMillis(300);

  private static ProbeResponse ready(boolean value) {
    return ProbeResponse.newBuilder().setReady(BoolValue.of(value)).build();
  }

  private CsiConnectException failure(UnaryOperator<ConnectOptions.Builder> change) {
    CsiConnectException failure =
        catchThrowableOfType(CsiConnectException.class, () -> connect(change));
    assertThat(ourThreads()).isEmpty();
    assertThat(failure.operation()).isEmpty();
    assertThat(failure.outcome()).isEqualTo(Outcome.SETTLED);
    return failure;
  }

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  void aReadyPluginIsConnectedAndKnownByName(Transport transport) {
    CsiPlugin plugin = connect(options -> options.transport(transport));
    assertThat(plugin.name()).contains(PluginName.of("scripted.csi4j.example"));
    assertThat(plugin.vendorVersion()).contains(plugin.identity().getPluginInfo().vendorVersion());
    assertThat(plugin.transport()).isEqualTo(transport);
    assertThat(plugin.identity().probe().isReady()).isTrue();
    assertThat(scripted.calls()).extracting(call -> call.authority()).containsOnly("localhost");
    assertThat(plugin)
        .hasToString("CsiPlugin[scripted.csi4j.example at " + scripted.endpoint() + "]");
  }

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  void aPluginThatIsNotReadyUntilTheDeadlineIsToldAsSuch(Transport transport) {
    scripted.answer(CsiOperation.PROBE, ready(false));
    CsiConnectException failure = failure(options -> options.deadline(SHORT).transport(transport));
    assertThat(failure.reason()).isEqualTo(Reason.NOT_READY);
    assertThat(failure.code()).isEqualTo(StatusCode.OK);
    assertThat(failure.getMessage())
        .startsWith(
            "Connecting to " + scripted.endpoint() + " failed: the plugin answers, but reports")
        .contains("Wait and connect again");
  }

  @Test
  void aPluginThatBecomesReadyIsWaitedFor() {
    AtomicInteger probes = new AtomicInteger();
    scripted.on(CsiOperation.PROBE, (call, reply) -> reply.ok(ready(probes.incrementAndGet() > 2)));
    connect();
    assertThat(probes).hasValue(3);
  }

  @Test
  void aPluginThatIsUnhealthyIsToldWithItsOwnWords() {
    scripted.fail(CsiOperation.PROBE, StatusCode.FAILED_PRECONDITION, "no kernel module");
    CsiConnectException failure = failure(options -> options.deadline(SHORT));
    assertThat(failure.reason()).isEqualTo(Reason.UNHEALTHY);
    assertThat(failure.code()).isEqualTo(StatusCode.FAILED_PRECONDITION);
    assertThat(failure.getMessage()).contains("is not healthy: no kernel module");
  }

  @Test
  void aPluginThatItselfAnswersUnavailableIsUnhealthyToo() {
    scripted.fail(CsiOperation.PROBE, StatusCode.UNAVAILABLE, "backend is down");
    CsiConnectException failure = failure(options -> options.deadline(SHORT));
    assertThat(failure.reason()).isEqualTo(Reason.UNHEALTHY);
    assertThat(failure.getMessage()).contains("is not healthy: backend is down");
  }

  @Test
  void aPluginThatAnswersCancelledIsNotTakenForAnInterrupt() {
    scripted.fail(CsiOperation.PROBE, StatusCode.CANCELLED, "busy");
    assertThat(failure(options -> options.deadline(SHORT)).reason()).isEqualTo(Reason.UNHEALTHY);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void aPluginWhoseProbeHangsGivesNoAnswer() {
    hang(CsiOperation.PROBE);
    CsiConnectException failure = failure(options -> options.deadline(SHORT));
    assertThat(failure.reason()).isEqualTo(Reason.NO_ANSWER);
    assertThat(failure.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
  }

  @Test
  void aServerWithoutCsiIsRefusedAtOnce() {
    scripted.fail(CsiOperation.PROBE, StatusCode.UNIMPLEMENTED, "unknown service csi.v1.Identity");
    CsiConnectException failure = failure(options -> options);
    assertThat(failure.reason()).isEqualTo(Reason.UNHEALTHY);
    assertThat(failure.getMessage()).contains("does not serve the CSI identity service");
    assertThat(scripted.calls()).hasSize(1);
  }

  @Test
  @Tag("C20")
  void aPluginThatDoesNotSayWhetherItIsReadyIsAssumedToBe() {
    scripted.answer(CsiOperation.PROBE, ProbeResponse.getDefaultInstance());
    assertThat(connect().identity().probe())
        .as("C20: silence is readiness")
        .isEqualTo(Readiness.ASSUMED_READY);
  }

  @Test
  void aPluginThatFailsToGiveItsNameHasNone() {
    scripted.fail(
        CsiOperation.GET_PLUGIN_INFO, StatusCode.UNAVAILABLE, "Driver is missing version");
    CsiPlugin plugin = connect();
    assertThat(plugin.name()).isEmpty();
    plugin.node().unpublishVolume(UNPUBLISH);
    assertThat(plugin).hasToString("CsiPlugin[unnamed at " + scripted.endpoint() + "]");
  }

  @Test
  void anotherNameThanTheRequiredOneIsRefused() {
    CsiConnectException failure =
        failure(options -> options.requireName(PluginName.of("ebs.csi.aws.com")));
    assertThat(failure.reason()).isEqualTo(Reason.WRONG_PLUGIN);
    assertThat(failure.getMessage())
        .contains("the plugin is 'scripted.csi4j.example', but 'ebs.csi.aws.com' was expected");
    connect(options -> options.requireName(PluginName.of("scripted.csi4j.example")));
  }

  @Test
  void anInvalidNameIsNotTheRequiredOne() {
    scripted.answer(
        CsiOperation.GET_PLUGIN_INFO, GetPluginInfoResponse.newBuilder().setName("-").build());
    CsiConnectException failure =
        failure(options -> options.requireName(PluginName.of("ebs.csi.aws.com")));
    assertThat(failure.reason()).isEqualTo(Reason.WRONG_PLUGIN);
  }

  @Test
  void aRefusalToGiveANameIsNotTheRequiredOne() {
    scripted.fail(CsiOperation.GET_PLUGIN_INFO, StatusCode.UNAVAILABLE, "no version");
    assertThat(failure(options -> options.requireName(REQUIRED)).reason())
        .isEqualTo(Reason.WRONG_PLUGIN);
  }

  @Test
  void aPluginThatIsTooSlowToGiveTheRequiredNameGivesNoAnswer() {
    hang(CsiOperation.GET_PLUGIN_INFO);
    // Time enough to connect and be ready on any machine.
    Duration deadline = Duration.ofSeconds(1);
    CsiConnectException failure =
        failure(options -> options.deadline(deadline).requireName(REQUIRED));
    assertThat(failure.reason()).isEqualTo(Reason.NO_ANSWER);
    assertThat(failure.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
    assertThat(failure.getMessage()).contains("did not answer the request for its name");
  }

  @Test
  void aPluginThatEndsBeforeItGivesTheRequiredNameIsNotAWrongOne() {
    scripted.on(CsiOperation.GET_PLUGIN_INFO, (call, reply) -> scripted.stop());
    CsiConnectException failure = failure(options -> options.requireName(REQUIRED));
    // It may cancel the call before it ends the connection, and that before its socket is gone.
    assertThat(failure.reason())
        .isIn(Reason.UNHEALTHY, Reason.NOBODY_LISTENING, Reason.NO_SUCH_SOCKET);
  }

  @Test
  void whoeverDoesNotAskForReadinessSendsNoProbe() {
    hang(CsiOperation.PROBE);
    assertThat(connect(options -> options.requireReady(false)).name()).isPresent();
    assertThat(scripted.calls(CsiOperation.PROBE)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"PROBE", "GET_PLUGIN_INFO"})
  void anInterruptEndsTheWaitAndStaysKnown(CsiOperation hanging) throws Exception {
    hang(hanging);
    CompletableFuture<Boolean> flag = new CompletableFuture<>();
    CompletableFuture<CsiConnectException> failure = new CompletableFuture<>();
    Thread caller =
        new Thread(
            () -> {
              failure.complete(catchThrowableOfType(CsiConnectException.class, () -> connect()));
              flag.complete(Thread.currentThread().isInterrupted());
            });
    caller.start();
    arrived(hanging, 1);
    caller.interrupt();
    assertThat(failure.get().reason()).isEqualTo(Reason.INTERRUPTED);
    assertThat(flag.get()).isTrue();
    caller.join();
  }
}

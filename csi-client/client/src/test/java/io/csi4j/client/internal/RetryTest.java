package io.csi4j.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.csi4j.client.identity.IdentityService;
import io.csi4j.client.identity.IdentityService.Readiness;
import io.csi4j.client.internal.mapping.NodeRequestMapping;
import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiRequestException;
import io.csi4j.client.model.CsiTransientException;
import io.csi4j.client.model.CsiUnsupportedException;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeService;
import io.csi4j.client.node.NodeUnpublishVolumeRequest;
import io.csi4j.client.scripted.ScriptedPlugin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Retries, pauses, deadlines and budgets, on virtual time against a real socket. */
class RetryTest {

  private static final NodeUnpublishVolumeRequest REQUEST =
      NodeUnpublishVolumeRequest.builder(VolumeId.of("vol-1"), PluginPath.of("/t")).build();

  @TempDir Path directory;
  private ScriptedPlugin scripted;
  private VirtualCallEnvironment ground;
  private NodeService node;
  private IdentityService identity;

  @BeforeEach
  void connect() {
    scripted = ScriptedPlugin.start(directory.resolve("csi.sock"));
    ground = new VirtualCallEnvironment(scripted.endpoint(), ConnectOptions.defaults());
    ServiceCalls calls = new ServiceCalls(new CallPath(ground));
    node = new NodeClient(calls);
    identity = new IdentityClient(calls);
  }

  @AfterEach
  void close() {
    ground.close();
    scripted.close();
  }

  /** Answers NodeUnpublishVolume with these codes, one after the other, then with OK. */
  private void script(StatusCode... codes) {
    Deque<StatusCode> left = new ArrayDeque<>(Arrays.asList(codes));
    scripted.on(
        CsiOperation.NODE_UNPUBLISH_VOLUME,
        (call, reply) -> {
          StatusCode code = left.poll();
          if (code == null) {
            reply.ok(ScriptedPlugin.defaultAnswer(call.operation(), call.request()));
          } else {
            reply.fail(code, "scripted");
          }
        });
  }

  private static void fails(Class<? extends CsiException> how, ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOf(how);
  }

  private int sent() {
    return scripted.calls(CsiOperation.NODE_UNPUBLISH_VOLUME).size();
  }

  private List<Duration> timeouts() {
    return scripted.calls(CsiOperation.NODE_UNPUBLISH_VOLUME).stream()
        .map(ScriptedPlugin.Call::timeout)
        .toList();
  }

  @Test
  void aCallThatSucceedsAtOnceIsSentOnceAndMakesNoPause() {
    node.unpublishVolume(REQUEST);
    assertThat(sent()).isEqualTo(1);
    assertThat(ground.pauses()).isEmpty();
  }

  @Test
  void aTransientFailureIsRepeatedWithTheIdenticalRequest() {
    script(StatusCode.UNAVAILABLE, StatusCode.INTERNAL);
    node.unpublishVolume(REQUEST);
    assertThat(scripted.calls(CsiOperation.NODE_UNPUBLISH_VOLUME))
        .hasSize(3)
        .extracting(ScriptedPlugin.Call::request)
        .containsOnly(NodeRequestMapping.toProto(REQUEST));
  }

  @Test
  void pausesGrowExponentiallyUpToTheDrawOfChance() {
    script(StatusCode.UNKNOWN, StatusCode.UNKNOWN);
    node.unpublishVolume(REQUEST);
    assertThat(ground.pauses()).extracting(Duration::toMillis).containsExactly(99L, 199L);
  }

  @Test
  void fullJitterMeansThatAPauseCanBeNothing() {
    ground.chance(0);
    script(StatusCode.UNKNOWN, StatusCode.UNKNOWN);
    node.unpublishVolume(REQUEST);
    assertThat(ground.pauses()).isEmpty();
    assertThat(sent()).isEqualTo(3);
  }

  @Test
  void abortedWaitsLonger() {
    script(StatusCode.ABORTED, StatusCode.ABORTED);
    node.unpublishVolume(REQUEST);
    assertThat(ground.pauses()).extracting(Duration::toMillis).containsExactly(999L, 1999L);
  }

  @Test
  void noPauseExceedsTheCapHoweverManyAttempts() {
    StatusCode[] codes = new StatusCode[40];
    Arrays.fill(codes, StatusCode.UNAVAILABLE);
    script(codes);
    node.with(policy -> policy.attempts(41).budget(Duration.ofDays(1))).unpublishVolume(REQUEST);
    assertThat(sent()).isEqualTo(41);
    assertThat(ground.pauses())
        .hasSize(40)
        .allMatch(pause -> pause.compareTo(Duration.ofSeconds(10)) <= 0);
    assertThat(ground.pauses().get(39).toMillis()).isEqualTo(9999);
  }

  @Test
  void attemptsEndWithThePolicysNumber() {
    script(StatusCode.UNAVAILABLE, StatusCode.UNAVAILABLE, StatusCode.UNAVAILABLE);
    CsiTransientException failure =
        catchThrowableOfType(CsiTransientException.class, () -> node.unpublishVolume(REQUEST));
    assertThat(sent()).isEqualTo(3);
    assertThat(failure.attempts()).isEqualTo(3);
    assertThat(failure.getSuppressed()).hasSize(2);
    assertThat(failure.getMessage()).contains(", 3 attempts, ");
  }

  @Test
  void everyAttemptCarriesTheDeadlineOfThePolicy() {
    script(StatusCode.UNAVAILABLE);
    node.unpublishVolume(REQUEST);
    assertThat(timeouts()).containsExactly(Duration.ofMinutes(2), Duration.ofMinutes(2));
  }

  @Test
  void aProbeHasFiveSecondsAndIsNeverRepeated() {
    scripted.fail(CsiOperation.PROBE, StatusCode.UNAVAILABLE, "down");
    fails(CsiTransientException.class, identity::probe);
    assertThat(scripted.calls(CsiOperation.PROBE))
        .extracting(ScriptedPlugin.Call::timeout)
        .containsExactly(Duration.ofSeconds(5));
  }

  @Test
  void theBudgetCutsTheLastAttemptShort() {
    scripted.on(
        CsiOperation.NODE_UNPUBLISH_VOLUME,
        (call, reply) -> {
          ground.pass(Duration.ofSeconds(40));
          reply.fail(StatusCode.UNAVAILABLE, "slow");
        });
    ground.chance(0);
    CsiException failure =
        catchThrowableOfType(
            CsiException.class,
            () ->
                node.with(policy -> policy.attempts(9).budget(Duration.ofSeconds(100)))
                    .unpublishVolume(REQUEST));
    assertThat(timeouts())
        .containsExactly(Duration.ofSeconds(100), Duration.ofSeconds(60), Duration.ofSeconds(20));
    assertThat(failure.attempts()).isEqualTo(3);
    assertThat(failure.elapsed()).isEqualTo(Duration.ofMinutes(2));
  }

  @Test
  void aRetryThatCouldNotBeginWithinTheBudgetIsNotMade() {
    script(StatusCode.UNAVAILABLE, StatusCode.UNAVAILABLE);
    fails(
        CsiTransientException.class,
        () -> node.with(policy -> policy.budget(Duration.ofMillis(150))).unpublishVolume(REQUEST));
    assertThat(sent()).isEqualTo(2);
  }

  @Test
  void unimplementedIsNeverRepeatedWhateverThePolicy() {
    script(StatusCode.UNIMPLEMENTED);
    fails(
        CsiUnsupportedException.class,
        () -> node.with(policy -> policy.attempts(9)).unpublishVolume(REQUEST));
    assertThat(sent()).isEqualTo(1);
  }

  @Test
  void anUncertainAttemptKeepsTheCallUncertainWhateverComesAfter() {
    script(StatusCode.DEADLINE_EXCEEDED, StatusCode.INVALID_ARGUMENT);
    CsiRequestException failure =
        catchThrowableOfType(CsiRequestException.class, () -> node.unpublishVolume(REQUEST));
    assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
    assertThat(failure.outcome()).isEqualTo(Outcome.UNCERTAIN);
    assertThat(failure.getSuppressed())
        .singleElement()
        .isInstanceOfSatisfying(
            CsiTransientException.class,
            earlier -> assertThat(earlier.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED));
  }

  @Test
  void aPolicyOfTheConnectionAppliesToOneOperationOnly() {
    ConnectOptions options =
        ConnectOptions.builder()
            .policies(policy -> policy.attempts(2))
            .policy(CsiOperation.NODE_UNPUBLISH_VOLUME, policy -> policy.attempts(5))
            .build();
    assertThat(options.policy(CsiOperation.NODE_UNPUBLISH_VOLUME).attempts()).isEqualTo(5);
    assertThat(options.policy(CsiOperation.NODE_STAGE_VOLUME).attempts()).isEqualTo(2);
    assertThat(options.policy(CsiOperation.NODE_STAGE_VOLUME).attemptDeadline())
        .isEqualTo(CallPolicy.defaultFor(CsiOperation.NODE_STAGE_VOLUME).attemptDeadline());
  }

  @Test
  void theAsynchronousFaceRetriesJustTheSame() {
    script(StatusCode.UNAVAILABLE, StatusCode.ABORTED);
    node.async().unpublishVolume(REQUEST).toCompletableFuture().join();
    assertThat(sent()).isEqualTo(3);
    assertThat(ground.pauses()).extracting(Duration::toMillis).containsExactly(99L, 1999L);
  }

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  void aCallThatMeetsTheEndOfItsConnectionIsSentOverTheNext(ConnectOptions.Transport transport)
      throws IOException {
    List<Tuple> attempts = new CopyOnWriteArrayList<>();
    CsiListener listener =
        new CsiListener() {
          @Override
          public void onEnd(Ended event) {
            attempts.add(tuple(event.started().attempt(), event.code()));
          }
        };
    try (VirtualCallEnvironment own =
        new VirtualCallEnvironment(
            scripted.endpoint(),
            ConnectOptions.builder().transport(transport).listener(listener).build())) {
      IdentityService once = new IdentityClient(new ServiceCalls(new CallPath(own)));
      Runnable release = own.hold();
      scripted.kill();
      awaitNoSocketAt(scripted.socket());
      scripted.start();
      CompletableFuture<Readiness> met = once.async().probe().toCompletableFuture();

      release.run();

      assertThat(met.join()).isEqualTo(Readiness.READY);
      assertThat(attempts)
          .containsExactly(tuple(1, StatusCode.UNAVAILABLE), tuple(2, StatusCode.OK));
      assertThat(scripted.calls(CsiOperation.PROBE)).hasSize(1);
    }
  }

  @Test
  void aFailureThatNoThreadIsThereToExplainIsToldWithoutThat() {
    ground.giveNoThread();
    scripted.kill();
    CompletableFuture<Readiness> lost =
        identity.async().probe().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS);
    CompletionException failure = catchThrowableOfType(CompletionException.class, lost::join);
    assertThat(failure.getCause())
        .isInstanceOfSatisfying(
            CsiTransientException.class,
            told -> assertThat(told.code()).isEqualTo(StatusCode.UNAVAILABLE));
  }

  /** A server that has ended may leave the closing of its sockets to the JVM. */
  private static void awaitNoSocketAt(Path path) throws IOException {
    long limit = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (Files.readString(Path.of("/proc/net/unix")).contains(path.toString())) {
      assertThat(System.nanoTime()).as("the time to wait").isLessThan(limit);
      LockSupport.parkNanos(1_000_000);
    }
  }
}

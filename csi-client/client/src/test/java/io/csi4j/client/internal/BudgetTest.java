package io.csi4j.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiTransientException;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeGetVolumeStatsRequest;
import io.csi4j.client.scripted.Samples;
import io.csi4j.client.scripted.ScriptedPlugin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A host that was stopped for longer than a call may take, and one whose calls may take nothing.
 */
class BudgetTest {

  private static final NodeGetVolumeStatsRequest STATS =
      NodeGetVolumeStatsRequest.builder(VolumeId.of("vol-1"), PluginPath.of("/mnt/vol-1")).build();

  @TempDir Path directory;
  private ScriptedPlugin scripted;

  @BeforeEach
  void start() {
    scripted = ScriptedPlugin.start(directory.resolve("csi.sock"));
  }

  @AfterEach
  void stop() {
    scripted.close();
  }

  /** Answers this call with a failure the first time, and then as usual. */
  private void failsOnce(CsiOperation operation) {
    AtomicInteger asked = new AtomicInteger();
    scripted.on(
        operation,
        (call, reply) -> {
          if (asked.getAndIncrement() == 0) {
            reply.fail(StatusCode.UNAVAILABLE, "scripted");
          } else {
            reply.ok(ScriptedPlugin.defaultAnswer(call.operation(), call.request()));
          }
        });
  }

  @ParameterizedTest
  @EnumSource(
      value = CsiOperation.class,
      names = {"NODE_GET_CAPABILITIES", "NODE_GET_VOLUME_STATS"})
  void aHostThatWasStoppedInAPauseIsToldSoAndTheConnectionGoesOn(CsiOperation failing)
      throws Exception {
    failsOnce(failing);
    try (VirtualCallEnvironment ground =
        new VirtualCallEnvironment(scripted.endpoint(), ConnectOptions.defaults())) {
      ground.alarmsRing(false);
      NodeClient node = new NodeClient(new ServiceCalls(new CallPath(ground)));
      CompletableFuture<Throwable> ended =
          CompletableFuture.supplyAsync(() -> catchThrowable(() -> node.getVolumeStats(STATS)));
      while (ground.pauses().isEmpty()) {
        TimeUnit.MILLISECONDS.sleep(1);
      }

      ground.pass(Duration.ofHours(1));
      while (!ended.isDone()) {
        ground.ring();
        TimeUnit.MILLISECONDS.sleep(1);
      }

      Throwable thrown = ended.get();
      assertThat(thrown).isInstanceOf(CsiTransientException.class);
      CsiException failure = (CsiException) thrown;
      assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
      assertThat(failure.outcome())
          .isEqualTo(
              failing == CsiOperation.NODE_GET_CAPABILITIES ? Outcome.SETTLED : Outcome.UNCERTAIN);
      assertThat(failure.failure().pluginText()).contains("scripted");
      ground.alarmsRing(true);
      assertThat(node.getVolumeStats(STATS).usage()).isEmpty();
    }
  }

  /** The clock is stopped at any place in any call for longer than the call may take. */
  @Tag("campaign")
  @Test
  void whereverTheClockJumpsAFailureIsOneOfOurs() {
    Random random = new Random(17);
    List<CsiOperation> all = List.of(CsiOperation.values());
    for (int run = 0; run < 20 * all.size(); run++) {
      CsiOperation operation = all.get(run % all.size());
      Object request = new Samples(run).request(operation, true);
      String name = "run " + run + ", " + operation;
      scripted.forget();
      AtomicInteger left = new AtomicInteger(random.nextInt(12));
      try (VirtualCallEnvironment real =
          new VirtualCallEnvironment(scripted.endpoint(), ConnectOptions.defaults())) {
        real.jump(Duration.ofMinutes(random.nextInt(1, 30)), left);
        failsOnce(random.nextBoolean() ? CsiOperation.NODE_GET_CAPABILITIES : operation);
        CallPath path = new CallPath(real);
        Object service = service(operation, new ServiceCalls(path));
        Throwable thrown = catchThrowable(() -> Samples.call(service, operation, request));

        if (thrown != null) {
          assertThat(thrown).as(name).isInstanceOf(CsiException.class);
        }
        left.set(Integer.MAX_VALUE);
        NodeClient node = new NodeClient(new ServiceCalls(path));
        // Takes up the failure, if the call before was not sent at all.
        var unused = catchThrowable(() -> node.getVolumeStats(STATS));
        assertThat(node.getVolumeStats(STATS).usage()).as(name).isEmpty();
      }
    }
  }

  private static Object service(CsiOperation operation, ServiceCalls calls) {
    return switch (operation.service()) {
      case IDENTITY -> new IdentityClient(calls);
      case CONTROLLER -> new ControllerClient(calls);
      case NODE -> new NodeClient(calls);
      case GROUP_CONTROLLER -> new GroupControllerClient(calls);
      case SNAPSHOT_METADATA -> new SnapshotMetadataClient(calls);
    };
  }

  @Test
  void whateverTheBudgetEveryCallThrowsWhatItsPageSays() {
    everyCallThrowsWhatItsPageSays(1, 100_000_000);
  }

  @Tag("campaign")
  @Test
  void withABudgetOfASecondEveryCallThrowsWhatItsPageSays() {
    everyCallThrowsWhatItsPageSays(1_000_000_000, 1_000_000_000);
  }

  private void everyCallThrowsWhatItsPageSays(long least, long most) {
    for (long nanos = least; nanos <= most; nanos *= 10) {
      Duration budget = Duration.ofNanos(nanos);
      Duration pause = Duration.ofNanos(nanos / 4);
      ConnectOptions.Builder options =
          ConnectOptions.builder()
              .policies(policy -> policy.budget(budget).attempts(3).backoff(pause));
      // Connecting has time; the calls that follow have not.
      for (CsiOperation operation : List.of(CsiOperation.PROBE, CsiOperation.GET_PLUGIN_INFO)) {
        CallPolicy usual = CallPolicy.defaultFor(operation);
        options.policy(
            operation,
            policy ->
                policy.budget(usual.budget()).attempts(usual.attempts()).backoff(usual.backoff()));
      }
      try (CsiPlugin plugin = CsiPlugin.connect(scripted.endpoint(), options.build())) {
        for (CsiOperation operation : CsiOperation.values()) {
          failsOnce(operation);
          Object request = new Samples(1).request(operation, true);
          for (int time = 0; time < 2; time++) {
            Throwable thrown = catchThrowable(() -> Samples.call(plugin, operation, request));
            if (thrown != null) {
              assertThat(thrown)
                  .as(operation + " within " + budget)
                  .isInstanceOf(CsiException.class);
            }
          }
          scripted.forget();
        }
      }
    }
  }
}

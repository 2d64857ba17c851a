package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.controller.ControllerExpandVolumeRequest;
import io.csi4j.client.controller.DeleteVolumeRequest;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeUnpublishVolumeRequest;
import io.csi4j.client.scripted.ScriptedPlugin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A scripted plugin for each test, and connections to it that leave no thread behind. */
abstract class AgainstScriptedPlugin {

  static final NodeUnpublishVolumeRequest UNPUBLISH =
      NodeUnpublishVolumeRequest.builder(VolumeId.of("vol-1"), PluginPath.of("/t")).build();
  static final ControllerExpandVolumeRequest EXPAND =
      ControllerExpandVolumeRequest.builder(VolumeId.of("vol-1"), CapacityRange.atLeast(1L << 30))
          .build();
  static final DeleteVolumeRequest DELETE =
      DeleteVolumeRequest.builder(VolumeId.of("vol-1")).build();
  static final Duration LONG = Duration.ofSeconds(20);

  @TempDir Path directory;
  ScriptedPlugin scripted;
  private final List<CsiPlugin> connected = new ArrayList<>();

  @BeforeEach
  final void startPlugin() {
    scripted = ScriptedPlugin.start(directory.resolve("csi.sock"));
  }

  @AfterEach
  final void closeAll() {
    connected.forEach(CsiPlugin::close);
    scripted.close();
    eventually(() -> ourThreads().isEmpty());
  }

  final CsiPlugin connect() {
    return connect(options -> options);
  }

  final CsiPlugin connect(UnaryOperator<ConnectOptions.Builder> change) {
    ConnectOptions.Builder options =
        ConnectOptions.builder()
            .deadline(LONG)
            .policies(policy -> policy.backoff(Duration.ofMillis(1)).pendingBackoff(Duration.ZERO));
    CsiPlugin plugin =
        CsiPlugin.connect(
            CsiEndpoint.of(directory.resolve("csi.sock")), change.apply(options).build());
    connected.add(plugin);
    return plugin;
  }

  /** From now on, calls of {@code operation} are not answered; the latch counts those ended. */
  final CountDownLatch hang(CsiOperation operation) {
    CountDownLatch cancelled = new CountDownLatch(1);
    scripted.on(
        operation,
        (call, reply) -> call.context().addListener(gone -> cancelled.countDown(), Runnable::run));
    return cancelled;
  }

  /** Waits until {@code number} calls of {@code operation} have arrived. */
  final void arrived(CsiOperation operation, int number) {
    eventually(() -> scripted.calls(operation).size() >= number);
  }

  static void reached(CountDownLatch latch) {
    try {
      assertThat(latch.await(LONG.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  static void eventually(BooleanSupplier condition) {
    long limit = System.nanoTime() + LONG.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("the time to wait").isLessThan(limit);
      LockSupport.parkNanos(1_000_000);
    }
  }

  static List<String> ourThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("csi4j-"))
        .toList();
  }
}

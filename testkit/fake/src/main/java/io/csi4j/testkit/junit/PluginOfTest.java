package io.csi4j.testkit.junit;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.NodeId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.fault.FaultScript;
import io.csi4j.testkit.internal.server.PluginThread;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.VirtualClock;
import io.csi4j.testkit.mount.MemoryKernel;
import io.csi4j.testkit.referee.UnlawfulCallerException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ParameterResolutionException;

/**
 * A plugin with its client, clock and mounts, from the start of a test to the check for leftovers.
 *
 * <p>This class is safe for use by many threads, because the tests of a class may share a plugin.
 */
final class PluginOfTest implements AutoCloseable {

  /** Grace period for calls and threads that are about to end. */
  private static final Duration GRACE = Duration.ofSeconds(5);

  private static final int LAST_LINES = 100;

  private final FakeCsi asked;
  private final FakeCsiPlugin plugin;
  private final @Nullable VirtualClock clock;
  private final @Nullable MemoryKernel kernel;
  private final List<CsiEndpoint> endpoints;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable CsiPlugin client;
  private boolean closed;

  private PluginOfTest(
      FakeCsi asked,
      FakeCsiPlugin plugin,
      @Nullable VirtualClock clock,
      @Nullable MemoryKernel kernel) {
    this.asked = asked;
    this.plugin = plugin;
    this.clock = clock;
    this.kernel = kernel;
    this.endpoints =
        Stream.concat(
                Stream.of(plugin.endpoint()), plugin.nodes().stream().map(plugin::nodeEndpoint))
            .distinct()
            .toList();
  }

  /** Opens the plugin that the annotation describes. */
  static PluginOfTest open(FakeCsi asked) {
    if (asked.nodes().length == 0) {
      throw new IllegalArgumentException(
          "@FakeCsi(nodes = {}) leaves the plugin without a node. Name one at least.");
    }
    FakeCsiPlugin.Builder builder = FakeCsiPlugin.builder().shape(shape(asked));
    List<NodeId> nodes = Arrays.stream(asked.nodes()).map(NodeId::of).toList();
    builder.nodes(nodes.get(0), nodes.stream().skip(1).toArray(NodeId[]::new));
    VirtualClock clock = asked.virtualTime() ? VirtualClock.create() : null;
    if (clock != null) {
      builder.clock(clock);
    }
    MemoryKernel kernel = asked.mounts() ? new MemoryKernel() : null;
    if (kernel != null) {
      builder.effects(NodeEffects.filesMountedIn(kernel.host()));
    }
    FaultScript script = script(asked.faults());
    PluginOfTest plugin = new PluginOfTest(asked, builder.open(), clock, kernel);
    script.rules().forEach(rule -> plugin.plugin.inject(rule.fault(), rule.when()));
    return plugin;
  }

  private static FaultScript script(String file) {
    return file.isEmpty() ? new FaultScript(List.of()) : FaultScript.parse(file, lines(file));
  }

  /** Reads the lines of the file that the annotation names. The name is a resource or a path. */
  private static List<String> lines(String file) {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    try (InputStream resource =
        loader == null
            ? ClassLoader.getSystemResourceAsStream(file)
            : loader.getResourceAsStream(file)) {
      return resource == null
          ? Files.readAllLines(Path.of(file))
          : new String(resource.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException | InvalidPathException e) {
      throw new IllegalArgumentException(
          "@FakeCsi(faults = \""
              + file
              + "\") is neither a resource of the class path nor a file that can be read. Put it"
              + " into the resources of the tests.",
          e);
    }
  }

  private static PluginShape shape(FakeCsi csi) {
    PluginShape shape =
        csi.shapeFrom() == ShapeSource.class ? csi.shape().shape() : make(csi.shapeFrom()).get();
    return shape.with(csi.quirks());
  }

  private static ShapeSource make(Class<? extends ShapeSource> type) {
    try {
      Constructor<? extends ShapeSource> constructor = type.getDeclaredConstructor();
      constructor.trySetAccessible();
      return constructor.newInstance();
    } catch (InvocationTargetException e) {
      throw new IllegalArgumentException(
          "@FakeCsi(shapeFrom = " + type.getSimpleName() + ".class) failed: its constructor threw.",
          e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException(
          "@FakeCsi(shapeFrom = "
              + type.getSimpleName()
              + ".class) failed: it has no constructor without parameters that can be called. Make"
              + " it a top-level or static class with one.",
          e);
    }
  }

  FakeCsiPlugin plugin() {
    return plugin;
  }

  VirtualClock clock() {
    return given(clock, "runs on real time, so there is no VirtualClock", "virtualTime");
  }

  MemoryKernel kernel() {
    return given(kernel, "mounts nothing, so there is no MemoryKernel", "mounts");
  }

  private static <T> T given(@Nullable T value, String why, String setting) {
    if (value == null) {
      throw new ParameterResolutionException(
          "The plugin of this test %s to inject. Enable it with @FakeCsi(%s = true)."
              .formatted(why, setting));
    }
    return value;
  }

  /** Returns a client of the plugin's endpoint, connected on first use. */
  CsiPlugin client() {
    lock.lock();
    try {
      CsiPlugin connected = client;
      if (connected == null) {
        connected = CsiPlugin.connect(plugin.endpoint());
        client = connected;
      }
      return connected;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the calls as text for the report of a failed test. */
  String journal() {
    return describe(plugin.shape()) + "\n" + plugin.journal().describe();
  }

  /** Returns the journal, cut to the maximum length of a message. */
  JournalOfFailedTest note() {
    List<String> lines = plugin.journal().describe().lines().toList();
    int hidden = Math.max(0, lines.size() - LAST_LINES);
    String what = hidden == 0 ? "" : ", without the first " + hidden + " lines";
    String seen = String.join("\n", lines.subList(hidden, lines.size()));
    return new JournalOfFailedTest(
        "What " + describe(plugin.shape()) + " saw" + what + ":\n" + seen);
  }

  private static String describe(PluginShape shape) {
    return "the plugin " + shape.name();
  }

  /**
   * Closes the plugin and its client. Returns a failure if the test left anything behind or broke a
   * duty.
   */
  Optional<AssertionError> end() {
    boolean volumes = asked.leftovers() == LeftoverPolicy.FAIL;
    boolean others = asked.leftovers() != LeftoverPolicy.ALLOW;
    List<String> left = new ArrayList<>();
    if (volumes) {
      left.addAll(plugin.contents().pending());
    }
    if (others) {
      plugin.journal().inFlight().stream()
          .filter(call -> !ends(call))
          .map(PluginOfTest::describe)
          .forEach(left::add);
    }
    Optional<UnlawfulCallerException> unlawful = judge();
    List<String> remains = close(others);
    left.addAll(remains);
    if (left.isEmpty()) {
      return unlawful.map(e -> e);
    }
    AssertionError failure = new AssertionError(explain(left));
    unlawful.ifPresent(failure::addSuppressed);
    return Optional.of(failure);
  }

  private static String explain(List<String> left) {
    return """
        The test passed, but left something behind:
          - %s
        Clean up in the test or in an @AfterEach method, or allow it with \
        @FakeCsi(leftovers = LeftoverPolicy.ALLOW_VOLUMES) for volumes, .ALLOW for everything."""
        .formatted(String.join("\n  - ", left));
  }

  private static String describe(RecordedCall call) {
    String what =
        call.operation().rpcName()
            + call.volume().map(volume -> " for volume '" + volume + "'").orElse("");
    return "Call %s, %s, is still in flight.".formatted(call.number(), what)
        + " Wait for its answer, or release the fault that holds it.";
  }

  private boolean ends(RecordedCall call) {
    // A call that a fault holds, or that waits for a virtual clock, does not end during the wait.
    Duration grace = clock == null ? Duration.ofMillis(200) : Duration.ofMillis(1);
    try {
      plugin
          .journal()
          .await(each -> each.number() == call.number() && each.end().isPresent(), grace);
      return true;
    } catch (AssertionError e) {
      return false;
    }
  }

  private Optional<UnlawfulCallerException> judge() {
    if (!asked.lawful()) {
      return Optional.empty();
    }
    try {
      plugin.assertLawful();
      return Optional.empty();
    } catch (UnlawfulCallerException e) {
      return Optional.of(e);
    }
  }

  /** Closes the client and the plugin, whatever the test has left behind. */
  @Override
  public void close() {
    List<String> ignored = close(false);
    assert ignored.isEmpty();
  }

  private List<String> close(boolean look) {
    lock.lock();
    try {
      if (closed) {
        return List.of();
      }
      closed = true;
      if (client != null) {
        client.close();
      }
      plugin.close();
      if (!look) {
        return List.of();
      }
      Set<Thread> threads = PluginThread.of(plugin.journal());
      for (Thread thread : threads) {
        TimeUnit.MILLISECONDS.timedJoin(thread, GRACE.toMillis());
      }
      return Remains.of(endpoints, threads);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of();
    } finally {
      lock.unlock();
    }
  }
}

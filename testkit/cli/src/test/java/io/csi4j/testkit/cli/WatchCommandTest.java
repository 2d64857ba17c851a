package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class WatchCommandTest {

  @TempDir Path directory;

  private static void await(Run run, BooleanSupplier seen) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!seen.getAsBoolean()) {
      assertThat(System.nanoTime()).as(run.out() + run.err()).isLessThan(end);
      LockSupport.parkNanos(100_000);
    }
  }

  private static Run watch(FakeCsiPlugin plugin) {
    // Loads the classes of the program, which takes longer than a look.
    Run unused = Run.of("plugin", "probe", "--endpoint", plugin.endpoint().toString());
    return Run.serving(
        "plugin",
        "watch",
        "--json",
        "--every",
        "20ms",
        "--timeout",
        "1500ms",
        "--endpoint",
        plugin.endpoint().toString());
  }

  @Test
  void eachChangeIsALineAndNothingElse() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(PluginShape.nodeOnly());
        Run run = watch(plugin)) {
      await(run, () -> run.out().contains("\"change\":\"ready\""));
      plugin.stop();
      await(run, () -> run.out().contains("\"change\":\"gone\""));
      plugin.upgrade(PluginShape.nodeOnly().without(NodeCapability.EXPAND_VOLUME));
      await(run, () -> run.out().contains("\"text\":\"node EXPAND_VOLUME\""));

      assertThat(run.ended().code()).isZero();
      assertThat(run.outLines())
          .hasSizeBetween(4, 7)
          .allMatch(line -> line.startsWith("{\"at\":\"2") && line.endsWith("\"}"));
      assertThat(run.outLines().get(0)).contains("fake.csi4j.example 1.0.0");
      assertThat(run.out()).contains("\"change\":\"withdrawn\"");
    }
  }

  @Test
  void aPluginThatIsGoneAtTheEndIsAFailure() {
    FakeCsiPlugin plugin = FakeCsiPlugin.open(PluginShape.nodeOnly());
    try (Run run = watch(plugin)) {
      await(run, () -> run.out().contains("\"change\":\"ready\""));
      plugin.close();
      await(run, () -> run.out().contains("\"change\":\"gone\""));
      assertThat(run.ended().code()).isEqualTo(ExitCode.FAILED);
    }
  }

  @Test
  void aWatchThatIsToldToEndWaitsForNoAnswer() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(PluginShape.nodeOnly())) {
      plugin.inject(Fault.hang(), When.calling(CsiOperation.NODE_GET_INFO));
      Run run =
          Run.serving(
              "plugin", "watch", "--timeout", "1h", "--endpoint", plugin.endpoint().toString());
      var hanging =
          plugin
              .journal()
              .await(
                  call -> call.operation() == CsiOperation.NODE_GET_INFO, Duration.ofSeconds(30));

      assertThat(run.ended().code()).as("%s", hanging).isEqualTo(ExitCode.FAILED);
      assertThat(run.out() + run.err()).isEmpty();
    }
  }

  @Test
  @Timeout(60)
  void aWatchThatBreaksEndsTheProgram() {
    StringWriter err = new StringWriter();
    PrintWriter breaking =
        new PrintWriter(Writer.nullWriter()) {
          @Override
          public void println(String line) {
            throw new IllegalStateException("of a test");
          }
        };
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(PluginShape.nodeOnly())) {
      int code =
          Program.run(
              new Console(breaking, new PrintWriter(err), false),
              new CountDownLatch(1)::await,
              "plugin",
              "watch",
              "--endpoint",
              plugin.endpoint().toString());

      assertThat(code).isEqualTo(ExitCode.FAILED);
      assertThat(err.toString())
          .isEqualToNormalizingNewlines(
              "Watching the plugin failed: java.lang.IllegalStateException: of a test."
                  + " Report this.\n");
    }
  }

  @Test
  @Timeout(60)
  void aWatchWhoseChangesCannotBePrintedEnds() {
    StringWriter err = new StringWriter();
    Writer refusing =
        new Writer() {
          @Override
          public void write(char[] text, int from, int length) throws IOException {
            throw new IOException("of a test");
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(PluginShape.nodeOnly())) {
      int code =
          Program.run(
              new Console(new PrintWriter(refusing), new PrintWriter(err), false),
              new CountDownLatch(1)::await,
              "plugin",
              "watch",
              "--endpoint",
              plugin.endpoint().toString());

      assertThat(code).isEqualTo(ExitCode.NO_CONNECTION);
      assertThat(err.toString()).isEmpty();
    }
  }

  @Test
  void aWatchThatNoProcessReadsAnyMoreEndsWithTheNextChange() throws Exception {
    Path read = directory.resolve("read");
    Path code = directory.resolve("code");
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(PluginShape.nodeOnly())) {
      String watch =
          "'"
              + ChildProcess.tool("java")
              + "' -XX:TieredStopAtLevel=1 -cp '"
              + System.getProperty("java.class.path")
              + "' "
              + Main.class.getName()
              + " plugin watch --every 20ms --timeout 1s --endpoint "
              + plugin.endpoint();
      String script =
          "{ "
              + watch
              + "; echo $? > "
              + code
              + "; } | { grep -m 1 ' ready '; exec <&-; : > "
              + read
              + "; }";
      try (ChildProcess both =
          ChildProcess.start(directory, Map.of(), List.of("sh", "-c", script))) {
        both.await(read);
        plugin.stop();

        assertThat(both.code()).as(both.err()).isZero();
        assertThat(both.out()).contains("  ready  ");
        // Newer JDKs warn before it of native libraries.
        assertThat(both.err())
            .endsWith("Writing to standard output failed, so the output is incomplete.\n");
        assertThat(code).content().isEqualTo("4\n");
      }
    }
  }

  @Test
  void anotherProcessIsARestartAlsoAfterItWasGone() {
    PluginSight before =
        new PluginSight("ready", "", "p 1.0", "pid 1", Optional.empty(), "n at {zone=a}");
    PluginSight gone = before.gone("no process listens");
    PluginSight after =
        new PluginSight("ready", "", "p 1.1", "pid 2", Optional.empty(), "n at {zone=b}");

    assertThat(gone.changesSince(before))
        .containsExactly(new PluginSight.Change("gone", "no process listens"));
    assertThat(gone.changesSince(gone)).isEmpty();
    assertThat(after.changesSince(gone))
        .containsExactly(
            new PluginSight.Change("ready", "p 1.1, pid 2"),
            new PluginSight.Change("restarted", "pid 1, now pid 2"),
            new PluginSight.Change("version", "p 1.0, now p 1.1"),
            new PluginSight.Change("node", "n at {zone=a}, now n at {zone=b}"));
  }

  @Test
  void whatAPluginOffersThatOfferedNothingIsAChange() {
    PluginSight none = sight(Optional.of(new TreeSet<>()));
    PluginSight more = sight(Optional.of(new TreeSet<>(Set.of("node STAGE_UNSTAGE_VOLUME"))));

    assertThat(more.changesSince(none))
        .containsExactly(new PluginSight.Change("offered", "node STAGE_UNSTAGE_VOLUME"));
    assertThat(none.changesSince(more))
        .containsExactly(new PluginSight.Change("withdrawn", "node STAGE_UNSTAGE_VOLUME"));
    assertThat(more.changesSince(sight(Optional.empty()))).isEmpty();
  }

  private static PluginSight sight(Optional<SortedSet<String>> offers) {
    return new PluginSight("ready", "", "a 1", "process 1", offers, "");
  }
}

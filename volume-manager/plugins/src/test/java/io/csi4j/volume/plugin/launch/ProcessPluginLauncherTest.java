package io.csi4j.volume.plugin.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.model.PluginPath;
import io.csi4j.mount.real.Eventually;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.plugin.PluginConfig;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Plugins as plain processes: shells that do what a test needs. */
@Isolated("Counts threads and descriptors.")
class ProcessPluginLauncherTest {

  private static final ProcessPluginLauncher.Settings QUICK =
      ProcessPluginLauncher.Settings.builder()
          .backoff(Duration.ofMillis(10))
          .backoffCap(Duration.ofMillis(20))
          .stopping(Duration.ofSeconds(20))
          .build();

  @TempDir Path directory;

  private final BlockingQueue<ProcessPluginLauncher.Event> events = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> output = new LinkedBlockingQueue<>();
  private ProcessPluginLauncher.Settings settings = QUICK;
  private ProcessPluginLauncher launcher;

  @AfterEach
  void close() {
    if (launcher != null) {
      launcher.close();
    }
    Eventually.isTrue("no thread is left", () -> threads().isEmpty());
  }

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("csi4j-volume-launcher"))
        .toList();
  }

  private PluginConfig config() {
    return PluginConfig.builder("disk.csi", directory.resolve("csi"))
        .volumeRoot(directory.resolve("volumes"))
        .build();
  }

  private void start(String script, Map<String, String> variables) {
    launcher =
        ProcessPluginLauncher.builder(
                PluginLaunchPlan.of(config()).withEnvironment(variables),
                List.of("sh", "-c", script))
            .settings(settings)
            .directory(directory)
            .output(output::add)
            .listener(events::add)
            .start();
  }

  private void start(String script) {
    start(script, Map.of());
  }

  private <T extends ProcessPluginLauncher.Event> T next(Class<T> type)
      throws InterruptedException {
    while (true) {
      ProcessPluginLauncher.Event event = events.poll(20, TimeUnit.SECONDS);
      assertThat(event).as("the next " + type.getSimpleName()).isNotNull();
      if (type.isInstance(event)) {
        return type.cast(event);
      }
    }
  }

  private String line() throws InterruptedException {
    return String.valueOf(output.poll(20, TimeUnit.SECONDS));
  }

  private static boolean isAlive(long pid) {
    return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
  }

  @Test
  @Tag("D-020")
  void itFindsTheVariablesOfThePlanAndOfThisProcessOnlyHarmlessOnes() throws Exception {
    start("tr '\\0' '\\n' < /proc/$$/environ | sort; pwd", Map.of("A", "b c", "TZ", "Mars"));

    assertThat(line()).isEqualTo("A=b c");
    assertThat(line()).isEqualTo("CSI_ENDPOINT=unix://" + directory.resolve("csi/csi.sock"));
    for (String name : List.of("LANG", "LC_ALL", "LC_CTYPE", "PATH", "TMPDIR")) {
      if (System.getenv(name) != null) {
        assertThat(line()).isEqualTo(name + "=" + System.getenv(name));
      }
    }
    assertThat(line()).isEqualTo("TZ=Mars");
    assertThat(line()).isEqualTo(directory.toRealPath().toString());
    assertThat(System.getenv()).containsKey("HOME");
    assertThat(directory.resolve("csi")).isDirectory();
  }

  @Test
  void itIsStartedAgainWhenItHasEnded() throws Exception {
    start("printf run"); // without an end of the line

    ProcessPluginLauncher.Event.Started first = next(ProcessPluginLauncher.Event.Started.class);
    ProcessPluginLauncher.Event.Ended ended = next(ProcessPluginLauncher.Event.Ended.class);
    ProcessPluginLauncher.Event.Started second = next(ProcessPluginLauncher.Event.Started.class);
    assertThat(ended.instance()).isEqualTo(first.instance());
    assertThat(ended.status()).isZero();
    assertThat(ended.lastWords()).containsExactly("run");
    assertThat(ended.message()).isEmpty();
    assertThat(second.instance()).isNotEqualTo(first.instance());
  }

  @Test
  @Tag("D-042")
  void anEarlyEndWithAnErrorIsToldWithWhatItWroteToEitherOutput() throws Exception {
    start("echo starting; echo 'no such flag: \033[31m--nodid' >&2; exit 7");

    ProcessPluginLauncher.Event.Ended ended = next(ProcessPluginLauncher.Event.Ended.class);
    assertThat(ended.status()).isEqualTo(7);
    assertThat(ended.lastWords()).containsExactly("starting", "no such flag: \\u001b[31m--nodid");
    assertThat(ended.message().orElseThrow().code()).isEqualTo(OperatorCode.PLUGIN_EXITED);
    assertThat(ended.message().orElseThrow().seen().text())
        .startsWith("it ended with status 7 after ")
        .endsWith(" ms, and it wrote last: starting / no such flag: \\u001b[31m--nodid");
  }

  @Test
  void whatIsKilledFromOutsideComesBack() throws Exception {
    start("exec sleep 1000");
    long first = next(ProcessPluginLauncher.Event.Started.class).process();
    assertThat(launcher.process()).hasValue(first);

    ProcessHandle.of(first).orElseThrow().destroyForcibly();

    ProcessPluginLauncher.Event.Ended ended = next(ProcessPluginLauncher.Event.Ended.class);
    assertThat(ended.status()).isEqualTo(137);
    assertThat(ended.message()).isEmpty();
    assertThat(next(ProcessPluginLauncher.Event.Started.class).process()).isNotEqualTo(first);
  }

  @Test
  void aProgramThatIsNotThereIsToldAndNoThreadIsLeft() throws Exception {
    launcher =
        ProcessPluginLauncher.builder(
                PluginLaunchPlan.of(config()), List.of(directory.resolve("missing").toString()))
            .settings(QUICK)
            .listener(events::add)
            .start();

    ProcessPluginLauncher.Event.NotStarted told =
        next(ProcessPluginLauncher.Event.NotStarted.class);
    assertThat(told.message().code()).isEqualTo(OperatorCode.PLUGIN_EXITED);
    assertThat(told.message().seen().text())
        .startsWith("it could not be started: Cannot run program")
        .contains("No such file or directory");
  }

  @Test
  void closingAsksItToEndAndLeavesNoZombie() throws Exception {
    start("trap 'echo asked to end; exit 0' TERM; echo up; while :; do sleep 0.05; done");
    long pid = next(ProcessPluginLauncher.Event.Started.class).process();
    assertThat(line()).isEqualTo("up");

    launcher.close();

    ProcessPluginLauncher.Event.Ended ended = next(ProcessPluginLauncher.Event.Ended.class);
    assertThat(ended.status()).isZero();
    assertThat(ended.pause()).isEmpty();
    assertThat(launcher.lastWords()).containsExactly("up", "asked to end");
    assertThat(launcher.process()).isEmpty();
    assertThat(Path.of("/proc/" + pid)).doesNotExist();
    launcher.close();
  }

  @Test
  void whatDoesNotWantToEndIsKilledAndNothingElse() throws Exception {
    settings = QUICK.toBuilder().stopping(Duration.ofMillis(50)).build();
    start("trap '' TERM; sleep 1000 & echo $!; while :; do sleep 0.05; done");
    long pid = next(ProcessPluginLauncher.Event.Started.class).process();
    long child = Long.parseLong(line());

    launcher.close();

    assertThat(next(ProcessPluginLauncher.Event.Ended.class).status()).isEqualTo(137);
    assertThat(Path.of("/proc/" + pid)).doesNotExist();
    assertThat(isAlive(child)).isTrue();
    Eventually.isTrue("no thread, although the child holds its output", () -> threads().isEmpty());
    ProcessHandle.of(child).orElseThrow().destroyForcibly();
  }

  @Test
  void closingOnAnInterruptedThreadEndsTheProcessAllTheSame() throws Exception {
    settings = QUICK.toBuilder().stopping(Duration.ofMillis(50)).build();
    start("trap '' TERM; echo up; exec sleep 100");
    long pid = next(ProcessPluginLauncher.Event.Started.class).process();
    assertThat(line()).isEqualTo("up");

    Thread.currentThread().interrupt();
    launcher.close();

    assertThat(Thread.interrupted()).as("the mark of the interrupt").isTrue();
    assertThat(Path.of("/proc/" + pid)).doesNotExist();
    assertThat(next(ProcessPluginLauncher.Event.Ended.class).status()).isEqualTo(137);
  }

  @Test
  void aVariableThatNoProcessCanHaveIsToldWithoutItsValue() throws Exception {
    start("exec sleep 1000", Map.of("PASSWORD", "hunter22\0"));

    ProcessPluginLauncher.Event.NotStarted told =
        next(ProcessPluginLauncher.Event.NotStarted.class);
    assertThat(told.message().seen().text())
        .isEqualTo("it could not be started: java.lang.IllegalArgumentException");
    assertThat(next(ProcessPluginLauncher.Event.NotStarted.class)).as("tried again").isNotNull();
  }

  /**
   * A line that is not taken must not keep the process from writing, nor its end from being told.
   */
  @Test
  void theEndIsToldAlsoWhereALineCannotBeTaken() throws Exception {
    CompletableFuture<Integer> status = new CompletableFuture<>();
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    HostProcesses processes =
        new HostProcesses(
            work -> {
              Thread thread = new Thread(work, "csi4j-volume-launcher-output-of-a-test");
              thread.setUncaughtExceptionHandler((of, failed) -> failure.complete(failed));
              return thread;
            },
            100);

    processes.start(
        new HostProcessTable.Order(
            List.of("sh", "-c", "echo a; head -c 200000 /dev/zero; exit 3"),
            Map.of("PATH", System.getenv("PATH")),
            Optional.empty()),
        line -> {
          throw new AssertionError("of a test");
        },
        status::complete);

    assertThat(status.get(20, TimeUnit.SECONDS)).isEqualTo(3);
    assertThat(failure.get(20, TimeUnit.SECONDS)).hasMessage("of a test");
  }

  @Test
  void aLotOfOutputArrivesInOrderAndIsBounded() throws Exception {
    settings = QUICK.toBuilder().longestLine(64).lastWords(2).build();
    start(
        "i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done;"
            + " head -c 1000000 /dev/zero | tr '\\0' x; echo; echo last; exec sleep 1000");

    for (int i = 0; i < 20_000; i++) {
      assertThat(line()).isEqualTo("line " + i);
    }
    assertThat(line()).isEqualTo("x".repeat(64) + "… (1000000 bytes in all)");
    assertThat(line()).isEqualTo("last");
    assertThat(launcher.lastWords())
        .containsExactly("x".repeat(64) + "… (1000000 bytes in all)", "last");
  }

  @Test
  void itsInputIsAtItsEnd() throws Exception {
    start("cat; echo read all; exec sleep 1000");
    assertThat(line()).isEqualTo("read all");
  }

  @Test
  void aRestartReplacesTheProcess() throws Exception {
    start("exec sleep 1000");
    long first = next(ProcessPluginLauncher.Event.Started.class).process();

    launcher.restart();

    assertThat(next(ProcessPluginLauncher.Event.Ended.class).pause())
        .isEqualTo(Optional.of(Duration.ZERO));
    assertThat(next(ProcessPluginLauncher.Event.Started.class).process()).isNotEqualTo(first);
    assertThat(isAlive(first)).isFalse();
  }

  @Test
  void theSocketOfOneThatWasKilledIsRemovedBeforeTheNextStart() throws Exception {
    Path csi = Files.createDirectory(directory.resolve("csi"));
    ServerSocketChannel.open(StandardProtocolFamily.UNIX)
        .bind(UnixDomainSocketAddress.of(csi.resolve("csi.sock")))
        .close();
    assertThat(csi.resolve("csi.sock")).exists();

    start("[ -e csi/csi.sock ] && echo stale || echo clean; exec sleep 1000");

    assertThat(line()).isEqualTo("clean");
  }

  @Test
  void aPluginThatOutlivedItsHostIsLeftAloneUntilItHasGone() throws Exception {
    Path csi = Files.createDirectory(directory.resolve("csi"));
    try (var listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      listening.bind(UnixDomainSocketAddress.of(csi.resolve("csi.sock")));
      start("echo started; exec sleep 1000");
      ProcessPluginLauncher.Event.NotStarted told =
          next(ProcessPluginLauncher.Event.NotStarted.class);
      assertThat(told.message().code()).isEqualTo(OperatorCode.PLUGIN_DUPLICATE);
      assertThat(launcher.process()).isEmpty();
    }
    assertThat(line()).isEqualTo("started");
  }

  @Test
  void aPlanForAContainerAndAMissingCommandAreRefused() {
    PluginLaunchPlan contained =
        PluginLaunchPlan.of(
            PluginConfig.builder("disk.csi", directory.resolve("csi"))
                .volumeRoot(directory.resolve("volumes"))
                .seesVolumeRootAt(PluginPath.of("/csi-data"))
                .build());
    assertThatThrownBy(() -> ProcessPluginLauncher.builder(contained, List.of("true")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("The plugin 'disk.csi' sees its directories in a container");
    assertThatThrownBy(
            () -> ProcessPluginLauncher.builder(PluginLaunchPlan.of(config()), List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("No command was given for plugin 'disk.csi'.");
  }

  @Test
  void aListenerMayThrowAndCloseItsLauncher() throws Exception {
    CompletableFuture<ProcessPluginLauncher> started = new CompletableFuture<>();
    CompletableFuture<Void> closed = new CompletableFuture<>();
    launcher =
        ProcessPluginLauncher.builder(PluginLaunchPlan.of(config()), List.of("sleep", "1000"))
            .settings(settings)
            .listener(
                event -> {
                  events.add(event);
                  if (event instanceof ProcessPluginLauncher.Event.Started) {
                    started.join().close();
                    closed.complete(null);
                    throw new IllegalStateException("expected by this test");
                  }
                })
            .start();
    started.complete(launcher);

    closed.get(20, TimeUnit.SECONDS);

    assertThat(launcher.process()).isEmpty();
    assertThat(next(ProcessPluginLauncher.Event.Ended.class).pause()).isEmpty();
  }

  @Test
  void itsThreadsAreNamedDaemonsAndAreThreeForAPlugin() throws Exception {
    start("exec sleep 1000");
    next(ProcessPluginLauncher.Event.Started.class);

    // The one that tells the listener ends when it has nothing to tell.
    Eventually.isTrue(
        "three threads",
        () -> threads().stream().filter(name -> !name.contains("-events")).count() == 3);
    assertThat(Thread.getAllStackTraces().keySet())
        .filteredOn(thread -> thread.getName().startsWith("csi4j-volume-launcher"))
        .allMatch(Thread::isDaemon);
  }

  @Tag("campaign")
  @Test
  void noDescriptorIsLeftOfManyRuns() throws IOException, InterruptedException {
    start("exit 0");
    for (int i = 0; i < 5; i++) {
      next(ProcessPluginLauncher.Event.Ended.class);
    }
    long before = descriptors();
    for (int i = 0; i < 40; i++) {
      next(ProcessPluginLauncher.Event.Ended.class);
    }
    launcher.close();
    assertThat(descriptors()).isLessThanOrEqualTo(before + 3);
  }

  private static long descriptors() throws IOException {
    try (var all = Files.list(Path.of("/proc/self/fd"))) {
      return all.count();
    }
  }
}

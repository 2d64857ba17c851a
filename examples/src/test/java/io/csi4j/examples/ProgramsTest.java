package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.scripted.ScriptedPlugin;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProgramsTest {

  private static final List<CsiOperation> LIFE_OF_A_VOLUME =
      List.of(
          CsiOperation.CREATE_VOLUME,
          CsiOperation.CONTROLLER_PUBLISH_VOLUME,
          CsiOperation.VALIDATE_VOLUME_CAPABILITIES,
          CsiOperation.LIST_VOLUMES,
          CsiOperation.CONTROLLER_UNPUBLISH_VOLUME,
          CsiOperation.DELETE_VOLUME);

  @TempDir Path directory;
  private ScriptedPlugin plugin;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @BeforeEach
  void start() {
    plugin = ScriptedPlugin.start(directory.resolve("csi.sock"));
  }

  @AfterEach
  void stop() {
    plugin.close();
  }

  @FunctionalInterface
  private interface Main {
    int run(String[] args, PrintStream out, PrintStream err);
  }

  private int run(Main main, String... args) {
    return main.run(
        args,
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  private String out() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private String err() {
    return err.toString(StandardCharsets.UTF_8);
  }

  private String endpoint() {
    return plugin.endpoint().toString();
  }

  @Test
  void readingAPluginPrintsWhoItIsWhatItOffersAndTheNode() {
    assertThat(run(ReadPlugin::run, endpoint())).isZero();
    assertThat(err()).isEmpty();
    assertThat(out().lines().map(line -> line.replaceAll("  +", "|")))
        .contains("name|scripted.csi4j.example", "version|1.2.3", "node info|id node-1")
        .anyMatch(line -> line.startsWith("plugin|[CONTROLLER_SERVICE, "))
        .anyMatch(line -> line.startsWith("controller|[CREATE_DELETE_VOLUME, "))
        .anyMatch(line -> line.startsWith("node|[STAGE_UNSTAGE_VOLUME, "));
  }

  @Test
  void aPluginWithoutANodeServiceCanBeReadAllTheSame() {
    plugin.fail(CsiOperation.NODE_GET_CAPABILITIES, StatusCode.UNIMPLEMENTED, "");
    plugin.fail(CsiOperation.NODE_GET_INFO, StatusCode.UNIMPLEMENTED, "");

    assertThat(run(ReadPlugin::run, endpoint())).isZero();
    assertThat(out()).contains("node        none here").contains("node info   none here");
  }

  @Test
  void aMissingArgumentIsAnsweredWithTheUsage() {
    assertThat(run(ReadPlugin::run)).isEqualTo(2);
    assertThat(err().lines())
        .containsExactly(
            "There are 0 arguments, not 1.",
            "Usage: ReadPlugin ENDPOINT, where ENDPOINT is such as unix:///run/csi/csi.sock");
  }

  @Test
  void anEndpointThatIsNoneIsAnsweredWithWhatIsWrongAndTheUsage() {
    assertThat(run(ReadPlugin::run, "tcp://localhost:1")).isEqualTo(2);
    assertThat(err().lines().toList()).hasSize(2).first().asString().contains("unix://");
  }

  @Test
  void aPathWithoutASocketFailsInOneLine() {
    assertThat(run(ReadPlugin::run, "unix://" + directory)).isEqualTo(1);
    assertThat(err().lines())
        .singleElement()
        .asString()
        .contains("there is a directory at")
        .contains("Give the path of the plugin's socket itself.");
  }

  @Test
  void theExitStatusReachesTheShell() throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Dslf4j.internal.verbosity=ERROR", // only tests have slf4j
                "--enable-native-access=ALL-UNNAMED", // newer JVMs warn without it
                "-cp",
                System.getProperty("java.class.path"),
                ReadPlugin.class.getName(),
                "unix://" + directory)
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as(said).isEqualTo(1);
    assertThat(said).startsWith("Connecting to unix://" + directory + " failed: ");
  }

  @Test
  void aVolumeIsProvisionedAndTakenBack() {
    assertThat(run(ProvisionVolume::run, endpoint(), "data", "node-1")).isZero();
    assertThat(err()).isEmpty();
    assertThat(volumeCalls()).isEqualTo(LIFE_OF_A_VOLUME);
    assertThat(out().lines())
        .contains("created id-of-data", "attached to node-1", "detached", "deleted");
  }

  @Test
  void anAttachThatIsSettledIsNotUndone() {
    plugin.fail(CsiOperation.CONTROLLER_PUBLISH_VOLUME, StatusCode.NOT_FOUND, "no such node");

    assertThat(run(ProvisionVolume::run, endpoint(), "data", "node-1")).isEqualTo(1);
    assertThat(volumeCalls())
        .containsExactly(
            CsiOperation.CREATE_VOLUME,
            CsiOperation.CONTROLLER_PUBLISH_VOLUME,
            CsiOperation.DELETE_VOLUME);
    assertThat(out()).contains("it was not attached: nothing to detach");
    assertThat(err().lines()).singleElement().asString().contains("(NOT_FOUND)");
  }

  @Test
  void anAttachThatIsUncertainIsUndone() {
    plugin.fail(CsiOperation.CONTROLLER_PUBLISH_VOLUME, StatusCode.RESOURCE_EXHAUSTED, "");

    assertThat(run(ProvisionVolume::run, endpoint(), "data", "node-1")).isEqualTo(1);
    assertThat(volumeCalls())
        .containsExactly(
            CsiOperation.CREATE_VOLUME,
            CsiOperation.CONTROLLER_PUBLISH_VOLUME,
            CsiOperation.CONTROLLER_UNPUBLISH_VOLUME,
            CsiOperation.DELETE_VOLUME);
    assertThat(out()).contains("it may be attached all the same: detaching it");
  }

  @Test
  void whatACreateLeavesBehindIsTold() {
    plugin.fail(CsiOperation.CREATE_VOLUME, StatusCode.RESOURCE_EXHAUSTED, "");
    assertThat(run(ProvisionVolume::run, endpoint(), "data", "node-1")).isEqualTo(1);
    assertThat(out()).contains("there may be a volume of that name");

    out.reset();
    plugin.fail(CsiOperation.CREATE_VOLUME, StatusCode.INVALID_ARGUMENT, "");
    assertThat(run(ProvisionVolume::run, endpoint(), "data", "node-1")).isEqualTo(1);
    assertThat(out()).contains("no volume was made: nothing is owed");
  }

  @Test
  void aFailureOfCleaningUpDoesNotHideTheFirst() {
    plugin.fail(CsiOperation.VALIDATE_VOLUME_CAPABILITIES, StatusCode.NOT_FOUND, "first");
    plugin.fail(CsiOperation.CONTROLLER_UNPUBLISH_VOLUME, StatusCode.INVALID_ARGUMENT, "second");

    assertThat(run(ProvisionVolume::run, endpoint(), "data", "node-1")).isEqualTo(1);
    assertThat(err()).contains("first").doesNotContain("second");
    assertThat(volumeCalls()).endsWith(CsiOperation.DELETE_VOLUME);
  }

  @Test
  void attemptsAreCountedByOperationAndStatus() {
    assertThat(run(CountCalls::run, endpoint(), "5")).isZero();
    assertThat(out().lines().map(line -> line.replaceAll(" +", " ")))
        .anyMatch(line -> line.matches("Probe OK [56] times, \\d+ µs each"))
        .endsWith("0 still running");
  }

  @Test
  void failedAttemptsAreCountedApart() {
    AtomicInteger probes = new AtomicInteger();
    plugin.on(
        CsiOperation.PROBE,
        (call, reply) -> {
          if (probes.incrementAndGet() < 3) {
            reply.ok(ScriptedPlugin.defaultAnswer(CsiOperation.PROBE, call.request()));
          } else {
            reply.fail(StatusCode.FAILED_PRECONDITION, "not well");
          }
        });

    assertThat(run(CountCalls::run, endpoint(), "5")).isEqualTo(1);
    assertThat(out().lines().map(line -> line.replaceAll(" +", " ")))
        .anyMatch(line -> line.matches("Probe OK 2 times, \\d+ µs each"))
        .anyMatch(line -> line.matches("Probe FAILED_PRECONDITION 1 times, \\d+ µs each"))
        .endsWith("0 still running");
    assertThat(err().lines()).singleElement().asString().contains("not well");
  }

  @Test
  void aNumberOfTimesThatIsNoneIsAnsweredWithTheUsage() {
    assertThat(run(CountCalls::run, endpoint(), "many")).isEqualTo(2);
    assertThat(err()).contains("Usage: CountCalls ENDPOINT TIMES");
  }

  @Test
  void theMountsAtAndBelowAPathAreListedAfterWhatTheKernelCanDo() {
    assertThat(run(ListMounts::run, "/proc")).isZero();
    assertThat(err()).isEmpty();
    assertThat(out().lines())
        .contains("is it a mount point?")
        .anyMatch(line -> line.contains(" at /proc (proc "))
        .noneMatch(line -> line.contains(" at / ("))
        .last()
        .asString()
        .endsWith(" at and below /proc");
  }

  @Test
  void aPathThatIsNotAbsoluteIsAnsweredWithTheUsage() {
    assertThat(run(ListMounts::run, "proc")).isEqualTo(2);
    assertThat(err().lines())
        .last()
        .isEqualTo("Usage: ListMounts PATH, where PATH is such as /var/lib");
  }

  private List<CsiOperation> volumeCalls() {
    List<CsiOperation> seen = new ArrayList<>();
    plugin.calls().forEach(call -> seen.add(call.operation()));
    seen.retainAll(LIFE_OF_A_VOLUME);
    return seen;
  }
}

package io.csi4j.examples.ozone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.conformance.PluginConformance;
import io.csi4j.conformance.model.CaseResult.Outcome;
import io.csi4j.conformance.model.ConformanceListener;
import io.csi4j.conformance.model.ConformanceReport;
import io.csi4j.conformance.model.PluginUnderTest;
import io.csi4j.mount.real.Eventually;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Apache Ozone's CSI server 2.2.0, with hosts that mount its buckets. The server answers each
 * failure with UNKNOWN, has no staging, mounts again what is mounted, and fails to unpublish what
 * is not mounted.
 */
@MountTest
@Tag("campaign")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OzoneTest {

  private final List<OzoneHostProcess> hosts = new ArrayList<>();
  private OzoneServer server;
  private Path scratch;
  private Path root;
  private Path bucket;
  private String web;
  private String db;
  private int tests;

  @BeforeAll
  void startTheServer(Scratch directory) {
    if (!OzoneServer.isHere()) {
      String missing =
          "Apache Ozone's CSI server is missing. Download it: " + OzoneServer.DOWNLOAD + ".";
      if ("1".equals(System.getenv("OZONE_TEST_REQUIRED"))) {
        throw new AssertionError(missing + " OZONE_TEST_REQUIRED=1 makes that a failure.");
      }
      assumeThat(false).as(missing).isTrue();
    }
    scratch = directory.root().toPath();
    server = OzoneServer.start(directory.directory("ozone").toPath());
  }

  @AfterAll
  void endTheServer() {
    if (server != null) {
      server.close();
    }
  }

  @BeforeEach
  void makeABucket() {
    server.start();
    String name = "bucket-" + tests++;
    bucket = server.bucket(name);
    root = scratch.resolve("host-" + name);
    web = name + ":web";
    db = name + ":db";
  }

  @AfterEach
  void endTheHosts() {
    hosts.forEach(OzoneHostProcess::close);
    server.clearFaults();
  }

  private OzoneHostProcess host() {
    OzoneHostProcess host = OzoneHostProcess.start(root, server);
    hosts.add(host);
    return host;
  }

  /** The mount points below the directory of this test's hosts, a layer each. */
  private List<String> mounts() {
    return Scratch.rows("self").stream()
        .map(row -> row.split(" ", -1)[4])
        .filter(point -> point.startsWith(root + "/"))
        .toList();
  }

  private Path mount(OzoneHostProcess host, String use) {
    String answer = host.ask("mount " + use);
    assertThat(answer).as(() -> server.log()).startsWith("mounted ");
    return Path.of(answer.substring("mounted ".length()));
  }

  private void unmountTheLast(OzoneHostProcess host, String use) {
    assertThat(host.ask("unmount " + use)).as(() -> server.log()).isEqualTo("unmounted LAST");
    assertThat(isNothingLeft(host)).isTrue();
  }

  /** Whether no use is on record, nothing is mounted, and no directory of a volume is there. */
  private boolean isNothingLeft(OzoneHostProcess host) {
    String[] directories = root.resolve("v").toFile().list();
    return host.ask("status " + bucket.getFileName()).equals("status ")
        && mounts().isEmpty()
        && directories != null
        && directories.length == 0;
  }

  @Test
  void twoWorkloadsShareABucket() throws IOException {
    OzoneHostProcess host = host();
    assertThat(host.found()).isEqualTo("found adopted=0 inDoubt=0 going=0");

    Path ofWeb = mount(host, web);
    Files.writeString(ofWeb.resolve("notes"), "written by web");
    Path ofDb = mount(host, db);

    assertThat(ofDb).isNotEqualTo(ofWeb);
    assertThat(ofDb.resolve("notes")).hasContent("written by web");
    assertThat(bucket.resolve("notes")).hasContent("written by web");
    assertThat(mounts()).containsExactlyInAnyOrder(ofWeb.toString(), ofDb.toString());
    assertThat(host.ask("unmount " + web)).isEqualTo("unmounted NOT_LAST");
    assertThat(mounts()).containsExactly(ofDb.toString());
    unmountTheLast(host, db);
    assertThat(bucket.resolve("notes")).hasContent("written by web");
  }

  @Test
  void aMountCommandThatFailsOnceIsRunAgain() throws IOException {
    OzoneHostProcess host = host();
    server.onMount("fail");

    mount(host, web);

    assertThat(server.done()).containsExactly("mount");
    unmountTheLast(host, web);
  }

  @Test
  void aMountWhoseCommandFailedThreeTimesIsMadeByTheNextRequest() throws IOException {
    OzoneHostProcess host = host();
    server.onMount("fail", "fail", "fail");

    assertThat(host.ask("mount " + web)).isEqualTo("failed IN_PROGRESS FAILED_IN_DOUBT");
    assertThat(host.ask("status " + bucket.getFileName())).isEqualTo("status web=GOING");

    Path path = mount(host, web);
    assertThat(mounts()).containsExactly(path.toString());
    unmountTheLast(host, web);
  }

  @Test
  void aFailedMountThatTheServerDoesNotReleaseIsAbandonedByAPerson() throws IOException {
    OzoneHostProcess host = host();
    server.onMount("fail", "fail", "fail");
    assertThat(host.ask("mount " + web)).isEqualTo("failed IN_PROGRESS FAILED_IN_DOUBT");

    assertThat(host.ask("unmount " + web)).isEqualTo("failed IN_PROGRESS UNPUBLISH_IN_DOUBT");

    assertThat(host.ask("abandon " + web)).isEqualTo("abandoned LAST");
    assertThat(isNothingLeft(host)).isTrue();
    mount(host, web);
    unmountTheLast(host, web);
  }

  @Test
  void aServerThatIsKilledBeforeItAnswersAMountHasMountedOnce() throws IOException {
    OzoneHostProcess host = host();
    server.onMount("kill");

    assertThat(host.ask("mount " + web)).isEqualTo("failed IN_PROGRESS FAILED_IN_DOUBT");
    server.awaitEnd();
    assertThat(mounts()).hasSize(1);
    assertThat(host.ask("mount " + web)).isEqualTo("failed REFUSED PLUGIN_NOT_UP");

    server.start();
    Path path = mount(host, web);
    assertThat(server.done()).containsExactly("mount", "unmount", "mount");
    assertThat(mounts()).containsExactly(path.toString());
    unmountTheLast(host, web);
  }

  @Test
  void aServerThatIsKilledBeforeItAnswersAnUnmountDoesNotReleaseTheUseAfterwards()
      throws IOException {
    OzoneHostProcess host = host();
    mount(host, web);
    server.onUnmount("kill");

    assertThat(host.ask("unmount " + web)).isEqualTo("failed IN_PROGRESS UNPUBLISH_IN_DOUBT");
    server.awaitEnd();
    server.start();
    assertThat(host.ask("unmount " + web)).isEqualTo("failed IN_PROGRESS UNPUBLISH_IN_DOUBT");
    assertThat(host.ask("mount " + web)).isEqualTo("failed IN_PROGRESS UNPUBLISH_IN_DOUBT");

    assertThat(server.done()).containsExactly("mount", "unmount");
    assertThat(host.ask("abandon " + web)).isEqualTo("abandoned LAST");
    assertThat(isNothingLeft(host)).isTrue();
    mount(host, web);
    unmountTheLast(host, web);
  }

  @Test
  void aHostThatIsKilledLeavesTheMountToTheNextOneAndAServerThatIsKilledToo() throws IOException {
    OzoneHostProcess host = host();
    Path path = mount(host, web);
    try (Writer open = Files.newBufferedWriter(path.resolve("notes"))) {
      host.kill();
      server.kill();
      open.write("written meanwhile");
    }

    OzoneHostProcess next = host();

    assertThat(next.found()).isEqualTo("found adopted=1 inDoubt=0 going=0");
    assertThat(next.ask("reconcile " + web)).isEqualTo("reconciled mounted=0 released=0 failed=0");
    assertThat(mount(next, web)).isEqualTo(path);
    assertThat(bucket.resolve("notes")).hasContent("written meanwhile");
    assertThat(next.ask("unmount " + web)).isEqualTo("failed IN_PROGRESS PLUGIN_NOT_UP");
    assertThat(mounts()).containsExactly(path.toString());
    server.start();
    Eventually.isTrue("the use is released", () -> isNothingLeft(next));
    assertThat(server.done()).containsExactly("mount", "unmount");
  }

  @Test
  void aMountThatIsMadeTwiceBecauseItsHostWasKilledIsUnmountedTwice() throws IOException {
    OzoneHostProcess host = host();
    killDuringAMount(host);

    OzoneHostProcess next = host();

    assertThat(next.found()).isEqualTo("found adopted=0 inDoubt=1 going=0");
    assertThat(next.ask("reconcile " + web)).isEqualTo("reconciled mounted=1 released=0 failed=0");
    server.letGo();
    assertThat(mounts()).hasSize(2);
    unmountTheLast(next, web);
    assertThat(server.done()).containsExactly("mount", "mount", "unmount", "unmount");
  }

  @Test
  void aMountThatIsMadeLateAndNotWantedAnyMoreIsUnmounted() throws IOException {
    OzoneHostProcess host = host();
    killDuringAMount(host);

    OzoneHostProcess next = host();

    assertThat(next.found()).isEqualTo("found adopted=0 inDoubt=1 going=0");
    assertThat(next.ask("reconcile")).isEqualTo("reconciled mounted=0 released=0 failed=1");
    assertThat(mounts()).isEmpty();
    server.letGo();
    Eventually.isTrue("the use is released", () -> isNothingLeft(next));
    assertThat(server.done()).containsExactly("mount", "unmount");
  }

  private void killDuringAMount(OzoneHostProcess host) {
    server.hold();
    server.onMount("wait");
    host.order("mount " + web);
    Eventually.isTrue("the mount command runs", server::isWaiting);
    host.kill();
  }

  /** Cases of the suite that the server fails for one reason. */
  private record Fault(String reason, String got, List<String> cases) {

    Fault(String reason, String got, String... cases) {
      this(reason, got, List.of(cases));
    }
  }

  private static final List<Fault> FAULTS =
      List.of(
          new Fault(
              "ValidateVolumeCapabilities is missing",
              "UNIMPLEMENTED",
              "controller/validate/without-volume-id-is-refused"),
          new Fault(
              "most fields of a request are not looked at",
              "OK {",
              "controller/create/without-volume-capabilities-is-refused",
              "controller/create/a-capability-without-access-type-is-refused",
              "controller/create/a-capability-without-access-mode-is-refused",
              "controller/create/a-negative-size-is-refused",
              "controller/create/a-source-that-the-plugin-cannot-use-is-refused",
              "node/publish/without-volume-capability-is-refused"),
          new Fault(
              "a limit of the size is not looked at",
              "a volume of 2147483648 bytes",
              "controller/create/a-limit-below-the-required-size-is-refused"),
          new Fault(
              "readonly is not looked at",
              "a file was written",
              "node/publish/readonly-at-a-writable-target-is-refused",
              "node/publish/readonly-cannot-be-written"),
          new Fault(
              "a refusal by the storage or a command is UNKNOWN",
              "UNKNOWN (2)",
              "controller/create/without-name-is-refused",
              "controller/create/the-same-name-with-another-size-is-refused",
              "controller/delete/without-volume-id-is-refused",
              "node/publish/without-volume-id-is-refused",
              "node/publish/without-target-path-is-refused",
              "node/unpublish/without-volume-id-is-refused",
              "node/unpublish/without-target-path-is-refused"),
          new Fault(
              "a name has to be one of a bucket of S3",
              "UNKNOWN (2)",
              "controller/create/a-name-of-128-bytes-is-accepted",
              "controller/create/a-name-in-any-script-is-accepted"),
          new Fault(
              "a repeated call is not recognized",
              "UNKNOWN (2)",
              "controller/create/the-same-again-is-the-same-volume",
              "controller/delete/an-unknown-volume-is-gone-already",
              "controller/delete/again-succeeds",
              "node/unpublish/again-succeeds",
              "node/unpublish/a-volume-that-was-never-published-succeeds"),
          new Fault(
              "a repeated publish mounts again", "2 mounts at", "node/publish/again-succeeds"),
          new Fault(
              "fusermount unmounts, and the directory stays",
              "something is left there",
              "node/unpublish/removes-the-target-path"),
          new Fault(
              "the controller's failures have no text",
              "UNKNOWN without one",
              "status/a-refusal-says-why"));

  @Test
  void theServerFailsTheseCasesOfTheSuiteAndNoOthers() throws IOException {
    Path paths = Files.createDirectory(scratch.resolve("suite"));

    ConformanceReport report =
        PluginConformance.run(
            PluginUnderTest.builder(CsiEndpoint.of(server.socket())).directory(paths).build(),
            ConformanceListener.none());

    assertThat(named(report, Outcome.FAILED))
        .as(report::text)
        .containsExactlyInAnyOrderElementsOf(
            FAULTS.stream().flatMap(fault -> fault.cases().stream()).toList());
    for (Fault fault : FAULTS) {
      assertThat(report.results(Outcome.FAILED))
          .filteredOn(result -> fault.cases().contains(result.about().name()))
          .as(fault.reason())
          .extracting(result -> got(result.story()))
          .allMatch(got -> got.contains(fault.got()));
    }
    assertThat(named(report, Outcome.NOT_RUN))
        .containsExactly(
            "controller/validate/without-volume-capabilities-is-refused",
            "controller/validate/an-unknown-volume-is-not-found",
            "controller/validate/what-it-was-made-for-is-confirmed",
            "controller/delete/a-deleted-volume-is-unknown");
    assertThat(named(report, Outcome.ADVICE))
        .containsExactly(
            "controller/create/the-same-name-with-another-capability-is-no-other-volume",
            "controller/create/the-same-name-with-another-parameter-is-no-other-volume",
            "node/publish/an-unknown-volume-is-not-found",
            "node/publish/second-target-of-a-single-node-volume-is-better-refused",
            "node/publish/second-target-with-another-capability-is-better-refused",
            "node/unpublish/an-unknown-volume-is-unpublished-or-not-found",
            "concurrency/one-name-created-twice-at-once-is-one-volume",
            "concurrency/one-volume-deleted-twice-at-once-is-gone",
            "concurrency/one-volume-unpublished-twice-at-once");
    assertThat(report.count(Outcome.PASSED)).isEqualTo(28);
    assertThat(report.results())
        .filteredOn(result -> !result.leftBehind().isEmpty())
        .as("an unpublish that fails, and two buckets that are not empty")
        .extracting(result -> result.about().name())
        .containsExactly(
            "node/publish/an-unknown-volume-is-not-found",
            "node/publish/readonly-at-a-writable-target-is-refused",
            "node/publish/readonly-cannot-be-written");
    assertThat(Scratch.rows("self")).noneMatch(row -> row.contains(paths.toString()));
  }

  /** Returns the line of a result that holds the server's answer. */
  private static String got(String story) {
    return story.lines().filter(line -> line.startsWith("got: ")).findFirst().orElseThrow();
  }

  private static List<String> named(ConformanceReport report, Outcome outcome) {
    return report.results(outcome).stream().map(result -> result.about().name()).toList();
  }
}

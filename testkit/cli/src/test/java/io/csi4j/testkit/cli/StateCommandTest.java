package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.volume.model.VolumeException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateCommandTest {

  @TempDir Path temp;

  private static Run state(Path root, String... more) {
    return Run.of(
        Stream.concat(Stream.of("state", more[0], root.toString()), Arrays.stream(more).skip(1))
            .toArray(String[]::new));
  }

  @Test
  void aReleaseThatDoesNotSucceedIsShownAsOwed() {
    Path root;
    try (ManagedDirectory world = ManagedDirectory.open(temp)) {
      root = world.root();
      world
          .plugin()
          .inject(
              Fault.fail(StatusCode.INTERNAL, "no"),
              When.calling(CsiOperation.NODE_UNPUBLISH_VOLUME));
      var unused = world.manager().async().unmount(ManagedDirectory.WEB);
      while (world.plugin().journal().calls(CsiOperation.NODE_UNPUBLISH_VOLUME).isEmpty()) {
        LockSupport.parkNanos(100_000);
      }
    }

    Run show = state(root, "show");
    Run json = state(root, "show", "--json");
    Run explain = state(root.resolve("state"), "explain", "--volume", "default/db");

    assertThat(show.code()).as(show.err()).isZero();
    assertThat(show.outLines())
        .contains(
            "  pending: NodeUnpublishVolume for workload 'web-1' (default/db), as its release has"
                + " begun");
    assertThat(show.outLines().get(0)).contains("; not open; last opened by process ");
    assertThat(json.outLines())
        .singleElement()
        .asString()
        .contains(
            "\"owed\":[{\"plugin\":\"fake.csi4j.example\",\"handle\":\"vol-1\",\"use\":{",
            "\"call\":\"NodeUnpublishVolume\",\"unless_wanted\":false");
    assertThat(explain.code()).isZero();
    assertThat(explain.out())
        .contains("A start here would:")
        .contains(
            "continue a release once the host reports which uses it wants:"
                + " NodeUnpublishVolume");
  }

  /** From the files alone, and also after the death of the manager. */
  @Test
  void whatFailsIsShownWithItsReasonAndSinceWhen() throws Exception {
    Path root;
    Instant begun = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    try (ManagedDirectory world = ManagedDirectory.open(temp)) {
      root = world.root();
      world
          .plugin()
          .inject(
              Fault.fail(StatusCode.FAILED_PRECONDITION, "device is busy"),
              When.calling(CsiOperation.NODE_UNPUBLISH_VOLUME));
      assertThatThrownBy(() -> world.manager().unmount(ManagedDirectory.WEB))
          .isInstanceOf(VolumeException.class);
      while (Files.notExists(root.resolve("trouble"))) {
        LockSupport.parkNanos(1_000_000);
      }

      Run open = state(root, "explain");
      assertThat(open.out()).contains("be refused with STATE_IN_USE, while the manager is open");
    }
    Run show = state(root, "show", "--volume", "db");
    Run json = state(root, "show", "--json", "--volume", "db");
    Run check = state(root, "check");

    String failing = only(show, "  failing since ");
    assertThat(failing)
        .contains(
            ": CSI-708 RELEASE_REFUSED: cleaning up volume 'vol-1' (default/db for workload 'web-1')",
            "(FAILED_PRECONDITION to NodeUnpublishVolume: device is busy);")
        .endsWith(". Fix what the plugin reports; csi4j retries.");
    Instant since = Instant.parse(failing.substring(16, 36));
    assertThat(since).isBetween(begun, Instant.now());
    assertThat(only(state(root, "explain"), "  failing since ")).isEqualTo(failing);
    assertThat(json.out()).contains("\"failing\":[{", "\"since\":\"" + since + "\"");
    assertThat(check.code()).isZero();
    assertThat(state(root, "show", "--json", "--volume", "no").code()).isEqualTo(ExitCode.USAGE);

    Path file = root.resolve("trouble");
    Files.writeString(
        file, Files.readString(file).replace(since.toString(), "2026-01-02T03:04:05Z"));
    Run late = state(root, "check");
    assertThat(late.code()).isEqualTo(ExitCode.FAILED);
    assertThat(only(late, "CSI-")).endsWith(". It has failed since 2026-01-02T03:04:05Z.");

    Files.writeString(file, "something else");
    assertThat(state(root, "show").out()).doesNotContain("failing since");
  }

  private static String only(Run run, String beginning) {
    List<String> lines =
        run.outLines().stream().filter(line -> line.startsWith(beginning)).toList();
    assertThat(lines).as(run.out()).hasSize(1);
    return lines.get(0);
  }

  @Test
  void aJournalOfWhichNothingCanBeReadIsNoStateWithoutVolumes() throws IOException {
    Path root;
    try (ManagedDirectory world = ManagedDirectory.open(temp)) {
      root = world.root();
    }
    try (Stream<Path> files = Files.list(root.resolve("state"))) {
      for (Path segment : files.filter(file -> file.toString().endsWith(".j")).toList()) {
        byte[] bytes = Files.readAllBytes(segment);
        Arrays.fill(bytes, (byte) 0x5a);
        Files.write(segment, bytes);
      }
    }

    for (String side : List.of("show", "explain")) {
      Run run = state(root, side);
      assertThat(run.code()).as(side).isEqualTo(ExitCode.NO_CONNECTION);
      assertThat(run.outLines())
          .as(side)
          .anySatisfy(
              line ->
                  assertThat(line)
                      .startsWith("The records are incomplete (JOURNAL_DAMAGED): The newest"));
    }
    assertThat(state(root, "show", "--json").code()).isEqualTo(ExitCode.NO_CONNECTION);
    Run one = state(root, "show", "--volume", "vol-7");
    assertThat(one.code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(one.errLines())
        .containsExactly(
            "The state has no record of a volume or workload 'vol-7', but"
                + " the records are incomplete. See 'csi4j state check'.");
  }

  @Test
  void aDamagedJournalNeedsAPersonAndIsShownAllTheSame() throws IOException {
    Path root;
    try (ManagedDirectory world = ManagedDirectory.open(temp)) {
      root = world.root();
    }
    Path segment;
    try (Stream<Path> files = Files.list(root.resolve("state"))) {
      segment =
          files
              .filter(file -> file.toString().endsWith(".j"))
              .max(Comparator.naturalOrder())
              .orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(segment);
    Arrays.fill(bytes, 300, 340, (byte) 0x5a);
    Files.write(segment, bytes);

    Run check = state(root, "check");
    Run show = state(root, "show");

    assertThat(check.code()).isEqualTo(ExitCode.FAILED);
    assertThat(check.out()).contains("JOURNAL_DAMAGED: ");
    assertThat(show.code()).isZero();
    assertThat(show.out())
        .contains("The records are incomplete (JOURNAL_DAMAGED): ")
        .contains("volume 'vol-1' of plugin 'fake.csi4j.example'");
    assertThat(Files.readAllBytes(segment)).isEqualTo(bytes);
  }

  @Test
  void whatIsNoStateIsSaidToBeNone() {
    Run run = state(temp, "show");

    assertThat(run.code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(run.errLines())
        .containsExactly(
            "CSI-609 ROOT_NOT_USABLE: reading the volume manager at "
                + temp
                + ": it has no directory 'state' and no directory of a volume; nothing was done."
                + " Give the directory that the manager was opened with.");
    assertThat(temp).isEmptyDirectory();
  }

  @Test
  void usesThatAStartWouldTakeOverAreCountedAndAVolumeThatIsMountedAgainIsNoLongerGivenBack() {
    try (ManagedDirectory world = ManagedDirectory.open(temp)) {
      world.manager().unmount(ManagedDirectory.WEB);
      assertThat(state(world.root(), "show").out())
          .contains("1 volume released, and remembered for late mounts");
      world.mount("db", "vol-1");
      world.mount("logs", "vol-2");

      assertThat(state(world.root(), "show").out()).doesNotContain("remembered for late");
      assertThat(state(world.root(), "explain").outLines())
          .contains("  - take over 2 uses that are mounted as recorded");
    }
  }

  private static void await(Run run, String text) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!(run.out() + run.err()).contains(text)) {
      assertThat(System.nanoTime()).as(run.out() + run.err()).isLessThan(end);
      Thread.onSpinWait();
    }
  }

  @Test
  void aWatchPrintsTheVolumesThatHaveChangedAndNothingElse() {
    try (ManagedDirectory world = ManagedDirectory.open(temp)) {
      world.mount("logs", "vol-2");
      Run run = watch(world.root(), "show");
      await(run, "(default/logs)");
      world.manager().unmount(ManagedDirectory.WEB);
      await(run, "no longer recorded");

      assertThat(run.ended().code()).isZero();
      List<String> changes = run.outLines().subList(5, run.outLines().size());
      assertThat(changes.get(0)).matches("--- 2\\d{3}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ");
      assertThat(changes)
          .contains("volume 'vol-1' of plugin 'fake.csi4j.example': no longer recorded")
          .noneMatch(line -> line.contains("vol-2"));
      assertThat(run.err()).isEmpty();
    }
  }

  private static Run watch(Path root, String side) {
    return Run.serving("state", side, root.toString(), "--watch", "--every", "20ms");
  }

  @Test
  void aWatchGoesOnWhileTheStateCannotBeRead() throws IOException {
    Path root;
    try (ManagedDirectory world = ManagedDirectory.open(temp)) {
      root = world.root();
    }
    Run run = watch(root, "check");
    await(run, "no problem needs action\n");
    Path away = Files.move(root, temp.resolve("away"));
    await(run, "ROOT_NOT_USABLE: ");
    Files.move(away, root);
    await(run, "The state can be read again.\n");

    assertThat(run.ended().code()).isZero();
    assertThat(run.outLines()).containsExactly(root + ": no problem needs action");
    assertThat(run.errLines())
        .satisfiesExactly(
            line -> assertThat(line).startsWith("--- 2"),
            line ->
                assertThat(line)
                    .startsWith("CSI-609 ROOT_NOT_USABLE: reading the volume manager at " + root),
            line -> assertThat(line).startsWith("--- 2"),
            line -> assertThat(line).isEqualTo("The state can be read again."));
  }

  @Test
  void aWatchOfAStateThatIsGoneAtTheEndIsAFailure() throws IOException {
    Path root;
    try (ManagedDirectory world = ManagedDirectory.open(temp)) {
      root = world.root();
    }
    Run run = watch(root, "show");
    await(run, "(default/db)");
    Files.move(root, temp.resolve("away"));
    await(run, "ROOT_NOT_USABLE: ");

    assertThat(run.ended().code()).isEqualTo(ExitCode.NO_CONNECTION);
  }

  @Test
  void aWatchOfNoStateEndsAtOnce() {
    Run run = watch(temp, "show");

    assertThat(run.code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(run.out()).isEmpty();
  }

  @Test
  void aVolumeIsDescribedAsItsManagerExplainsIt() {
    try (ManagedDirectory world = ManagedDirectory.open(temp)) {
      List<String> explained =
          world.manager().explain(ManagedDirectory.WEB.volume()).lines().subList(0, 2);

      assertThat(explained)
          .first()
          .isEqualTo(
              "volume 'vol-1' of plugin 'fake.csi4j.example': filesystem, staged, used by 1"
                  + " workload");
      assertThat(state(world.root(), "show").outLines().stream().skip(1).map(String::strip))
          .containsExactlyElementsOf(explained);
    }
  }

  @Test
  void aVolumeOfWhichNothingIsOnRecordIsNamed() {
    try (ManagedDirectory world = ManagedDirectory.open(temp)) {
      Run run = state(world.root(), "explain", "--volume", "vol-2");

      assertThat(run.code()).isEqualTo(ExitCode.USAGE);
      assertThat(run.errLines())
          .startsWith(
              "The state has no record of a volume or workload 'vol-2'. They"
                  + " name 'db', 'vol-1', 'web-1'.");
    }
  }

  private static List<String> lines(ZipFile zip, String entry) throws IOException {
    return new String(
            zip.getInputStream(zip.getEntry(entry)).readAllBytes(), StandardCharsets.UTF_8)
        .lines()
        .toList();
  }

  @Test
  void aDumpHasAllSidesAndIsOnlyForItsOwner() throws IOException {
    try (ManagedDirectory world = ManagedDirectory.open(temp)) {
      Path archive = temp.resolve("report.zip");
      Run run = Run.of("dump", world.root().toString(), "--output", archive.toString());

      assertThat(run.code()).as(run.err()).isZero();
      try (ZipFile zip = new ZipFile(archive.toFile())) {
        assertThat(zip.stream().map(entry -> entry.getName()))
            .containsExactly(
                "versions.txt",
                "state.json",
                "state.txt",
                "explain.txt",
                "trouble.txt",
                "plugins.txt",
                "claims.txt",
                "mounts.jsonl",
                "kernel.txt",
                "files.txt");
        assertThat(lines(zip, "plugins.txt"))
            .startsWith(
                "plugin 'fake.csi4j.example', instance 'only'",
                "  endpoint: " + world.endpoint(),
                "  roles: NODE")
            .last()
            .asString()
            .startsWith("  policy: MountPolicy{attemptDeadline=");
        assertThat(lines(zip, "claims.txt"))
            .containsExactly(
                "volume 'vol-1' of plugin 'fake.csi4j.example', workload 'web-1' (default/db):"
                    + " epoch 1, confirmed here once");
        assertThat(lines(zip, "files.txt"))
            .anyMatch(line -> line.startsWith("-rw------- ") && line.endsWith(" state/lock"))
            .anyMatch(line -> line.startsWith("drwx------ ") && line.endsWith("/p"));
      }
      assertThat(Files.getPosixFilePermissions(archive)).hasSize(2);

      Run again = Run.of("dump", world.root().toString(), "--output", archive.toString());
      assertThat(again.code()).isEqualTo(ExitCode.USAGE);
      assertThat(again.err()).contains("it already exists. Name another one with --output.");
    }
  }
}

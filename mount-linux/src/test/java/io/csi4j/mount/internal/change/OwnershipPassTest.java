package io.csi4j.mount.internal.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.mount.Mounts;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.model.FileOwnership;
import io.csi4j.mount.model.FileOwnership.Policy;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.OwnershipResult;
import io.csi4j.mount.model.OwnershipResult.Outcome;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.NeedsKernel;
import io.csi4j.mount.real.OpenDescriptors;
import io.csi4j.mount.real.Scratch;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The files of a volume are given to a task's user, all of them and no others. */
@MountTest
class OwnershipPassTest {

  private static final FileOwnership GROUP = FileOwnership.ofGroup(2000);
  private static final FileOwnership BOTH =
      FileOwnership.builder().user(1000).group(2000).addPermissions(0600, 0700).build();

  /** What every user may try, who has a number for no other user. */
  private static final FileOwnership OWN_GROUP = FileOwnership.ofGroup(0);

  private static OwnershipResult pass(MountPath volume, FileOwnership wish) {
    return Mounts.system().setOwnership(volume, wish, progress -> {});
  }

  private static MountException refused(MountPath volume, FileOwnership wish) {
    return Refusal.of(() -> pass(volume, wish));
  }

  /** In a user namespace of an ordinary user there is one user and one group. */
  private static void assumeThereAreOtherUsers() throws IOException {
    assumeTrue(
        Files.readString(Path.of("/proc/self/uid_map")).contains("4294967295"),
        "this user namespace has no other users");
  }

  private static String facts(Path file) throws IOException {
    return "%d:%d %o"
        .formatted(
            (int) Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS),
            (int) Files.getAttribute(file, "unix:gid", LinkOption.NOFOLLOW_LINKS),
            (int) Files.getAttribute(file, "unix:mode", LinkOption.NOFOLLOW_LINKS) & 07777);
  }

  private static void chmod(Path file, String mode) throws Exception {
    command("chmod", mode, file.toString());
  }

  private static void command(String... words) throws Exception {
    assertThat(new ProcessBuilder(words).inheritIO().start().waitFor())
        .as(String.join(" ", words))
        .isZero();
  }

  /** A directory with a file, beneath a volume with more of the same. */
  private static MountPath tree(Scratch scratch, int directories) throws IOException {
    MountPath volume = scratch.tmpfs("volume");
    for (int i = 0; i < directories; i++) {
      Path directory = Files.createDirectories(scratch.file("volume").resolve("d" + i + "/e"));
      Files.writeString(directory.resolve("file"), "content");
    }
    return volume;
  }

  private static List<Path> all(Scratch scratch) throws IOException {
    try (Stream<Path> files = Files.walk(scratch.file("volume"))) {
      return files.toList();
    }
  }

  @Test
  void timeWithoutEndIsTimeEnough(Scratch scratch) throws Exception {
    MountPath volume = scratch.tmpfs("volume");
    FileOwnership patient =
        FileOwnership.builder().group(0).maxTime(Duration.ofSeconds(Long.MAX_VALUE)).build();
    OpenDescriptors descriptors = new OpenDescriptors();

    assertThat(pass(volume, patient).outcome()).isEqualTo(Outcome.THERE_ALREADY);
    descriptors.assertNoneLeft();
  }

  @Test
  @NeedsKernel(Feature.OPENAT2)
  void allFilesAreGivenToAUserAndAGroupAndWhatTheyMayIsAddedTo(Scratch scratch) throws Exception {
    assumeThereAreOtherUsers();
    MountPath volume = scratch.tmpfs("volume");
    Path root = scratch.file("volume");
    Path outside = Files.writeString(scratch.file("outside"), "of another");
    Files.createDirectories(root.resolve("a/b"));
    Path secret = Files.writeString(root.resolve("a/b/secret"), "content");
    chmod(secret, "0444");
    Path program = Files.writeString(root.resolve("program"), "content");
    chmod(program, "6755");
    Path link = Files.createSymbolicLink(root.resolve("link"), outside);
    Path fifo = root.resolve("fifo");
    command("mkfifo", "-m", "0000", fifo.toString());
    Path device = root.resolve("device");
    command("mknod", "-m", "0600", device.toString(), "c", "1", "3");
    scratch.tmpfs("volume/a/other");
    Path inOther = Files.writeString(root.resolve("a/other/file"), "of another");
    chmod(root, "0755");

    assertThat(pass(volume, BOTH)).isEqualTo(new OwnershipResult(Outcome.DONE, 9, 7, 2));

    assertThat(facts(root)).isEqualTo("1000:2000 755");
    assertThat(facts(root.resolve("a/b"))).isEqualTo("1000:2000 755");
    assertThat(facts(secret)).isEqualTo("1000:2000 644");
    assertThat(facts(program)).as("set-id bits would be another's now").isEqualTo("1000:2000 755");
    assertThat(facts(link)).isEqualTo("1000:2000 777");
    assertThat(facts(fifo)).as("nobody waits for a writer").isEqualTo("1000:2000 600");
    assertThat(facts(device)).as("a device may do more").isEqualTo("0:0 600");
    assertThat(facts(outside)).as("no link is followed").isEqualTo("0:0 644");
    assertThat(facts(root.resolve("a/other"))).as("another mount").startsWith("0:0 ");
    assertThat(facts(inOther)).isEqualTo("0:0 644");
  }

  @Test
  @NeedsKernel(Feature.OPENAT2)
  void aGroupMayReadAndWriteAndKeepsWhatIsMadeLater(Scratch scratch) throws Exception {
    MountPath volume = tree(scratch, 1);
    chmod(scratch.file("volume"), "0700");
    chmod(scratch.file("volume/d0/e"), "0700");
    chmod(scratch.file("volume/d0/e/file"), "0600");

    assertThat(pass(volume, OWN_GROUP).outcome()).isEqualTo(Outcome.DONE);

    assertThat(facts(scratch.file("volume"))).isEqualTo("0:0 2770");
    assertThat(facts(scratch.file("volume/d0/e"))).isEqualTo("0:0 2770");
    assertThat(facts(scratch.file("volume/d0/e/file"))).isEqualTo("0:0 660");
  }

  @Test
  @NeedsKernel(Feature.OPENAT2)
  void theRootIsTheMarkOfAPassThatHasEnded(Scratch scratch) throws Exception {
    MountPath volume = tree(scratch, 10);
    long files = all(scratch).size();

    assertThat(pass(volume, OWN_GROUP))
        .isEqualTo(new OwnershipResult(Outcome.DONE, files, files, 0));
    Path late = Files.writeString(scratch.file("volume/late"), "made by another");
    chmod(late, "0600");

    assertThat(pass(volume, OWN_GROUP))
        .isEqualTo(new OwnershipResult(Outcome.THERE_ALREADY, 1, 0, 0));
    assertThat(facts(late)).endsWith(" 600");
    assertThat(pass(volume, OWN_GROUP.toBuilder().policy(Policy.ALWAYS).build()))
        .isEqualTo(new OwnershipResult(Outcome.DONE, files + 1, 1, 0));
    assertThat(facts(late)).endsWith(" 660");
  }

  @Test
  @NeedsKernel(Feature.OPENAT2)
  void aPassThatDoesNotEndTakesTheMarkOfTheOneBeforeIt(Scratch scratch) throws Exception {
    assumeThereAreOtherUsers();
    MountPath volume = tree(scratch, 3);
    FileOwnership first = FileOwnership.ofGroup(2000);
    FileOwnership other = FileOwnership.ofGroup(3000).toBuilder().maxFiles(2).build();
    assertThat(pass(volume, first).outcome()).isEqualTo(Outcome.DONE);
    assertThat(pass(volume, other)).isEqualTo(new OwnershipResult(Outcome.LIMIT, 4, 2, 0));

    assertThat(pass(volume, first).outcome()).isEqualTo(Outcome.DONE);

    for (Path file : all(scratch)) {
      assertThat(Files.getAttribute(file, "unix:gid")).as("%s", file).isEqualTo(2000);
    }
    assertThat(pass(volume, first).outcome()).isEqualTo(Outcome.THERE_ALREADY);
  }

  @Test
  @NeedsKernel(Feature.OPENAT2)
  void aPassEndsAtItsLimitAndTheNextOnesGoOn(Scratch scratch) throws Exception {
    MountPath volume = tree(scratch, 10);
    FileOwnership few = OWN_GROUP.toBuilder().maxFiles(10).build();
    FileOwnership brief = OWN_GROUP.toBuilder().maxTime(Duration.ofNanos(1)).build();

    assertThat(pass(volume, brief)).isEqualTo(new OwnershipResult(Outcome.LIMIT, 1, 0, 0));
    OwnershipResult first = pass(volume, few);
    assertThat(first.outcome()).isEqualTo(Outcome.LIMIT);
    assertThat(first.changed()).isEqualTo(10);
    assertThat(facts(scratch.file("volume"))).as("not marked").doesNotEndWith(" 2770");

    long changed = first.changed();
    OwnershipResult next = first;
    for (int i = 0; i < 100 && next.outcome() == Outcome.LIMIT; i++) {
      next = pass(volume, few);
      changed += next.changed();
    }
    assertThat(next.outcome()).as("with the same limit").isEqualTo(Outcome.DONE);
    assertThat(changed).isEqualTo(all(scratch).size());
  }

  @Test
  void nothingIsChangedByAPolicyThatNeverDoes(Scratch scratch) throws Exception {
    MountPath volume = tree(scratch, 1);
    FileOwnership never = OWN_GROUP.toBuilder().policy(Policy.NEVER).build();
    String before = facts(scratch.file("volume"));

    assertThat(pass(volume, never)).isEqualTo(new OwnershipResult(Outcome.DIFFERS, 1, 0, 0));
    assertThat(facts(scratch.file("volume"))).isEqualTo(before);
    chmod(scratch.file("volume"), "2770");
    assertThat(pass(volume, never)).isEqualTo(new OwnershipResult(Outcome.THERE_ALREADY, 1, 0, 0));
  }

  @Test
  @NeedsKernel(Feature.OPENAT2)
  void namesMayBeAnyBytes(Scratch scratch) throws Exception {
    MountPath volume = scratch.tmpfs("volume");
    command(
        "bash",
        "-c",
        "cd \"$1\" && mkdir $'\\xff\\n"
            + "..' ... .hidden && touch $'\\xff\\n"
            + "../\\xc3(' .../-rf && chmod 600 .../-rf",
        "bash",
        scratch.file("volume").toString());

    assertThat(pass(volume, OWN_GROUP)).isEqualTo(new OwnershipResult(Outcome.DONE, 6, 6, 0));
    assertThat(facts(scratch.file("volume/.../-rf"))).endsWith(" 660");
  }

  @Test
  @NeedsKernel(Feature.OPENAT2)
  void whatStandsInTheWayIsNamed(Scratch scratch) throws Exception {
    MountPath plain = scratch.directory("plain");
    assertThat(refused(plain, OWN_GROUP).reason()).isEqualTo(Reason.NOT_A_MOUNT);

    MountPath file = scratch.file("file", "content");
    scratch.bind(file, file);
    assertThat(refused(file, OWN_GROUP))
        .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.WRONG_KIND))
        .hasMessage(
            "Giving the files of "
                + file
                + " to group 0 failed: it is no directory. Change the owner of a"
                + " device or of a single file by its own path.");

    MountPath volume = tree(scratch, 1);
    scratch.rawMount(
        "none", scratch.file("volume"), "none", Abi.MS_REMOUNT | Abi.MS_BIND | Abi.MS_RDONLY, null);
    assertThat(refused(volume, OWN_GROUP))
        .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.READ_ONLY))
        .satisfies(e -> assertThat(e.target()).contains(volume.resolve("d0/e/file")))
        .hasMessageContaining("Mount it writable, or leave the owners as they are.");
  }

  @Test
  @NeedsKernel(Feature.OPENAT2)
  void aUserWithoutANumberInTheNamespaceIsRefused(Scratch scratch) throws Exception {
    assumeTrue(
        !Files.readString(Path.of("/proc/self/uid_map")).contains("4294967295"),
        "every user has a number here");
    MountPath volume = tree(scratch, 1);

    assertThat(refused(volume, GROUP))
        .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.BAD_OPTIONS))
        .hasMessageContaining("has no number in the user namespace");
  }

  @Test
  @NeedsKernel(Feature.OPENAT2)
  void directoriesThatAreTooDeepAreToldAndLeaveNothingOpen(Scratch scratch) throws Exception {
    MountPath volume = scratch.tmpfs("volume");
    Files.createDirectories(scratch.file("volume").resolve("d/".repeat(600)));
    OpenDescriptors descriptors = new OpenDescriptors();

    assertThat(refused(volume, OWN_GROUP))
        .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.LIMIT))
        .hasMessageContaining("its directories are deeper than 500 at " + volume + "/d/d/d")
        .hasMessageEndingWith("Set the owners of all files by hand, and that of the root last.");
    descriptors.assertNoneLeft();
  }

  @Test
  @NeedsKernel(Feature.OPENAT2)
  void whatTheListenerThrowsEndsThePass(Scratch scratch) throws Exception {
    MountPath volume = scratch.tmpfs("volume");
    for (int i = 0; i < KilledPass.TOLD_EVERY; i++) {
      Files.createFile(scratch.file("volume").resolve("f" + i));
    }
    OpenDescriptors descriptors = new OpenDescriptors();
    List<OwnershipResult> told = new ArrayList<>();

    assertThat(
            catchThrowable(
                () ->
                    Mounts.system()
                        .setOwnership(
                            volume,
                            OWN_GROUP,
                            progress -> {
                              told.add(progress);
                              throw new IllegalStateException("enough");
                            })))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("enough");
    assertThat(told)
        .singleElement()
        .satisfies(
            progress -> {
              assertThat(progress.outcome()).isEqualTo(Outcome.GOING_ON);
              assertThat(progress.seen()).isEqualTo(KilledPass.TOLD_EVERY);
            });
    descriptors.assertNoneLeft();
  }

  @Tag("campaign")
  @Test
  @NeedsKernel(Feature.OPENAT2)
  void aPassThatIsKilledIsNotTakenForDone(Scratch scratch) throws Exception {
    MountPath volume = scratch.tmpfs("volume");
    Path root = scratch.file("volume");
    int files = 2 * KilledPass.TOLD_EVERY;
    for (int i = 0; i < files; i++) {
      Files.createFile(
          root.resolve("f" + i),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }
    chmod(root, "0700");
    Process killed =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                KilledPass.class.getName(),
                volume.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader out =
        new BufferedReader(
            new InputStreamReader(killed.getInputStream(), StandardCharsets.US_ASCII))) {
      assertThat(out.readLine()).isEqualTo("GOING_ON");
    } finally {
      killed.destroyForcibly().waitFor();
    }

    assertThat(facts(root)).as("the mark comes last").isEqualTo("0:0 700");
    OwnershipResult next = pass(volume, OWN_GROUP);
    assertThat(next.outcome()).isEqualTo(Outcome.DONE);
    assertThat(next.changed())
        .as("the root was looked at, too")
        .isEqualTo(files + 2 - KilledPass.TOLD_EVERY);
    for (Path file : all(scratch)) {
      assertThat(facts(file)).isEqualTo(file.equals(root) ? "0:0 2770" : "0:0 660");
    }
  }

  @Test
  void aWishThatMeansNothingIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> FileOwnership.builder().build())
        .withMessageStartingWith("Neither a user nor a group is given");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> FileOwnership.builder().user(-1))
        .withMessage("The user -1 is no number from 0 to 4294967294.");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> FileOwnership.builder().group(0xffff_ffffL))
        .withMessageStartingWith("The group 4294967295 is no number");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> FileOwnership.builder().addPermissions(04000, 0))
        .withMessageStartingWith("The permissions 04000 for files or 00 for directories");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> GROUP.toBuilder().maxFiles(0).build())
        .withMessage("The limits PT10M and 0 files allow no change. Raise them.");
    assertThat(BOTH).hasToString("user 1000 and group 2000").isNotEqualTo(GROUP);
    assertThat(GROUP).hasToString("group 2000").isEqualTo(GROUP.toBuilder().build());
  }
}

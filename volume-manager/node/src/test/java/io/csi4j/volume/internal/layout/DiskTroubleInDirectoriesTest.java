package io.csi4j.volume.internal.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.FakeDisk;
import io.csi4j.volume.internal.disk.FakeDisk.Operation;
import io.csi4j.volume.internal.disk.FileFacts;
import io.csi4j.volume.internal.path.Finding;
import io.csi4j.volume.internal.path.PathProblem;
import io.csi4j.volume.internal.path.PathProblem.Kind;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the disk refuses is told as what it is, and nothing half made is in anybody's way. */
class DiskTroubleInDirectoriesTest {

  private static final VolumeIdentity ONE =
      new VolumeIdentity(PluginId.of("hostpath.csi"), VolumeId.of("vol-1"));
  private static final VolumeUse WEB = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web"));
  private static final VolumeLayout LAYOUT = new VolumeLayout(MountPath.of("/csi4j"));
  private static final Path ROOT = Path.of("/csi4j");

  private FakeDisk disk;
  private VolumeDirectories directories;

  @BeforeEach
  void begin() {
    disk = FakeDisk.with(Path.of("/"));
    directories = new VolumeDirectories(disk, LAYOUT);
  }

  private Set<Path> files() {
    return new TreeSet<>(disk.files());
  }

  private PathProblem problem(ThrowingCallable call) {
    return assertThatExceptionOfType(PathProblem.class).isThrownBy(call).actual();
  }

  @Test
  void withoutSpaceForADirectoryTheUseIsRefusedAndWhatWasMadeCanBeRemoved() throws PathProblem {
    directories.prepareRoot();
    Set<Path> before = files();
    List<Path> made =
        List.of(
            LAYOUT.volume(ONE).toPath(),
            LAYOUT.volume(ONE).resolve("who.new").toPath(),
            LAYOUT.staging(ONE).toPath(),
            LAYOUT.uses(ONE).toPath(),
            LAYOUT.use(ONE, WEB).toPath());
    for (Path full : made) {
      disk.fail(
          DiskException.Kind.NO_SPACE,
          (operation, path) ->
              path.equals(full)
                  && (operation == Operation.CREATE_DIRECTORY || operation == Operation.CREATE));

      PathProblem problem =
          problem(
              () -> {
                directories.prepareVolume(ONE);
                directories.prepareUse(ONE, WEB, false);
              });

      assertThat(problem.kind()).isEqualTo(Kind.NO_SPACE);
      assertThat(problem.path()).isEqualTo(MountPath.of(full));
      assertThat(problem).hasMessageContaining("no space, quota or inodes are left; free some");
      directories.removeUse(ONE, WEB);
      directories.removeVolume(ONE, use -> true);
      assertThat(files()).isEqualTo(before);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "NO_SPACE, NO_SPACE, inodes are left",
    "READ_ONLY, READ_ONLY, remount it writable",
    "DENIED, DENIED, let it write there",
    "TOO_MANY_FILES, TOO_MANY_FILES, raise the limit",
    "IN_THE_WAY, IN_THE_WAY, who else works in this directory",
    "NOT_FOUND, FAILED, find out who removed it",
    "FAILED, FAILED, look at the kernel's log"
  })
  void everyFailureOfTheDiskHasAKindAndSaysWhatToDo(
      DiskException.Kind failure, Kind kind, String advice) throws PathProblem {
    directories.prepareRoot();
    disk.fail(failure, (operation, path) -> operation == Operation.CREATE_DIRECTORY);

    PathProblem problem = problem(() -> directories.prepareVolume(ONE));

    assertThat(problem.kind()).isEqualTo(kind);
    assertThat(problem)
        .hasMessageStartingWith("'" + LAYOUT.volume(ONE) + "' could not be made")
        .hasMessageContaining(advice);
  }

  @Test
  void whatIsNotPermittedNamesTheDirectoryItsOwnerAndItsMode() {
    disk.mkdir(ROOT);
    disk.giveTo(0, ROOT);
    disk.fail(
        DiskException.Kind.DENIED, (operation, path) -> path.startsWith(ROOT.resolve("state")));

    PathProblem problem = problem(() -> directories.prepareRoot());

    assertThat(problem.kind()).isEqualTo(Kind.DENIED);
    assertThat(problem)
        .hasMessage(
            "'/csi4j/state' could not be looked at: '/csi4j' belongs to user 0 with mode 0700, "
                + "but this process is user 0; let it write there");
  }

  @Test
  @Tag("F5")
  void aRootOfAnotherUserIsRefusedWithOwnerAndMode() {
    disk.mkdir(ROOT);
    disk.giveTo(1000, ROOT);

    PathProblem problem = problem(() -> directories.prepareRoot());

    assertThat(problem.kind()).isEqualTo(Kind.DENIED);
    assertThat(problem)
        .as("F5: the directory at fault is told with owner and mode")
        .hasMessage(
            "'/csi4j' belongs to user 1000 with mode 0700, but this process is user 0; run it as"
                + " the owner, give the directory to user 0, or use another one");
    assertThat(files()).containsExactly(Path.of("/"), ROOT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"nfs4", "overlay", "cifs", "fuse.sshfs"})
  @Tag("F17")
  void aFilesystemThatPromisesTooLittleIsUsedAndTold(String type) throws PathProblem {
    disk.type(type);

    assertThat(directories.prepareRoot())
        .as("F17: told for the root")
        .containsExactly(
            new Finding(
                OperatorCode.ROOT_FS_UNSUITED,
                LAYOUT.root(),
                "'/csi4j' is on "
                    + type
                    + ", which lacks reliable syncing; put it on a local disk"));
    assertThat(directories.prepareVolume(ONE)).isEmpty();
  }

  @Test
  void aLocalDiskIsNothingToTell() throws PathProblem {
    assertThat(directories.prepareRoot()).isEmpty();
  }

  @Test
  void aUmaskThatTakesTooMuchIsMadeUpForWithoutAWord() throws PathProblem {
    disk.umask(0277);
    assertThat(directories.prepareRoot()).isEmpty();
    assertThat(directories.prepareVolume(ONE)).isEmpty();
    assertThat(directories.prepareUse(ONE, WEB, false)).isEmpty();

    for (Path path : files()) {
      if (!path.equals(Path.of("/"))) {
        FileFacts facts = facts(path);
        assertThat(facts.mode())
            .as("%s", path)
            .isEqualTo(facts.kind() == FileFacts.Kind.DIRECTORY ? 0700 : 0600);
      }
    }
  }

  private FileFacts facts(Path path) {
    try {
      return disk.facts(path).orElseThrow();
    } catch (DiskException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aDiskThatFailsIsNotInTheWayOfARootThatIsThere() throws PathProblem {
    directories.prepareRoot();
    disk.makeReadOnly();
    disk.fail(
        DiskException.Kind.FAILED,
        (operation, path) ->
            operation == Operation.SYNC_DIRECTORY || operation == Operation.CREATE_DIRECTORY);

    assertThat(directories.prepareRoot()).isEmpty();
  }

  @Test
  void aDirectoryThatAnotherThreadMakesAtThisMomentIsAsGoodAsOurOwn() throws PathProblem {
    directories.prepareRoot();
    Path volumes = LAYOUT.volumes().toPath();
    disk.erase(volumes);
    disk.fail(
        DiskException.Kind.FAILED,
        (operation, path) -> {
          if (operation == Operation.CREATE_DIRECTORY && path.equals(volumes)) {
            disk.mkdir(volumes);
          }
          return false;
        });

    assertThat(directories.prepareVolume(ONE)).isEmpty();
    assertThat(directories.scan(name -> Optional.empty(), problem -> {})).hasSize(1);
  }

  @Test
  void aDeviceAtATargetIsNeitherUsedNorRemoved() throws PathProblem {
    directories.prepareRoot();
    directories.prepareVolume(ONE);
    directories.prepareUse(ONE, WEB, false);
    disk.put(LAYOUT.target(ONE, WEB).toPath(), FileFacts.Kind.OTHER);
    String message =
        ("'%s' is neither a file nor a directory instead of an empty file or directory; "
                + "find out who put it there and move it away")
            .formatted(LAYOUT.target(ONE, WEB));

    assertThat(problem(() -> directories.prepareUse(ONE, WEB, false))).hasMessage(message);
    assertThat(problem(() -> directories.removeUse(ONE, WEB))).hasMessage(message);
    assertThat(disk.files()).contains(LAYOUT.target(ONE, WEB).toPath());
  }

  @Test
  void nothingBelowAVolumeIsLookedAtToFindItButItsIdentityAndItsUses() throws PathProblem {
    directories.prepareRoot();
    directories.prepareVolume(ONE);
    directories.prepareUse(ONE, WEB, false);
    disk.mkdir(LAYOUT.target(ONE, WEB).toPath());
    disk.fail(
        DiskException.Kind.FAILED,
        (operation, path) ->
            path.startsWith(LAYOUT.staging(ONE).toPath())
                || path.startsWith(LAYOUT.use(ONE, WEB).toPath()));

    assertThat(
            directories.scan(
                name -> Optional.empty(),
                problem -> {
                  throw new AssertionError(problem);
                }))
        .containsExactly(new VolumeDirectories.Found(ONE, List.of(VolumeLayout.id(WEB))));
    assertThat(directories.prepareRoot()).isEmpty();
    assertThat(repaired()).isEmpty();
  }

  private Optional<Finding> repaired() throws PathProblem {
    return directories.repairIdentity(ONE, false);
  }
}

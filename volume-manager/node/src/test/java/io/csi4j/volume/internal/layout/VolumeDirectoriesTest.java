package io.csi4j.volume.internal.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.RealDisk;
import io.csi4j.volume.internal.layout.VolumeDirectories.Found;
import io.csi4j.volume.internal.path.Finding;
import io.csi4j.volume.internal.path.PathProblem;
import io.csi4j.volume.internal.path.PathProblem.Kind;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Directories of volumes on a real disk: made, found, and removed only when empty and ours. */
class VolumeDirectoriesTest {

  private static final VolumeIdentity ONE =
      new VolumeIdentity(PluginId.of("hostpath.csi"), VolumeId.of("vol-1"));
  private static final VolumeIdentity TWO =
      new VolumeIdentity(PluginId.of("hostpath.csi"), VolumeId.of("vol-2"));
  private static final VolumeUse WEB = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web"));
  private static final VolumeUse JOB = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("job"));

  @TempDir Path temporary;
  private Path root;
  private VolumeLayout layout;
  private VolumeDirectories directories;

  @BeforeEach
  void begin() throws IOException, PathProblem {
    root = temporary.toRealPath().resolve("root");
    layout = new VolumeLayout(MountPath.of(root));
    directories = new VolumeDirectories(new RealDisk(), layout);
    assertThat(directories.prepareRoot())
        .extracting(Finding::code)
        .doesNotContain(OperatorCode.MODE_FIXED);
  }

  private static void fails(Kind kind, MountPath path, ThrowingCallable call, String... words) {
    assertThatExceptionOfType(PathProblem.class)
        .isThrownBy(call)
        .withMessageContaining("'" + path + "'")
        .satisfies(
            problem -> {
              assertThat(problem.kind()).isEqualTo(kind);
              assertThat(problem.path()).isEqualTo(path);
              for (String word : words) {
                assertThat(problem).hasMessageContaining(word);
              }
            });
  }

  /** Everything below the root, with a slash after directories. */
  private List<String> tree() throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      return all.filter(path -> !path.equals(root))
          .map(path -> root.relativize(path) + (Files.isDirectory(path) ? "/" : ""))
          .sorted()
          .toList();
    }
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  private static Path file(MountPath path) {
    return path.toPath();
  }

  // ---- making

  @Test
  void aVolumeGetsItsIdentityFileItsStagingPathAndItsUses() throws IOException, PathProblem {
    assertThat(directories.prepareVolume(ONE)).isEmpty();
    assertThat(directories.prepareUse(ONE, WEB, false)).isEmpty();

    String home = "v/" + VolumeLayout.id(ONE);
    assertThat(tree())
        .containsExactly(
            "state/",
            "v/",
            home + "/",
            home + "/p/",
            home + "/p/" + VolumeLayout.id(WEB) + "/",
            home + "/s/",
            home + "/who");
    assertThat(Files.readString(file(layout.who(ONE))))
        .startsWith("csi4j volume 1\nplugin hostpath.csi\nhandle vol-1\n");
  }

  @Test
  void everythingIsForItsOwnerOnly() throws IOException, PathProblem {
    directories.prepareVolume(ONE);
    directories.prepareUse(ONE, WEB, false);

    for (String path : tree()) {
      assertThat(mode(root.resolve(path)))
          .as(path)
          .isEqualTo(path.endsWith("/") ? "rwx------" : "rw-------");
    }
    assertThat(mode(root)).isEqualTo("rwx------");
  }

  @Test
  void whatWasOpenedToOthersIsClosedAgainAndTold() throws IOException, PathProblem {
    directories.prepareVolume(ONE);
    directories.prepareUse(ONE, WEB, false);
    for (MountPath path : List.of(layout.root(), layout.volume(ONE), layout.uses(ONE))) {
      Files.setPosixFilePermissions(file(path), PosixFilePermissions.fromString("rwxrwxrwx"));
    }
    Files.setPosixFilePermissions(
        file(layout.who(ONE)), PosixFilePermissions.fromString("rw-r--r--"));

    List<Finding> atRoot = directories.prepareRoot();
    List<Finding> atVolume = directories.prepareVolume(ONE);

    assertThat(atRoot)
        .filteredOn(it -> it.code() == OperatorCode.MODE_FIXED)
        .extracting(Finding::path)
        .containsExactly(layout.root());
    assertThat(atVolume).extracting(Finding::code).containsOnly(OperatorCode.MODE_FIXED);
    assertThat(atVolume)
        .extracting(Finding::path)
        .containsExactly(layout.volume(ONE), layout.who(ONE), layout.uses(ONE));
    assertThat(atVolume.get(1).text())
        .isEqualTo(
            "'%s' had mode 0644, and was reset to 0600; find out who changed it"
                .formatted(layout.who(ONE)));
    everythingIsForItsOwnerOnly();
  }

  @Test
  void aRootThatTheHostHasJustMadeIsClosedWithoutAnAlarm() throws IOException, PathProblem {
    Path made = Files.createDirectory(temporary.toRealPath().resolve("made"));
    Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxr-xr-x"));
    VolumeDirectories fresh =
        new VolumeDirectories(new RealDisk(), new VolumeLayout(MountPath.of(made)));

    assertThat(fresh.prepareRoot())
        .extracting(Finding::code)
        .doesNotContain(OperatorCode.MODE_FIXED);
    assertThat(mode(made)).isEqualTo("rwx------");

    Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxr-xr-x"));
    assertThat(fresh.prepareRoot()).extracting(Finding::code).contains(OperatorCode.MODE_FIXED);
  }

  /** A program that puts something into the directory of the volume as soon as it is there. */
  private Disk putting(MountPath directory) {
    RealDisk real = new RealDisk();
    return (Disk)
        Proxy.newProxyInstance(
            Disk.class.getClassLoader(),
            new Class<?>[] {Disk.class},
            (proxy, method, arguments) -> {
              try {
                Object answer = method.invoke(real, arguments);
                if (method.getName().equals("createDirectory")
                    && arguments[0].equals(file(layout.volume(ONE)))) {
                  Files.createDirectory(file(directory));
                  Files.setPosixFilePermissions(
                      file(directory), PosixFilePermissions.fromString("rwxr-xr-x"));
                }
                return answer;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void aDirectoryThatAppearsInANewOneIsClosedToOthers() throws IOException, PathProblem {
    VolumeDirectories crowded = new VolumeDirectories(putting(layout.staging(ONE)), layout);

    assertThat(crowded.prepareVolume(ONE))
        .extracting(Finding::code, Finding::path)
        .containsExactly(tuple(OperatorCode.MODE_FIXED, layout.staging(ONE)));

    everythingIsForItsOwnerOnly();
  }

  @Test
  void aFileNameThatIsTakenInANewDirectoryIsReportedAndTheNextRequestGoesOn()
      throws IOException, PathProblem {
    MountPath taken = layout.volume(ONE).resolve("who.new");
    VolumeDirectories crowded = new VolumeDirectories(putting(taken), layout);

    fails(Kind.IN_THE_WAY, taken, () -> crowded.prepareVolume(ONE));
    Files.delete(file(taken));

    assertThat(crowded.prepareVolume(ONE)).isEmpty();
    everythingIsForItsOwnerOnly();
  }

  @Test
  void repeatingItChangesNothing() throws IOException, PathProblem {
    directories.prepareVolume(ONE);
    directories.prepareUse(ONE, WEB, false);
    List<String> before = tree();
    Object written = Files.getLastModifiedTime(file(layout.who(ONE)));

    assertThat(directories.prepareRoot())
        .extracting(Finding::code)
        .doesNotContain(OperatorCode.MODE_FIXED);
    assertThat(directories.prepareVolume(ONE)).isEmpty();
    assertThat(directories.prepareUse(ONE, WEB, false)).isEmpty();

    assertThat(tree()).isEqualTo(before);
    assertThat(Files.getLastModifiedTime(file(layout.who(ONE)))).isEqualTo(written);
  }

  @Test
  @Tag("A6")
  void whatACrashLeftOfAnIdentityFileIsWrittenAnew() throws IOException, PathProblem {
    Files.createDirectory(file(layout.volume(ONE)));
    Files.writeString(file(layout.volume(ONE)).resolve("who.new"), "csi4j vol");

    directories.prepareVolume(ONE);

    assertThat(directories.scan(name -> Optional.empty(), problem -> {}))
        .as("A6: the half-made directory has its owner again")
        .extracting(Found::identity)
        .containsExactly(ONE);
    assertThat(file(layout.volume(ONE)).resolve("who.new")).doesNotExist();
  }

  // ---- what is in the way

  @Test
  void aFileAtTheStagingPathIsRefusedAndLeftThere() throws IOException, PathProblem {
    directories.prepareVolume(ONE);
    Files.delete(file(layout.staging(ONE)));
    Files.writeString(file(layout.staging(ONE)), "somebody's");

    fails(
        Kind.IN_THE_WAY,
        layout.staging(ONE),
        () -> directories.prepareVolume(ONE),
        "is a file of 10 bytes instead of a directory",
        "move it away");
    fails(Kind.IN_THE_WAY, layout.staging(ONE), () -> directories.removeVolume(ONE, use -> true));
    assertThat(file(layout.staging(ONE))).hasContent("somebody's");
    assertThat(file(layout.who(ONE))).exists();
  }

  @Test
  void aTargetWithSomethingInItIsRefusedWithTheNumberAndNeverDeleted()
      throws IOException, PathProblem {
    directories.prepareVolume(ONE);
    directories.prepareUse(ONE, WEB, false);
    Path target = Files.createDirectory(file(layout.target(ONE, WEB)));
    Files.writeString(target.resolve("a"), "data");
    Files.createDirectory(target.resolve("b"));

    fails(
        Kind.NOT_EMPTY,
        layout.target(ONE, WEB),
        () -> directories.prepareUse(ONE, WEB, false),
        "contains 2 entries",
        "nothing was deleted");
    fails(
        Kind.NOT_EMPTY,
        layout.target(ONE, WEB),
        () -> directories.removeUse(ONE, WEB),
        "contains 2 entries",
        "nothing was deleted");
    assertThat(target.resolve("a")).hasContent("data");
    assertThat(target.resolve("b")).isDirectory();
  }

  @Test
  void aFileWithSomethingInItAtATargetIsRefusedAndNeverDeleted() throws IOException, PathProblem {
    directories.prepareVolume(ONE);
    directories.prepareUse(ONE, WEB, false);
    Files.writeString(file(layout.target(ONE, WEB)), "x");

    fails(
        Kind.IN_THE_WAY,
        layout.target(ONE, WEB),
        () -> directories.prepareUse(ONE, WEB, false),
        "is a file of 1 bytes");
    fails(
        Kind.IN_THE_WAY,
        layout.target(ONE, WEB),
        () -> directories.removeUse(ONE, WEB),
        "is a file of 1 bytes");
    assertThat(file(layout.target(ONE, WEB))).hasContent("x");
  }

  @Test
  void whatLiesBesideATargetKeepsItsDirectory() throws IOException, PathProblem {
    directories.prepareVolume(ONE);
    directories.prepareUse(ONE, WEB, false);
    Path beside = Files.createFile(file(layout.use(ONE, WEB)).resolve("vol_data.json"));

    fails(
        Kind.NOT_EMPTY,
        layout.use(ONE, WEB),
        () -> directories.removeUse(ONE, WEB),
        "contains 1 entry");
    assertThat(beside).exists();
    fails(
        Kind.NOT_EMPTY,
        layout.use(ONE, WEB),
        () -> directories.removeVolume(ONE, use -> true),
        "contains 1 entry");
    assertThat(file(layout.who(ONE))).exists();
  }

  @Test
  @Tag("F8")
  void anEmptyTargetOfAnOlderRunIsHandedOverAsItIsAndRemovedAfterwards()
      throws IOException, PathProblem {
    directories.prepareVolume(ONE);
    directories.prepareUse(ONE, WEB, false);
    directories.prepareUse(ONE, JOB, false);
    Files.createDirectory(file(layout.target(ONE, WEB)));
    Files.createFile(file(layout.target(ONE, JOB)));

    assertThat(directories.prepareUse(ONE, WEB, false)).isEmpty();
    assertThat(directories.prepareUse(ONE, JOB, false)).isEmpty();
    assertThat(file(layout.target(ONE, WEB))).isDirectory();
    assertThat(file(layout.target(ONE, JOB))).isRegularFile();

    directories.removeUse(ONE, WEB);
    directories.removeUse(ONE, JOB);
    assertThat(file(layout.uses(ONE))).as("F8: it is removed afterwards").isEmptyDirectory();
  }

  @Test
  void aLinkAnywhereBelowTheRootIsRefusedAndNothingBehindItTouched()
      throws IOException, PathProblem {
    Path elsewhere = Files.createDirectory(temporary.toRealPath().resolve("elsewhere"));
    List<MountPath> parts =
        List.of(
            layout.target(ONE, WEB),
            layout.use(ONE, WEB),
            layout.uses(ONE),
            layout.staging(ONE),
            layout.who(ONE),
            layout.volume(ONE),
            layout.volumes(),
            layout.root());
    for (MountPath part : parts) {
      directories.prepareVolume(ONE);
      directories.prepareUse(ONE, WEB, false);
      Path aside = temporary.resolve("aside");
      boolean there = Files.exists(file(part));
      if (there) {
        Files.move(file(part), aside);
      }
      Files.createSymbolicLink(file(part), elsewhere);

      fails(
          Kind.SYMLINK,
          part,
          () -> {
            directories.prepareVolume(ONE);
            directories.prepareUse(ONE, WEB, false);
          },
          "is a symbolic link",
          "remove it");
      fails(
          Kind.SYMLINK,
          part,
          () -> {
            directories.removeUse(ONE, WEB);
            directories.removeVolume(ONE, use -> true);
          });

      assertThat(file(part)).as("%s", part).isSymbolicLink();
      assertThat(elsewhere).isEmptyDirectory();
      Files.delete(file(part));
      if (there) {
        Files.move(aside, file(part));
      }
    }
  }

  @Test
  void aRootByWayOfALinkIsRefused() throws IOException {
    Path real = Files.createDirectory(temporary.toRealPath().resolve("real"));
    Path link = Files.createSymbolicLink(temporary.toRealPath().resolve("link"), real);

    MountPath itself = MountPath.of(link);
    fails(
        Kind.SYMLINK,
        itself,
        () -> new VolumeDirectories(new RealDisk(), new VolumeLayout(itself)).prepareRoot());
    fails(
        Kind.SYMLINK,
        itself,
        () ->
            new VolumeDirectories(new RealDisk(), new VolumeLayout(itself.resolve("below")))
                .prepareRoot(),
        "use the path of its target");
    assertThat(real).isEmptyDirectory();
  }

  @Test
  void aRootThatIsAFileOrHasNothingAboveItIsRefused() throws IOException {
    MountPath missing = MountPath.of(temporary.toRealPath()).resolve("no/such");
    Path file = Files.createFile(temporary.toRealPath().resolve("file"));

    fails(
        Kind.FAILED,
        missing.parent(),
        () -> new VolumeDirectories(new RealDisk(), new VolumeLayout(missing)).prepareRoot(),
        "does not exist; make it");
    fails(
        Kind.IN_THE_WAY,
        MountPath.of(file),
        () ->
            new VolumeDirectories(new RealDisk(), new VolumeLayout(MountPath.of(file)))
                .prepareRoot(),
        "is a file of 0 bytes instead of a directory");
  }

  @Test
  void aRootThatIsTooLongForTheKernelIsRefusedAndOneTooLongForPluginsTold()
      throws PathProblem, IOException {
    StringBuilder text = new StringBuilder();
    while (text.length() < 4000) {
      text.append("/").append("d".repeat(99));
    }
    MountPath tooLong = MountPath.of(text + "/" + "e".repeat(40));
    assertThatExceptionOfType(PathProblem.class)
        .isThrownBy(
            () -> new VolumeDirectories(new RealDisk(), new VolumeLayout(tooLong)).prepareRoot())
        .withMessage(
            "the root has 4041 bytes, but paths below it would have more than 4095; use a shorter"
                + " one")
        .satisfies(problem -> assertThat(problem.kind()).isEqualTo(Kind.TOO_LONG));

    MountPath fits = MountPath.of(root).resolve("x");
    MountPath ample = fits.parent().resolve("y".repeat(100));
    assertThat(new VolumeDirectories(new RealDisk(), new VolumeLayout(ample)).prepareRoot())
        .filteredOn(it -> it.code() == OperatorCode.PLUGIN_PATH_BUDGET)
        .singleElement()
        .satisfies(
            it ->
                assertThat(it.text())
                    .contains(
                        "have up to " + (ample.bytes().length + 60) + " bytes",
                        "at most 68 bytes"));
  }

  // ---- identity

  @Test
  void theDirectoryOfAnotherVolumeIsNotUsed() throws IOException, PathProblem {
    directories.prepareVolume(ONE);
    Files.write(file(layout.who(ONE)), IdentityFile.content(TWO));

    fails(
        Kind.WRONG_IDENTITY,
        layout.who(ONE),
        () -> directories.prepareVolume(ONE),
        "names another volume than volume 'vol-1' of plugin 'hostpath.csi'");
    fails(Kind.WRONG_IDENTITY, layout.who(ONE), () -> directories.prepareUse(ONE, WEB, false));
    fails(Kind.WRONG_IDENTITY, layout.who(ONE), () -> directories.removeVolume(ONE, use -> true));
    fails(Kind.WRONG_IDENTITY, layout.who(ONE), () -> directories.repairIdentity(ONE, false));
    assertThat(file(layout.staging(ONE))).isDirectory();
  }

  @Test
  void aDamagedOrMissingIdentityFileIsWrittenAgainForAVolumeThatTheStateKnows()
      throws IOException, PathProblem {
    directories.prepareVolume(ONE);
    assertThat(directories.repairIdentity(ONE, false)).isEmpty();
    byte[] whole = Files.readAllBytes(file(layout.who(ONE)));

    Files.writeString(file(layout.who(ONE)), "csi4j volume 1\nplug");
    fails(Kind.WRONG_IDENTITY, layout.who(ONE), () -> directories.prepareVolume(ONE), "is damaged");
    assertThat(directories.repairIdentity(ONE, false))
        .get()
        .isEqualTo(
            new Finding(
                OperatorCode.SIDECAR_REPAIRED,
                layout.who(ONE),
                ("'%s' was damaged and was rewritten for volume 'vol-1' of plugin 'hostpath.csi'; "
                        + "check the disk")
                    .formatted(layout.who(ONE))));
    assertThat(file(layout.who(ONE))).hasBinaryContent(whole);

    Files.delete(file(layout.who(ONE)));
    assertThat(directories.repairIdentity(ONE, false))
        .get()
        .extracting(Finding::text)
        .asString()
        .contains("was missing");
    assertThat(file(layout.who(ONE))).hasBinaryContent(whole);
    assertThat(directories.prepareVolume(ONE)).isEmpty();
  }

  @Test
  @Tag("A5")
  void aVolumeWhoseDirectoryWasNeverMadeNeedsNoRepairAndNoRemoval()
      throws IOException, PathProblem {
    assertThat(directories.repairIdentity(ONE, false)).isEmpty();
    directories.removeUse(ONE, WEB);
    directories.removeVolume(ONE, use -> true);

    assertThat(tree())
        .as("A5: a directory that was never made is no obstacle to the release")
        .containsExactly("state/", "v/");
  }

  @Test
  void anIdentityFileOfANewerVersionIsLeftAlone() throws IOException, PathProblem {
    directories.prepareVolume(ONE);
    Files.writeString(file(layout.who(ONE)), "csi4j volume 2\nsomething new");

    fails(
        Kind.WRONG_IDENTITY,
        layout.who(ONE),
        () -> directories.prepareVolume(ONE),
        "newer version");
    fails(
        Kind.WRONG_IDENTITY,
        layout.who(ONE),
        () -> directories.repairIdentity(ONE, false),
        "newer version");
    fails(
        Kind.WRONG_IDENTITY,
        layout.who(ONE),
        () -> directories.removeVolume(ONE, use -> true),
        "newer version");
    assertThat(file(layout.who(ONE))).hasContent("csi4j volume 2\nsomething new");
  }

  // ---- finding

  @Test
  void volumesAreFoundByTheirIdentityFilesAlone() throws PathProblem {
    directories.prepareVolume(ONE);
    directories.prepareUse(ONE, WEB, false);
    directories.prepareUse(ONE, JOB, false);
    directories.prepareVolume(TWO);
    List<PathProblem> problems = new ArrayList<>();

    List<Found> found = directories.scan(name -> Optional.empty(), problems::add);

    assertThat(problems).isEmpty();
    assertThat(found)
        .containsExactlyInAnyOrder(
            new Found(ONE, Stream.of(VolumeLayout.id(WEB), VolumeLayout.id(JOB)).sorted().toList()),
            new Found(TWO, List.of()));
    assertThat(directories.strayTarget(ONE, VolumeLayout.id(WEB)))
        .isEqualTo(layout.target(ONE, WEB));
  }

  @Test
  void ofRememberedVolumesOnlyTheIdentityFileIsLookedAt() throws IOException, PathProblem {
    directories.prepareVolume(ONE);
    directories.prepareVolume(TWO);
    Files.writeString(file(layout.who(TWO)), "nonsense");
    List<PathProblem> problems = new ArrayList<>();

    assertThat(
            directories.scan(
                name ->
                    Stream.of(ONE, TWO).filter(it -> VolumeLayout.id(it).equals(name)).findAny(),
                problems::add))
        .isEmpty();
    assertThat(problems)
        .extracting(problem -> problem.kind() + " " + problem.path())
        .containsExactly("WRONG_IDENTITY " + layout.who(TWO));
  }

  @Test
  void whatSaysNotWhoseItIsIsReportedAndTheRestStillFound() throws IOException, PathProblem {
    directories.prepareVolume(ONE);
    directories.prepareUse(ONE, WEB, false);
    Files.createFile(file(layout.uses(ONE)).resolve("stray"));
    directories.prepareVolume(TWO);
    Files.writeString(file(layout.who(TWO)), "nonsense");
    Path volumes = file(layout.volumes());
    Files.createDirectory(volumes.resolve("lost+found"));
    Files.createFile(volumes.resolve("a".repeat(26)));
    Files.createSymbolicLink(volumes.resolve("b".repeat(26)), volumes);
    Path missing = Files.createDirectories(volumes.resolve("c".repeat(26)).resolve("s"));
    Path copied = Files.createDirectory(volumes.resolve("d".repeat(26)));
    Files.copy(file(layout.who(ONE)), copied.resolve("who"));
    Path blank = Files.createDirectory(volumes.resolve("e".repeat(26)));
    Path begun = Files.createDirectory(volumes.resolve("f".repeat(26)));
    Files.createFile(begun.resolve("who.new"));
    List<PathProblem> problems = new ArrayList<>();
    List<MountPath> empty = new ArrayList<>();

    assertThat(directories.scan(name -> Optional.empty(), problems::add, empty::add))
        .containsExactly(new Found(ONE, List.of(VolumeLayout.id(WEB))));
    assertThat(problems)
        .extracting(problem -> problem.kind() + " " + problem.path())
        .containsExactlyInAnyOrder(
            "IN_THE_WAY " + layout.uses(ONE).resolve("stray"),
            "WRONG_IDENTITY " + layout.who(TWO),
            "IN_THE_WAY " + layout.volumes().resolve("lost+found"),
            "IN_THE_WAY " + layout.volumes().resolve("a".repeat(26)),
            "SYMLINK " + layout.volumes().resolve("b".repeat(26)),
            "WRONG_IDENTITY " + MountPath.of(missing.resolveSibling("who")),
            "WRONG_IDENTITY " + MountPath.of(copied.resolve("who")));
    assertThat(empty).containsExactlyInAnyOrder(MountPath.of(blank), MountPath.of(begun));
  }

  @Test
  void anyIdentityFileEvenADamagedOneSaysThatThereMustBeAState() throws IOException, PathProblem {
    assertThat(directories.hasVolumes()).isFalse();
    Files.createDirectory(file(layout.volume(ONE)));
    assertThat(directories.hasVolumes()).isFalse();
    directories.prepareVolume(ONE);
    assertThat(directories.hasVolumes()).isTrue();
    Files.writeString(file(layout.who(ONE)), "nonsense");
    assertThat(directories.hasVolumes()).isTrue();
    directories.repairIdentity(ONE, false);
    directories.removeVolume(ONE, use -> true);
    assertThat(directories.hasVolumes()).isFalse();
  }

  @Test
  void withoutARootNothingIsFound() throws IOException, PathProblem {
    removeAll();

    assertThat(directories.hasVolumes()).isFalse();
    assertThat(directories.scan(name -> Optional.empty(), problem -> {})).isEmpty();
  }

  // ---- removing

  @Test
  void aVolumeThatIsGivenBackLeavesNothing() throws IOException, PathProblem {
    directories.prepareVolume(ONE);
    directories.prepareUse(ONE, WEB, false);
    directories.prepareVolume(TWO);

    directories.removeUse(ONE, WEB);
    directories.removeUse(ONE, WEB);
    directories.removeVolume(ONE, use -> true);
    directories.removeVolume(ONE, use -> true);

    String two = "v/" + VolumeLayout.id(TWO);
    assertThat(tree())
        .containsExactly("state/", "v/", two + "/", two + "/p/", two + "/s/", two + "/who");
  }

  @Test
  void aStrayUseIsRemovedByTheNameOfItsDirectory() throws IOException, PathProblem {
    directories.prepareVolume(ONE);
    directories.prepareUse(ONE, WEB, false);
    Files.createDirectory(file(layout.target(ONE, WEB)));

    directories.removeUse(ONE, VolumeLayout.id(WEB));

    assertThat(file(layout.uses(ONE))).isEmptyDirectory();
  }

  @Test
  void aVolumeWithAnythingLeftInItKeepsItsIdentityFile() throws IOException, PathProblem {
    directories.prepareVolume(ONE);
    Path left = Files.createFile(file(layout.staging(ONE)).resolve("vol_data.json"));

    fails(
        Kind.NOT_EMPTY,
        layout.staging(ONE),
        () -> directories.removeVolume(ONE, use -> true),
        "contains 1 entry");
    assertThat(file(layout.who(ONE))).exists();
    Files.delete(left);
    Path beside = Files.createFile(file(layout.volume(ONE)).resolve("note"));
    fails(
        Kind.NOT_EMPTY,
        layout.volume(ONE),
        () -> directories.removeVolume(ONE, use -> true),
        "contains 1 entry");
    assertThat(file(layout.who(ONE))).exists();
    Files.delete(beside);
    directories.removeVolume(ONE, use -> true);
    assertThat(file(layout.volume(ONE))).doesNotExist();
  }

  @Test
  void aVolumeWithAMountedUseKeepsAllItsDirectories() throws IOException, PathProblem {
    directories.prepareVolume(ONE);
    directories.prepareUse(ONE, WEB, false);

    directories.removeVolume(ONE, use -> false);

    assertThat(file(layout.use(ONE, WEB))).exists();
    assertThat(file(layout.staging(ONE))).exists();
    assertThat(file(layout.who(ONE))).exists();
  }

  @Test
  void aRemovalThatStoppedHalfWayGoesOn() throws IOException, PathProblem {
    directories.prepareVolume(ONE);
    Files.delete(file(layout.staging(ONE)));
    directories.removeVolume(ONE, use -> true);
    assertThat(file(layout.volume(ONE))).doesNotExist();

    directories.prepareVolume(ONE);
    Files.delete(file(layout.staging(ONE)));
    Files.delete(file(layout.uses(ONE)));
    Files.delete(file(layout.who(ONE)));
    directories.removeVolume(ONE, use -> true);
    assertThat(file(layout.volume(ONE))).doesNotExist();
  }

  // ---- a root that goes away

  private void removeAll() throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  @Test
  @Tag("F10")
  void aRootThatWasRemovedIsMadeAgainForANewVolumeAndTold() throws IOException, PathProblem {
    directories.prepareVolume(ONE);
    removeAll();

    directories.removeUse(ONE, WEB);
    directories.removeVolume(ONE, use -> true);
    assertThat(root).doesNotExist();

    assertThat(directories.prepareVolume(TWO))
        .as("F10: made again for a new volume, and told")
        .containsExactly(
            new Finding(
                OperatorCode.ROOT_VANISHED,
                layout.root(),
                "'%s' was missing and was created again; find out who removed or unmounted it"
                    .formatted(layout.root())));
    assertThat(directories.prepareVolume(ONE)).isEmpty();
    assertThat(directories.scan(name -> Optional.empty(), problem -> {})).hasSize(2);
  }
}

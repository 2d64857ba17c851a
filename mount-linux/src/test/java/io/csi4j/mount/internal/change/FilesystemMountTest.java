package io.csi4j.mount.internal.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.Mounts;
import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.table.KernelTable;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.FilesystemRequest;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountResult;
import io.csi4j.mount.model.MountSettings;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.NeedsRoot;
import io.csi4j.mount.real.Open;
import io.csi4j.mount.real.OpenDescriptors;
import io.csi4j.mount.real.Scratch;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Mounts by type; of cases B of the mount facts what is about options and limits. */
@MountTest
class FilesystemMountTest {

  @ParameterizedTest
  @EnumSource
  void aFilesystemIsMountedWithItsFlagsAndOptions(Rung rung, Scratch scratch) throws Exception {
    MountPath target = scratch.path("target");
    rung.run(
        (mounts, kernel) -> {
          MountResult result =
              mounts.mount(
                  tmpfs(target)
                      .createTarget(true)
                      .readOnly(true)
                      .options(List.of("size=64k", "noexec", "nosuid", "mode=0700", "noatime"))
                      .build());

          assertThat(result.created()).isTrue();
          assertThat(result.ref().path()).isEqualTo(target);
          assertThat(scratch.rows(target))
              .singleElement()
              .asString()
              .contains(" ro,nosuid,noexec,noatime ")
              .contains(" - tmpfs one ro,")
              .contains("size=64k")
              .contains("mode=700");
        });
  }

  @Test
  void theKernelMayCallATypeByALongerName() {
    assertThat(FilesystemMount.isOfType(KernelText.of("fuse.x"), "fuse")).isTrue();
    assertThat(FilesystemMount.isOfType(KernelText.of("nfs4"), "nfs")).isTrue();
    assertThat(FilesystemMount.isOfType(KernelText.of("ext4"), "ext")).isFalse();
    assertThat(FilesystemMount.isOfType(KernelText.of("nfs"), "nfs4")).isFalse();
    assertThat(FilesystemMount.isOfType(KernelText.of("fuseblk"), "fuse")).isFalse();
  }

  @Test
  @NeedsRoot("/dev/fuse")
  void aServedFilesystemThatNamesItsKindIsMountedOnce(Scratch scratch) {
    MountPath target = scratch.directory("target");
    try (Open device = Open.reading(MountPath.of("/dev/fuse"))) {
      FilesystemRequest request =
          FilesystemRequest.builder("fuse", KernelText.of("served"), target)
              .option("fd=" + device.number())
              .option("rootmode=40000")
              .option("user_id=0")
              .option("group_id=0")
              .option("subtype=some")
              .build();

      assertThat(Mounts.system().mount(request).created()).isTrue();
      assertThat(scratch.rows(target)).singleElement().asString().contains(" - fuse.some served ");
      assertThat(Mounts.system().mount(request).created()).isFalse();
    }
  }

  @Test
  void wordsForUserSpaceDoNotReachTheKernel(Scratch scratch) {
    MountPath target = scratch.directory("target");

    mounts()
        .mount(
            tmpfs(target)
                .options(
                    List.of(
                        "defaults",
                        "_netdev",
                        "nofail",
                        "auto",
                        "noauto",
                        "user",
                        "users",
                        "nouser",
                        "comment=a",
                        "x-systemd.automount",
                        ""))
                .build());

    assertThat(scratch.rows(target)).hasSize(1);
  }

  @Test
  void theLastOfContradictingOptionsHoldsAndAFlagOfTheRequestHoldsOverAll(Scratch scratch) {
    mounts().mount(tmpfs(scratch.directory("one")).options(List.of("ro", "rw")).build());
    mounts().mount(tmpfs(scratch.directory("two")).readOnly(true).option("rw").build());
    mounts().mount(tmpfs(scratch.directory("three")).option("strictatime").build());

    assertThat(scratch.rows(scratch.path("one")).get(0)).contains(" rw,relatime ");
    assertThat(scratch.rows(scratch.path("two")).get(0)).contains(" ro,relatime ");
    assertThat(scratch.rows(scratch.path("three")).get(0)).contains(" rw - ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "remount",
        "bind",
        "rbind",
        "move",
        "private",
        "rprivate",
        "slave",
        "rslave",
        "shared",
        "rshared",
        "unbindable",
        "runbindable"
      })
  void aWordForAnotherOperationIsRefused(String word, Scratch scratch) {
    MountPath target = scratch.directory("target");

    MountException refused = Refusal.of(() -> mounts().mount(tmpfs(target).option(word).build()));

    assertThat(refused.reason()).isEqualTo(Reason.BAD_OPTIONS);
    assertThat(refused)
        .hasMessage(
            "Mounting tmpfs 'one' at "
                + target
                + " was refused: the option '"
                + word
                + "' does something other than mount a filesystem. Leave it out, and use the"
                + " method of Mounts that does it.");
    assertThat(scratch.rows(target)).isEmpty();
  }

  @Test
  void anOptionThatWouldBecomeTwoIsRefused(Scratch scratch) {
    MountPath target = scratch.directory("target");
    for (String option : List.of("size=64k,mode=0700", "size=64k\0")) {
      MountException refused =
          Refusal.of(() -> mounts().mount(tmpfs(target).option(option).build()));

      assertThat(refused.reason()).isEqualTo(Reason.BAD_OPTIONS);
      assertThat(refused).hasMessageContaining("contains a comma or a NUL");
    }
  }

  @Test
  void optionsThatTheKernelWouldCutAreRefused(Scratch scratch) {
    MountPath target = scratch.directory("target");
    String longest = "size=64k";
    List<String> options = List.of(longest, "x".repeat(4096 - longest.length() - 1));

    MountException refused =
        Refusal.of(() -> mounts().mount(tmpfs(target).options(options).build()));

    assertThat(refused.reason()).isEqualTo(Reason.BAD_OPTIONS);
    assertThat(refused).hasMessageContaining("the options have 4096 bytes together");
    assertThat(refused.syscall()).isEmpty();
  }

  @Test
  void optionsOfOneByteLessReachTheKernel(Scratch scratch) {
    MountPath target = scratch.directory("target");
    String option = "mode=" + "0".repeat(4095 - "mode=700".length()) + "700";
    assertThat(option).hasSize(4095);

    mounts().mount(tmpfs(target).option(option).build());

    assertThat(scratch.rows(target).get(0)).contains("mode=700");
  }

  @Test
  void secretOptionsReachTheKernelAndNoText(Scratch scratch) {
    MountPath target = scratch.directory("target");

    mounts().mount(tmpfs(target).option("mode=0755").secretOption("size=64k").build());

    assertThat(scratch.rows(target).get(0)).contains("size=64k");
    for (String secret : List.of("hunter2", "hunter2,", "hunter2\0")) {
      FilesystemRequest request = tmpfs(scratch.directory("other")).secretOption(secret).build();
      MountException refused = Refusal.of(() -> mounts().mount(request));
      assertThat(refused.reason()).isEqualTo(Reason.BAD_OPTIONS);
      assertThat(refused.getMessage() + refused + request).doesNotContain("hunter");
    }
  }

  @ParameterizedTest
  @EnumSource
  void theSameMountIsMadeOnceAndAnotherIsRefused(Rung rung, Scratch scratch) throws Exception {
    MountPath target = scratch.directory("target");
    FilesystemRequest request = tmpfs(target).flag(MountFlag.NOEXEC).build();
    rung.run(
        (mounts, kernel) -> {
          MountResult first = mounts.mount(request);
          OpenDescriptors descriptors = new OpenDescriptors();
          MountResult second = mounts.mount(request);
          assertThat(second).isEqualTo(new MountResult(first.ref(), false));

          MountException otherFlags = Refusal.of(() -> mounts.mount(tmpfs(target).build()));
          assertThat(otherFlags.reason()).isEqualTo(Reason.TARGET_OCCUPIED);
          assertThat(otherFlags)
              .hasMessageContaining("differs in flags (noexec,relatime instead of relatime).");
          MountException otherSource =
              Refusal.of(
                  () ->
                      mounts.mount(
                          FilesystemRequest.builder("ramfs", KernelText.of("two"), target)
                              .flag(MountFlag.NOEXEC)
                              .build()));
          assertThat(otherSource)
              .hasMessageContaining(
                  "differs in type (tmpfs instead of ramfs) and in source (one instead of two).");
          assertThat(otherSource.occupant().orElseThrow().ref()).isEqualTo(first.ref());
          assertThat(scratch.rows(target)).hasSize(1);
          descriptors.assertNoneLeft();
        });
  }

  @ParameterizedTest
  @EnumSource
  void aMountThatFailsLeavesNothingBehind(Rung rung, Scratch scratch) throws Exception {
    MountPath target = scratch.path("target");
    rung.run(
        (mounts, kernel) -> {
          MountException unknown =
              Refusal.of(
                  () ->
                      mounts.mount(
                          FilesystemRequest.builder("no-such-fs", KernelText.of("a"), target)
                              .createTarget(true)
                              .build()));
          assertThat(unknown.reason()).isEqualTo(Reason.UNKNOWN_FILESYSTEM);
          assertThat(unknown.errno()).contains(new Errno(Abi.ENODEV));
          assertThat(scratch.file("target")).doesNotExist();

          OpenDescriptors descriptors = new OpenDescriptors();
          MountException bad =
              Refusal.of(
                  () -> mounts.mount(tmpfs(target).createTarget(true).option("no-such=1").build()));
          assertThat(bad.reason()).isEqualTo(Reason.BAD_OPTIONS);
          assertThat(bad.errno()).contains(new Errno(Abi.EINVAL));
          assertThat(bad.syscall()).contains("mount");
          assertThat(scratch.file("target")).doesNotExist();
          descriptors.assertNoneLeft();
        });
  }

  @Test
  void aFileIsNoTargetOfAFilesystem(Scratch scratch) {
    MountPath target = scratch.file("file", "");

    MountException refused = Refusal.of(() -> mounts().mount(tmpfs(target).build()));

    assertThat(refused.reason()).isEqualTo(Reason.WRONG_KIND);
    assertThat(refused.errno()).contains(new Errno(Abi.ENOTDIR));
  }

  @Test
  @NeedsRoot("filesystems on devices")
  void aSourceThatIsNoDeviceOrNotThereIsABadSource(Scratch scratch) {
    MountPath image = scratch.file("image", "nothing");
    MountPath target = scratch.directory("target");
    String type = deviceFilesystem();

    MountException noDevice =
        Refusal.of(() -> mounts().mount(request(type, image.toString(), target)));
    assertThat(noDevice.reason()).isEqualTo(Reason.BAD_SOURCE);
    assertThat(noDevice.errno()).contains(new Errno(Abi.ENOTBLK));

    MountException missing =
        Refusal.of(() -> mounts().mount(request(type, scratch.path("no").toString(), target)));
    assertThat(missing.reason()).isEqualTo(Reason.BAD_SOURCE);
    assertThat(missing.errno()).contains(new Errno(Abi.ENOENT));
  }

  @ParameterizedTest
  @CsvSource({
    "16, BUSY", "28, LIMIT", "30, READ_ONLY", "13, NOT_PERMITTED", "1, NOT_PERMITTED",
    "5, BAD_SOURCE", "117, BAD_SOURCE", "6, BAD_SOURCE", "15, BAD_SOURCE", "12, LIMIT"
  })
  void anErrorIsToldByWhatItMeansForAMount(int errno, Reason reason, Scratch scratch) {
    Kernel failing = FakedCall.answering(RunningKernel.kernel(), "mount", () -> -errno);

    MountException refused =
        Refusal.of(
            () ->
                Rung.mounts(failing)
                    .mount(tmpfs(scratch.path("target")).createTarget(true).build()));

    assertThat(refused.reason()).isEqualTo(reason);
    assertThat(refused.errno()).contains(new Errno(errno));
    assertThat(refused).hasMessageStartingWith("Mounting tmpfs 'one' at ");
    assertThat(scratch.file("target")).doesNotExist();
  }

  @Test
  void whatIsInvalidOnADeviceIsTheSourceAndElsewhereAnOption(Scratch scratch) {
    MountPath target = scratch.directory("target");
    Kernel failing = FakedCall.answering(RunningKernel.kernel(), "mount", () -> -Abi.EINVAL);

    assertThat(
            Refusal.of(
                    () ->
                        Rung.mounts(failing)
                            .mount(request(deviceFilesystem(), "/dev/zero", target)))
                .reason())
        .isEqualTo(Reason.BAD_SOURCE);
    assertThat(Refusal.of(() -> Rung.mounts(failing).mount(tmpfs(target).build())).reason())
        .isEqualTo(Reason.BAD_OPTIONS);
  }

  @Test
  void namesWithANulAreRefused(Scratch scratch) {
    MountPath target = scratch.directory("target");

    assertThat(Refusal.of(() -> mounts().mount(request("tmpfs\0x", "a", target))).reason())
        .isEqualTo(Reason.UNKNOWN_FILESYSTEM);
    assertThat(Refusal.of(() -> mounts().mount(request("tmpfs", "a\0b", target))).reason())
        .isEqualTo(Reason.BAD_SOURCE);
  }

  @Test
  void aMountThatEndsAfterItsDeadlineIsUndone(Scratch scratch) {
    MountPath target = scratch.path("target");
    CountDownLatch goOn = new CountDownLatch(1);
    Kernel slow =
        FakedCall.before(
            RunningKernel.kernel(),
            "mount",
            () -> {
              try {
                goOn.await();
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            });
    Mounts late =
        RunningKernel.mounts(
            slow, new KernelTable(slow), new MountSettings(Duration.ofMillis(200), 1));

    MountException gone = Refusal.of(() -> late.mount(tmpfs(target).createTarget(true).build()));
    assertThat(gone.reason()).isEqualTo(Reason.DEADLINE);
    goOn.countDown();
    while (late.stuckCalls() > 0) {
      LockSupport.parkNanos(100_000);
    }

    assertThat(scratch.rows(target)).isEmpty();
    assertThat(scratch.file("target")).doesNotExist();
  }

  private static Mounts mounts() {
    return Rung.mounts(RunningKernel.kernel());
  }

  private static FilesystemRequest.Builder tmpfs(MountPath target) {
    return FilesystemRequest.builder("tmpfs", KernelText.of("one"), target);
  }

  private static FilesystemRequest request(String type, String source, MountPath target) {
    return FilesystemRequest.builder(type, KernelText.of(source), target).build();
  }

  /** A type of this kernel that lives on a device. */
  private static String deviceFilesystem() {
    try {
      return Files.readString(java.nio.file.Path.of("/proc/filesystems"))
          .lines()
          .filter(line -> line.startsWith("\t") && !line.contains("fuse"))
          .findFirst()
          .orElseThrow()
          .strip();
    } catch (java.io.IOException e) {
      throw new AssertionError(e);
    }
  }
}

package io.csi4j.mount.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.FilesystemRequest;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountResult;
import io.csi4j.mount.model.Propagation;
import org.junit.jupiter.api.Test;

/** Binds, and mounts by type: cases B and S of the mount facts. */
public abstract class BindContract extends MountsContract {

  @Test
  void aDirectoryIsSeenAtASecondPlace() {
    MountPath source = world.directory("source");
    world.file("source/a", "");
    MountPath target = world.directory("target");

    MountResult result = bind(source, target);

    assertThat(result.created()).isTrue();
    MountRecord record = record(target);
    assertThat(result.ref()).isEqualTo(record.ref());
    assertThat(record.path()).isEqualTo(target);
    assertThat(record.root()).isEqualTo(KernelText.of("/source"));
    assertThat(record.device()).isEqualTo(record(world.path("")).device());
    assertThat(record.isReadOnly()).isFalse();
    assertThat(world.exists(world.path("target/a"))).isTrue();
  }

  @Test
  void aFileIsSeenAtASecondPlace() {
    MountPath source = world.file("source", "x");
    MountPath target = world.file("target", "");

    bind(source, target);

    assertThat(record(target).root()).isEqualTo(KernelText.of("/source"));
  }

  @Test
  void theSameBindAgainIsTheMountThatIsThere() {
    MountPath source = world.directory("source");
    MountPath target = world.directory("target");
    MountResult first = bind(source, target);

    MountResult second = bind(source, target);

    assertThat(second.created()).isFalse();
    assertThat(second.ref()).isEqualTo(first.ref());
    assertThat(mountsAt(target)).hasSize(1);
  }

  @Test
  void anotherSourceIsRefusedAndTheOccupantNamed() {
    MountPath target = world.directory("target");
    MountResult first = bind(world.directory("one"), target);
    MountPath other = world.directory("two");

    MountException refusal = refusal(Reason.TARGET_OCCUPIED, () -> bind(other, target));

    assertThat(refusal.occupant().orElseThrow().ref()).isEqualTo(first.ref());
    assertThat(refusal.target()).contains(target);
    assertThat(refusal.errno()).isEmpty();
    assertThat(mountsAt(target)).hasSize(1);
  }

  @Test
  void theSameSourceReadOnlyIsNoEqualMount() {
    MountPath source = world.directory("source");
    MountPath target = world.directory("target");
    bind(source, target);

    refusal(
        Reason.TARGET_OCCUPIED,
        () -> world.mounts().bind(BindRequest.builder(source, target).readOnly(true).build()));
  }

  @Test
  void aMissingTargetIsNotFound() {
    MountPath source = world.directory("source");

    MountException refusal = refusal(Reason.NOT_FOUND, () -> bind(source, world.path("target")));

    assertThat(errno(refusal)).isEqualTo("ENOENT");
  }

  @Test
  void aMissingSourceIsNotFound() {
    MountPath target = world.directory("target");

    MountException refusal = refusal(Reason.NOT_FOUND, () -> bind(world.path("source"), target));

    assertThat(errno(refusal)).isEqualTo("ENOENT");
    assertThat(isMount(target)).isFalse();
  }

  @Test
  void aMissingTargetIsMadeOfTheKindOfTheSource() {
    MountPath directory = world.path("made/directory");
    MountPath file = world.path("made/file");
    world.directory("made");
    BindRequest first =
        BindRequest.builder(world.directory("source"), directory).createTarget(true).build();
    BindRequest second =
        BindRequest.builder(world.file("file", "x"), file).createTarget(true).build();

    world.mounts().bind(first);
    world.mounts().bind(second);

    assertThat(isMount(directory)).isTrue();
    assertThat(isMount(file)).isTrue();
  }

  @Test
  void whatIsAboveTheTargetIsNotMade() {
    MountPath target = world.path("missing/target");
    BindRequest request =
        BindRequest.builder(world.directory("source"), target).createTarget(true).build();

    refusal(Reason.NOT_FOUND, () -> world.mounts().bind(request));

    assertThat(world.exists(world.path("missing"))).isFalse();
  }

  @Test
  void aFailedBindRemovesTheTargetThatItMade() {
    MountPath source = world.tmpfs("source");
    world.unbindable(source);
    MountPath target = world.path("target");
    BindRequest request = BindRequest.builder(source, target).createTarget(true).build();

    MountException refusal = refusal(Reason.BAD_SOURCE, () -> world.mounts().bind(request));

    assertThat(errno(refusal)).isEqualTo("EINVAL");
    assertThat(world.exists(target)).isFalse();
  }

  @Test
  void aDirectoryIsNotBoundOnAFileNorAFileOnADirectory() {
    MountPath directory = world.directory("directory");
    MountPath file = world.file("file", "");

    refusal(Reason.WRONG_KIND, () -> bind(directory, file));
    refusal(Reason.WRONG_KIND, () -> bind(file, directory));

    assertThat(isMount(directory)).isFalse();
    assertThat(isMount(file)).isFalse();
  }

  @Test
  void aTargetThatIsALinkIsRefused() {
    MountPath source = world.directory("source");
    MountPath real = world.directory("real");
    MountPath link = world.symlink("link", real);

    MountException refusal = refusal(Reason.SYMLINK, () -> bind(source, link));

    assertThat(errno(refusal)).isEqualTo("ELOOP");
    assertThat(isMount(real)).isFalse();
  }

  @Test
  void aLinkOnTheWayToTheTargetIsRefused() {
    MountPath source = world.directory("source");
    world.directory("real/target");
    world.symlink("link", world.path("real"));

    refusal(Reason.SYMLINK, () -> bind(source, world.path("link/target")));
  }

  @Test
  void aLinkInTheTrustedDirectoryIsFollowedAndNoneBelow() {
    MountPath source = world.directory("source");
    MountPath target = world.directory("real/target");
    MountPath base = world.symlink("base", world.path("real"));
    world.symlink("real/link", target);

    world
        .mounts()
        .beneath(base)
        .bind(BindRequest.builder(source, world.path("base/target")).build());

    assertThat(isMount(target)).isTrue();
    refusal(
        Reason.SYMLINK,
        () ->
            world
                .mounts()
                .beneath(base)
                .bind(BindRequest.builder(source, world.path("base/link")).build()));
  }

  @Test
  void nothingOutsideTheTrustedDirectoryIsATarget() {
    MountPath source = world.directory("source");
    MountPath base = world.directory("base");
    MountPath target = world.directory("target");

    refusal(
        Reason.OUTSIDE,
        () -> world.mounts().beneath(base).bind(BindRequest.builder(source, target).build()));
    refusal(
        Reason.OUTSIDE,
        () -> world.mounts().beneath(base).bind(BindRequest.builder(source, base).build()));
  }

  @Test
  void aSourceThatIsALinkIsRefusedUnlessItMayBeFollowed() {
    MountPath real = world.directory("real");
    MountPath link = world.symlink("link", real);
    MountPath target = world.directory("target");

    refusal(Reason.SYMLINK, () -> bind(link, target));
    world.mounts().bind(BindRequest.builder(link, target).followSource(true).build());

    assertThat(record(target).root()).isEqualTo(KernelText.of("/real"));
  }

  @Test
  void aReadOnlyBindLeavesItsSourceWritable() {
    MountPath source = world.tmpfs("source");
    MountPath target = world.directory("target");

    world.mounts().bind(BindRequest.builder(source, target).readOnly(true).build());

    assertThat(record(target).isReadOnly()).isTrue();
    assertThat(record(source).isReadOnly()).isFalse();
  }

  @Test
  void flagsOfTheSourceAreKeptAndAskedOnesAdded() {
    MountPath source = world.directory("source");
    world
        .mounts()
        .mount(
            FilesystemRequest.builder("tmpfs", KernelText.of("tmpfs"), source)
                .flag(MountFlag.NOSUID)
                .flag(MountFlag.NODEV)
                .build());
    MountPath target = world.directory("target");

    world
        .mounts()
        .bind(BindRequest.builder(source, target).readOnly(true).flag(MountFlag.NOEXEC).build());

    assertThat(record(target).flags())
        .contains(MountFlag.READ_ONLY, MountFlag.NOEXEC, MountFlag.NOSUID, MountFlag.NODEV);
    assertThat(record(source).flags())
        .containsExactlyInAnyOrder(MountFlag.NOSUID, MountFlag.NODEV, MountFlag.RELATIME);
  }

  @Test
  void withoutRecursionWhatIsMountedBelowTheSourceIsNotSeen() {
    MountPath source = world.tmpfs("source");
    world.tmpfs("source/below");
    MountPath target = world.directory("target");

    bind(source, target);

    assertThat(isMount(world.path("target/below"))).isFalse();
    assertThat(mountsWithin(target)).hasSize(1);
  }

  @Test
  void withRecursionFlagsHoldForWhatIsBelowToo() {
    MountPath source = world.tmpfs("source");
    world.tmpfs("source/below");
    MountPath target = world.directory("target");

    world.mounts().bind(BindRequest.builder(source, target).recursive(true).readOnly(true).build());

    assertThat(record(target).isReadOnly()).isTrue();
    assertThat(record(world.path("target/below")).isReadOnly()).isTrue();
    assertThat(record(world.path("source/below")).isReadOnly()).isFalse();
  }

  @Test
  void recursionSkipsWhatIsUnbindable() {
    MountPath source = world.tmpfs("source");
    world.unbindable(world.tmpfs("source/not"));
    world.tmpfs("source/yes");
    MountPath target = world.directory("target");

    world.mounts().bind(BindRequest.builder(source, target).recursive(true).build());

    assertThat(isMount(world.path("target/not"))).isFalse();
    assertThat(isMount(world.path("target/yes"))).isTrue();
  }

  @Test
  void recursionTakesOnlyWhatIsBelowTheSource() {
    world.tmpfs("source");
    world.tmpfs("source/in/below");
    world.tmpfs("source/out");
    MountPath target = world.directory("target");

    world
        .mounts()
        .bind(BindRequest.builder(world.path("source/in"), target).recursive(true).build());

    assertThat(mountsWithin(target))
        .extracting(MountRecord::path)
        .containsExactlyInAnyOrder(target, world.path("target/below"));
  }

  @Test
  void aBindMayReceiveWhatItsSourceSends() {
    MountPath source = world.tmpfs("source");
    world.propagation(source, Propagation.BIDIRECTIONAL);
    world.directory("source/below");
    MountPath target = world.directory("target");

    MountResult first =
        world
            .mounts()
            .bind(
                BindRequest.builder(source, target)
                    .propagation(Propagation.HOST_TO_CONTAINER)
                    .build());
    MountResult again =
        world
            .mounts()
            .bind(
                BindRequest.builder(source, target)
                    .propagation(Propagation.HOST_TO_CONTAINER)
                    .build());
    world.tmpfs("source/below");

    assertThat(again.ref()).isEqualTo(first.ref());
    assertThat(record(target).propagation().master())
        .isEqualTo(record(source).propagation().peerGroup());
    assertThat(isMount(world.path("target/below"))).isTrue();
  }

  @Test
  void whatWasDeletedCannotBeBoundAnyMoreThroughAMountOfIt() {
    MountPath source = world.directory("source");
    MountPath kept = world.directory("kept");
    MountPath target = world.path("target");
    bind(source, kept);
    world.remove(source);

    for (boolean recursive : new boolean[] {false, true}) {
      BindRequest.Builder request = BindRequest.builder(kept, target).createTarget(true);
      refusal(Reason.NOT_FOUND, () -> world.mounts().bind(request.recursive(recursive).build()));

      assertThat(world.exists(target)).isFalse();
    }
  }

  @Test
  void aBindOfADeletedDirectoryThatIsMountedSaysSo() {
    MountPath source = world.directory("source");
    MountPath target = world.directory("target");
    bind(source, target);

    world.remove(source);

    assertThat(record(target).isDeleted()).isTrue();
    assertThat(record(target).root()).isEqualTo(KernelText.of("/source//deleted"));
  }

  @Test
  void aFilesystemIsMountedOnceByTypeSourceAndFlags() {
    MountPath target = world.directory("target");
    FilesystemRequest request =
        FilesystemRequest.builder("tmpfs", KernelText.of("mine"), target)
            .flag(MountFlag.NOEXEC)
            .build();

    MountResult first = world.mounts().mount(request);
    MountResult second = world.mounts().mount(request);

    assertThat(first.created()).isTrue();
    assertThat(second.created()).isFalse();
    assertThat(second.ref()).isEqualTo(first.ref());
    MountRecord record = record(target);
    assertThat(record.type()).isEqualTo(KernelText.of("tmpfs"));
    assertThat(record.source()).isEqualTo(KernelText.of("mine"));
    assertThat(record.root()).isEqualTo(KernelText.of("/"));
    assertThat(record.flags()).containsExactlyInAnyOrder(MountFlag.NOEXEC, MountFlag.RELATIME);
  }

  @Test
  void aFilesystemOfAnotherSourceIsRefused() {
    MountPath target = world.directory("target");
    world.mounts().mount(FilesystemRequest.builder("tmpfs", KernelText.of("one"), target).build());

    MountException refusal =
        refusal(
            Reason.TARGET_OCCUPIED,
            () ->
                world
                    .mounts()
                    .mount(
                        FilesystemRequest.builder("tmpfs", KernelText.of("two"), target).build()));

    assertThat(refusal.occupant().orElseThrow().source()).isEqualTo(KernelText.of("one"));
  }

  @Test
  void aPasswordInASourceIsInNoMessage() {
    MountPath target = world.directory("target");
    FilesystemRequest first =
        FilesystemRequest.builder("tmpfs", KernelText.of("//tom:secret1@host/one"), target).build();
    FilesystemRequest other =
        FilesystemRequest.builder("tmpfs", KernelText.of("//tom:secret2@host/two"), target).build();
    world.mounts().mount(first);

    MountException refusal = refusal(Reason.TARGET_OCCUPIED, () -> world.mounts().mount(other));

    assertThat(refusal)
        .message()
        .contains("//…@host/one", "'//…@host/two' at")
        .doesNotContain("secret");
    assertThat(first).asString().contains("//…@host/one at").doesNotContain("secret");
  }

  @Test
  void anUnknownTypeIsRefusedAndTheTargetNotLeftBehind() {
    MountPath target = world.path("target");

    MountException refusal =
        refusal(
            Reason.UNKNOWN_FILESYSTEM,
            () ->
                world
                    .mounts()
                    .mount(
                        FilesystemRequest.builder("nonesuchfs", KernelText.of("x"), target)
                            .createTarget(true)
                            .build()));

    assertThat(errno(refusal)).isEqualTo("ENODEV");
    assertThat(world.exists(target)).isFalse();
  }

  @Test
  void tooLongOptionsAreRefusedWithoutShowingTheSecretOnes() {
    MountPath target = world.directory("target");
    FilesystemRequest request =
        FilesystemRequest.builder("tmpfs", KernelText.of("x"), target)
            .secretOption("s3cret" + "x".repeat(5000))
            .build();

    MountException refusal = refusal(Reason.BAD_OPTIONS, () -> world.mounts().mount(request));

    assertThat(refusal.getMessage()).doesNotContain("s3cret");
    assertThat(isMount(target)).isFalse();
  }

  @Test
  void aMountBecomesReadOnlyAndItsFilesystemStaysAsItIs() {
    MountPath source = world.tmpfs("source");
    MountPath target = world.directory("target");
    world.bind(source, target);

    assertThat(world.mounts().setReadOnly(target, false)).isEqualTo(record(target).ref());

    assertThat(record(target).isReadOnly()).isTrue();
    assertThat(record(source).isReadOnly()).isFalse();
  }

  @Test
  void aMountWithAFileOpenForWritingDoesNotBecomeReadOnly() {
    MountPath mount = world.tmpfs("mount");
    MountPath file = world.file("mount/file", "");

    try (World.Use use = world.openForWriting(file)) {
      MountException refusal = refusal(Reason.BUSY, () -> world.mounts().setReadOnly(mount, false));
      assertThat(errno(refusal)).isEqualTo("EBUSY");
      assertThat(record(mount).isReadOnly()).isFalse();
    }
    world.mounts().setReadOnly(mount, false);

    assertThat(record(mount).isReadOnly()).isTrue();
  }

  @Test
  void whereNothingIsMountedNothingBecomesReadOnlyOrShared() {
    MountPath directory = world.directory("directory");

    refusal(Reason.NOT_A_MOUNT, () -> world.mounts().setReadOnly(directory, false));
    refusal(
        Reason.NOT_A_MOUNT,
        () -> world.mounts().setPropagation(directory, Propagation.PRIVATE, false));
  }
}

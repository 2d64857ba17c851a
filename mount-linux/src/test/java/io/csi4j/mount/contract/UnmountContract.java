package io.csi4j.mount.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.model.CleanupResult;
import io.csi4j.mount.model.CleanupResult.Outcome;
import io.csi4j.mount.model.Holder;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.UnmountResult;
import io.csi4j.mount.model.UnmountResult.Step;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Unmounts, cleanups and who holds a mount: cases U and C of the mount facts. */
public abstract class UnmountContract extends MountsContract {

  private UnmountResult unmount(MountPath path) {
    return world.mounts().unmount(path, ONCE);
  }

  private CleanupResult cleanup(MountPath path) {
    return world.mounts().cleanup(path, ONCE);
  }

  @Test
  void aMountIsTakenAwayAndNamed() {
    MountPath mount = world.tmpfs("mount");
    MountRef ref = record(mount).ref();

    UnmountResult result = unmount(mount);

    assertThat(result).isEqualTo(new UnmountResult(Step.PLAIN, Optional.of(ref), 1, false));
    assertThat(mountsAt(mount)).isEmpty();
  }

  @Test
  void whereNothingIsMountedNothingIsDone() {
    MountPath directory = world.directory("directory");
    UnmountResult nothing = new UnmountResult(Step.NOT_MOUNTED, Optional.empty(), 1, false);

    assertThat(unmount(directory)).isEqualTo(nothing);
    assertThat(unmount(world.path("missing"))).isEqualTo(nothing);
    assertThat(unmount(world.path("missing/below"))).isEqualTo(nothing);
    assertThat(unmount(world.file("file", ""))).isEqualTo(nothing);
    assertThat(unmount(world.path("file/below"))).isEqualTo(nothing);
  }

  @Test
  void aLinkToAMountIsRefusedAndTheMountStays() {
    MountPath mount = world.tmpfs("mount");
    MountPath link = world.symlink("link", mount);
    world.tmpfs("mount/below");

    refusal(Reason.SYMLINK, () -> unmount(link));
    refusal(Reason.SYMLINK, () -> unmount(world.path("link/below")));

    assertThat(isMount(mount)).isTrue();
  }

  @Test
  void theRootDirectoryIsNotUnmounted() {
    refusal(Reason.NOT_PERMITTED, () -> unmount(MountPath.ROOT));
  }

  @Test
  void oneMountOfAStackIsTakenAwayAtATime() {
    MountPath mount = world.tmpfs("mount");
    MountRef lower = record(mount).ref();
    world.tmpfsOver(mount);
    MountRef upper = record(mount).ref();

    assertThat(unmount(mount).mount()).contains(upper);
    assertThat(record(mount).ref()).isEqualTo(lower);
    assertThat(unmount(mount).mount()).contains(lower);
    assertThat(unmount(mount).step()).isEqualTo(Step.NOT_MOUNTED);
  }

  @Test
  void whatIsOpenKeepsAMountUntilItIsClosed() {
    MountPath mount = world.tmpfs("mount");
    MountPath file = world.file("mount/file", "");

    try (World.Use use = world.open(file)) {
      MountException refusal = refusal(Reason.BUSY, () -> unmount(mount));
      assertThat(errno(refusal)).isEqualTo("EBUSY");
      assertThat(refusal.holders().orElseThrow().found())
          .anySatisfy(UnmountContract::hasSomethingOpen);
      assertThat(isMount(mount)).isTrue();
    }

    assertThat(unmount(mount).step()).isEqualTo(Step.PLAIN);
  }

  private static void hasSomethingOpen(Holder holder) {
    assertThat(holder)
        .isInstanceOfSatisfying(
            Holder.RunningProcess.class,
            process -> assertThat(process.uses()).containsExactly(Holder.Use.OPEN_FILE));
  }

  @Test
  void aMountOnItKeepsAMount() {
    MountPath mount = world.tmpfs("mount");
    MountPath below = world.tmpfs("mount/below");
    Holder child = new Holder.Child(record(below));

    MountException refusal = refusal(Reason.BUSY, () -> unmount(mount));

    assertThat(refusal.holders().orElseThrow().found()).containsExactly(child);
  }

  @Test
  void aLazyUnmountTakesAllBelowOutOfSightWhoeverUsesIt() {
    MountPath mount = world.tmpfs("mount");
    world.tmpfs("mount/below");
    MountRef ref = record(mount).ref();

    try (World.Use use = world.open(world.file("mount/file", ""))) {
      UnmountResult result = world.mounts().unmount(mount, ONCE.withLazy());

      assertThat(result).isEqualTo(new UnmountResult(Step.LAZY, Optional.of(ref), 2, true));
      assertThat(mountsWithin(mount)).isEmpty();
    }
  }

  @Test
  void anIdleMountIsNotUnmountedLazilyEvenIfItMay() {
    MountPath mount = world.tmpfs("mount");

    assertThat(world.mounts().unmount(mount, ONCE.withForce().withLazy()).step())
        .isEqualTo(Step.PLAIN);
  }

  @Test
  void byReferenceThatMountAndNoOtherIsTakenAway() {
    MountPath mount = world.tmpfs("mount");
    MountRef lower = record(mount).ref();
    world.tmpfsOver(mount);
    MountRef upper = record(mount).ref();

    MountException refusal =
        refusal(Reason.TARGET_OCCUPIED, () -> world.mounts().unmount(lower, ONCE));
    assertThat(refusal.occupant().orElseThrow().ref()).isEqualTo(upper);
    assertThat(world.mounts().unmount(upper, ONCE).mount()).contains(upper);

    MountException replaced =
        refusal(Reason.TARGET_OCCUPIED, () -> world.mounts().unmount(upper, ONCE));
    assertThat(replaced.occupant().orElseThrow().ref()).isEqualTo(lower);
    assertThat(world.mounts().unmount(lower, ONCE).mount()).contains(lower);
    assertThat(world.mounts().unmount(lower, ONCE).step()).isEqualTo(Step.NOT_MOUNTED);
  }

  @Test
  void aMountThatWasMovedIsNotUnmountedAtItsOldPlace() {
    MountPath from = world.tmpfs("from");
    MountRef ref = record(from).ref();
    MountPath to = world.directory("to");
    world.move(from, to);

    refusal(Reason.NOT_A_MOUNT, () -> world.mounts().unmount(ref, ONCE));

    assertThat(isMount(to)).isTrue();
  }

  @Test
  void outOfTheTrustedDirectoryNothingIsUnmounted() {
    MountPath mount = world.tmpfs("mount");
    MountPath base = world.directory("base");

    refusal(Reason.OUTSIDE, () -> world.mounts().beneath(base).unmount(mount, ONCE));

    assertThat(isMount(mount)).isTrue();
  }

  @Test
  void anEmptyDirectoryAndAnEmptyFileAreRemoved() {
    MountPath directory = world.directory("directory");
    MountPath file = world.file("file", "");

    assertThat(cleanup(directory))
        .isEqualTo(new CleanupResult(Outcome.REMOVED, List.of(), Optional.empty()));
    assertThat(cleanup(file).outcome()).isEqualTo(Outcome.REMOVED);
    assertThat(world.exists(directory)).isFalse();
    assertThat(world.exists(file)).isFalse();
  }

  @Test
  void whatHoldsSomethingStaysAsItIs() {
    MountPath directory = world.directory("directory");
    world.file("directory/file", "x");
    MountPath file = world.file("file", "x");

    assertThat(cleanup(directory).outcome()).isEqualTo(Outcome.NOT_EMPTY);
    assertThat(cleanup(file).outcome()).isEqualTo(Outcome.NOT_EMPTY);
    assertThat(world.exists(world.path("directory/file"))).isTrue();
    assertThat(world.exists(file)).isTrue();
  }

  @Test
  void whatIsMissingIsMissing() {
    assertThat(cleanup(world.path("missing")).outcome()).isEqualTo(Outcome.MISSING);
    assertThat(cleanup(world.path("missing/below")).outcome()).isEqualTo(Outcome.MISSING);
  }

  @Test
  void aVolumeIsUnmountedAndItsContentStays() {
    MountPath volume = world.directory("volume");
    MountPath file = world.file("volume/file", "x");
    MountPath target = world.directory("target");
    bind(volume, target);
    world.tmpfsOver(target);

    CleanupResult result = cleanup(target);

    assertThat(result.outcome()).isEqualTo(Outcome.REMOVED);
    assertThat(result.unmounted()).hasSize(2);
    assertThat(world.exists(target)).isFalse();
    assertThat(world.exists(file)).isTrue();
  }

  @Test
  void aBusyMountStaysAndNothingIsRemoved() {
    MountPath mount = world.tmpfs("mount");

    try (World.Use use = world.open(world.file("mount/file", ""))) {
      CleanupResult result = cleanup(mount);

      assertThat(result.outcome()).isEqualTo(Outcome.STILL_MOUNTED);
      assertThat(result.problem().orElseThrow().reason()).isEqualTo(Reason.BUSY);
      assertThat(isMount(mount)).isTrue();
    }
  }

  @Test
  void aLinkIsNotCleanedUp() {
    MountPath link = world.symlink("link", world.directory("directory"));

    refusal(Reason.SYMLINK, () -> cleanup(link));

    assertThat(world.exists(link)).isTrue();
  }

  @Test
  void aDirectoryThatIsMountedThroughAnotherPathIsNotRemoved() {
    world.file("volume/below/file", "x");
    MountPath copy = world.directory("copy");
    bind(world.path("volume"), copy);
    MountPath mount = world.path("volume/below");
    world.tmpfsOver(mount);

    MountException refusal = refusal(Reason.BUSY, () -> cleanup(world.path("copy/below")));

    assertThat(errno(refusal)).isEqualTo("EBUSY");
    assertThat(isMount(mount)).isTrue();
  }

  @Test
  void whatIsMountedInAnotherNamespaceOnlyGoesWithItsDirectory() {
    MountPath mount = world.tmpfs("mount");

    try (World.Elsewhere elsewhere = world.elsewhere()) {
      world.mounts().unmount(mount, ONCE);
      assertThat(elsewhere.isMount(mount)).isTrue();

      assertThat(cleanup(mount).outcome()).isEqualTo(Outcome.REMOVED);

      assertThat(elsewhere.isMount(mount)).isFalse();
    }
  }

  @Test
  void aPrivateMountIsNotKeptByWhoUsesItsCopyElsewhere() {
    MountPath mount = world.tmpfs("mount");

    try (World.Elsewhere elsewhere = world.elsewhere();
        World.Use use = elsewhere.open(mount)) {
      assertThat(unmount(mount).step()).isEqualTo(Step.PLAIN);
      assertThat(elsewhere.isMount(mount)).isTrue();
    }
  }

  @Test
  void anotherMountOfTheSameFilesystemIsASibling() {
    MountPath mount = world.tmpfs("mount");
    MountPath other = world.directory("other");
    world.bind(mount, other);

    assertThat(world.mounts().whoHolds(record(mount).ref()).found())
        .containsExactly(new Holder.Sibling(record(other)));
  }

  @Test
  void nobodyHoldsAnIdleMount() {
    MountPath mount = world.tmpfs("mount");

    assertThat(world.mounts().whoHolds(record(mount).ref()).found()).isEmpty();
  }
}

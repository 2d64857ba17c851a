package io.csi4j.mount.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.Propagation;
import io.csi4j.mount.model.UnmountResult.Step;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** With whom mounts are shared: cases R of the mount facts. */
public abstract class PropagationContract extends MountsContract {

  private MountPath shared(String relative) {
    MountPath mount = world.tmpfs(relative);
    world.mounts().setPropagation(mount, Propagation.BIDIRECTIONAL, false);
    return mount;
  }

  /** A copy of a mount at another path, with this propagation. */
  private MountPath copy(MountPath source, String relative, Propagation propagation) {
    MountPath copy = world.directory(relative);
    world.bind(source, copy);
    world.mounts().setPropagation(copy, propagation, false);
    return copy;
  }

  private Propagation.Tags tags(MountPath path) {
    return record(path).propagation();
  }

  @Test
  void aMountIsPrivateUntilItIsShared() {
    MountPath mount = world.tmpfs("mount");
    assertThat(tags(mount)).isEqualTo(Propagation.Tags.PRIVATE);

    world.mounts().setPropagation(mount, Propagation.BIDIRECTIONAL, false);
    assertThat(tags(mount).sends()).isTrue();
    assertThat(tags(mount).master()).isEmpty();

    world.mounts().setPropagation(mount, Propagation.PRIVATE, false);
    assertThat(tags(mount)).isEqualTo(Propagation.Tags.PRIVATE);
  }

  @Test
  void aBindOfASharedMountIsItsPeer() {
    MountPath mount = shared("mount");
    MountPath copy = world.directory("copy");
    world.bind(mount, copy);

    assertThat(tags(copy)).isEqualTo(tags(mount));
  }

  @Test
  void aSlaveOfNobodyIsPrivate() {
    MountPath mount = world.tmpfs("mount");

    world.mounts().setPropagation(mount, Propagation.HOST_TO_CONTAINER, false);

    assertThat(tags(mount)).isEqualTo(Propagation.Tags.PRIVATE);
  }

  @Test
  void theLastOfItsGroupThatBecomesASlaveIsPrivate() {
    MountPath mount = shared("mount");

    world.mounts().setPropagation(mount, Propagation.HOST_TO_CONTAINER, false);

    assertThat(tags(mount)).isEqualTo(Propagation.Tags.PRIVATE);
  }

  @Test
  void aSlaveCanBeSharedFurther() {
    MountPath mount = shared("mount");
    MountPath copy = copy(mount, "copy", Propagation.HOST_TO_CONTAINER);
    assertThat(tags(copy).sends()).isFalse();
    assertThat(tags(copy).master()).isEqualTo(tags(mount).peerGroup());

    world.mounts().setPropagation(copy, Propagation.BIDIRECTIONAL, false);

    assertThat(tags(copy).sends()).isTrue();
    assertThat(tags(copy).peerGroup()).isNotEqualTo(tags(mount).peerGroup());
    assertThat(tags(copy).master()).isEqualTo(tags(mount).peerGroup());
  }

  @Test
  void whatIsMountedInOnePeerIsSeenInTheOther() {
    MountPath mount = shared("mount");
    MountPath copy = copy(mount, "copy", Propagation.BIDIRECTIONAL);
    world.directory("mount/a");
    world.directory("mount/b");

    world.tmpfsOver(world.path("mount/a"));
    world.tmpfsOver(world.path("copy/b"));

    MountRecord there = record(world.path("copy/a"));
    assertThat(there.device()).isEqualTo(record(world.path("mount/a")).device());
    assertThat(there.propagation()).isEqualTo(tags(world.path("mount/a")));
    assertThat(there.propagation().sends()).isTrue();
    assertThat(isMount(world.path("mount/b"))).isTrue();
    assertThat(mountsWithin(copy)).hasSize(3);
  }

  @Test
  void whatIsUnmountedInOnePeerIsGoneInAll() {
    MountPath mount = shared("mount");
    copy(mount, "copy", Propagation.BIDIRECTIONAL);
    copy(mount, "slave", Propagation.HOST_TO_CONTAINER);
    world.tmpfs("mount/a");

    world.mounts().unmount(world.path("copy/a"), ONCE);

    assertThat(isMount(world.path("mount/a"))).isFalse();
    assertThat(isMount(world.path("copy/a"))).isFalse();
    assertThat(isMount(world.path("slave/a"))).isFalse();
  }

  @Test
  void aSlaveReceivesAndDoesNotSend() {
    MountPath mount = shared("mount");
    copy(mount, "slave", Propagation.HOST_TO_CONTAINER);
    world.directory("mount/a");
    world.directory("mount/b");

    world.tmpfsOver(world.path("mount/a"));
    world.tmpfsOver(world.path("slave/b"));

    assertThat(isMount(world.path("slave/a"))).isTrue();
    assertThat(isMount(world.path("mount/b"))).isFalse();
    assertThat(tags(world.path("slave/a")).master())
        .isEqualTo(tags(world.path("mount/a")).peerGroup());
    assertThat(tags(world.path("slave/a")).sends()).isFalse();
    assertThat(tags(world.path("slave/b"))).isEqualTo(Propagation.Tags.PRIVATE);
  }

  @Test
  void aPrivateCopySeesNothing() {
    MountPath mount = shared("mount");
    copy(mount, "copy", Propagation.PRIVATE);

    world.tmpfs("mount/a");

    assertThat(isMount(world.path("copy/a"))).isFalse();
  }

  @Test
  void whatIsMountedReachesTheSlavesOfSlaves() {
    MountPath mount = shared("mount");
    MountPath middle = copy(mount, "middle", Propagation.HOST_TO_CONTAINER);
    world.mounts().setPropagation(middle, Propagation.BIDIRECTIONAL, false);
    copy(middle, "peer", Propagation.BIDIRECTIONAL);
    MountPath end = copy(middle, "end", Propagation.HOST_TO_CONTAINER);

    world.tmpfs("mount/a");

    Propagation.Tags there = tags(world.path("middle/a"));
    assertThat(there.master()).isEqualTo(tags(world.path("mount/a")).peerGroup());
    assertThat(there.sends()).isTrue();
    assertThat(tags(world.path("peer/a"))).isEqualTo(there);
    assertThat(tags(world.path("end/a")).master()).isEqualTo(there.peerGroup());
    assertThat(tags(end).master()).isEqualTo(tags(middle).peerGroup());
  }

  @Test
  void theGroupBehindAMasterThatHasNoMemberHereIsNamed() {
    MountPath mount = shared("mount");
    MountPath middle = copy(mount, "middle", Propagation.HOST_TO_CONTAINER);
    world.mounts().setPropagation(middle, Propagation.BIDIRECTIONAL, false);
    MountPath end = copy(middle, "end", Propagation.HOST_TO_CONTAINER);
    OptionalInt between = tags(middle).peerGroup();
    assertThat(propagateFrom(end)).as("its master is here").isEmpty();
    assertThat(propagateFrom(mount)).as("it has no master").isEmpty();

    try (World.Elsewhere elsewhere = world.elsewhere()) {
      world.mounts().unmount(middle, ONCE);

      assertThat(elsewhere.isMount(middle)).isTrue();
      assertThat(tags(end).master()).isEqualTo(between);
      assertThat(propagateFrom(end)).isEqualTo(tags(mount).peerGroup());
    }
  }

  private OptionalInt propagateFrom(MountPath path) {
    return world.table().propagateFrom(record(path).ref());
  }

  @Test
  void slavesOfAGroupThatEndsReceiveFromItsMaster() {
    MountPath mount = shared("mount");
    MountPath middle = copy(mount, "middle", Propagation.HOST_TO_CONTAINER);
    world.mounts().setPropagation(middle, Propagation.BIDIRECTIONAL, false);
    MountPath end = copy(middle, "end", Propagation.HOST_TO_CONTAINER);

    world.mounts().unmount(middle, ONCE);

    assertThat(tags(end).master()).isEqualTo(tags(mount).peerGroup());
  }

  @Test
  void aPeerOfADirectoryBelowSeesOnlyWhatIsInIt() {
    shared("mount");
    world.directory("mount/in");
    MountPath part = world.directory("part");
    world.bind(world.path("mount/in"), part);

    world.tmpfs("mount/in/a");
    world.tmpfs("mount/out");

    assertThat(mountsWithin(part))
        .extracting(MountRecord::path)
        .containsExactly(part, world.path("part/a"));
  }

  @Test
  void aWholeTreeIsSharedWithPeers() {
    MountPath mount = shared("mount");
    copy(mount, "copy", Propagation.BIDIRECTIONAL);
    world.directory("mount/here");
    MountPath source = world.tmpfs("source");
    world.tmpfs("source/below");

    world
        .mounts()
        .bind(
            io.csi4j.mount.model.BindRequest.builder(source, world.path("mount/here"))
                .recursive(true)
                .build());

    assertThat(isMount(world.path("copy/here"))).isTrue();
    assertThat(isMount(world.path("copy/here/below"))).isTrue();
    assertThat(tags(world.path("mount/here/below")).sends()).isTrue();
    assertThat(tags(source).sends()).isFalse();
  }

  @Test
  void recursionSetsWhatIsBelowToo() {
    MountPath mount = world.tmpfs("mount");
    MountPath below = world.tmpfs("mount/below");

    world.mounts().setPropagation(mount, Propagation.BIDIRECTIONAL, false);
    assertThat(tags(below).sends()).isFalse();
    world.mounts().setPropagation(mount, Propagation.BIDIRECTIONAL, true);

    assertThat(tags(below).sends()).isTrue();
    assertThat(tags(below).peerGroup()).isNotEqualTo(tags(mount).peerGroup());
  }

  @Test
  void aMountThatArrivesUnderAnotherIsCoveredByIt() {
    MountPath mount = shared("mount");
    MountPath slave = copy(mount, "slave", Propagation.HOST_TO_CONTAINER);
    world.directory("mount/a");
    world.tmpfsOver(world.path("slave/a"));
    MountRecord own = record(world.path("slave/a"));

    world.tmpfsOver(world.path("mount/a"));

    MountRecord top = record(world.path("slave/a"));
    assertThat(top.ref()).isEqualTo(own.ref());
    assertThat(top.parentId()).isNotEqualTo(own.parentId());
    assertThat(mountsAt(world.path("slave/a"))).hasSize(2);

    world.mounts().unmount(world.path("mount/a"), ONCE);

    assertThat(mountsAt(world.path("slave/a")))
        .extracting(MountRecord::ref)
        .containsExactly(own.ref());
    assertThat(record(world.path("slave/a")).parentId()).isEqualTo(record(slave).id());
  }

  @Test
  void aCopyWithAMountOnItSurvivesTheUnmountOfTheOriginal() {
    MountPath mount = shared("mount");
    copy(mount, "slave", Propagation.HOST_TO_CONTAINER);
    world.tmpfs("mount/a");
    world.directory("mount/a/b");
    world.tmpfsOver(world.path("slave/a/b"));

    assertThat(world.mounts().unmount(world.path("mount/a"), ONCE).step()).isEqualTo(Step.PLAIN);

    assertThat(isMount(world.path("slave/a"))).isTrue();
    assertThat(isMount(world.path("slave/a/b"))).isTrue();
  }

  @Test
  void aPeerInAnotherNamespaceSeesWhatIsMounted() {
    MountPath mount = shared("mount");
    world.directory("mount/a");
    world.directory("mount/b");

    try (World.Elsewhere elsewhere = world.elsewhere()) {
      world.tmpfsOver(world.path("mount/a"));
      elsewhere.tmpfsOver(world.path("mount/b"));

      assertThat(elsewhere.isMount(world.path("mount/a"))).isTrue();
      assertThat(isMount(world.path("mount/b"))).isTrue();
      world.mounts().unmount(world.path("mount/b"), ONCE);
      assertThat(elsewhere.isMount(world.path("mount/b"))).isFalse();
    }

    assertThat(isMount(mount)).isTrue();
  }

  @Test
  void aSlaveInAnotherNamespaceReceivesOnly() {
    MountPath mount = shared("mount");
    world.directory("mount/a");
    world.directory("mount/b");

    try (World.Elsewhere elsewhere = world.elsewhere()) {
      elsewhere.propagation(mount, Propagation.HOST_TO_CONTAINER);
      world.tmpfsOver(world.path("mount/a"));
      elsewhere.tmpfsOver(world.path("mount/b"));

      assertThat(elsewhere.isMount(world.path("mount/a"))).isTrue();
      assertThat(isMount(world.path("mount/b"))).isFalse();
    }
  }

  @Test
  void whoUsesASharedCopyElsewhereKeepsTheMount() {
    shared("mount");
    MountPath inner = world.directory("mount/a");

    try (World.Elsewhere elsewhere = world.elsewhere()) {
      world.tmpfsOver(inner);
      try (World.Use use = elsewhere.open(inner)) {
        MountException refusal = refusal(Reason.BUSY, () -> world.mounts().unmount(inner, ONCE));
        assertThat(errno(refusal)).isEqualTo("EBUSY");
      }
      assertThat(world.mounts().unmount(inner, ONCE).step()).isEqualTo(Step.PLAIN);
      assertThat(elsewhere.isMount(inner)).isFalse();
    }
  }
}

package io.csi4j.volume.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRef;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.lifecycle.Failure;
import io.csi4j.volume.internal.port.KernelMounts;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.Evidence;
import io.csi4j.volume.internal.record.Place;
import io.csi4j.volume.model.MountPolicy.DeadUnmount;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Mounts over the directories of the manager that come and go while they are being looked at. */
class ForeignMountsTest {

  private static final MountPath ROOT = MountPath.of("/srv/csi");
  private static final VolumeIdentity VOLUME =
      new VolumeIdentity(PluginId.of("fake.csi4j.example"), VolumeId.of("vol-1"));

  private static final long COVERING = 99;

  /** A mount table that changes right after a look. */
  private static final class ChangingTable implements KernelMounts {
    private final Deque<Runnable> afterLooks = new ArrayDeque<>();
    private boolean covered;

    /** The identities of the mounts below the one that covers, the lowest first. */
    private List<Long> below = List.of();

    @Override
    public List<Sighting> at(MountPath path) {
      each.add(path);
      int mounts = path.equals(ROOT) ? below.size() + (covered ? 1 : 0) : 0;
      Optional.ofNullable(afterLooks.poll()).ifPresent(Runnable::run);
      return Collections.nCopies(
          mounts, new Sighting(path, "0:42", new Evidence("ref", "tmpfs", "tmpfs", "/", false)));
    }

    @Override
    public Optional<MountRef.Identity> top(MountPath path) {
      if (!path.equals(ROOT) || (below.isEmpty() && !covered)) {
        return Optional.empty();
      }
      return Optional.of(
          new MountRef.Identity.Unique(covered ? COVERING : below.get(below.size() - 1)));
    }

    /** The mount that each existing directory is in. */
    private final Map<MountPath, Long> inside = new HashMap<>();

    private boolean watched = true;

    /** The directories of which the mount was asked for, and those looked at for mounts. */
    private final List<MountPath> quick = new ArrayList<>();

    private final List<MountPath> each = new ArrayList<>();

    private @Nullable MountPath unreadable;

    @Override
    public Optional<MountRef.Identity> mountOf(MountPath path) {
      quick.add(path);
      if (path.equals(unreadable)) {
        throw MountException.builder(MountException.Reason.BROKEN, "Looking failed.").build();
      }
      return Optional.ofNullable(inside.get(path)).map(MountRef.Identity.Unique::new);
    }

    @Override
    public boolean isWatched() {
      return watched;
    }

    @Override
    public Place place() {
      throw new AssertionError("not asked for");
    }

    @Override
    public List<Sighting> beneath(MountPath directory) {
      return List.of();
    }

    @Override
    public Optional<String> device(MountPath path) {
      return Optional.empty();
    }

    @Override
    public Optional<String> holders(MountPath path) {
      return Optional.empty();
    }

    @Override
    public List<Sighting> elsewhere(MountPath path, MountPath own) {
      return List.of();
    }

    @Override
    public boolean unmount(MountPath path) {
      throw new AssertionError("not asked for");
    }

    @Override
    public boolean unmountDead(MountPath path, DeadUnmount how) {
      throw new AssertionError("not asked for");
    }
  }

  private final ChangingTable table = new ChangingTable();
  private final ForeignMounts foreign =
      ForeignMounts.since(table, new VolumeLayout(ROOT), () -> false);

  @Test
  void aMountOverOneThatWasThereAtTheStartIsSeenAndAnotherInItsPlaceIsNot() {
    table.below = List.of(7L);
    ForeignMounts since = ForeignMounts.since(table, new VolumeLayout(ROOT), () -> false);
    assertThat(since.seen()).isEmpty();

    table.covered = true;
    assertThat(since.seen()).map(Failure::code).contains(OperatorCode.ROOT_OVERMOUNTED);

    table.covered = false;
    table.below = List.of(8L);
    assertThat(since.seen()).isEmpty();
    table.covered = true;
    assertThat(since.seen()).map(Failure::code).contains(OperatorCode.ROOT_OVERMOUNTED);
  }

  private static final VolumeLayout LAYOUT = new VolumeLayout(ROOT);
  private static final VolumeUse USE = VolumeUse.of(VolumeKey.of("vol-1"), WorkloadId.of("job"));
  private static final MountPath HOME = LAYOUT.volume(VOLUME);
  private static final MountPath USES = LAYOUT.uses(VOLUME);
  private static final MountPath OF_THE_USE = LAYOUT.home(VOLUME).use(USE);
  private static final long BASE = 5;

  /** The directories of the manager in one mount, and nothing of a volume. */
  private ForeignMounts since() {
    table.inside.put(LAYOUT.volumes(), BASE);
    table.inside.put(LAYOUT.state(), BASE);
    ForeignMounts since = ForeignMounts.since(table, LAYOUT, () -> false);
    table.quick.clear();
    table.each.clear();
    return since;
  }

  private void make(long mount, MountPath... directories) {
    List.of(directories).forEach(path -> table.inside.put(path, mount));
  }

  @Test
  void theMountOfTheDeepestDirectoryTellsOfAllAboveIt() {
    ForeignMounts since = since();
    make(BASE, HOME, USES, OF_THE_USE);

    assertThat(since.seen(VOLUME, Optional.of(USE))).isEmpty();

    assertThat(table.quick).containsExactly(LAYOUT.state(), OF_THE_USE);
    assertThat(table.each).isEmpty();
  }

  @Test
  void ofAVolumeWithoutADirectoryOnlyThatAboveItIsLookedAt() {
    ForeignMounts since = since();

    assertThat(since.seen(VOLUME, Optional.of(USE))).isEmpty();

    assertThat(table.quick).containsExactly(LAYOUT.state(), OF_THE_USE, LAYOUT.volumes(), HOME);
    assertThat(table.each).isEmpty();
  }

  @Test
  void aDirectoryInAnotherMountHasEachDirectoryLookedAt() {
    ForeignMounts since = since();
    make(BASE, HOME);
    make(COVERING, USES);

    assertThat(since.seen(VOLUME, Optional.of(USE))).isEmpty();
    assertThat(table.each).contains(ROOT, LAYOUT.volumes(), LAYOUT.state(), HOME, USES, OF_THE_USE);

    table.each.clear();
    table.inside.remove(USES);
    make(COVERING, LAYOUT.state());
    assertThat(since.seen()).isEmpty();
    assertThat(table.each).contains(ROOT, LAYOUT.volumes(), LAYOUT.state());
  }

  @Test
  void whatCannotBeLookedAtIsNotTakenForMissing() {
    ForeignMounts since = since();
    make(BASE, HOME);
    table.unreadable = USES;

    assertThat(since.seen(VOLUME, Optional.of(USE))).isEmpty();

    assertThat(table.each).contains(ROOT, HOME, USES);
  }

  @Test
  void withoutAWatchOrWithAKnownMountOverADirectoryNoneIsWalkedThrough() {
    ForeignMounts since = since();
    table.watched = false;
    assertThat(since.seen(VOLUME, Optional.of(USE))).isEmpty();
    assertThat(table.quick).isEmpty();

    table.watched = true;
    table.covered = true;
    assertThat(since.came(ROOT)).isPresent();
    assertThat(since.seen(VOLUME, Optional.of(USE)))
        .map(Failure::code)
        .contains(OperatorCode.ROOT_OVERMOUNTED);
    assertThat(table.quick).isEmpty();
  }

  @Test
  void whatGoesWhileItsComingIsLookedAtIsNotRemembered() {
    table.covered = true;
    table.afterLooks.add(
        () -> {
          table.covered = false;
          foreign.went(ROOT);
        });

    Optional<OperatorMessage> told = foreign.came(ROOT);

    assertThat(told).map(OperatorMessage::code).contains(OperatorCode.ROOT_OVERMOUNTED);
    assertThat(foreign.covering(VOLUME)).isEmpty();
  }

  @Test
  void whatComesWhileTheEndOfAnotherIsLookedAtIsRemembered() {
    table.covered = true;
    assertThat(foreign.came(ROOT)).isPresent();
    table.covered = false;
    table.afterLooks.add(
        () -> {
          table.covered = true;
          assertThat(foreign.came(ROOT)).as("it is taken for the one that is known").isEmpty();
        });

    foreign.went(ROOT);

    assertThat(foreign.covering(VOLUME)).map(Failure::code).contains(OperatorCode.ROOT_OVERMOUNTED);
    table.covered = false;
    foreign.went(ROOT);
    assertThat(foreign.covering(VOLUME)).isEmpty();
  }
}

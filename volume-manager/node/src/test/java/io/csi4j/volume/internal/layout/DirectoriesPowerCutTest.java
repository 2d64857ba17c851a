package io.csi4j.volume.internal.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.disk.FakeDisk;
import io.csi4j.volume.internal.disk.FakeDisk.PowerCut;
import io.csi4j.volume.internal.layout.VolumeDirectories.Found;
import io.csi4j.volume.internal.path.Finding;
import io.csi4j.volume.internal.path.PathProblem;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The power is cut at every operation of making and removing directories, none of which is synced,
 * and they survive in part. Whatever is left can be made whole or removed, as the state says whose
 * it is. When the process alone ends, each directory says so itself.
 */
class DirectoriesPowerCutTest {

  private static final VolumeIdentity ONE =
      new VolumeIdentity(PluginId.of("hostpath.csi"), VolumeId.of("vol-1"));
  private static final VolumeUse WEB = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web"));
  private static final VolumeLayout LAYOUT = new VolumeLayout(MountPath.of("/csi4j"));

  /** A part of the life of a volume. */
  private interface Part {
    void on(VolumeDirectories directories) throws PathProblem;
  }

  private static void make(VolumeDirectories directories) throws PathProblem {
    directories.prepareVolume(ONE);
    directories.prepareUse(ONE, WEB, false);
  }

  private static void remove(VolumeDirectories directories) throws PathProblem {
    directories.removeUse(ONE, WEB);
    directories.removeVolume(ONE, use -> true);
  }

  /** A disk that has seen these parts, and nothing that is not synced. */
  private static FakeDisk diskAfter(Part... parts) throws PathProblem {
    FakeDisk disk = FakeDisk.with(Path.of("/"));
    VolumeDirectories directories = new VolumeDirectories(disk, LAYOUT);
    directories.prepareRoot();
    for (Part part : parts) {
      part.on(directories);
    }
    return disk;
  }

  private static Set<Path> below(FakeDisk disk) {
    return new TreeSet<>(disk.files());
  }

  /** Keeps nothing, or all, of what was not synced; or, with neither, any of it. */
  private static List<Random> choices() {
    List<Random> choices = new ArrayList<>();
    for (boolean all : new boolean[] {false, true}) {
      choices.add(
          new Random() {
            private static final long serialVersionUID = 1L;

            @Override
            public boolean nextBoolean() {
              return all;
            }
          });
    }
    for (int seed = 0; seed < 60; seed++) {
      choices.add(FakeDisk.chance(seed));
    }
    return choices;
  }

  /**
   * Power cuts at every operation of a part.
   *
   * @param number how many operations there are
   * @param left what is there in the end, after each of them
   */
  private record Cuts(int number, Set<Set<Path>> left) {}

  private static Cuts cutEverywhere(Part[] before, Part cut, Part after) throws PathProblem {
    Set<Set<Path>> left = new HashSet<>();
    int operations = 0;
    for (boolean over = false; !over; operations++) {
      for (Random choice : choices()) {
        FakeDisk disk = diskAfter(before);
        disk.cutPowerAt(disk.operations() + operations);
        try {
          cut.on(new VolumeDirectories(disk, LAYOUT));
          over = true;
        } catch (PowerCut e) {
          // As told.
        }
        FakeDisk survivor = disk.restart(choice);
        repair(survivor, "cut at " + operations + ", " + survivor.files());
        after.on(new VolumeDirectories(survivor, LAYOUT));
        left.add(below(survivor));
      }
    }
    return new Cuts(operations, left);
  }

  /** What a start does whose state knows the volume: no trouble but with its identity file. */
  private static void repair(FakeDisk disk, String when) throws PathProblem {
    VolumeDirectories directories = new VolumeDirectories(disk, LAYOUT);
    List<PathProblem> problems = new ArrayList<>();
    directories.scan(name -> Optional.of(ONE), problems::add);

    assertThat(problems)
        .as(when)
        .allSatisfy(problem -> assertThat(problem.path()).isEqualTo(LAYOUT.who(ONE)));
    if (!problems.isEmpty()) {
      assertThat(directories.repairIdentity(ONE, false).map(Finding::code))
          .as(when)
          .contains(OperatorCode.SIDECAR_REPAIRED);
    }
    checkItSaysWhose(disk, when);
  }

  /** The identity file is absent or whole, and absent only when there is nothing beside it. */
  private static void checkItSaysWhose(FakeDisk disk, String when) throws PathProblem {
    List<PathProblem> problems = new ArrayList<>();
    List<Found> found =
        new VolumeDirectories(disk, LAYOUT).scan(name -> Optional.empty(), problems::add);

    assertThat(problems).as(when).isEmpty();
    boolean named = disk.files().contains(LAYOUT.who(ONE).toPath());
    assertThat(found).as(when).hasSize(named ? 1 : 0);
    if (named) {
      assertThat(disk.content(LAYOUT.who(ONE).toPath()))
          .as(when)
          .isEqualTo(IdentityFile.content(ONE));
    }
  }

  @Test
  void whenTheProcessIsKilledEachDirectoryNamesItsVolume() throws PathProblem {
    Part both =
        directories -> {
          make(directories);
          remove(directories);
        };
    boolean over = false;
    int operations = 0;
    for (; !over; operations++) {
      FakeDisk disk = diskAfter();
      disk.cutPowerAt(disk.operations() + operations);
      try {
        both.on(new VolumeDirectories(disk, LAYOUT));
        over = true;
      } catch (PowerCut e) {
        // As told.
      }
      FakeDisk next = disk.restartProcess();
      checkItSaysWhose(next, "killed at " + operations + ", " + next.files());
    }
    assertThat(operations).isGreaterThan(12);
  }

  @Test
  @Tag("A6")
  void cutWhileMakingTheyCanBeRemovedWithNothingLeft() throws PathProblem {
    Cuts cuts =
        cutEverywhere(new Part[0], DirectoriesPowerCutTest::make, DirectoriesPowerCutTest::remove);

    assertThat(cuts.number()).isGreaterThan(7);
    assertThat(cuts.left())
        .as("A6: repaired after each cut, and removed")
        .isEqualTo(Set.of(below(diskAfter())));
  }

  @Test
  @Tag("A6")
  void cutWhileMakingTheyCanBeMadeAgain() throws PathProblem {
    Cuts cuts =
        cutEverywhere(new Part[0], DirectoriesPowerCutTest::make, DirectoriesPowerCutTest::make);

    assertThat(cuts.number()).isGreaterThan(7);
    assertThat(cuts.left())
        .as("A6: repaired after each cut, and made again")
        .isEqualTo(Set.of(below(diskAfter(DirectoriesPowerCutTest::make))));
  }

  @Test
  @Tag("A20")
  void cutWhileRemovingTheyCanBeRemovedWithNothingLeft() throws PathProblem {
    Cuts cuts =
        cutEverywhere(
            new Part[] {DirectoriesPowerCutTest::make},
            DirectoriesPowerCutTest::remove,
            DirectoriesPowerCutTest::remove);

    assertThat(cuts.number()).isGreaterThan(5);
    assertThat(cuts.left())
        .as("A20: removed after a removal that was cut")
        .isEqualTo(Set.of(below(diskAfter())));
  }

  @Test
  void whatAKilledProcessHasRemovedAndTheNextOneTooStaysRemovedOnceThatIsSynced()
      throws PathProblem {
    FakeDisk before = diskAfter(DirectoriesPowerCutTest::make);
    int began = before.operations();
    remove(new VolumeDirectories(before, LAYOUT));
    int operations = before.operations() - began;

    for (int killedAt = 0; killedAt < operations; killedAt++) {
      for (Random choice : choices()) {
        FakeDisk disk = diskAfter(DirectoriesPowerCutTest::make);
        disk.cutPowerAt(disk.operations() + killedAt);
        assertThatThrownBy(() -> remove(new VolumeDirectories(disk, LAYOUT)))
            .isInstanceOf(PowerCut.class);
        FakeDisk next = disk.restartProcess();

        remove(new VolumeDirectories(next, LAYOUT));
        new VolumeDirectories(next, LAYOUT).syncRemovals();

        assertThat(below(next.restart(choice)))
            .as("killed at %d", killedAt)
            .isEqualTo(below(diskAfter()));
      }
    }
  }

  @Test
  @Tag("A20")
  void cutWhileRemovingTheyCanBeMadeAgain() throws PathProblem {
    Cuts cuts =
        cutEverywhere(
            new Part[] {DirectoriesPowerCutTest::make},
            DirectoriesPowerCutTest::remove,
            DirectoriesPowerCutTest::make);

    assertThat(cuts.number()).isGreaterThan(5);
    assertThat(cuts.left())
        .as("A20: made again after a removal that was cut")
        .isEqualTo(Set.of(below(diskAfter(DirectoriesPowerCutTest::make))));
  }

  @Test
  void cutWhileAnIdentityFileIsRepairedItCanBeRepairedAgain() throws PathProblem {
    for (int operation = 0; operation < 6; operation++) {
      for (Random choice : choices()) {
        FakeDisk disk = diskAfter(DirectoriesPowerCutTest::make);
        disk.overwrite(LAYOUT.who(ONE).toPath(), new byte[] {1, 2, 3});
        disk.cutPowerAt(disk.operations() + operation);
        try {
          assertThat(new VolumeDirectories(disk, LAYOUT).repairIdentity(ONE, false)).isPresent();
        } catch (PowerCut e) {
          // As told.
        }
        FakeDisk survivor = disk.restart(choice);

        repair(survivor, "cut at " + operation);

        remove(new VolumeDirectories(survivor, LAYOUT));
        assertThat(below(survivor)).isEqualTo(below(diskAfter()));
      }
    }
  }

  @Test
  void whatAPowerCutBringsBackOfAVolumeThatWasGivenBackIsFoundWhateverIsInIt() throws PathProblem {
    VolumeDirectories.Owners owners =
        new VolumeDirectories.Owners() {
          @Override
          public Optional<VolumeIdentity> of(String directory) {
            return Optional.empty();
          }

          @Override
          public Optional<VolumeIdentity> before(String directory) {
            return Optional.of(ONE);
          }
        };
    Set<Boolean> found = new HashSet<>();
    for (Random choice : choices()) {
      FakeDisk disk = diskAfter(DirectoriesPowerCutTest::make);
      new VolumeDirectories(disk, LAYOUT).syncRemovals();
      remove(new VolumeDirectories(disk, LAYOUT));
      FakeDisk survivor = disk.restart(choice);
      VolumeDirectories directories = new VolumeDirectories(survivor, LAYOUT);

      List<Found> left =
          directories.scan(
              owners,
              problem -> {
                throw new AssertionError(survivor.files().toString(), problem);
              });

      boolean isBack = survivor.files().contains(LAYOUT.volume(ONE).toPath());
      found.add(isBack);
      assertThat(left).hasSize(isBack ? 1 : 0);
      remove(directories);
      assertThat(below(survivor)).isEqualTo(below(diskAfter()));
    }
    assertThat(found).containsExactlyInAnyOrder(true, false);
  }

  @Test
  void aRootThatWasMadeByALifeThatCrashedBeforeItWasSyncedOutlivesAPowerCut() throws PathProblem {
    int all = operationsOfARoot();
    for (int at = 0; at < all; at++) {
      FakeDisk crashed = FakeDisk.with(Path.of("/")).cutPowerAt(at);
      assertThatThrownBy(() -> new VolumeDirectories(crashed, LAYOUT).prepareRoot())
          .isInstanceOf(FakeDisk.PowerCut.class);
      FakeDisk disk = crashed.restartProcess();
      VolumeDirectories directories = new VolumeDirectories(disk, LAYOUT);

      directories.prepareRoot();

      assertThat(below(disk.restart(choices().get(0))))
          .as("crash at %d", at)
          .isEqualTo(below(disk));
    }
  }

  private static int operationsOfARoot() throws PathProblem {
    FakeDisk disk = FakeDisk.with(Path.of("/"));
    new VolumeDirectories(disk, LAYOUT).prepareRoot();
    return disk.operations();
  }

  @Test
  void whatWasRemovedStaysRemovedAfterAPowerCutOnceThatIsSynced() throws PathProblem {
    FakeDisk gone =
        diskAfter(
            DirectoriesPowerCutTest::make,
            VolumeDirectories::syncRemovals,
            DirectoriesPowerCutTest::remove,
            VolumeDirectories::syncRemovals);

    assertThat(below(gone.restart(choices().get(0)))).isEqualTo(below(diskAfter()));
  }
}

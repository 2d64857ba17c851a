package io.csi4j.mount.internal.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.mount.Mounts;
import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.campaign.PlayedInShares;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.FilesystemRequest;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.Propagation;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.OpenDescriptors;
import io.csi4j.mount.real.Scratch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Cases S of the mount facts: no symbolic link is followed, and nothing outside is reached. */
@MountTest
class SymlinkTest {

  private static final int ATTEMPTS = 20_000;

  @ParameterizedTest
  @EnumSource
  void aLinkAtAnyPartOfTheTargetIsRefusedByItsName(Rung rung, Scratch scratch) throws Exception {
    MountPath source = scratch.tmpfs("source");
    scratch.directory("a/b/c/t");
    rung.run(
        (mounts, kernel) -> {
          for (String part : List.of("a", "a/b", "a/b/c", "a/b/c/t")) {
            Path aside = scratch.file("aside");
            Files.move(scratch.file(part), aside);
            Files.createSymbolicLink(scratch.file(part), aside);
            OpenDescriptors descriptors = new OpenDescriptors();
            for (Consumer<Mounts> change : changes(source, scratch.path("a/b/c/t"))) {
              MountException refused = Refusal.of(() -> change.accept(mounts));

              assertThat(refused.reason()).as(part).isEqualTo(Reason.SYMLINK);
              assertThat(refused.errno()).contains(new Errno(Abi.ELOOP));
              assertThat(refused)
                  .hasMessageContaining(" failed: " + scratch.path(part) + " is a symbolic link");
            }
            descriptors.assertNoneLeft();
            Files.delete(scratch.file(part));
            Files.move(aside, scratch.file(part));
          }
          assertThat(scratch.rows(scratch.path("a/b/c/t"))).isEmpty();
          mounts.bind(BindRequest.builder(source, scratch.path("a/b/c/t")).build());
          assertThat(scratch.rows(scratch.path("a/b/c/t"))).hasSize(1);
        });
  }

  @ParameterizedTest
  @EnumSource
  void aLinkThatLeadsNowhereIsRefusedAndNotFilledIn(Rung rung, Scratch scratch) throws Exception {
    MountPath source = scratch.tmpfs("source");
    MountPath target = scratch.path("target");
    Files.createSymbolicLink(scratch.file("target"), scratch.file("victim"));
    rung.run(
        (mounts, kernel) -> {
          MountException refused =
              Refusal.of(
                  () ->
                      mounts.bind(BindRequest.builder(source, target).createTarget(true).build()));

          assertThat(refused.reason()).isEqualTo(Reason.SYMLINK);
          assertThat(scratch.file("victim")).doesNotExist();
          assertThat(scratch.file("target")).isSymbolicLink();
        });
  }

  @ParameterizedTest
  @EnumSource
  void aLinkWithASlashAfterItIsStillALink(Rung rung, Scratch scratch) throws Exception {
    MountPath volume = scratch.tmpfs("volume");
    Files.createSymbolicLink(scratch.file("link"), scratch.file("volume"));
    MountPath link = MountPath.of(scratch.root() + "/link/");
    rung.run(
        (mounts, kernel) -> {
          MountException refused = Refusal.of(() -> mounts.setReadOnly(link, false));

          assertThat(refused.reason()).isEqualTo(Reason.SYMLINK);
          assertThat(scratch.rows(volume)).singleElement().asString().contains(" rw,relatime ");
        });
  }

  @ParameterizedTest
  @EnumSource
  void aLinkInTheSourceIsFollowedOnlyIfThatIsAskedFor(Rung rung, Scratch scratch) throws Exception {
    scratch.file("real/a", "content");
    Files.createSymbolicLink(scratch.file("middle"), scratch.file("."));
    Files.createSymbolicLink(scratch.file("last"), scratch.file("real"));
    MountPath target = scratch.directory("target");
    rung.run(
        (mounts, kernel) -> {
          for (String source : List.of("middle/real", "last")) {
            MountException refused =
                Refusal.of(
                    () -> mounts.bind(BindRequest.builder(scratch.path(source), target).build()));
            assertThat(refused.reason()).isEqualTo(Reason.SYMLINK);
          }
          assertThat(scratch.rows(target)).isEmpty();

          BindRequest followed =
              BindRequest.builder(scratch.path("middle/real"), target).followSource(true).build();
          assertThat(mounts.bind(followed).created()).isTrue();
          assertThat(mounts.bind(followed).created()).isFalse();
          assertThat(
                  mounts
                      .bind(
                          BindRequest.builder(scratch.path("last"), target)
                              .followSource(true)
                              .build())
                      .created())
              .isFalse();
          assertThat(Files.readString(scratch.file("target/a"))).isEqualTo("content");
        });
  }

  @ParameterizedTest
  @EnumSource
  void nothingOutsideTheTrustedDirectoryIsATarget(Rung rung, Scratch scratch) throws Exception {
    MountPath source = scratch.tmpfs("source");
    MountPath base = scratch.directory("base");
    scratch.directory("based/t");
    rung.run(
        (mounts, kernel) -> {
          Mounts beneath = mounts.beneath(base);
          for (MountPath target :
              List.of(source, base, scratch.root(), MountPath.ROOT, scratch.path("based/t"))) {
            MountException refused =
                Refusal.of(() -> beneath.bind(BindRequest.builder(source, target).build()));
            assertThat(refused.reason()).as("%s", target).isEqualTo(Reason.OUTSIDE);
            assertThat(refused.target()).contains(target);
          }
          assertThat(
                  Refusal.of(
                      () -> mounts.bind(BindRequest.builder(source, MountPath.ROOT).build())))
              .hasMessage(
                  "Binding "
                      + source
                      + " to / was refused: it is the directory that all targets have to be below,"
                      + " not one of them. Name a path below it.");
        });
  }

  @ParameterizedTest
  @EnumSource
  void linksAreFollowedInThePathOfTheTrustedDirectoryOnly(Rung rung, Scratch scratch)
      throws Exception {
    scratch.directory("real/base/source");
    scratch.directory("real/base/t");
    scratch.directory("outside/t");
    Files.createSymbolicLink(scratch.file("link"), scratch.file("real"));
    Files.createSymbolicLink(scratch.file("real/base/out"), scratch.file("outside"));
    Files.createSymbolicLink(scratch.file("real/base/up"), Path.of("../../outside"));
    MountPath base = scratch.path("link/base");
    rung.run(
        (mounts, kernel) -> {
          Mounts beneath = mounts.beneath(base);
          BindRequest request =
              BindRequest.builder(base.resolve("source"), base.resolve("t")).build();
          assertThat(beneath.bind(request).ref().path()).isEqualTo(scratch.path("real/base/t"));
          assertThat(beneath.bind(request).created()).isFalse();
          for (String out : List.of("out/t", "up/t")) {
            MountException refused =
                Refusal.of(
                    () ->
                        beneath.bind(
                            BindRequest.builder(base.resolve("source"), base.resolve(out))
                                .build()));
            assertThat(refused.reason()).isEqualTo(Reason.SYMLINK);
          }
          assertThat(scratch.rows(scratch.path("outside/t"))).isEmpty();
        });
  }

  @ParameterizedTest
  @EnumSource
  void theMagicLinksOfProcAreNotFollowed(Rung rung, Scratch scratch) throws Exception {
    MountPath source = scratch.tmpfs("source");
    scratch.directory("t");
    MountPath target = MountPath.of("/proc/self/root" + scratch.path("t"));
    rung.run(
        (mounts, kernel) -> {
          MountException refused =
              Refusal.of(() -> mounts.bind(BindRequest.builder(source, target).build()));

          assertThat(refused.reason()).isEqualTo(Reason.SYMLINK);
          assertThat(refused).hasMessageContaining(" /proc/self is a symbolic link");
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"relative", "/a/../b", "/a/.", "/a\0b", ""})
  void aPathThatCouldLeadElsewhereIsNoPath(String text) {
    assertThatThrownBy(() -> MountPath.of(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Tag("campaign")
  @PlayedInShares
  @ParameterizedTest
  @EnumSource(names = {"BEST", "OLDEST"})
  void nobodyWhoSwapsADirectoryForALinkMovesAMount(Rung rung, Scratch scratch) throws Exception {
    Race race = new Race(scratch);
    rung.run(
        (mounts, kernel) -> {
          BindRequest request = BindRequest.builder(race.source, race.target).build();
          Map<Reason, Integer> refusals = new EnumMap<>(Reason.class);
          int bound = 0;
          try (Swapper swapper = new Swapper(race)) {
            for (int i = 0; i < ATTEMPTS; i++) {
              boolean isBound = true;
              try {
                mounts.bind(request);
              } catch (MountException e) {
                isBound = false;
                refusals.merge(e.reason(), 1, Integer::sum);
              }
              assertThat(race.hasEscaped()).as("attempt %d", i).isFalse();
              if (isBound) {
                bound++;
                race.unmount();
              }
            }
            assertThat(swapper.swaps()).as("swaps").isGreaterThan(1_000);
          }
          assertThat(bound).as("binds").isGreaterThan(100);
          assertThat(refusals.get(Reason.SYMLINK)).as("%s", refusals).isGreaterThan(100);
          // Before 5.8 a table is read until it is twice the same, and a path in it is swapped.
          assertThat(refusals.keySet())
              .isSubsetOf(
                  Reason.SYMLINK,
                  Reason.NOT_FOUND,
                  Reason.WRONG_KIND,
                  Reason.OTHER,
                  rung == Rung.OLDEST ? Reason.NO_MOUNT_TABLE : Reason.OTHER);
          assertThat(Scratch.rows("thread-self"))
              .noneMatch(row -> row.contains(" " + race.outer + "/"));
        });
  }

  @Test
  void whoChecksThePathAndThenMountsByItIsMovedByTheSwapper(Scratch scratch) throws Exception {
    Race race = new Race(scratch);
    Syscalls calls = RunningKernel.kernel().calls();
    int escaped = 0;
    try (Swapper swapper = new Swapper(race)) {
      // Only what passes the check is an attempt; while the link is there, nothing is tried.
      for (int i = 0; i < ATTEMPTS && escaped < 3; ) {
        if (Files.isSymbolicLink(race.directory)) {
          Thread.onSpinWait();
          continue;
        }
        i++;
        int bound =
            calls.mount(Abi.path(race.source), Abi.path(race.target), null, Abi.MS_BIND, null);
        if (race.hasEscaped()) {
          escaped++;
        } else if (bound == 0) {
          race.unmount();
        }
      }
      assertThat(swapper.swaps()).isPositive();
    }
    assertThat(escaped).isPositive();
  }

  /** Mounts go to {@code race/d/t}; whoever swaps {@code d} wants them at {@code victim/t}. */
  private static final class Race {

    private final Syscalls calls = RunningKernel.kernel().calls();
    private final MountPath source;
    private final MountPath outer;
    private final MountPath target;
    private final Path directory;
    private final Path aside;
    private final Path link;
    private final byte[] victim;
    private final List<byte[]> places;

    Race(Scratch scratch) throws IOException {
      // On its own mount: a bind walks over all that is mounted where its source is.
      source = scratch.tmpfs("source");
      scratch.directory("race/d/t");
      outer = scratch.path("race");
      target = scratch.path("race/d/t");
      directory = scratch.file("race/d");
      aside = scratch.file("race/aside");
      link = scratch.file("race/link");
      victim = Abi.path(scratch.directory("victim/t"));
      Files.createSymbolicLink(link, scratch.file("victim"));
      places = List.of(Abi.path(scratch.path("race/aside/t")), Abi.path(target));
    }

    /** Whether something was mounted at the victim; it is taken away. */
    boolean hasEscaped() {
      return calls.umount2(victim, Abi.MNT_DETACH) == 0;
    }

    /** Takes the mount away, under whichever of its two names it is. */
    void unmount() {
      for (int i = 0; i < 1_000_000; i++) {
        if (calls.umount2(places.get(i % 2), Abi.MNT_DETACH | Abi.UMOUNT_NOFOLLOW) == 0) {
          return;
        }
      }
      throw new AssertionError("the mount is at neither place");
    }
  }

  /** Swaps a directory for a link and back, as fast as it can. */
  private static final class Swapper implements AutoCloseable {

    private final Race race;
    private final Thread thread;
    private volatile boolean isOver;
    private volatile int swaps;

    Swapper(Race race) {
      this.race = race;
      this.thread = new Thread(this::swap, "swapper");
      thread.start();
      while (swaps < 100) {
        Thread.onSpinWait();
      }
    }

    int swaps() {
      return swaps;
    }

    private void swap() {
      int done = 0;
      while (!isOver) {
        move(race.directory, race.aside);
        move(race.link, race.directory);
        move(race.directory, race.link);
        move(race.aside, race.directory);
        swaps = ++done;
      }
    }

    private static void move(Path from, Path to) {
      try {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void close() throws InterruptedException {
      isOver = true;
      thread.join();
    }
  }

  private static List<Consumer<Mounts>> changes(MountPath source, MountPath target) {
    return List.of(
        mounts -> mounts.bind(BindRequest.builder(source, target).build()),
        mounts ->
            mounts.mount(
                FilesystemRequest.builder("tmpfs", KernelText.of("tmpfs"), target)
                    .createTarget(true)
                    .build()),
        mounts -> mounts.setReadOnly(target, true),
        mounts -> mounts.setPropagation(target, Propagation.BIDIRECTIONAL, true));
  }
}

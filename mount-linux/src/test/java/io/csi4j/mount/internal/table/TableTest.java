package io.csi4j.mount.internal.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountSnapshot;
import io.csi4j.mount.model.Propagation;
import io.csi4j.mount.real.LibcForTests;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.MountsBeneath;
import io.csi4j.mount.real.NeedsKernel;
import io.csi4j.mount.real.NeedsUniqueIds;
import io.csi4j.mount.real.Scratch;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Cases T of the mount facts: the whole table, and what came and went since. */
@MountTest
class TableTest {

  /** Other tests beside this one mount as well, and may get the number. */
  private static final int MOST_TRIES = 100;

  private static final Kernel NEWEST = RunningKernel.kernel();
  private static final Syscalls CALLS = NEWEST.calls();

  /** As 5.8 to 6.7 are: there is only the text. */
  private static final Kernel TEXT_ONLY =
      NEWEST.with(
          CALLS,
          NEWEST
              .features()
              .without(Feature.LISTMOUNT, "test")
              .without(Feature.STATMOUNT, "test")
              .without(Feature.STATX_UNIQUE_ID, "test"));

  /** As those before 5.8 are: rows can be missing while others go away. */
  private static final Kernel UNSTEADY =
      NEWEST.with(CALLS, TEXT_ONLY.features().without(Feature.STATX_MOUNT_ROOT, "test"));

  static Stream<Kernel> kernels() {
    return Stream.of(NEWEST, TEXT_ONLY, UNSTEADY);
  }

  // Which mount is on top.

  /** C1. */
  @ParameterizedTest
  @MethodSource("kernels")
  void aTreeClonedEarlyAndAttachedLateIsOnTop(Kernel kernel, Scratch scratch) {
    MountPath target = scratch.directory("target");
    int early = clone(scratch.tmpfs("early"));
    scratch.rawMount("late", scratch.file("target"), "tmpfs", 0, null);
    attach(early, target, 0);

    topIsTheOneThatIsSeen(kernel, target, 2);
  }

  /** C2. */
  @ParameterizedTest
  @MethodSource("kernels")
  void anOlderMountMovedOnANewerOneIsOnTop(Kernel kernel, Scratch scratch) {
    MountPath old = scratch.tmpfs("old");
    MountPath target = scratch.tmpfs("target");
    assertThat(CALLS.mount(Abi.path(old), Abi.path(target), null, Abi.MS_MOVE, null)).isZero();

    topIsTheOneThatIsSeen(kernel, target, 2);
  }

  /** C3. */
  @ParameterizedTest
  @MethodSource("kernels")
  void aMountPutBeneathAnotherIsNotOnTop(Kernel kernel, Scratch scratch) {
    MountsBeneath.assumed(CALLS);
    MountPath source = scratch.tmpfs("source");
    MountPath target = scratch.tmpfs("target");
    attach(clone(source), target, MountsBeneath.FLAG);

    topIsTheOneThatIsSeen(kernel, target, 2);
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void aStackOfThreeHasTheLastOnTop(Kernel kernel, Scratch scratch) {
    MountPath target = scratch.tmpfs("target");
    scratch.rawMount("2", scratch.file("target"), "tmpfs", 0, null);
    scratch.rawMount("3", scratch.file("target"), "tmpfs", 0, null);

    assertThat(topIsTheOneThatIsSeen(kernel, target, 3).source()).hasToString("3");
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void theRootIsThere(Kernel kernel) {
    topIsTheOneThatIsSeen(kernel, MountPath.ROOT, 1);
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void aHiddenMountGivesWayToOneThatIsSeen(Kernel kernel, Scratch scratch) {
    MountPath below = scratch.tmpfs("outer/below");
    scratch.rawMount("over", scratch.file("outer"), "tmpfs", 0, null);
    MountSnapshot hidden = list(kernel);

    assertThat(hidden.at(below)).isPresent();
    assertThat(hidden.at(below)).isEqualTo(hidden.at(below));

    scratch.tmpfs("outer/below");
    assertThat(topIsTheOneThatIsSeen(kernel, below, 2)).isNotEqualTo(hidden.at(below).get());
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void aHiddenMountGivesWayToAnOlderOneThatIsSeen(Kernel kernel, Scratch scratch) {
    int early = clone(scratch.tmpfs("early"));
    MountPath below = scratch.tmpfs("outer/below");
    scratch.rawMount("over", scratch.file("outer"), "tmpfs", 0, null);
    attach(early, scratch.directory("outer/below"), 0);

    topIsTheOneThatIsSeen(kernel, below, 2);
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void theTopOfAHiddenStackIsTheOneOnWhichNoneIs(Kernel kernel, Scratch scratch) {
    int early = clone(scratch.tmpfs("early"));
    MountPath below = scratch.tmpfs("outer/below");
    attach(early, below, 0);
    int top = topIsTheOneThatIsSeen(kernel, below, 2).id();
    scratch.rawMount("over", scratch.file("outer"), "tmpfs", 0, null);

    assertThat(list(kernel).at(below)).map(MountRecord::id).contains(top);
  }

  private static MountRecord topIsTheOneThatIsSeen(Kernel kernel, MountPath path, int layers) {
    MountSnapshot table = list(kernel);
    assertThat(table.matching(mount -> mount.path().equals(path))).hasSize(layers);
    MountRecord top = table.at(path).orElseThrow();
    assertThat(top.id()).isEqualTo((int) mountId(path, Abi.STATX_MNT_ID));
    assertThat(table.at(path)).as("from the index").contains(top);
    if (kernel.features().hasUniqueIds()) {
      assertThat(uniqueId(top)).isEqualTo(mountId(path, Abi.STATX_MNT_ID_UNIQUE));
    }
    return top;
  }

  // What came and went.

  @ParameterizedTest
  @MethodSource("kernels")
  void mountsThatComeAndGoAreTold(Kernel kernel, Scratch scratch) {
    MountPath gone = scratch.tmpfs("gone");
    scratch.tmpfs("stays");
    MountSnapshot first = list(kernel);
    MountPath come = scratch.tmpfs("come");
    assertThat(scratch.rawUnmount(gone, 0)).isZero();

    MountSnapshot.Changes changes = first.refresh();

    assertThat(changes.added()).extracting(MountRecord::path).containsExactly(come);
    assertThat(changes.removed()).containsExactly(first.at(gone).orElseThrow());
    assertThat(changes.now().records()).isEqualTo(list(kernel).records());
    assertThat(changes.now().refresh().isEmpty()).isTrue();
    assertThat(first.refresh().added()).as("from the same start again").hasSize(1);
  }

  /** Case R of the mount facts: the master itself cannot be seen, but its master can. */
  @ParameterizedTest
  @EnumSource
  void inAChangedRootTheNearestGroupThatIsSeenIsNamed(Rung rung, Scratch scratch) {
    scratch.tmpfs("new");
    scratch.directory("new/proc");
    scratch.rawMount("/proc", scratch.file("new/proc"), "", Abi.MS_BIND | Abi.MS_REC, null);
    MountPath first = scratch.tmpfs("new/first");
    scratch.rawMount("none", scratch.file("new/first"), "", Abi.MS_SHARED, null);
    MountPath hidden = scratch.directory("hidden");
    scratch.bind(first, hidden);
    scratch.rawMount("none", scratch.file("hidden"), "", Abi.MS_SLAVE, null);
    scratch.rawMount("none", scratch.file("hidden"), "", Abi.MS_SHARED, null);
    scratch.bind(hidden, scratch.directory("new/last"));
    scratch.rawMount("none", scratch.file("new/last"), "", Abi.MS_SLAVE, null);
    OnThread.get(
        () ->
            rung.with(
                table -> {
                  int sender = tags(table, first).peerGroup().orElseThrow();
                  int between = tags(table, hidden).peerGroup().orElseThrow();
                  MountRecord before = table.find(scratch.path("new/last")).orElseThrow();
                  assertThat(before.propagation()).hasToString("master:" + between);
                  assertThat(table.propagateFrom(before.ref())).isEmpty();
                  LibcForTests.changeRoot(scratch.path("new"));
                  MountRecord last = table.find(MountPath.of("/last")).orElseThrow();
                  assertThat(last.propagation()).hasToString("master:" + between);
                  assertThat(table.propagateFrom(last.ref())).hasValue(sender);
                  return last;
                }));
  }

  @ParameterizedTest
  @EnumSource(Rung.class)
  void noGroupIsNamedForAMountThatIsGoneOrOfAnotherBoot(Rung rung, Scratch scratch) {
    MountPath path = scratch.tmpfs("t");
    MountRef ref = rung.with(table -> table.find(path).orElseThrow().ref());
    MountRef old = new MountRef(path, "another-boot", ref.identity());
    assertThat(propagateFrom(rung, old)).isEmpty();
    assertThat(scratch.rawUnmount(path, 0)).isZero();

    assertThat(propagateFrom(rung, ref)).isEmpty();
  }

  private static OptionalInt propagateFrom(Rung rung, MountRef ref) {
    return rung.with(table -> table.propagateFrom(ref));
  }

  private static Propagation.Tags tags(MountTable table, MountPath path) {
    return table.find(path).orElseThrow().propagation();
  }

  @Test
  @NeedsUniqueIds
  void aReplacedMountIsToldThoughItsTextIsTheSame(Scratch scratch) {
    MountPath source = scratch.tmpfs("source");
    MountPath target = scratch.directory("target");
    scratch.bind(source, target);
    MountSnapshot first;
    List<String> row;
    int tries = 0;
    do {
      assertThat(tries++).as("times that another process got the number").isLessThan(MOST_TRIES);
      first = list(NEWEST);
      row = scratch.rows(target);
      assertThat(scratch.rawUnmount(target, 0)).isZero();
      scratch.bind(source, target);
    } while (!scratch.rows(target).equals(row));

    MountSnapshot.Changes changes = first.refresh();

    assertThat(changes.added()).extracting(MountRecord::path).containsExactly(target);
    assertThat(changes.removed()).containsExactly(first.at(target).orElseThrow());
  }

  @Test
  void aTreeClonedEarlyAndAttachedLateEntersInTheMiddle(Scratch scratch) {
    int early = clone(scratch.tmpfs("early"));
    MountPath later = scratch.tmpfs("later");
    MountPath target = scratch.directory("target");
    MountSnapshot first = list(NEWEST);
    attach(early, target, 0);

    MountSnapshot.Changes changes = first.refresh();

    assertThat(changes.added()).extracting(MountRecord::path).containsExactly(target);
    assertThat(changes.removed()).isEmpty();
    List<MountPath> paths = changes.now().records().stream().map(MountRecord::path).toList();
    assertThat(paths.indexOf(target) < paths.indexOf(later))
        .as("mounts are in the order of their numbers, and before Linux 6.8 of their coming")
        .isEqualTo(NEWEST.features().has(Feature.STATX_UNIQUE_ID));
    assertThat(changes.now().records()).isEqualTo(list(NEWEST).records());
  }

  @Test
  @NeedsUniqueIds
  void aChildBeforeItsParentKnowsItsParent(Scratch scratch) {
    int early = clone(scratch.tmpfs("early"));
    MountPath parent = scratch.tmpfs("parent");
    MountPath child = scratch.directory("parent/child");
    attach(early, child, 0);

    List<MountRecord> table = list(NEWEST).records();

    List<MountPath> paths = table.stream().map(MountRecord::path).toList();
    assertThat(paths.indexOf(child)).isLessThan(paths.indexOf(parent));
    assertThat(table.get(paths.indexOf(child)).parentUniqueId())
        .hasValue(uniqueId(table.get(paths.indexOf(parent))));
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void aRefreshAcceptsWhatTheListAccepted(Kernel kernel, Scratch scratch) {
    MountPath wanted = scratch.directory("wanted");
    MountPath gone = scratch.tmpfs("wanted/gone");
    scratch.tmpfs("other");
    MountSnapshot first = new TableReader(kernel).read(mount -> mount.path().isWithin(wanted));
    MountPath come = scratch.tmpfs("wanted/come");
    scratch.tmpfs("another");
    assertThat(scratch.rawUnmount(gone, 0)).isZero();
    assertThat(scratch.rawUnmount(scratch.path("other"), 0)).isZero();

    MountSnapshot.Changes changes = first.refresh();

    assertThat(first.records()).extracting(MountRecord::path).containsExactly(gone);
    assertThat(changes.added()).extracting(MountRecord::path).containsExactly(come);
    assertThat(changes.removed()).extracting(MountRecord::path).containsExactly(gone);
    assertThat(changes.now().records()).isEqualTo(changes.added());
    assertThat(changes.now().refresh().isEmpty()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void afterAnyChangesARefreshIsAFreshList(Kernel kernel, Scratch scratch) {
    Random random = new Random(7);
    List<MountPath> mounted = new ArrayList<>();
    List<Integer> trees = new ArrayList<>();
    MountSnapshot table = list(kernel);
    MountPath source = scratch.tmpfs("source");
    for (int i = 0; i < 300; i++) {
      switch (random.nextInt(5)) {
        case 0 -> mounted.add(scratch.tmpfs("t" + i));
        case 1 -> {
          mounted.add(scratch.directory("b" + i));
          scratch.bind(source, scratch.path("b" + i));
        }
        case 2 -> trees.add(clone(source));
        case 3 -> {
          if (!trees.isEmpty()) {
            MountPath target = scratch.directory("c" + i);
            attach(trees.remove(random.nextInt(trees.size())), target, 0);
            mounted.add(target);
          }
        }
        default -> {
          if (!mounted.isEmpty()) {
            MountPath gone = mounted.remove(random.nextInt(mounted.size()));
            assertThat(scratch.rawUnmount(gone, 0)).isZero();
          }
        }
      }
      if (random.nextInt(4) == 0) {
        MountSnapshot.Changes changes = table.refresh();
        List<MountRecord> expected = list(kernel).records();
        assertThat(refs(changes.now().records())).as("step %d", i).isEqualTo(refs(expected));
        assertThat(changes.now().records()).as("step %d", i).isEqualTo(expected);
        List<MountRef> derived = new ArrayList<>(refs(table.records()));
        derived.removeAll(refs(changes.removed()));
        derived.addAll(refs(changes.added()));
        assertThat(refs(expected)).containsExactlyInAnyOrderElementsOf(derived);
        table = changes.now();
      }
    }
    trees.forEach(CALLS::close);
  }

  // Reading while mounts come and go.

  @Tag("campaign")
  @Test
  @Tag("H11")
  @NeedsUniqueIds
  void nothingIsMissedTwiceOrTornWhileMountsComeAndGo(Scratch scratch) throws Exception {
    List<MountPath> stable = binds(scratch, "stable", 1_000);
    MountSnapshot[] refreshed = {list(NEWEST)};
    List<List<MountPath>> seen = new ArrayList<>();
    whileMountsComeAndGo(
        scratch,
        () -> {
          for (int i = 0; i < 60; i++) {
            MountSnapshot full = list(NEWEST);
            refreshed[0] = refreshed[0].refresh().now();
            for (MountSnapshot table : List.of(full, list(TEXT_ONLY), refreshed[0])) {
              assertThat(table.skippedRows()).isZero();
              assertThat(table.records()).extracting(MountRecord::ref).doesNotHaveDuplicates();
              seen.add(
                  table.records().stream()
                      .map(MountRecord::path)
                      .filter(path -> path.isWithin(scratch.path("stable")))
                      .toList());
            }
            assertThat(full.records()).allMatch(mount -> mount.parentUniqueId().isPresent());
          }
          return true;
        });
    assertThat(seen)
        .as("H11: neither missed, nor twice, nor torn")
        .hasSize(180)
        .allMatch(stable::equals);
    MountSnapshot.Changes last = refreshed[0].refresh();
    assertThat(last.now().records()).isEqualTo(list(NEWEST).records());
  }

  /** Two threads mount and unmount until the work is done. */
  private static <T> T whileMountsComeAndGo(Scratch scratch, Callable<T> work) throws Exception {
    AtomicBoolean done = new AtomicBoolean();
    List<FutureTask<Integer>> writers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      MountPath source = scratch.tmpfs("churn-source-" + i);
      List<MountPath> targets = new ArrayList<>();
      for (int t = 0; t < 5; t++) {
        targets.add(scratch.directory("churn-" + i + "-" + t + "x".repeat(t * 13)));
      }
      FutureTask<Integer> writer =
          new FutureTask<>(
              () -> {
                int changes = 0;
                while (!done.get()) {
                  MountPath target = targets.get(changes++ % targets.size());
                  scratch.bind(source, target);
                  assertThat(scratch.rawUnmount(target, Abi.MNT_DETACH)).isZero();
                }
                return changes;
              });
      writers.add(writer);
      new Thread(writer, "churn-" + i).start();
    }
    try {
      return work.call();
    } finally {
      done.set(true);
      for (FutureTask<Integer> writer : writers) {
        assertThat(writer.get()).isPositive();
      }
    }
  }

  // Large ones.

  @Test
  void aTableOfTenThousandIsReadAndRefreshed(Scratch scratch) {
    List<MountPath> targets = binds(scratch, "many", 10_000);
    MountSnapshot table = list(NEWEST);

    assertThat(table.matching(mount -> mount.path().isWithin(scratch.path("many"))))
        .extracting(MountRecord::path)
        .containsExactlyElementsOf(targets);
    if (NEWEST.features().has(Feature.LISTMOUNT)) {
      assertThat(new MountIds(NEWEST).all(10_000)).isEqualTo(new MountIds(NEWEST).all());
    }
    assertThat(scratch.rawUnmount(targets.get(5_000), 0)).isZero();
    MountSnapshot.Changes changes = table.refresh();
    assertThat(changes.removed()).extracting(MountRecord::path).containsExactly(targets.get(5_000));
    assertThat(changes.added()).isEmpty();
    assertThat(changes.now().records()).isEqualTo(list(NEWEST).records());
  }

  @Test
  @NeedsUniqueIds
  void aMountWithLongTextsIsReadInABufferThatGrows(Scratch scratch) {
    StringBuilder path = new StringBuilder("deep");
    while (path.length() < 3_000) {
      path.append('/').append("d".repeat(200));
    }
    MountPath target = scratch.tmpfs(path.toString());
    StringBuilder layers = new StringBuilder("lowerdir=");
    for (int i = 0; i < 60; i++) {
      layers.append(scratch.directory("layer-of-the-overlay-" + i)).append(i < 59 ? ":" : "");
    }
    scratch.directory("overlay");
    scratch.rawMount("o", scratch.file("overlay"), "overlay", 0, layers + ",userxattr");
    StatmountReader reader = new StatmountReader(NEWEST);
    for (MountPath each : List.of(target, scratch.path("overlay"))) {
      MountRecord row = list(NEWEST).at(each).orElseThrow();

      assertThat(reader.record(uniqueId(row))).contains(row);
      assertThat(reader.path(uniqueId(row))).contains(each);
    }
  }

  // Places where nothing can be read.

  @Test
  void withoutProcTheTableCannotBeReadAndTheMessageSaysWhatToDo() throws Exception {
    FutureTask<MountException> task =
        new FutureTask<>(
            () -> {
              LibcForTests.unshareMounts();
              int hidden =
                  CALLS.mount(Abi.path("x"), Abi.path("/proc"), Abi.path("tmpfs"), 0, null);
              assertThat(hidden).isZero();
              try {
                new TableReader(NEWEST).read(mount -> true);
              } catch (MountException e) {
                return e;
              }
              throw new AssertionError("a table was read");
            });
    Thread thread = new Thread(task, "without-proc");
    thread.start();
    MountException failure = task.get();

    assertThat(failure.reason()).isEqualTo(Reason.NO_MOUNT_TABLE);
    assertThat(failure)
        .hasMessageContaining("Reading the table of mounts failed: ")
        .hasMessageContaining("Mount /proc where this process sees it");
  }

  @Test
  void aThreadWithItsOwnNamespaceReadsItsOwnTable(Scratch scratch) throws Exception {
    MountPath path = scratch.directory("elsewhere");
    FutureTask<Boolean> task =
        new FutureTask<>(
            () -> {
              LibcForTests.unshareMounts();
              scratch.tmpfs("elsewhere");
              return list(NEWEST).at(path).isPresent() && list(TEXT_ONLY).at(path).isPresent();
            });
    Thread thread = new Thread(task, "own-namespace");
    thread.start();

    assertThat(task.get()).isTrue();
    assertThat(list(NEWEST).at(path)).isEmpty();
  }

  @Test
  @NeedsKernel(Feature.LISTMOUNT)
  void aRefusedListIsTold() {
    Kernel refusing =
        NEWEST.with(
            StatmountTest.calls((call, arguments) -> call.equals("listmount") ? -Abi.EACCES : null),
            NEWEST.features());

    assertThatThrownBy(() -> new TableReader(refusing).read(mount -> true))
        .isInstanceOfSatisfying(
            MountException.class,
            e -> {
              assertThat(e.syscall()).contains("listmount");
              assertThat(e.reason()).isEqualTo(Reason.NOT_PERMITTED);
            });
  }

  /** With a list that never agrees with the text, each mount is read by its number. */
  @Test
  @NeedsUniqueIds
  void aTableThatNeverStandsStillIsReadMountByMount(Scratch scratch) {
    scratch.tmpfs("one");
    int[] lists = {0};
    Kernel restless =
        NEWEST.with(
            StatmountTest.calls(
                (call, arguments) -> {
                  if (call.equals("listmount")) {
                    long[] ids = (long[]) arguments[1];
                    int listed = CALLS.listmount((byte[]) arguments[0], ids);
                    ids[listed] = Long.MAX_VALUE - lists[0]++;
                    return listed + 1;
                  }
                  return null;
                }),
            NEWEST.features());

    assertThat(new TableReader(restless).read(mount -> true).records())
        .isEqualTo(list(NEWEST).records());
    assertThat(lists[0]).isEqualTo(5);
  }

  private static List<MountPath> binds(Scratch scratch, String directory, int count) {
    MountPath source = scratch.tmpfs(directory + "-source");
    List<MountPath> targets =
        LongStream.range(0, count)
            .mapToObj(i -> scratch.directory(directory + "/volume-" + i))
            .toList();
    targets.forEach(target -> scratch.bind(source, target));
    return targets;
  }

  private static MountSnapshot list(Kernel kernel) {
    return new TableReader(kernel).read(mount -> true);
  }

  private static List<MountRef> refs(List<MountRecord> records) {
    return records.stream().map(MountRecord::ref).toList();
  }

  private static long uniqueId(MountRecord mount) {
    return ((MountRef.Identity.Unique) mount.ref().identity()).id();
  }

  private static long mountId(MountPath path, int mask) {
    byte[] out = new byte[Abi.STATX_SIZE];
    assertThat(CALLS.statx(Abi.AT_FDCWD, Abi.path(path), Abi.AT_SYMLINK_NOFOLLOW, mask, out))
        .isZero();
    return Struct.u64(out, Abi.STATX_AT_MNT_ID);
  }

  private static int clone(MountPath path) {
    int tree =
        CALLS.openTree(Abi.AT_FDCWD, Abi.path(path), Abi.OPEN_TREE_CLONE | Abi.OPEN_TREE_CLOEXEC);
    assertThat(tree).isPositive();
    return tree;
  }

  private static void attach(int tree, MountPath target, int flags) {
    int attached =
        CALLS.moveMount(
            tree,
            Abi.emptyPath(),
            Abi.AT_FDCWD,
            Abi.path(target),
            Abi.MOVE_MOUNT_F_EMPTY_PATH | flags);
    assertThat(attached).isZero();
    CALLS.close(tree);
  }
}

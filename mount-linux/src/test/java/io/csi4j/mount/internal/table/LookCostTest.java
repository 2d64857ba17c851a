package io.csi4j.mount.internal.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.ScriptedCalls;
import io.csi4j.mount.internal.kernel.ScriptedCalls.Call;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountProbe;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.NeedsKernel;
import io.csi4j.mount.real.NeedsUniqueIds;
import io.csi4j.mount.real.Scratch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Which system calls a look makes, and which it must not. */
@MountTest
class LookCostTest {

  private final List<Call> log = new ArrayList<>();

  @Test
  @NeedsKernel(Feature.STATX_MOUNT_ROOT)
  void whatIsNoMountCostsOneCall(Scratch scratch) {
    MountPath path = scratch.directory("d");

    assertThat(table(false).probe(path)).isEqualTo(new MountProbe.NotAMount());

    assertThat(log).extracting(Call::name).containsExactly("statx");
  }

  @Test
  @NeedsUniqueIds
  void aMountCostsOneMoreForItsTypeOnce(Scratch scratch) {
    MountPath path = scratch.tmpfs("t");
    KernelTable table = table(false);

    MountProbe first = table.probe(path);
    assertThat(table.probe(path)).isEqualTo(first);

    assertThat(first.isMount()).isTrue();
    assertThat(log).extracting(Call::name).containsExactly("statx", "statmount", "statx");
  }

  @Test
  @NeedsUniqueIds
  void theMountOfAPathCostsOneCallAndNoneIfMountsAreNotToBeEntered(Scratch scratch) {
    MountPath mount = scratch.tmpfs("t");
    MountRef.Identity identity = table(false).find(mount).orElseThrow().ref().identity();
    MountPath below = scratch.directory("t/a/b");
    log.clear();

    assertThat(table(false).mountOf(below)).contains(identity);
    assertThat(table(false).mountOf(scratch.path("t/a/missing"))).isEmpty();
    assertThat(table(true).mountOf(below)).isEmpty();

    assertThat(log).extracting(Call::name).containsExactly("statx", "statx");
  }

  @Test
  @NeedsUniqueIds
  void whatIsRememberedOfOneMountIsNotSaidOfAnother(Scratch scratch) {
    KernelTable table = table(false);
    for (int i = 0; i < 1200; i++) {
      MountPath path = scratch.directory("d");
      scratch.bind(path, path);
      assertThat(((MountProbe.Mounted) table.probe(path)).health()).isEqualTo(MountProbe.Health.OK);
      assertThat(scratch.rawUnmount(path, 0)).isZero();
    }

    assertThat(log).filteredOn(call -> call.name().equals("statmount")).hasSize(1200);
  }

  /** A kernel that does not give the source (6.8 to 6.12) has its row read beside. */
  @Test
  @NeedsUniqueIds
  void aRecordCostsTwoCallsAndTwoMoreWhereTheSourceIsInTheTextAlone(Scratch scratch) {
    MountPath path = scratch.tmpfs("t");
    boolean isWhole = givesSource(path);

    assertThat(table(false).find(path)).isPresent();

    assertThat(log)
        .extracting(Call::name)
        .containsExactlyElementsOf(
            isWhole
                ? List.of("statx", "statmount")
                : List.of("statx", "statmount", "statmount", "statmount"));
  }

  /** Asks the kernel for the source of a mount, and looks whether it is in the answer. */
  private static boolean givesSource(MountPath path) {
    Syscalls calls = RunningKernel.kernel().calls();
    byte[] found = new byte[Abi.STATX_SIZE];
    int looked =
        calls.statx(
            Abi.AT_FDCWD, Abi.path(path), Abi.AT_SYMLINK_NOFOLLOW, Abi.STATX_MNT_ID_UNIQUE, found);
    assertThat(looked).isZero();
    byte[] request =
        Struct.mountIdRequest(Struct.u64(found, Abi.STATX_AT_MNT_ID), Abi.STATMOUNT_SB_SOURCE);
    byte[] answer = new byte[1024];
    assertThat(calls.statmount(request, answer)).isZero();
    return (Struct.u64(answer, Abi.STATMOUNT_AT_MASK) & Abi.STATMOUNT_SB_SOURCE) != 0;
  }

  @Test
  @NeedsUniqueIds
  void aReferenceCostsOneCallThatDoesNotNameThePath(Scratch scratch) {
    MountPath path = scratch.tmpfs("t");
    MountRef ref = ((MountProbe.Mounted) table(false).probe(path)).ref();
    log.clear();

    assertThat(table(false).check(ref)).isEqualTo(new MountRef.Check.Present());

    assertThat(log).extracting(Call::name).containsExactly("statmount");
  }

  /**
   * Only mounts that were made since cost anything, unless they are so many that a table is less.
   */
  @Test
  @NeedsUniqueIds
  void theMountsAfterOneCostNothingForThoseBeforeIt(Scratch scratch) {
    MountPath first = scratch.tmpfs("first");
    scratch.tmpfs("older");
    KernelTable table = table(false);
    MountRef ref = ((MountProbe.Mounted) table.probe(scratch.tmpfs("t"))).ref();
    log.clear();

    assertThat(table.newer(ref, scratchOnly(scratch))).isEmpty();
    assertThat(log).extracting(Call::name).startsWith("statmount", "listmount");
    assertThat(log).filteredOn(call -> call.name().equals("listmount")).hasSize(1);

    MountRef beforeAll = ((MountProbe.Mounted) table.probe(first)).ref();
    List<MountPath> many = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      MountPath path = scratch.directory("many-" + i);
      scratch.bind(path, path);
      many.add(path);
    }
    log.clear();
    assertThat(table.newer(beforeAll, scratchOnly(scratch)))
        .extracting(MountRecord::path)
        .endsWith(many.toArray(MountPath[]::new))
        .hasSize(302);
    assertThat(log).filteredOn(call -> call.name().equals("statmount")).hasSizeLessThan(20);
  }

  /**
   * The kernel finds the group that a slave receives from by walking along the peers of its master,
   * so reading it of each mount costs as many steps as there are mounts, for each of them.
   */
  @Test
  @NeedsUniqueIds
  void manySlavesOfOneGroupAreReadByTheirNumbersAndWithoutTheGroupTheyReceiveFrom(Scratch scratch) {
    assumeTrue(givesSource(scratch.root()), "the kernel gives the source in the text alone");
    bindsWithSlaves(scratch, 700);

    List<MountRecord> listed = table(false).list().records();

    assertThat(log)
        .filteredOn(call -> call.name().equals("statmount"))
        .hasSizeGreaterThanOrEqualTo(listed.size())
        .hasSizeLessThan(listed.size() + listed.size() / 32)
        .noneMatch(call -> asksFor(call, Abi.STATMOUNT_PROPAGATE_FROM));
    List<MountRecord> text = new MountInfoReader(RunningKernel.kernel()).read().records();
    assertThat(RowText.table(listed)).isEqualTo(RowText.table(text));
  }

  @Test
  @NeedsUniqueIds
  void mountsThatReceiveFromNoGroupAreReadAsText(Scratch scratch) {
    for (int i = 0; i < 700; i++) {
      scratch.bind(scratch.directory("source"), scratch.directory("t-" + i));
    }

    assertThat(table(false).list().records()).hasSizeGreaterThan(700);

    assertThat(log)
        .filteredOn(call -> call.name().equals("statmount"))
        .as("one of 64 is looked at, and the first and the last row")
        .hasSizeLessThan(30);
  }

  @Test
  @NeedsUniqueIds
  void aSlaveIsFoundWithoutTheGroupItReceivesFrom(Scratch scratch) {
    bindsWithSlaves(scratch, 1);
    KernelTable table = table(false);

    MountRecord slave = table.find(scratch.path("copy/t-0")).orElseThrow();

    assertThat(slave.propagation().master()).isPresent();
    assertThat(log)
        .filteredOn(call -> call.name().equals("statmount"))
        .isNotEmpty()
        .noneMatch(call -> asksFor(call, Abi.STATMOUNT_PROPAGATE_FROM));
  }

  private static boolean asksFor(Call statmount, long field) {
    return (Struct.u64((byte[]) statmount.arguments().get(0), 16) & field) != 0;
  }

  /** Binds of one directory below {@code shared}, each with a slave below {@code copy}. */
  private static void bindsWithSlaves(Scratch scratch, int count) {
    Syscalls calls = RunningKernel.kernel().calls();
    MountPath shared = scratch.tmpfs("shared");
    assertThat(calls.mount(null, Abi.path(shared), null, Abi.MS_SHARED, null)).isZero();
    MountPath source = scratch.directory("shared/source");
    for (int i = 0; i < count; i++) {
      scratch.bind(source, scratch.directory("shared/t-" + i));
    }
    MountPath copy = scratch.directory("copy");
    scratch.bindTree(shared, copy);
    long slaves = Abi.MS_SLAVE | Abi.MS_REC;
    assertThat(calls.mount(null, Abi.path(copy), null, slaves, null)).isZero();
  }

  private static Predicate<MountRecord> scratchOnly(Scratch scratch) {
    MountPath base = scratch.directory("d").parent();
    return each -> each.path().isWithin(base);
  }

  @Test
  @NeedsKernel(Feature.OPENAT2)
  void aCarefulLookEntersNoMount(Scratch scratch) {
    MountPath path = scratch.tmpfs("served");

    assertThat(table(true).probe(path).isMount()).isTrue();
    assertThat(table(true).find(path)).isPresent();

    List<Call> naming = log.stream().filter(LookCostTest::namesTheMount).toList();
    assertThat(naming).hasSize(2).extracting(Call::name).containsOnly("openat2");
    assertThat(naming)
        .extracting(call -> call.arguments().get(4))
        .containsOnly(Abi.RESOLVE_NO_XDEV);
  }

  private static boolean namesTheMount(Call call) {
    byte[] end = Abi.path("served");
    return call.arguments().stream()
        .filter(byte[].class::isInstance)
        .map(byte[].class::cast)
        .filter(bytes -> bytes.length < 512 && bytes.length >= end.length)
        .anyMatch(
            bytes ->
                Arrays.equals(bytes, bytes.length - end.length, bytes.length, end, 0, end.length));
  }

  private KernelTable table(boolean careful) {
    Kernel kernel = RunningKernel.kernel();
    return new KernelTable(
        kernel.with(ScriptedCalls.recording(kernel.calls(), log), kernel.features()),
        () -> careful);
  }
}

package io.csi4j.mount.internal.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.ScriptedCalls;
import io.csi4j.mount.internal.kernel.ScriptedCalls.Call;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.MountHealth;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountProbe;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.RefCheck;
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
  void whatIsRememberedOfOneMountIsNotSaidOfAnother(Scratch scratch) {
    KernelTable table = table(false);
    for (int i = 0; i < 1200; i++) {
      MountPath path = scratch.directory("d");
      scratch.bind(path, path);
      assertThat(((MountProbe.Mounted) table.probe(path)).health()).isEqualTo(MountHealth.OK);
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

    assertThat(table(false).check(ref)).isEqualTo(new RefCheck.Present());

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

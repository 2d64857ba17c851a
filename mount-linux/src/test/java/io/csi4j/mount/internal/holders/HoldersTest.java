package io.csi4j.mount.internal.holders;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.table.KernelTable;
import io.csi4j.mount.model.Holder;
import io.csi4j.mount.model.Holder.Use;
import io.csi4j.mount.model.Holders;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.real.Eventually;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.NeedsUserNamespace;
import io.csi4j.mount.real.Neighbour;
import io.csi4j.mount.real.Open;
import io.csi4j.mount.real.Scratch;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Who keeps a mount in use, found without asking the mount. */
@MountTest
class HoldersTest {

  private final MountTable table = MountTable.system();

  @Test
  void aMountThatNobodyUsesHasNoHolder(Scratch scratch) {
    Holders holders = holders(scratch.tmpfs("v"));

    assertThat(holders.found()).isEmpty();
    assertThat(holders.complete()).isTrue();
  }

  @Test
  void aMountThatIsGoneHasNoHolder(Scratch scratch) {
    MountRecord gone = record(scratch.tmpfs("v"));
    scratch.rawUnmount(scratch.path("v"), 0);

    assertThat(Mounts.system().whoHolds(gone.ref())).isEqualTo(new Holders(List.of(), 0, true));
  }

  @Test
  void thisProcessIsFoundByWhatItHasOpen(Scratch scratch) {
    MountPath mount = scratch.tmpfs("v");
    scratch.file("v/f", "");
    for (Open open : List.of(Open.reading(scratch.path("v/f")), Open.path(mount))) {
      try (open) {
        assertThat(holders(mount).found())
            .singleElement()
            .isInstanceOfSatisfying(
                Holder.RunningProcess.class,
                process -> {
                  assertThat(process.pid()).isEqualTo(ProcessHandle.current().pid());
                  assertThat(process.uses()).containsExactly(Use.OPEN_FILE);
                  assertThat(process.command().isEmpty()).isFalse();
                });
      }
    }
  }

  @Test
  void aProcessIsFoundByItsDirectoryAndItsFilesAtOnce(Scratch scratch) {
    MountPath mount = scratch.tmpfs("v");
    scratch.directory("v/in it");
    try (Neighbour neighbour = Neighbour.here()) {
      neighbour.run("cd '" + scratch.path("v/in it") + "' && exec 3<.");

      assertThat(holders(mount).found())
          .containsExactly(
              new Holder.RunningProcess(
                  neighbour.pid(),
                  KernelText.of("sh"),
                  Set.of(Use.WORKING_DIRECTORY, Use.OPEN_FILE)));
    }
  }

  @Test
  void aProcessIsFoundByItsProgram(Scratch scratch) {
    MountPath mount = scratch.tmpfs("v");
    try (Neighbour neighbour = Neighbour.here()) {
      neighbour.run("cp \"$(command -v sleep)\" " + scratch.path("v/my-sleep"));
      String pid = neighbour.run(scratch.path("v/my-sleep") + " 1000 >/dev/null & echo $!").get(0);
      try {
        Eventually.isTrue(
            "the program runs",
            () ->
                holders(mount)
                    .found()
                    .contains(
                        new Holder.RunningProcess(
                            Long.parseLong(pid), KernelText.of("my-sleep"), Set.of(Use.PROGRAM))));
      } finally {
        neighbour.run("kill " + pid + "; wait " + pid + " 2>/dev/null");
      }
    }
    assertThat(holders(mount).found()).isEmpty();
  }

  @Test
  void aProcessInAMountBelowHoldsThatOneOnly(Scratch scratch) {
    MountPath mount = scratch.tmpfs("v");
    MountRecord child = record(scratch.tmpfs("v/child"));
    try (Neighbour neighbour = Neighbour.here()) {
      neighbour.run("cd " + child.path());

      assertThat(holders(mount).found()).containsExactly(new Holder.Child(child));
      assertThat(holders(child.path()).found())
          .containsExactly(
              new Holder.RunningProcess(
                  neighbour.pid(), KernelText.of("sh"), Set.of(Use.WORKING_DIRECTORY)));
    }
  }

  @Test
  void aProcessInADirectoryOfASimilarNameHoldsNothing(Scratch scratch) {
    MountPath mount = scratch.tmpfs("v");
    scratch.directory("v-2");
    try (Neighbour neighbour = Neighbour.here()) {
      neighbour.run("cd " + scratch.path("v-2"));

      assertThat(holders(mount).found()).isEmpty();
    }
  }

  @Test
  void anotherMountOfTheSameFilesystemIsASibling(Scratch scratch) {
    MountPath mount = scratch.tmpfs("v");
    scratch.bind(mount, scratch.directory("w"));

    assertThat(holders(mount).found())
        .containsExactly(new Holder.Sibling(record(scratch.path("w"))));
  }

  @Test
  void aCopyInTheNamespaceOfAContainerIsFoundOncePerNamespace(Scratch scratch) {
    MountPath mount = scratch.tmpfs("v");
    try (Neighbour one = Neighbour.elsewhere("private");
        Neighbour other = Neighbour.elsewhere("private")) {
      one.run("mkdir " + scratch.path("moved"));
      one.run("mount --move " + mount + " " + scratch.path("moved"));

      assertThat(holders(mount).found())
          .hasSize(2)
          .anySatisfy(holder -> isElsewhere(holder, one, scratch.path("moved")))
          .anySatisfy(holder -> isElsewhere(holder, other, mount));
    }
  }

  @Test
  void aFileThatWasOpenedBeforeItsProcessWentElsewhereIsFound(Scratch scratch) {
    MountPath mount = scratch.tmpfs("v");
    try (Neighbour neighbour = Neighbour.here()) {
      neighbour.run("exec 3<" + mount);
      // The shell has read on already, so the next one says that the command has ended.
      neighbour.run("exec unshare -m --propagation private sh -c 'echo END 0; exec sh'");
      neighbour.run("umount " + mount + " || umount -l " + mount);

      assertThat(holders(mount).found())
          .containsExactly(
              new Holder.RunningProcess(
                  neighbour.pid(), KernelText.of("sh"), Set.of(Use.OPEN_FILE)));
    }
  }

  @Test
  @NeedsUserNamespace
  void processesThatMayNotBeLookedIntoAreCounted(Scratch scratch) {
    assertThat(holders(scratch.tmpfs("v")).unseen()).isPositive();
  }

  @Test
  void theSearchEndsAtABoundedNumber(Scratch scratch) {
    MountPath mount = scratch.tmpfs("v");
    for (int i = 0; i <= HolderSearch.MOST_HOLDERS; i++) {
      scratch.bind(mount, scratch.directory("w/" + i));
    }

    Holders holders = holders(mount);

    assertThat(holders.found()).hasSize(HolderSearch.MOST_HOLDERS);
    assertThat(holders.ofMount()).isEmpty();
    assertThat(holders.complete()).isFalse();
  }

  @Test
  void manyMountsOfTheSameFilesystemDoNotHideWhoKeepsThisOneBusy(Scratch scratch) {
    MountPath mount = scratch.tmpfs("v");
    for (int i = 0; i <= HolderSearch.MOST_HOLDERS; i++) {
      scratch.bind(mount, scratch.directory("w/" + i));
    }
    try (Open open = Open.path(mount)) {
      assertThat(open.number()).isPositive();

      assertThat(holders(mount).ofMount())
          .singleElement()
          .isInstanceOf(Holder.RunningProcess.class);
    }
  }

  @Test
  void theSearchEndsAfterABoundedTime(Scratch scratch) {
    MountPath mount = scratch.tmpfs("v");
    AtomicLong now = new AtomicLong(Long.MAX_VALUE);
    Kernel kernel = RunningKernel.kernel();
    HolderSearch search =
        new HolderSearch(
            kernel, new KernelTable(kernel), () -> now.getAndAdd(TimeUnit.SECONDS.toNanos(1)));

    Holders holders = search.holders(record(mount).ref());

    assertThat(holders.complete()).isFalse();
    assertThat(now.get() - Long.MAX_VALUE).isLessThan(TimeUnit.SECONDS.toNanos(10));
  }

  private static void isElsewhere(Holder holder, Neighbour neighbour, MountPath path) {
    assertThat(holder)
        .isInstanceOfSatisfying(
            Holder.Elsewhere.class,
            elsewhere -> {
              assertThat(elsewhere.pid()).isEqualTo(neighbour.pid());
              assertThat(elsewhere.path()).isEqualTo(path);
              assertThat(elsewhere.namespace()).isPositive();
            });
  }

  private Holders holders(MountPath mount) {
    return Mounts.system().whoHolds(record(mount).ref());
  }

  private MountRecord record(MountPath path) {
    return table.find(path).orElseThrow();
  }
}

package io.csi4j.mount.internal.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.table.KernelTable;
import io.csi4j.mount.model.CleanupResult;
import io.csi4j.mount.model.CleanupResult.Outcome;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountSettings;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.mount.model.UnmountResult;
import io.csi4j.mount.model.UnmountResult.Step;
import io.csi4j.mount.real.FuseServer;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.NeedsRoot;
import io.csi4j.mount.real.Neighbour;
import io.csi4j.mount.real.Open;
import io.csi4j.mount.real.OpenDescriptors;
import io.csi4j.mount.real.Scratch;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;

/** Cases C of the mount facts. */
@MountTest
class CleanupTest {

  private static final UnmountPolicy ONCE = UnmountPolicy.PLAIN.withBusyLimit(Duration.ZERO);
  private static final CleanupResult REMOVED =
      new CleanupResult(Outcome.REMOVED, List.of(), Optional.empty());
  private static final CleanupResult NOT_EMPTY =
      new CleanupResult(Outcome.NOT_EMPTY, List.of(), Optional.empty());
  private static final CleanupResult MISSING =
      new CleanupResult(Outcome.MISSING, List.of(), Optional.empty());

  private final Mounts mounts = Mounts.system();
  private final MountTable table = MountTable.system();

  @Test
  void anEmptyDirectoryOrFileIsRemoved(Scratch scratch) {
    assertThat(mounts.cleanup(scratch.directory("d"), ONCE)).isEqualTo(REMOVED);
    assertThat(mounts.cleanup(scratch.file("f", ""), ONCE)).isEqualTo(REMOVED);
    assertThat(scratch.file("").toFile().list()).isEmpty();
  }

  @Test
  @NeedsRoot("/dev/fuse")
  void belowAHungOneItIsGivenUpInTime(Scratch scratch) throws Exception {
    Mounts impatient = Mounts.system(new MountSettings(Duration.ofMillis(100), 2));
    try (FuseServer server = FuseServer.mount(scratch.directory("v"))) {
      server.hang();
      MountPath below = server.target().resolve("directory/below");
      FutureTask<CleanupResult> task = new FutureTask<>(() -> impatient.cleanup(below, ONCE));
      Thread thread = new Thread(task, "must-return");
      thread.setDaemon(true);
      thread.start();

      assertThatThrownBy(() -> task.get(20, TimeUnit.SECONDS))
          .hasCauseInstanceOf(MountException.class)
          .hasMessageContaining("did not end within");
    }
  }

  @Test
  void whatIsMissingIsMissing(Scratch scratch) {
    scratch.file("f", "x");

    assertThat(mounts.cleanup(scratch.path("missing"), ONCE)).isEqualTo(MISSING);
    assertThat(mounts.cleanup(scratch.path("missing/below"), ONCE)).isEqualTo(MISSING);
    assertThat(mounts.cleanup(scratch.path("f/below"), ONCE)).isEqualTo(MISSING);
  }

  @Test
  void whatHoldsSomethingStaysWithAllOfIt(Scratch scratch) throws Exception {
    scratch.file("d/f", "kept");
    scratch.directory("e/empty");
    scratch.file("f", "kept");

    assertThat(mounts.cleanup(scratch.path("d"), ONCE)).isEqualTo(NOT_EMPTY);
    assertThat(mounts.cleanup(scratch.path("e"), ONCE)).isEqualTo(NOT_EMPTY);
    assertThat(mounts.cleanup(scratch.path("f"), ONCE)).isEqualTo(NOT_EMPTY);

    assertThat(scratch.file("d/f")).hasContent("kept");
    assertThat(scratch.file("e/empty")).isEmptyDirectory();
    assertThat(scratch.file("f")).hasContent("kept");
  }

  @Test
  void aFileWithContentStaysOnAKernelWithoutOpenat2Too(Scratch scratch) {
    Kernel kernel = RunningKernel.kernel();
    Kernel older =
        kernel.with(kernel.calls(), kernel.features().without(Feature.OPENAT2, "hidden"));
    Mounts onOlder = RunningKernel.mounts(older, new KernelTable(kernel), MountSettings.DEFAULT);
    scratch.file("f", "kept");
    scratch.bind(scratch.file("source", "kept"), scratch.file("empty", ""));

    assertThat(onOlder.cleanup(scratch.path("f"), ONCE)).isEqualTo(NOT_EMPTY);
    assertThat(onOlder.cleanup(scratch.path("empty"), ONCE).outcome()).isEqualTo(Outcome.REMOVED);
    assertThat(scratch.file("f")).hasContent("kept");
    assertThat(scratch.file("source")).hasContent("kept");
  }

  @Test
  void aLookThatFailsLeavesNoDescriptorOpen(Scratch scratch) throws Exception {
    Kernel kernel = RunningKernel.kernel();
    AtomicBoolean full = new AtomicBoolean();
    IntSupplier answer = () -> full.get() ? -Abi.EMFILE : 0;
    Kernel looks =
        FakedCall.sometimes(FakedCall.sometimes(kernel, "statx", answer), "openat", answer);
    // From the first try to remove it on: what it is, is looked at after that.
    Kernel removes = FakedCall.after(kernel, "unlinkat", () -> full.set(true));
    Mounts atTheLimit =
        RunningKernel.mounts(removes, new KernelTable(looks), MountSettings.DEFAULT);
    scratch.file("f", "kept");
    OpenDescriptors descriptors = new OpenDescriptors();

    MountException refused =
        catchThrowableOfType(
            MountException.class, () -> atTheLimit.cleanup(scratch.path("f"), ONCE));

    assertThat(refused.reason()).isEqualTo(Reason.LIMIT);
    descriptors.assertNoneLeft();
  }

  @Test
  void whatNoMountLeavesBehindStays(Scratch scratch) {
    try (Neighbour neighbour = Neighbour.here()) {
      neighbour.run("mkfifo " + scratch.path("fifo"));
    }

    assertThat(mounts.cleanup(scratch.path("fifo"), ONCE)).isEqualTo(NOT_EMPTY);
    assertThat(Files.exists(scratch.file("fifo"))).isTrue();
  }

  @Test
  void aLinkIsRefusedAndWhatItLeadsToStays(Scratch scratch) throws Exception {
    MountPath mount = scratch.tmpfs("v");
    Files.createSymbolicLink(scratch.file("link"), scratch.file("v"));

    MountException refused =
        catchThrowableOfType(
            MountException.class, () -> mounts.cleanup(scratch.path("link"), ONCE.withLazy()));

    assertThat(refused.reason()).isEqualTo(Reason.SYMLINK);
    assertThat(scratch.rows(mount)).hasSize(1);
    assertThat(Files.exists(scratch.file("link"), LinkOption.NOFOLLOW_LINKS)).isTrue();
  }

  @Test
  void theContentOfAVolumeOutlivesIt(Scratch scratch) {
    scratch.file("data/f", "kept");
    MountPath target = scratch.directory("target");
    scratch.bind(scratch.path("data"), target);
    MountRef ref = table.find(target).orElseThrow().ref();

    assertThat(mounts.cleanup(target, ONCE))
        .isEqualTo(
            new CleanupResult(
                Outcome.REMOVED,
                List.of(new UnmountResult(Step.PLAIN, Optional.of(ref), 1, false)),
                Optional.empty()));
    assertThat(scratch.file("data/f")).hasContent("kept");
    assertThat(scratch.file("target")).doesNotExist();
  }

  @Test
  void aFileThatWasMountedOnIsRemovedAndItsSourceStays(Scratch scratch) {
    MountPath target = scratch.file("target", "");
    scratch.bind(scratch.file("source", "kept"), target);

    assertThat(mounts.cleanup(target, ONCE).outcome()).isEqualTo(Outcome.REMOVED);
    assertThat(scratch.file("source")).hasContent("kept");
    assertThat(scratch.file("target")).doesNotExist();
  }

  @Test
  void whatIsUnderAMountStaysToo(Scratch scratch) {
    scratch.file("v/f", "kept");
    scratch.tmpfs("v");

    CleanupResult result = mounts.cleanup(scratch.path("v"), ONCE);

    assertThat(result.outcome()).isEqualTo(Outcome.NOT_EMPTY);
    assertThat(result.unmounted()).hasSize(1);
    assertThat(scratch.file("v/f")).hasContent("kept");
  }

  @Test
  void aBusyOneIsStillMountedAndNothingIsRemoved(Scratch scratch) {
    MountPath mount = scratch.tmpfs("v");
    scratch.file("v/f", "kept");
    try (Open ignored = Open.reading(scratch.path("v/f"))) {
      CleanupResult result = mounts.cleanup(mount, ONCE);

      assertThat(result.outcome()).isEqualTo(Outcome.STILL_MOUNTED);
      assertThat(result.unmounted()).isEmpty();
      assertThat(result.problem().orElseThrow().reason()).isEqualTo(Reason.BUSY);
      assertThat(result.problem().orElseThrow().holders()).isPresent();
    }
    assertThat(scratch.file("v/f")).hasContent("kept");
  }

  @Test
  void aWholeStackIsTakenAway(Scratch scratch) {
    MountPath path = scratch.directory("v");
    stack(scratch, path, 3);

    CleanupResult result = mounts.cleanup(path, ONCE);

    assertThat(result.outcome()).isEqualTo(Outcome.REMOVED);
    assertThat(result.unmounted()).hasSize(3);
    assertThat(result.unmounted()).extracting(UnmountResult::mount).doesNotHaveDuplicates();
  }

  @Test
  void aStackWithoutEndIsGivenUp(Scratch scratch) {
    MountPath path = scratch.directory("v");
    stack(scratch, path, Unmounter.MOST_MOUNTS + 2);

    CleanupResult result = mounts.cleanup(path, ONCE);

    assertThat(result.outcome()).isEqualTo(Outcome.STILL_MOUNTED);
    assertThat(result.problem().orElseThrow().reason()).isEqualTo(Reason.LIMIT);
    assertThat(result.unmounted()).hasSize(Unmounter.MOST_MOUNTS);
    assertThat(scratch.rows(path)).hasSize(2);
  }

  @Test
  void aStackOfTheMostIsTakenAway(Scratch scratch) {
    MountPath path = scratch.directory("v");
    stack(scratch, path, Unmounter.MOST_MOUNTS);

    assertThat(mounts.cleanup(path, ONCE).outcome()).isEqualTo(Outcome.REMOVED);
  }

  @Test
  void aDirectoryThatIsMountedOnInAnotherNamespaceAloneIsRemovedAndUnmountedThere(Scratch scratch) {
    scratch.file("data/f", "kept");
    MountPath target = scratch.directory("v");
    try (Neighbour neighbour = Neighbour.elsewhere("private")) {
      neighbour.run("mount --bind " + scratch.path("data") + " " + target);

      assertThat(mounts.cleanup(target, ONCE)).isEqualTo(REMOVED);

      assertThat(neighbour.rows()).noneMatch(row -> row.contains(" " + target));
    }
    assertThat(scratch.file("data/f")).hasContent("kept");
  }

  @Test
  @NeedsRoot("/dev/fuse")
  void aDeadOneIsRemoved(Scratch scratch) {
    try (FuseServer server = FuseServer.mount(scratch.directory("v"))) {
      server.die();

      assertThat(mounts.cleanup(server.target(), ONCE).outcome()).isEqualTo(Outcome.REMOVED);
    }
  }

  @Test
  @NeedsRoot("/dev/fuse")
  void aStackOfDeadAndHungOnesIsRemoved(Scratch scratch) {
    MountPath path = scratch.directory("v");
    try (FuseServer lower = FuseServer.mount(path);
        FuseServer upper = FuseServer.mount(path)) {
      lower.die();
      upper.hang();

      CleanupResult result = mounts.cleanup(path, ONCE);

      assertThat(result.outcome()).isEqualTo(Outcome.REMOVED);
      assertThat(result.unmounted()).hasSize(2);
      assertThat(upper.unanswered()).isZero();
    }
  }

  private static void stack(Scratch scratch, MountPath path, int height) {
    for (int i = 0; i < height; i++) {
      scratch.rawMount("level-" + i, path.toPath(), "tmpfs", 0, null);
    }
  }
}

package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.real.FuseServer;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.NeedsRoot;
import io.csi4j.mount.real.Scratch;
import io.csi4j.volume.internal.disk.DiskException.Kind;
import io.csi4j.volume.internal.disk.FakeDisk;
import io.csi4j.volume.internal.disk.FakeDisk.Operation;
import io.csi4j.volume.internal.disk.MountedDisk;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Calls from virtual threads while a disk does not sync and while the kernel does not return, as
 * docs/virtual-threads.md has it: where the work is done on other threads, others run meanwhile;
 * where it is done on the caller's thread, they run if the JVM may make another carrier.
 */
@MountTest
@NeedsRoot("/dev/fuse")
class VirtualThreadsMountTest {

  private static final Path ROOT = Path.of("/disk");

  /** A disk of the kernel whose next sync takes as long as the test wants. */
  private static final class HeldSync {
    final AtomicBoolean holds = new AtomicBoolean();
    final CountDownLatch held = new CountDownLatch(1);
    final CountDownLatch released = new CountDownLatch(1);

    /** Never fails; asked on the thread of the disk. */
    boolean at(Operation operation) {
      if (operation == Operation.SYNC && holds.get()) {
        held.countDown();
        try {
          released.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      return false;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "mount-while-the-disk-hangs,   1, others ran",
    "create-while-the-disk-hangs,  1, others ran",
    "acquire-while-the-disk-hangs, 1, others waited",
    "acquire-while-the-disk-hangs, 2, others ran",
    "put-while-the-disk-hangs,     1, others waited",
    "put-while-the-disk-hangs,     2, others ran",
  })
  void whileADiskSyncs(String scenario, int carriers, String verdict, Scratch scratch)
      throws Exception {
    HeldSync sync = new HeldSync();
    FakeDisk disk = FakeDisk.with(ROOT);
    disk.fail(Kind.FAILED, (operation, path) -> sync.at(operation));
    Path root = scratch.directory("disk").toPath();
    try (MountedDisk mounted = MountedDisk.mount(disk, ROOT, scratch.path("disk"));
        OneCarrierProcess program = OneCarrierProcess.start(scenario, root, carriers)) {
      program.awaitCalling();
      sync.holds.set(true);
      program.call();
      assertThat(sync.held.await(30, TimeUnit.SECONDS)).as("the disk is asked to sync").isTrue();
      program.waits();
      assertThat(program.verdict()).isEqualTo(verdict);
      sync.released.countDown();
    } finally {
      sync.released.countDown();
    }
  }

  @Test
  void whileTheKernelDoesNotReturnFromAnUnmountOthersRun(Scratch scratch) throws Exception {
    try (FuseServer server = FuseServer.mount(scratch.directory("v"));
        OneCarrierProcess program =
            OneCarrierProcess.start("unmount-while-the-server-hangs", server.target().toPath())) {
      server.hang();
      program.awaitCalling();
      program.call();
      server.awaitUnanswered(1);
      program.waits();
      assertThat(program.verdict()).isEqualTo("others ran");
      server.recover();
    }
  }

  @Test
  void aLookAtAMountWhoseServerHangsDoesNotWait(Scratch scratch) throws Exception {
    try (FuseServer server = FuseServer.mount(scratch.directory("v"));
        OneCarrierProcess program =
            OneCarrierProcess.start("probe-while-the-server-hangs", server.target().toPath())) {
      server.hang();
      program.awaitCalling();
      program.call();
      assertThat(program.verdict()).startsWith("did not wait: Mounted[");
      assertThat(server.unanswered()).isZero();
      server.recover();
    }
  }
}

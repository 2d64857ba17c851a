package io.csi4j.mount.real;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.MountPath;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** That the filesystem of the tests lives, dies and hangs as the mount facts say. */
@MountTest
@NeedsRoot("/dev/fuse")
class FuseServerTest {

  private static final int STATX_BASIC = 0x7ff;
  private static final int LOOK = Abi.AT_SYMLINK_NOFOLLOW | Abi.AT_NO_AUTOMOUNT;

  private final Syscalls calls = RunningKernel.kernel().calls();

  @Test
  void anAliveOneAnswersAll(Scratch scratch) throws Exception {
    try (FuseServer server = FuseServer.mount(scratch.directory("v"))) {
      assertThat(scratch.file("v").toFile().list()).isEmpty();
      assertThat(Files.size(scratch.file("v/file"))).isZero();
      assertThat(Files.exists(scratch.file("v/other"))).isFalse();
      assertThat(statx(server.target(), STATX_BASIC, 0)).isZero();
      assertThat(scratch.rawUnmount(server.target(), 0)).isZero();
    }
  }

  @Test
  void aDeadOneSaysSo(Scratch scratch) {
    try (FuseServer server = FuseServer.mount(scratch.directory("v"))) {
      server.die();

      assertThat(statx(server.target(), STATX_BASIC, 0)).isEqualTo(-Abi.ENOTCONN);
      assertThat(statx(server.target(), STATX_BASIC, Abi.AT_STATX_DONT_SYNC)).isZero();
      assertThat(scratch.rows(server.target())).hasSize(1);
    }
    assertThat(scratch.rows(scratch.path("v"))).isEmpty();
  }

  @Test
  void oneOfAnotherUserIsDeniedEvenToRoot(Scratch scratch) {
    try (FuseServer server = FuseServer.mountForAnotherUser(scratch.directory("v"))) {
      assertThat(statx(server.target(), STATX_BASIC, 0)).isEqualTo(-Abi.EACCES);
      assertThat(statx(server.target(), 0, 0)).isZero();
    }
  }

  @Test
  void aHungOneHoldsWhoeverAsksUntilItIsClosed(Scratch scratch) throws Exception {
    CompletableFuture<Integer> asked;
    try (FuseServer server = FuseServer.mount(scratch.directory("v"))) {
      server.hang();
      asked = ask(server.target());
      server.awaitUnanswered(1);

      assertThat(asked).isNotDone();
      assertThat(statx(server.target(), STATX_BASIC, Abi.AT_STATX_DONT_SYNC)).isZero();
    }
    assertThat(asked.get(20, TimeUnit.SECONDS)).isEqualTo(-Abi.ECONNABORTED);
  }

  /** The test itself waits here: without the end of the server, for ever. */
  @Test
  void aHungOneThatIsWaitedForTooLongDies(Scratch scratch) {
    try (FuseServer server = FuseServer.mount(scratch.directory("v"))) {
      server.hang(Duration.ofMillis(200));

      assertThat(statx(server.target(), STATX_BASIC, 0)).isEqualTo(-Abi.ECONNABORTED);
    }
  }

  @Test
  void aHungOneMayRecover(Scratch scratch) throws Exception {
    try (FuseServer server = FuseServer.mount(scratch.directory("v"))) {
      server.hang();
      CompletableFuture<Integer> asked = ask(server.target());
      server.awaitUnanswered(1);
      server.recover();

      assertThat(asked.get(20, TimeUnit.SECONDS)).isZero();
    }
  }

  /** Asks the server for attributes on a thread that waits as long as it takes. */
  private CompletableFuture<Integer> ask(MountPath path) {
    CompletableFuture<Integer> asked = new CompletableFuture<>();
    Thread thread = new Thread(() -> asked.complete(statx(path, STATX_BASIC, 0)), "sacrificed");
    thread.setDaemon(true);
    thread.start();
    return asked;
  }

  private int statx(MountPath path, int mask, int flags) {
    byte[] out = new byte[Abi.STATX_SIZE];
    return calls.statx(Abi.AT_FDCWD, Abi.path(path), LOOK | flags, mask, out);
  }
}

package io.csi4j.testkit.internal.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestServerTest {

  @TempDir Path directory;

  @Test
  void aCallThatEndsItsServerDoesNotHoldUpTheServersClosing() {
    RegistrarCore server = new RegistrarCore(directory.resolve("reg.sock"), null, true);
    Thread ofTheCall = new Thread(() -> server.stop(server.life()));

    // Closing holds the lock of the life, and interrupts the threads of calls.
    server.exclusively(
        () -> {
          ofTheCall.start();
          while (ofTheCall.getState() != Thread.State.WAITING) {
            LockSupport.parkNanos(100_000);
          }
          ofTheCall.interrupt();
          long end = System.nanoTime() + 10_000_000_000L;
          while (ofTheCall.isAlive() && System.nanoTime() < end) {
            LockSupport.parkNanos(100_000);
          }
          assertThat(ofTheCall.getState()).isEqualTo(Thread.State.TERMINATED);
        });
    server.close();
  }
}

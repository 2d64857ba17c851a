package io.csi4j.testkit.internal.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class OwnThreadsTest {

  @Test
  void noThreadOfClosedWorkersIsLeftHoweverLongItTakesToEnd() {
    List<Thread> made = new CopyOnWriteArrayList<>();
    PluginWorkers workers =
        new PluginWorkers(
            task -> {
              Thread thread =
                  new Thread(
                      () -> {
                        task.run();
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
                      });
              made.add(thread);
              return thread;
            });
    workers.execute(() -> {});
    workers.execute(() -> {});

    workers.close();

    assertThat(made).isNotEmpty().noneMatch(Thread::isAlive);
  }
}

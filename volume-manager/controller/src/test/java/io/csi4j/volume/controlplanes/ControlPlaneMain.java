package io.csi4j.volume.controlplanes;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.volume.claim.ClaimEvent;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.contend.ContendedStore;
import io.csi4j.volume.contend.ContenderMain;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.controller.ControllerSettings;
import io.csi4j.volume.controller.ShortSessions;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.store.RecordStore;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * One control plane in a process of its own. Prints {@code did} for each operation, and {@code
 * done} at the end.
 */
final class ControlPlaneMain {

  static final PluginId PLUGIN = PluginId.of("fake");

  /** Of a session. A call has ended by then: see {@link #SETTINGS}. */
  static final Duration EXPIRY = Duration.ofSeconds(6);

  /**
   * A call begins at most 4 s after a renewal, and takes 1.5 s: only a stopped process is late with
   * one.
   */
  private static final ControllerSettings SETTINGS =
      ControllerSettings.builder()
          .longestWait(Duration.ofSeconds(10))
          .policy(policy -> policy.attempts(1).attemptDeadline(Duration.ofMillis(1_500)))
          .build();

  private static final int THREADS = 3;
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

  private ControlPlaneMain() {}

  /**
   * With the kind of store, its address, its name, its life, the socket of the plugin, keys,
   * operations, a seed and a file.
   */
  public static void main(String[] args) throws ReflectiveOperationException, InterruptedException {
    ContendedStore kind =
        Class.forName(args[0])
            .asSubclass(ContendedStore.class)
            .getDeclaredConstructor()
            .newInstance();
    String name = args[2];
    int life = Integer.parseInt(args[3]);
    int keys = Integer.parseInt(args[5]);
    AtomicInteger left = new AtomicInteger(Integer.parseInt(args[6]));
    long seed = Long.parseLong(args[7]);
    ContenderMain.endWithParent();
    try (WorkLog log = new WorkLog(name + "." + life, Path.of(args[8]));
        RecordStore store = ContenderMain.open(kind, args[1]);
        VolumeController controller = open(store, name, Path.of(args[4]))) {
      ClaimCoordinator claims = claims(store, controller);
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        ControlPlaneWork work =
            new ControlPlaneWork(controller, claims, log, name, life, i, keys, seed * THREADS + i);
        Thread thread = new Thread(() -> work(work, left), "work-" + i);
        thread.start();
        threads.add(thread);
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }
    System.out.println("done");
  }

  static ClaimCoordinator claims(RecordStore store, VolumeController controller) {
    Clock clock = Clock.systemUTC();
    return new ClaimCoordinator(
        new ClaimBook(store, clock), controller.attachments(), clock, ClaimEvent.Listener.none());
  }

  /** Opens a control plane as soon as its store can be read. */
  static VolumeController open(RecordStore store, String name, Path socket) {
    PluginRegistry plugins = InMemoryPluginRegistry.open();
    plugins.register(
        PluginRegistration.controller(PluginBinding.of(PLUGIN, CsiEndpoint.of(socket))));
    while (true) {
      try {
        return ShortSessions.open(
            VolumeController.builder(plugins, store)
                .claims(store)
                .controlPlane(name)
                .settings(SETTINGS)
                .snapshotPatience(Duration.ofSeconds(10))
                .told(message -> {}),
            EXPIRY);
      } catch (ControllerException notYet) {
        LockSupport.parkNanos(PAUSE);
      }
    }
  }

  private static void work(ControlPlaneWork work, AtomicInteger left) {
    while (left.getAndDecrement() > 0) {
      boolean isServed = work.act();
      System.out.println("did");
      if (!isServed) {
        LockSupport.parkNanos(PAUSE);
      }
    }
    work.end();
  }
}

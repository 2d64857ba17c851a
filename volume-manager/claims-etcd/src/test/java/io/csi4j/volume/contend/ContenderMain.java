package io.csi4j.volume.contend;

import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.etcd.EtcdClaimStore;
import io.csi4j.volume.claim.etcd.EtcdSettings;
import io.csi4j.volume.claim.spi.ClaimStore;
import io.csi4j.volume.claim.spi.ClaimStoreException;
import io.csi4j.volume.model.NodeName;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * One process that contends. Says {@code did} for each thing that it did, and {@code done} at the
 * end. Ends itself when nobody reads that any more.
 */
final class ContenderMain {

  private static final int THREADS = 2;
  private static final Duration DEADLINE = Duration.ofSeconds(1);
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(20);

  private ContenderMain() {}

  /** With the endpoint, its name, how often it was killed, volumes, deeds, a seed and a file. */
  public static void main(String[] args) throws InterruptedException {
    URI endpoint = URI.create(args[0]);
    String name = args[1];
    int life = Integer.parseInt(args[2]);
    int volumes = Integer.parseInt(args[3]);
    AtomicInteger left = new AtomicInteger(Integer.parseInt(args[4]));
    long seed = Long.parseLong(args[5]);
    endWithParent();
    try (HistoryFile history = new HistoryFile(name + "." + life, Path.of(args[6]));
        ClaimStore store =
            new RecordedStore(
                open(EtcdSettings.builder(endpoint).deadline(DEADLINE).build()), history)) {
      ClaimBook book = new ClaimBook(store, Clock.systemUTC());
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        Contender contender =
            new Contender(book, history, NodeName.of(name), i, volumes, seed * THREADS + i);
        Thread thread = new Thread(() -> contend(contender, left), "contender-" + i);
        thread.start();
        threads.add(thread);
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }
    System.out.println("done");
  }

  private static ClaimStore open(EtcdSettings settings) {
    while (true) {
      try {
        return EtcdClaimStore.open(settings);
      } catch (ClaimStoreException notYet) {
        LockSupport.parkNanos(PAUSE);
      }
    }
  }

  private static void contend(Contender contender, AtomicInteger left) {
    while (left.getAndDecrement() > 0) {
      boolean isServed = contender.act();
      System.out.println("did");
      if (!isServed) {
        LockSupport.parkNanos(PAUSE);
      }
    }
  }

  private static void endWithParent() {
    Thread thread =
        new Thread(
            () -> {
              try {
                while (System.in.read() >= 0) {}
              } catch (IOException gone) {
                // The same.
              }
              Runtime.getRuntime().halt(1);
            },
            "end-with-parent");
    thread.setDaemon(true);
    thread.start();
  }
}

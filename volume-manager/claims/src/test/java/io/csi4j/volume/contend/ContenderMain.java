package io.csi4j.volume.contend;

import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStoreException;
import java.io.IOException;
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
public final class ContenderMain {

  private static final int THREADS = 2;
  private static final Duration DEADLINE = Duration.ofSeconds(1);
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(20);

  private ContenderMain() {}

  /**
   * With the kind of store, its address, its name, how often it was killed, volumes, deeds, a seed
   * and a file.
   */
  public static void main(String[] args) throws ReflectiveOperationException, InterruptedException {
    ContendedStore kind =
        Class.forName(args[0])
            .asSubclass(ContendedStore.class)
            .getDeclaredConstructor()
            .newInstance();
    String address = args[1];
    String name = args[2];
    int life = Integer.parseInt(args[3]);
    int volumes = Integer.parseInt(args[4]);
    AtomicInteger left = new AtomicInteger(Integer.parseInt(args[5]));
    long seed = Long.parseLong(args[6]);
    endWithParent();
    try (HistoryFile history = new HistoryFile(name + "." + life, Path.of(args[7]));
        RecordStore store = new RecordedStore(open(kind, address), history)) {
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

  /** Opens the store as soon as that can be done. */
  public static RecordStore open(ContendedStore kind, String address) {
    while (true) {
      try {
        return kind.open(address, DEADLINE);
      } catch (RecordStoreException notYet) {
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

  /** Ends this process when the one that started it has ended. */
  public static void endWithParent() {
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

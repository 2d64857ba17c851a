package io.csi4j.volume.powercut;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.Volume;
import io.csi4j.mount.real.Scratch;
import io.csi4j.testkit.hostpath.HostPathPlugin;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.internal.claims.StoredClaims;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.node.WantedUse;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.local.LocalStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * A look at a disk that a power cut left: everything that had its state there is opened, and
 * compared with what its host was told. A thorough look starts the plugin too, reconciles, and
 * takes everything away again.
 */
final class Inspection {

  /** Far more than anything takes. */
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(20);

  private final Host host;
  private final List<String> wrong = new ArrayList<>();

  private Inspection(Host host) {
    this.host = host;
  }

  /** Opens and compares; returns what is wrong. */
  static List<String> look(Host host, Ledger ledger) {
    Inspection inspection = new Inspection(host);
    try (host) {
      inspection.compare(ledger);
    }
    return inspection.wrong;
  }

  /**
   * Opens, compares, and goes on with these uses.
   *
   * @return what is wrong
   */
  static List<String> lookThoroughly(Host host, Ledger ledger, Set<Integer> wanted) {
    Inspection inspection = new Inspection(host);
    try (host) {
      inspection.goOn(inspection.compare(ledger), wanted);
    }
    return inspection.wrong;
  }

  /** Those who opened; nothing in the place of one that could not. */
  private record Opened(VolumeManager manager, LocalStore claims, LocalStore catalog) {}

  private Opened compare(Ledger ledger) {
    Map<String, String> found = new HashMap<>();
    VolumeManager manager = opening("the manager", host::manager);
    LocalStore claims = opening("the claims", host::claims);
    LocalStore catalog = opening("the catalog", host::catalog);
    if (manager != null && claims != null && catalog != null) {
      found.putAll(Host.found(manager));
      found.putAll(Host.found(claims));
      found.putAll(Host.volumes(catalog));
      wrong.addAll(ledger.objections(found));
    }
    return new Opened(manager, claims, catalog);
  }

  /** Something that has to succeed. */
  private interface Opening<T> {
    T run() throws IOException;
  }

  private <T> T opening(String what, Opening<T> opening) {
    try {
      return opening.run();
    } catch (IOException | RuntimeException | Error e) {
      wrong.add("opening " + what + " threw " + told(e));
      return null;
    }
  }

  private static String told(Throwable thrown) {
    StringBuilder told = new StringBuilder();
    for (Throwable each = thrown; each != null; each = each.getCause()) {
      told.append(each).append("; ");
    }
    return told.toString();
  }

  private void goOn(Opened opened, Set<Integer> wanted) {
    HostPathPlugin plugin = opening("the plugin", host::plugin);
    if (plugin == null || !wrong.isEmpty()) {
      return;
    }
    try (CsiPlugin client = CsiPlugin.connect(plugin.endpoint())) {
      List<Volume> volumes = Host.volumes(client);
      VolumeManager manager = opened.manager();
      manager.register(Host.binding(plugin));
      reconcile(manager, wanted, volumes);
      if (!eventually(() -> differences(manager, wanted).isEmpty())) {
        wrong.add("with " + wanted + " wanted: " + differences(manager, wanted));
        return;
      }
      for (int use : wanted) {
        manager.unmount(Host.usage(use));
      }
      if (!eventually(() -> differences(manager, Set.of()).isEmpty())) {
        wrong.add("with nothing wanted: " + differences(manager, Set.of()));
      }
      goOn(opened.claims());
      VolumeController controller = host.controller(opened.catalog(), plugin);
      if (!eventually(() -> controller.pending().isEmpty())) {
        wrong.add("the catalog still owes " + controller.pending());
      }
    } catch (RuntimeException | IOException e) {
      wrong.add("going on threw " + told(e));
    }
  }

  private void reconcile(VolumeManager manager, Set<Integer> wanted, List<Volume> volumes)
      throws IOException {
    try {
      manager
          .reconcile(
              wanted.stream()
                  .<WantedUse>map(use -> new WantedUse.Requested(Host.request(use, volumes)))
                  .toList())
          .done()
          .toCompletableFuture()
          .get(PATIENCE, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      wrong.add("reconciling does not end");
    } catch (InterruptedException | java.util.concurrent.ExecutionException e) {
      throw new IOException(e);
    }
  }

  private void goOn(LocalStore claims) {
    for (int i = 0; i < Host.CLAIMS; i++) {
      StoredClaims stored = StoredClaims.in(claims);
      WriteResult result =
          stored.attempt(stored.read(Host.claimed(i)), stored.claim(Host.claimed(i)));
      if (!(result instanceof WriteResult.Written)) {
        wrong.add("claim " + Host.claimed(i) + " cannot be written: " + result);
      }
    }
  }

  /** Waits until something is so; false if it never is. */
  static boolean eventually(BooleanSupplier is) {
    long begun = System.nanoTime();
    while (!is.getAsBoolean()) {
      if (System.nanoTime() - begun > PATIENCE) {
        return false;
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
    return true;
  }

  /** What is different from what is wanted: by the manager, the mount table and the directories. */
  private List<String> differences(VolumeManager manager, Set<Integer> wanted) {
    List<String> different = new ArrayList<>();
    Map<Integer, Path> paths = new TreeMap<>();
    for (VolumeStatus volume : manager.volumes()) {
      volume.trouble().ifPresent(trouble -> different.add(trouble.line()));
      if (!volume.leaving().isEmpty()) {
        different.add(volume.handle() + " is still being given back");
      }
      for (VolumeStatus.Use use : volume.uses()) {
        different.addAll(
            use.status() == PathStatus.PRESENT
                ? List.of()
                : List.of(Host.thing(use.key()) + " is " + use.status()));
        for (int i = 0; i < Host.USES; i++) {
          if (use.key().equals(Host.usage(i))) {
            paths.put(i, use.path());
          }
        }
      }
    }
    if (!paths.keySet().equals(wanted)) {
      different.add("there are " + paths.keySet());
    }
    different.addAll(unlikeMounts(paths));
    different.addAll(directoriesOfNobody(paths));
    return different;
  }

  private List<String> unlikeMounts(Map<Integer, Path> paths) {
    List<String> different = new ArrayList<>();
    List<String> mounts =
        Scratch.rows("self").stream()
            .map(row -> row.split(" ", -1)[4])
            .filter(path -> path.startsWith(host.root() + "/"))
            .toList();
    Set<String> expected = new TreeSet<>();
    paths.forEach(
        (use, path) -> {
          expected.add(path.toString());
          expected.add(path.getParent().getParent().resolveSibling("s").toString());
          try {
            String mark = Files.readString(path.resolve(Host.MARK));
            if (!mark.equals("v" + use / Host.USES_OF_A_VOLUME)) {
              different.add(Host.usage(use) + " has the volume " + mark);
            }
          } catch (IOException e) {
            different.add(Host.usage(use) + " has no volume: " + e);
          }
        });
    if (mounts.size() != Set.copyOf(mounts).size() || !Set.copyOf(mounts).equals(expected)) {
      different.add("mounted are " + mounts + ", not " + expected);
    }
    return different;
  }

  private List<String> directoriesOfNobody(Map<Integer, Path> paths) {
    List<String> left = new ArrayList<>();
    try (Stream<Path> volumes = Files.list(host.root().resolve("v"))) {
      for (Path volume : volumes.toList()) {
        Set<Path> uses = new TreeSet<>();
        paths.values().stream().filter(path -> path.startsWith(volume)).forEach(uses::add);
        if (uses.isEmpty()) {
          try (Stream<Path> all = Files.walk(volume)) {
            left.add(volume + " is nobody's, with " + all.map(volume::relativize).toList());
          }
          continue;
        }
        try (Stream<Path> directories = Files.list(volume.resolve("p"))) {
          directories
              .filter(use -> uses.stream().noneMatch(path -> path.startsWith(use)))
              .forEach(use -> left.add(use + " is nobody's"));
        }
      }
    } catch (IOException e) {
      left.add("the directories cannot be read: " + e);
    }
    return left;
  }
}

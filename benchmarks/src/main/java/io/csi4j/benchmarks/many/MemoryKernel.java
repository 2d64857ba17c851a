package io.csi4j.benchmarks.many;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.port.KernelMounts;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.Evidence;
import io.csi4j.volume.internal.record.Place;
import io.csi4j.volume.model.MountPolicy.DeadUnmount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A mount table in memory, with at most one mount for each path. A file stores the table between
 * processes. Each read creates new objects, like a read of the kernel's table, so that the memory
 * of the objects is attributed to the code that keeps them.
 */
final class MemoryKernel implements Kernel, KernelMounts {

  private static final Place PLACE = new Place("boot-in-memory", 4_026_531_841L);

  private final Path file;
  private final ConcurrentNavigableMap<MountPath, Integer> volumes = new ConcurrentSkipListMap<>();
  private final AtomicInteger count = new AtomicInteger();

  private MemoryKernel(Path file) {
    this.file = file;
  }

  /** Returns the table that is stored in this file, or an empty table. */
  static MemoryKernel at(String file) throws IOException {
    MemoryKernel kernel = new MemoryKernel(Path.of(file));
    if (Files.exists(kernel.file)) {
      try (var lines = Files.lines(kernel.file)) {
        lines.forEach(
            line -> {
              int space = line.indexOf(' ');
              kernel.volumes.put(
                  MountPath.of(line.substring(space + 1)),
                  Integer.valueOf(line.substring(0, space)));
            });
      }
    }
    return kernel;
  }

  @Override
  public void mount(MountPath path, Optional<MountPath> shown) {
    Integer volume = shown.map(volumes::get).orElseGet(count::incrementAndGet);
    if (volumes.putIfAbsent(path, volume) != null) {
      throw new IllegalStateException("Something is mounted there already: " + path);
    }
  }

  @Override
  public void close() throws IOException {
    List<String> lines = new ArrayList<>();
    volumes.forEach((path, volume) -> lines.add(volume + " " + path));
    Files.write(file, lines);
  }

  @Override
  public KernelMounts seenBy(KernelMounts usual) {
    return this;
  }

  @Override
  public Started start(Path root) {
    return Node.open(root, this);
  }

  @Override
  public Place place() {
    return PLACE;
  }

  @Override
  public List<Sighting> at(MountPath path) {
    Integer volume = volumes.get(path);
    return volume == null ? List.of() : List.of(sighting(path, volume));
  }

  @Override
  public List<Sighting> beneath(MountPath directory) {
    String within = directory + "/";
    List<Sighting> found = new ArrayList<>();
    for (Map.Entry<MountPath, Integer> each :
        volumes.tailMap(MountPath.of(within + "0")).entrySet()) {
      if (!each.getKey().toString().startsWith(within)) {
        break;
      }
      found.add(sighting(MountPath.of(each.getKey().toString()), each.getValue()));
    }
    return found;
  }

  @Override
  public List<Sighting> elsewhere(MountPath path, MountPath own) {
    return List.of();
  }

  private static Sighting sighting(MountPath path, int volume) {
    return new Sighting(
        path,
        "9:" + volume,
        new Evidence(
            "boot-in-memory/" + path.hashCode(), "ext4", "/dev/disk-" + volume, "/", false));
  }

  @Override
  public Optional<String> device(MountPath path) {
    return Optional.empty();
  }

  @Override
  public Optional<String> holders(MountPath path) {
    return Optional.empty();
  }

  @Override
  public boolean unmount(MountPath path) {
    return volumes.remove(path) != null;
  }

  @Override
  public boolean unmountDead(MountPath path, DeadUnmount how) {
    return false;
  }
}

package io.csi4j.testkit.internal.hostpath;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Manages the loop devices of this machine through losetup(8). A file has at most one writable and
 * one read-only device; the cache of the read-only device does not show later writes through the
 * other.
 */
final class LoopDevices {

  /** A loop device. */
  record Loop(Path path, boolean readOnly) {}

  private final Programs programs;
  private final ReentrantLock lock = new ReentrantLock();
  private boolean isTried;
  private @Nullable String obstacle;

  LoopDevices(Programs programs) {
    this.programs = programs;
  }

  /**
   * Returns why loop devices are unavailable, if they are. The first call attaches a file to find
   * out.
   *
   * @param work a directory for that file
   */
  Optional<String> obstacle(Path work) {
    lock.lock();
    try {
      if (!isTried) {
        obstacle = attempt(work);
        isTried = true;
      }
      return Optional.ofNullable(obstacle);
    } finally {
      lock.unlock();
    }
  }

  private @Nullable String attempt(Path work) {
    try {
      Path file = Files.createTempFile(work, "loop", "");
      try {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
          open.setLength(4096);
        }
        Path device = attach(file, false);
        try {
          // Inside a user namespace, a device may be available but unable to grow.
          refresh(device);
        } finally {
          detach(device);
        }
        return null;
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /** Returns the device of a file; attaches one if there is none. */
  Path attach(Path file, boolean readOnly) throws IOException {
    for (Loop loop : of(file)) {
      if (loop.readOnly() == readOnly) {
        return loop.path();
      }
    }
    List<String> arguments = new ArrayList<>(List.of("--find", "--show"));
    if (readOnly) {
      arguments.add("--read-only");
    }
    arguments.add(file.toString());
    return Path.of(programs.run("losetup", arguments.toArray(String[]::new)));
  }

  /** Returns the devices to which a file is attached. */
  List<Loop> of(Path file) throws IOException {
    String said =
        programs.run(
            "losetup", "--associated", file.toString(), "--noheadings", "--output", "NAME,RO");
    List<Loop> loops = new ArrayList<>();
    for (String line : said.lines().toList()) {
      String[] columns = line.strip().split("\\s+", -1);
      if (columns.length == 2) {
        loops.add(new Loop(Path.of(columns[0]), columns[1].equals("1")));
      }
    }
    return loops;
  }

  /** Returns whether no file is attached to a device. */
  static boolean isFree(Path device) {
    return !Files.exists(Path.of("/sys/block/" + device.getFileName() + "/loop"));
  }

  /** Detaches the file from a device; the kernel waits for processes that have it open. */
  void detach(Path device) throws IOException {
    programs.run("losetup", "--detach", device.toString());
  }

  /** Makes a device notice that its file has grown. */
  void refresh(Path device) throws IOException {
    programs.run("losetup", "--set-capacity", device.toString());
  }
}

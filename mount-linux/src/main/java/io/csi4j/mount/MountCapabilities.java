package io.csi4j.mount;

import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.model.MountException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Capabilities of the running kernel: for each need, the methods from best to worst, which of them
 * is used, and why the better ones are not. Determined once, by trial; {@link #toString()} returns
 * a page for people.
 *
 * @param kernel the release of the kernel
 * @param ways the methods for each need, best first
 * @param binding the binding for system calls: {@code java.lang.foreign}, or JNA and why it is not
 *     the other
 * @since 1.0
 */
public record MountCapabilities(String kernel, Map<Need, List<Method>> ways, String binding) {

  /**
   * One row per method, best first: the need, the calls, their result, and the required features.
   */
  private static final String WAYS =
      """
      PROBE | statx | one call, however many mounts there are | STATX_MOUNT_ROOT
      PROBE | openat2 | does not enter the mount, then reads its row | OPENAT2
      PROBE | openat + fdinfo | compares the mounts of two descriptors, then reads its row |
      RECORD | statx + statmount | two calls, however many mounts there are | \
      STATX_UNIQUE_ID STATMOUNT LISTMOUNT
      RECORD | statx + mountinfo | reads the table for one row | STATX_MOUNT_ROOT
      RECORD | openat2 + mountinfo | reads the table for one row | OPENAT2
      RECORD | fdinfo + mountinfo | reads the table for one row |
      TABLE | mountinfo + listmount | references are numbers that no other mount gets | \
      STATX_UNIQUE_ID STATMOUNT LISTMOUNT
      TABLE | mountinfo | references are numbers that the next mount may get |
      REFRESH | listmount + statmount | reads only what is new | STATX_UNIQUE_ID STATMOUNT LISTMOUNT
      REFRESH | mountinfo | reads the table again |
      WALK | openat2 | one call, links refused by the kernel | OPENAT2
      WALK | openat | one call for each part of the path |
      BIND | open_tree + mount_setattr + move_mount | read-only before anybody can see it | \
      OPEN_TREE MOUNT_SETATTR
      BIND | open_tree + move_mount | the same without flags; with them as the next | OPEN_TREE
      BIND | mount | writable for a moment before it is read-only |
      ATTRIBUTES | mount_setattr | flags in one call, with the mounts below; propagation by mount | \
      MOUNT_SETATTR
      ATTRIBUTES | mount | one call for each mount |
      EVENTS | fanotify | each change, with who made it | FANOTIFY_MOUNTS
      EVENTS | poll | that something changed, then reads the table again |
      """;

  /** The needs that several methods can meet. */
  public enum Need {
    /** Determine whether something is mounted at a path. */
    PROBE("is it a mount point?"),
    /** Read all about one mount. */
    RECORD("all about one mount"),
    /** Read the whole table. */
    TABLE("the whole table"),
    /** Read the changes of the table. */
    REFRESH("new and removed mounts"),
    /** Reach a path without following symbolic links. */
    WALK("a path without symbolic links"),
    /** Bind, read-only from the first moment if requested. */
    BIND("bind mounts"),
    /** Set flags and propagation. */
    ATTRIBUTES("flags and propagation"),
    /** Receive changes. */
    EVENTS("changes of the table");

    private final String question;

    Need(String question) {
      this.question = question;
    }

    /** Returns the need in a few words. */
    public String question() {
      return question;
    }
  }

  /**
   * One method to meet a need.
   *
   * @param calls the system calls, such as {@code statx} or {@code listmount + statmount}
   * @param obstacle why it cannot be used, if it cannot
   * @param promise its result, in a few words
   */
  public record Method(String calls, Optional<String> obstacle, String promise) {}

  /** Copies the maps and lists. */
  public MountCapabilities {
    EnumMap<Need, List<Method>> copy = new EnumMap<>(Need.class);
    ways.forEach((need, each) -> copy.put(need, List.copyOf(each)));
    ways = Collections.unmodifiableMap(copy);
  }

  /**
   * Returns the capabilities of the running kernel.
   *
   * @throws MountException without Linux or without native access
   */
  public static MountCapabilities system() {
    return Host.system().capabilities().get();
  }

  /** Returns the capabilities of this kernel. */
  static MountCapabilities of(Kernel kernel) {
    Map<Need, List<Method>> ways = new EnumMap<>(Need.class);
    WAYS.lines()
        .map(row -> row.split(" \\| ?", -1))
        .forEach(
            row -> {
              Optional<String> obstacle =
                  Stream.of(row[3].split(" ", -1))
                      .filter(feature -> !feature.isEmpty())
                      .map(Feature::valueOf)
                      .flatMap(feature -> kernel.features().obstacle(feature).stream())
                      .findFirst();
              ways.computeIfAbsent(Need.valueOf(row[0]), need -> new ArrayList<>())
                  .add(new Method(row[1], obstacle, row[2]));
            });
    return new MountCapabilities(kernel.release(), ways, kernel.calls().binding());
  }

  /** Returns the method that is used for a need, if there is one. */
  public Optional<Method> used(Need need) {
    return ways.getOrDefault(need, List.of()).stream()
        .filter(way -> way.obstacle().isEmpty())
        .findFirst();
  }

  /** Returns a page for people. */
  @Override
  public String toString() {
    StringBuilder page = new StringBuilder();
    page.append("Linux ").append(kernel).append(", called by ").append(binding).append('\n');
    for (Map.Entry<Need, List<Method>> need : ways.entrySet()) {
      page.append(need.getKey().question()).append('\n');
      Method used = used(need.getKey()).orElse(null);
      for (Method way : need.getValue()) {
        page.append(way.equals(used) ? "  * " : "    ").append(way.calls()).append(": ");
        page.append(way.promise());
        way.obstacle().ifPresent(why -> page.append(" (not here: ").append(why).append(')'));
        page.append('\n');
      }
    }
    return page.toString();
  }
}

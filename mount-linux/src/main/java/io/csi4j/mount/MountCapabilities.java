package io.csi4j.mount;

import io.csi4j.mount.model.MountException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the running kernel gives: for each need, the ways to meet it from best to last, which of
 * them is used, and why the better ones are not. Found once, by trying; {@link #toString()} is a
 * page for people.
 *
 * @param kernel the release of the kernel
 * @param ways the ways of each need, best first
 */
public record MountCapabilities(String kernel, Map<Need, List<Way>> ways) {

  /** The needs that several ways can meet. */
  public enum Need {
    /** To tell whether something is mounted at a path. */
    PROBE("is it a mount point?"),
    /** To read all about one mount. */
    RECORD("all about one mount"),
    /** To read the whole table. */
    TABLE("the whole table"),
    /** To see what came and went in the table. */
    REFRESH("what came and went"),
    /** To reach a path without following symbolic links. */
    WALK("a path without symbolic links"),
    /** To bind, read-only from the first moment if asked. */
    BIND("bind mounts"),
    /** To set flags and propagation. */
    ATTRIBUTES("flags and propagation"),
    /** To be told of changes. */
    EVENTS("changes of the table");

    private final String question;

    Need(String question) {
      this.question = question;
    }

    /** The need in a few words. */
    public String question() {
      return question;
    }
  }

  /**
   * One way to meet a need.
   *
   * @param calls the system calls, such as {@code statx} or {@code listmount + statmount}
   * @param obstacle why it cannot be used, if so
   * @param promise what it gives, in a few words
   */
  public record Way(String calls, Optional<String> obstacle, String promise) {}

  /** Copies the maps and lists. */
  public MountCapabilities {
    java.util.EnumMap<Need, List<Way>> copy = new java.util.EnumMap<>(Need.class);
    ways.forEach((need, each) -> copy.put(need, List.copyOf(each)));
    ways = java.util.Collections.unmodifiableMap(copy);
  }

  /**
   * Returns what the running kernel gives.
   *
   * @throws MountException where there is no Linux or no native access
   */
  public static MountCapabilities system() {
    return Host.system().capabilities().get();
  }

  /** The way that is used for a need, if there is one. */
  public Optional<Way> used(Need need) {
    return ways.getOrDefault(need, List.of()).stream()
        .filter(way -> way.obstacle().isEmpty())
        .findFirst();
  }

  /** A page for people. */
  @Override
  public String toString() {
    StringBuilder page = new StringBuilder("Linux ").append(kernel).append('\n');
    for (Map.Entry<Need, List<Way>> need : ways.entrySet()) {
      page.append(need.getKey().question()).append('\n');
      Way used = used(need.getKey()).orElse(null);
      for (Way way : need.getValue()) {
        page.append(way.equals(used) ? "  * " : "    ").append(way.calls()).append(": ");
        page.append(way.promise());
        way.obstacle().ifPresent(why -> page.append(" (not here: ").append(why).append(')'));
        page.append('\n');
      }
    }
    return page.toString();
  }
}

package io.csi4j.mount.model;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Everybody who was found to keep a mount in use.
 *
 * @param found who
 * @param unseen how many processes could not be looked into, for want of permission or because they
 *     ended meanwhile
 * @param complete whether the search came to its end within its limits; files that are only mapped
 *     into memory are never found
 * @since 1.0
 */
public record Holders(List<Holder> found, int unseen, boolean complete) {

  /** Copies the list. */
  public Holders {
    found = List.copyOf(found);
  }

  /**
   * The holders that keep the mount itself in use, so that a plain unmount finds it busy: processes
   * and mounts on it. The other holders keep only its device in use.
   */
  public List<Holder> ofMount() {
    return found.stream()
        .filter(each -> each instanceof Holder.RunningProcess || each instanceof Holder.Child)
        .toList();
  }

  /** The holders in one line. */
  @Override
  public String toString() {
    String list =
        found.isEmpty()
            ? "nobody found"
            : found.stream().map(Holder::toString).collect(Collectors.joining(", "));
    return list
        + (unseen > 0
            ? "; "
                + unseen
                + (unseen == 1 ? " process" : " processes")
                + " could not be looked into"
            : "")
        + (complete ? "" : "; the search was cut short");
  }
}

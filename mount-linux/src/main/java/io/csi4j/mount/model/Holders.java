package io.csi4j.mount.model;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The holders that were found to keep a mount in use.
 *
 * @param found the holders
 * @param unseen the number of processes that could not be examined, for lack of permission or
 *     because they ended meanwhile
 * @param complete whether the search ended within its limits; files that are only mapped into
 *     memory are never found
 * @since 1.0
 */
public record Holders(List<Holder> found, int unseen, boolean complete) {

  /** Copies the list. */
  public Holders {
    found = List.copyOf(found);
  }

  /**
   * Returns the holders that keep the mount itself in use, so that a plain unmount finds it busy:
   * processes and mounts on it. The other holders keep only its device in use.
   */
  public List<Holder> ofMount() {
    return found.stream()
        .filter(each -> each instanceof Holder.RunningProcess || each instanceof Holder.Child)
        .toList();
  }

  /** Returns the holders in one line. */
  @Override
  public String toString() {
    String list =
        found.isEmpty()
            ? "none found"
            : found.stream().map(Holder::toString).collect(Collectors.joining(", "));
    return list
        + (unseen > 0
            ? "; " + unseen + (unseen == 1 ? " process" : " processes") + " could not be examined"
            : "")
        + (complete ? "" : "; the search is incomplete");
  }
}

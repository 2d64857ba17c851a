package io.csi4j.testkit.cli;

import io.csi4j.client.identity.IdentityService.PluginInfo;
import io.csi4j.client.node.NodeService.NodeInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A snapshot of a plugin's state, for comparison with the previous snapshot.
 *
 * @param state {@code ready}, {@code not-ready}, {@code failing} or {@code gone}; empty before the
 *     first snapshot
 * @param reason the reason why the plugin is not ready; empty if it is ready
 * @param identity the name and version of the plugin
 * @param process the process behind the socket
 * @param offers the capabilities, each with its service; empty if no service has reported any
 * @param node the plugin's information about this node
 */
record PluginSight(
    String state,
    String reason,
    String identity,
    String process,
    Optional<SortedSet<String>> offers,
    String node) {

  /** The state before the first snapshot. */
  static final PluginSight NONE = new PluginSight("", "", "", "", Optional.empty(), "");

  /**
   * A change between two snapshots.
   *
   * @param kind the kind of the change, as one word
   * @param text the new state
   */
  record Change(String kind, String text) {}

  /**
   * Returns a snapshot in which the same plugin is unreachable. All other values are kept for later
   * comparison.
   */
  PluginSight gone(String why) {
    return new PluginSight("gone", why, identity, process, offers, node);
  }

  /** Returns a snapshot of a reachable plugin. */
  static PluginSight of(PluginPortrait portrait) {
    Optional<SortedSet<String>> offers = Optional.empty();
    for (String service : portrait.capabilities().keySet()) {
      Optional<List<String>> told = portrait.offers(service);
      if (told.isPresent()) {
        SortedSet<String> all = offers.orElseGet(TreeSet::new);
        told.get().forEach(each -> all.add(service + " " + each));
        offers = Optional.of(all);
      }
    }
    boolean failing = !portrait.failures().isEmpty();
    return new PluginSight(
        failing ? "failing" : portrait.ready() ? "ready" : "not-ready",
        failing ? portrait.failures().get(0) : portrait.ready() ? "" : "it is still starting",
        portrait.info().map(PluginSight::words).orElse(""),
        portrait.peer(),
        offers,
        portrait.node().map(here -> here.nodeId().value() + place(here)).orElse(""));
  }

  private static String words(PluginInfo info) {
    return info.name() + " " + info.vendorVersion();
  }

  private static String place(NodeInfo here) {
    return here.accessibleTopology().map(place -> " at " + place).orElse("");
  }

  boolean ready() {
    return state.equals("ready");
  }

  /**
   * Returns the changes since an earlier snapshot, in the order of their importance to the user.
   */
  List<Change> changesSince(PluginSight before) {
    List<Change> changes = new ArrayList<>();
    if (!state.equals(before.state)) {
      changes.add(
          new Change(
              state,
              state.equals("ready") || reason.isEmpty()
                  ? (identity.isEmpty() ? "it does not report its name" : identity)
                      + (process.equals("unknown") ? "" : ", " + process)
                  : reason));
    }
    if (state.equals("gone")) {
      return changes;
    }
    changed(changes, "restarted", before.process, process, before.process + ", now " + process);
    changed(changes, "version", before.identity, identity, before.identity + ", now " + identity);
    changed(changes, "node", before.node, node, before.node + ", now " + node);
    if (before.offers.isPresent() && offers.isPresent()) {
      SortedSet<String> then = before.offers.get();
      SortedSet<String> now = offers.get();
      added(then, now).forEach(each -> changes.add(new Change("offered", each)));
      added(now, then).forEach(each -> changes.add(new Change("withdrawn", each)));
    }
    return changes;
  }

  private static void changed(
      List<Change> changes, String kind, String before, String now, String text) {
    if (!before.isEmpty() && !now.isEmpty() && !before.equals(now)) {
      changes.add(new Change(kind, text));
    }
  }

  private static SortedSet<String> added(Set<String> then, Set<String> now) {
    SortedSet<String> added = new TreeSet<>(now);
    added.removeAll(then);
    return added;
  }
}

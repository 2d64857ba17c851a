package io.csi4j.testkit.cli;

import io.csi4j.client.identity.PluginInfo;
import io.csi4j.client.node.NodeInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What one look at a plugin has shown, to be compared with the look before it.
 *
 * @param state {@code ready}, {@code not-ready}, {@code failing} or {@code gone}; empty before the
 *     first look
 * @param reason why it is not ready, if it is not
 * @param identity its name and version
 * @param process the process behind the socket
 * @param offers by service, what it offers
 * @param node how it knows this node
 */
record PluginSight(
    String state,
    String reason,
    String identity,
    String process,
    SortedMap<String, SortedSet<String>> offers,
    String node) {

  /** Before the first look. */
  static final PluginSight NONE = new PluginSight("", "", "", "", new TreeMap<>(), "");

  /**
   * A change between two looks.
   *
   * @param kind in a word
   * @param text what is so from now on
   */
  record Change(String kind, String text) {}

  /**
   * The same plugin, which cannot be reached any more; what it was is kept, to be compared with.
   */
  PluginSight gone(String why) {
    return new PluginSight("gone", why, identity, process, offers, node);
  }

  /** A plugin that was reached. */
  static PluginSight of(PluginPortrait portrait) {
    SortedMap<String, SortedSet<String>> offers = new TreeMap<>();
    portrait
        .capabilities()
        .forEach(
            (service, set) ->
                set.ifPresent(
                    offered -> {
                      SortedSet<String> names = new TreeSet<>(offered.unrecognized());
                      offered.offered().forEach(each -> names.add(each.name()));
                      offers.put(service, names);
                    }));
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

  /** The changes since an earlier look, in the order in which a person wants to read them. */
  List<Change> changesSince(PluginSight before) {
    List<Change> changes = new ArrayList<>();
    if (!state.equals(before.state)) {
      changes.add(
          new Change(
              state,
              state.equals("ready") || reason.isEmpty()
                  ? (identity.isEmpty() ? "it does not tell its name" : identity)
                      + (process.equals("unknown") ? "" : ", " + process)
                  : reason));
    }
    if (state.equals("gone")) {
      return changes;
    }
    changed(changes, "restarted", before.process, process, before.process + ", now " + process);
    changed(changes, "version", before.identity, identity, before.identity + ", now " + identity);
    changed(changes, "node", before.node, node, before.node + ", now " + node);
    if (!before.offers.isEmpty() && !offers.isEmpty()) {
      offers(changes, before.offers);
    }
    return changes;
  }

  private static void changed(
      List<Change> changes, String kind, String before, String now, String text) {
    if (!before.isEmpty() && !now.isEmpty() && !before.equals(now)) {
      changes.add(new Change(kind, text));
    }
  }

  private void offers(List<Change> changes, Map<String, SortedSet<String>> before) {
    SortedSet<String> services = new TreeSet<>(before.keySet());
    services.addAll(offers.keySet());
    for (String service : services) {
      SortedSet<String> then = before.getOrDefault(service, new TreeSet<>());
      SortedSet<String> now = offers.getOrDefault(service, new TreeSet<>());
      SortedSet<String> more = new TreeSet<>(now);
      more.removeAll(then);
      SortedSet<String> fewer = new TreeSet<>(then);
      fewer.removeAll(now);
      more.forEach(each -> changes.add(new Change("offered", service + " " + each)));
      fewer.forEach(each -> changes.add(new Change("withdrawn", service + " " + each)));
    }
  }
}

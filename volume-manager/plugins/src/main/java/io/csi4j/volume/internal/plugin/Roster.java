package io.csi4j.volume.internal.plugin;

import io.csi4j.client.model.PluginName;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** All instances of all plugins at one moment; those of a plugin stand with the newest first. */
final class Roster {

  /** The empty roster. */
  static final Roster EMPTY = new Roster(new TreeMap<>());

  private final SortedMap<PluginId, List<Member>> members;

  private Roster(SortedMap<PluginId, List<Member>> members) {
    this.members = members;
  }

  /** The instances of a plugin. */
  List<Member> of(PluginId plugin) {
    return members.getOrDefault(plugin, List.of());
  }

  /** One instance. */
  Optional<Member> member(PluginId plugin, InstanceId instance) {
    return of(plugin).stream().filter(member -> member.instance().equals(instance)).findFirst();
  }

  /** The newest that is ready, else the newest; never one that is not what was meant. */
  Optional<Member> serving(PluginId plugin, PluginRole role) {
    Member newest = null;
    for (Member member : of(plugin)) {
      if (member.has(role) && member.mayServe()) {
        if (member.health().isReady()) {
          return Optional.of(member);
        }
        newest = newest == null ? member : newest;
      }
    }
    return Optional.ofNullable(newest);
  }

  /** The name that a plugin gave itself last. */
  Optional<PluginName> name(PluginId plugin) {
    return lastFingerprint(plugin).map(PluginFingerprint::name);
  }

  /** Returns the fingerprint of the newest instance that was asked. */
  Optional<PluginFingerprint> lastFingerprint(PluginId plugin) {
    return of(plugin).stream().flatMap(member -> member.fingerprint().stream()).findFirst();
  }

  /** The plugins that have an instance. */
  Set<PluginId> plugins() {
    return members.keySet();
  }

  /** Everybody. */
  List<RegisteredPlugin> all() {
    return members.values().stream().flatMap(List::stream).map(Member::known).toList();
  }

  /** Returns the roster with these instances of a plugin. */
  Roster with(PluginId plugin, List<Member> instances) {
    SortedMap<PluginId, List<Member>> next = new TreeMap<>(members);
    if (instances.isEmpty()) {
      next.remove(plugin);
    } else {
      next.put(plugin, List.copyOf(instances));
    }
    return new Roster(Collections.unmodifiableSortedMap(next));
  }

  /** Returns the roster with an instance in its place, or in front of the others if it has none. */
  Roster with(Member member) {
    PluginId plugin = member.registration().id();
    List<Member> next = new ArrayList<>(of(plugin));
    int at = 0;
    while (at < next.size() && !next.get(at).instance().equals(member.instance())) {
      at++;
    }
    if (at == next.size()) {
      next.add(0, member);
    } else {
      next.set(at, member);
    }
    return with(plugin, next);
  }

  /** Returns the roster without an instance. */
  Roster without(Member gone) {
    PluginId plugin = gone.registration().id();
    return with(plugin, of(plugin).stream().filter(member -> !member.equals(gone)).toList());
  }
}

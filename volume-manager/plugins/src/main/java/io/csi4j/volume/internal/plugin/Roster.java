package io.csi4j.volume.internal.plugin;

import io.csi4j.client.model.PluginName;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginEvent;
import io.csi4j.volume.plugin.PluginException;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import io.csi4j.volume.plugin.PluginHealth.State;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * An immutable list of all instances of all plugins at one moment, with the rules for changes of
 * the list. The newest instance of each plugin is first.
 */
final class Roster {

  /** The empty list. */
  static final Roster EMPTY = new Roster(new TreeMap<>());

  private final SortedMap<PluginId, List<Member>> members;

  private Roster(SortedMap<PluginId, List<Member>> members) {
    this.members = members;
  }

  /** Returns the instances of a plugin. */
  List<Member> of(PluginId plugin) {
    return members.getOrDefault(plugin, List.of());
  }

  /** Returns one instance. */
  Optional<Member> member(PluginId plugin, InstanceId instance) {
    return of(plugin).stream().filter(member -> member.instance().equals(instance)).findFirst();
  }

  /**
   * Returns the newest ready instance of a plugin with this role; if none is ready, the newest
   * instance. Never returns an instance with a wrong name.
   */
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

  /** Returns the name that the plugin reported last. */
  Optional<PluginName> name(PluginId plugin) {
    return lastFingerprint(plugin).map(PluginFingerprint::name);
  }

  /** Returns the fingerprint of the newest instance that has one. */
  Optional<PluginFingerprint> lastFingerprint(PluginId plugin) {
    return of(plugin).stream().flatMap(member -> member.fingerprint().stream()).findFirst();
  }

  /** Returns the plugins that have an instance. */
  Set<PluginId> plugins() {
    return members.keySet();
  }

  /** Returns all instances. */
  List<RegisteredPlugin> all() {
    return members.values().stream().flatMap(List::stream).map(Member::known).toList();
  }

  /** Returns a list in which the plugin has these instances. */
  Roster with(PluginId plugin, List<Member> instances) {
    SortedMap<PluginId, List<Member>> next = new TreeMap<>(members);
    if (instances.isEmpty()) {
      next.remove(plugin);
    } else {
      next.put(plugin, List.copyOf(instances));
    }
    return new Roster(Collections.unmodifiableSortedMap(next));
  }

  /**
   * Returns a list with this instance. It replaces its earlier entry; a new instance comes before
   * the other instances.
   */
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

  /** Returns a list without this instance. */
  Roster without(Member gone) {
    PluginId plugin = gone.registration().id();
    return with(plugin, of(plugin).stream().filter(member -> !member.equals(gone)).toList());
  }

  // ---- changes

  /**
   * The result of a change: the new list, and its consequences.
   *
   * @param roster the new list
   * @param told the events for listeners, in order
   * @param durable whether the change must be stored for the next start
   * @param refusal why the plugin's description was rejected, if it was rejected
   */
  record Change(
      Roster roster, List<Told> told, boolean durable, Optional<PluginException> refusal) {

    /** Copies the list. */
    Change {
      told = List.copyOf(told);
    }

    private static Change of(Roster roster, List<Told> told, boolean durable) {
      return new Change(roster, told, durable, Optional.empty());
    }
  }

  /**
   * One event for the listeners of a role.
   *
   * @param role the role
   * @param event the event
   */
  record Told(PluginRole role, PluginEvent event) {}

  /** Returns a change without effect. */
  Change unchanged() {
    return Change.of(this, List.of(), false);
  }

  /** Whether an instance may move to another socket than its registered socket. */
  enum Move {
    /** The instance may move, because the host states that it has moved. */
    ALLOWED,
    /** The instance must not move, because another program may be using its name. */
    REFUSED
  }

  /**
   * Registers an instance, or replaces its registration.
   *
   * @throws PluginException if the instance is registered with another socket
   */
  Change register(PluginRegistration registration, long ticket, Move move, Instant now) {
    Optional<Member> before = member(registration.id(), registration.instance());
    Optional<Member> alive = before.filter(member -> !member.known().remembered());
    boolean isMoved =
        alive.filter(member -> !isAtSameSocket(member.registration(), registration)).isPresent();
    if (isMoved && move == Move.REFUSED) {
      throw PluginMessages.duplicate(registration, alive.orElseThrow().registration());
    }
    PluginHealth health =
        alive
            .map(Member::health)
            .filter(known -> known.isReady() && !isMoved)
            .orElseGet(() -> PluginMessages.notAsked(now));
    Member after =
        new Member(
            new RegisteredPlugin(registration, health, before.flatMap(Member::fingerprint), false),
            ticket,
            false);
    List<Told> told = new ArrayList<>();
    for (PluginRole role : PluginRole.values()) {
      boolean was = before.filter(member -> member.has(role)).isPresent();
      if (after.has(role)) {
        told.add(new Told(role, new PluginEvent.Registered(after.known(), was)));
      } else if (was) {
        told.add(new Told(role, new PluginEvent.Deregistered(before.orElseThrow().known())));
      }
    }
    return Change.of(with(after), told, true);
  }

  private static boolean isAtSameSocket(PluginRegistration one, PluginRegistration other) {
    return one.binding().endpoint().equals(other.binding().endpoint());
  }

  /** Removes an instance. */
  Change deregister(Member gone) {
    List<Told> told = tell(gone, member -> new PluginEvent.Deregistered(member.known()));
    return Change.of(without(gone), told, true);
  }

  /** Updates the health of an instance. */
  Change report(Member member, PluginHealth now) {
    PluginHealth before = member.health();
    if (member.refused() && now.state() != State.GONE) {
      return unchanged();
    }
    Member after = member.with(now);
    boolean isNew = before.state() != now.state() || before.reason() != now.reason();
    return with(after).forgetting(after, isNew ? changed(member, after) : List.of(), false);
  }

  private static List<Told> changed(Member before, Member after) {
    return tell(
        after,
        member ->
            new PluginEvent.HealthChanged(
                member.registration().id(),
                member.instance(),
                before.health(),
                member.health(),
                PluginMessages.of(member.registration(), before.health(), member.health())));
  }

  /** Updates the fingerprint of an instance. */
  Change report(Member member, PluginFingerprint now, Instant wall) {
    PluginId plugin = member.registration().id();
    Optional<PluginName> name = name(plugin);
    if (name.filter(known -> !known.equals(now.name())).isPresent()) {
      return refused(member, name.orElseThrow(), now.name(), wall);
    }
    Optional<PluginFingerprint> before = member.fingerprint().or(() -> lastFingerprint(plugin));
    List<PluginFingerprint.Change> changes =
        before.map(known -> FingerprintDiff.of(known, now)).orElse(List.of());
    Member after = member.with(now);
    boolean isNew = member.fingerprint().isEmpty() || !changes.isEmpty();
    List<Told> told =
        isNew
            ? tell(
                after,
                it ->
                    new PluginEvent.Fingerprinted(
                        plugin,
                        it.instance(),
                        now,
                        changes,
                        PluginMessages.of(it.registration(), changes)))
            : List.of();
    return with(after).forgetting(after, told, isNew);
  }

  private Change refused(Member member, PluginName known, PluginName given, Instant wall) {
    PluginException refusal = PluginMessages.renamed(member.registration(), known, given);
    PluginHealth health =
        new PluginHealth(
            State.UNHEALTHY,
            Reason.REFUSED,
            new PluginHealth.Text(refusal.operatorMessage().seen().text()),
            wall);
    Member after = member.with(health).asRefused();
    List<Told> told =
        member.refused()
            ? List.of()
            : tell(
                after,
                it ->
                    new PluginEvent.HealthChanged(
                        it.registration().id(),
                        it.instance(),
                        member.health(),
                        health,
                        Optional.of(refusal.operatorMessage())));
    return new Change(with(after), told, false, Optional.of(refusal));
  }

  /**
   * Removes the instances of an earlier run when a registered instance is ready, has described
   * itself, and has all their roles. Without this removal, the list would grow forever if each
   * start had a new instance.
   */
  private Change forgetting(Member ready, List<Told> told, boolean durable) {
    if (!ready.health().isReady() || ready.fingerprint().isEmpty() || !ready.mayServe()) {
      return Change.of(this, told, durable);
    }
    Roster next = this;
    List<Told> all = new ArrayList<>(told);
    boolean isLess = false;
    for (Member member : of(ready.registration().id())) {
      if (member.known().remembered()
          && ready.registration().roles().containsAll(member.registration().roles())) {
        next = next.without(member);
        all.addAll(tell(member, gone -> new PluginEvent.Deregistered(gone.known())));
        isLess = true;
      }
    }
    return Change.of(next, all, durable || isLess);
  }

  private static List<Told> tell(Member member, Function<Member, PluginEvent> event) {
    List<Told> told = new ArrayList<>();
    for (PluginRole role : PluginRole.values()) {
      if (member.has(role)) {
        told.add(new Told(role, event.apply(member)));
      }
    }
    return told;
  }
}

package io.csi4j.volume.internal.plugin;

import io.csi4j.client.model.PluginName;
import io.csi4j.volume.internal.plugin.Change.Told;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.FingerprintChange;
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
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The rules that change a roster. Without effects. */
final class RosterRules {

  private RosterRules() {}

  /** Whether an instance may come from another socket than the one that it is registered with. */
  enum Move {
    /** The name may be taken: the host says so itself. */
    ALLOWED,
    /** The name may not be taken: another program may have it. */
    REFUSED
  }

  /**
   * An instance is registered, or its registration replaced.
   *
   * @throws PluginException if another socket has its name
   */
  static Change register(
      Roster roster, PluginRegistration registration, long ticket, Move move, Instant now) {
    Optional<Member> before = roster.member(registration.id(), registration.instance());
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
    return Change.of(roster.with(after), told, true);
  }

  private static boolean isAtSameSocket(PluginRegistration one, PluginRegistration other) {
    return one.binding().endpoint().equals(other.binding().endpoint());
  }

  /** An instance leaves. */
  static Change deregister(Roster roster, Member gone) {
    List<Told> told = tell(gone, member -> new PluginEvent.Deregistered(member.known()));
    return Change.of(roster.without(gone), told, true);
  }

  /** The health of an instance was looked at. */
  static Change report(Roster roster, Member member, PluginHealth now) {
    PluginHealth before = member.health();
    if (member.refused() && now.state() != State.GONE) {
      return Change.silent(roster);
    }
    Member after = member.with(now);
    boolean isNew = before.state() != now.state() || before.reason() != now.reason();
    return forgetting(roster.with(after), after, isNew ? changed(member, after) : List.of(), false);
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

  /** An instance has said something of itself. */
  static Change report(Roster roster, Member member, PluginFingerprint now, Instant wall) {
    PluginId plugin = member.registration().id();
    Optional<PluginName> name = roster.name(plugin);
    if (name.filter(known -> !known.equals(now.name())).isPresent()) {
      return refused(roster, member, name.orElseThrow(), now.name(), wall);
    }
    Optional<PluginFingerprint> before =
        member.fingerprint().or(() -> roster.lastFingerprint(plugin));
    List<FingerprintChange> changes =
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
    return forgetting(roster.with(after), after, told, isNew);
  }

  private static Change refused(
      Roster roster, Member member, PluginName known, PluginName given, Instant wall) {
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
    return new Change(roster.with(after), told, false, Optional.of(refusal));
  }

  /**
   * Forgets those that are only remembered as soon as there is one that is ready, said who it is,
   * and does all that they did: with a new instance for each start they would never end.
   */
  private static Change forgetting(Roster roster, Member ready, List<Told> told, boolean durable) {
    if (!ready.health().isReady() || ready.fingerprint().isEmpty() || !ready.mayServe()) {
      return Change.of(roster, told, durable);
    }
    Roster next = roster;
    List<Told> all = new ArrayList<>(told);
    boolean isLess = false;
    for (Member member : roster.of(ready.registration().id())) {
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

package io.csi4j.volume.internal.plugin;

import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginEvent;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginHealth.State;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.plugin.StartTimeout;
import io.csi4j.volume.plugin.SupervisedPlugin;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * How one instance is, and what the registry and the listeners know of that. May be looked at by
 * any thread; all else belongs to the turns of its supervision.
 */
final class Standing {

  private static final int HISTORY = 16;

  private final PluginConfig config;
  private final Clock clock;
  private final Consumer<PluginEvent> events;
  private final Enrolment enrolment;
  private final Announcer announcer;
  private final Vitals.Limits limits;
  private final Deque<PluginHealth> history = new ArrayDeque<>();
  private long began;
  private volatile Vitals vitals;

  Standing(
      PluginConfig config,
      Clock clock,
      Consumer<PluginEvent> events,
      Enrolment enrolment,
      Announcer announcer) {
    this.config = config;
    this.clock = clock;
    this.events = events;
    this.enrolment = enrolment;
    this.announcer = announcer;
    limits =
        new Vitals.Limits(
            config.failuresToUnhealthy(), config.answersToReady(), config.healthTimeout());
    began = clock.nanos();
    vitals = Vitals.starting(clock.wall());
  }

  PluginHealth health() {
    return vitals.health();
  }

  boolean isGone() {
    return health().state() == State.GONE;
  }

  /** Whether it is well, and was at the last question. */
  boolean isSettled() {
    return vitals.isSettled();
  }

  /** The host has started the instance again. */
  void restarted() {
    began = clock.nanos();
    history.clear();
    step(new Vitals.Input.Restarted());
  }

  /** A question has an answer; without trouble the instance is registered if need be. */
  void found(Optional<PluginTrouble> trouble) {
    Optional<PluginTrouble> found = trouble.isPresent() ? trouble : enrolment.register();
    step(found.<Vitals.Input>map(Vitals.Input.Bad::new).orElseGet(Vitals.Input.Good::new));
  }

  /** All that is known if the time to become ready is over, once. */
  Optional<StartTimeout> timeout(SupervisedPlugin self) {
    if (health().state() != State.STARTING
        || clock.nanos() - began < config.healthTimeout().toNanos()) {
      return Optional.empty();
    }
    step(new Vitals.Input.Overdue());
    return vitals
        .told()
        .map(
            told ->
                new StartTimeout(
                    self,
                    config.healthTimeout(),
                    List.copyOf(history),
                    announcer.message(told.code(), told.seen())));
  }

  /** Tells what is new. */
  void tell(Optional<PluginFingerprint> fingerprint) {
    announcer.tell(vitals, fingerprint, clock.nanos());
  }

  /** Deregisters it, and says good-bye with what is known. */
  void end(Optional<PluginFingerprint> fingerprint) {
    step(new Vitals.Input.Stopped());
    boolean wasRegistered = enrolment.leave();
    tell(fingerprint);
    if (wasRegistered) {
      events.accept(
          new PluginEvent.Deregistered(
              new RegisteredPlugin(enrolment.registration(), health(), fingerprint, false)));
    }
  }

  private void step(Vitals.Input input) {
    PluginHealth before = vitals.health();
    vitals = vitals.after(input, limits, clock.wall());
    PluginHealth now = vitals.health();
    if (Announcer.isAnother(before, now)) {
      if (history.size() == HISTORY) {
        history.removeFirst();
      }
      history.addLast(now);
      announcer.changed(before, now, clock.nanos());
      enrolment.report(now);
    }
  }
}

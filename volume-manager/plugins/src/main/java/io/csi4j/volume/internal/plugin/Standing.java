package io.csi4j.volume.internal.plugin;

import io.csi4j.client.model.PluginName;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginEvent;
import io.csi4j.volume.plugin.PluginException;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginHandle;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import io.csi4j.volume.plugin.PluginHealth.State;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.plugin.SupervisedPlugin;
import io.csi4j.volume.plugin.SupervisedPlugin.StartTimeout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The state of one instance, as stored in the registry and as reported to listeners. A change that
 * is reverted before its report is not reported. Any thread may read the health; all other methods
 * are called only in the turns of the instance's supervision.
 */
final class Standing {

  private static final int HISTORY = 16;

  private final PluginConfig config;
  private final PluginRegistration registration;
  private final PluginRegistry registry;
  private final Clock clock;
  private final Consumer<PluginEvent> events;
  private final Runnable asksAgain;
  private final Damper damper = new Damper();
  private final Deque<PluginHealth> history = new ArrayDeque<>();
  private long began;
  private volatile Vitals vitals;

  // The registration of the instance in the registry.
  private @Nullable PluginHandle handle;
  private @Nullable PluginFingerprint taken;

  // The state last reported to listeners.
  private PluginHealth toldHealth;
  private @Nullable PluginFingerprint toldFingerprint;
  private boolean isReplaced;

  /**
   * Creates the state of an instance that was not asked yet.
   *
   * @param events receives the events
   * @param asksAgain makes the supervision soon ask the plugin for its capabilities again
   */
  Standing(
      PluginConfig config,
      PluginRegistration registration,
      PluginRegistry registry,
      Clock clock,
      Consumer<PluginEvent> events,
      Runnable asksAgain) {
    this.asksAgain = asksAgain;
    this.config = config;
    this.registration = registration;
    this.registry = registry;
    this.clock = clock;
    this.events = events;
    began = clock.nanos();
    vitals = Vitals.starting(clock.wall());
    toldHealth = vitals.health();
  }

  PluginHealth health() {
    return vitals.health();
  }

  boolean isGone() {
    return health().state() == State.GONE;
  }

  /**
   * Returns whether the instance is healthy, and the last question was answered without trouble.
   */
  boolean isSettled() {
    return vitals.isSettled();
  }

  // ---- events

  /** Handles a restart by the host. */
  void restarted() {
    began = clock.nanos();
    history.clear();
    step(new Vitals.Input.Restarted());
  }

  /**
   * Handles the result of a question. If there is no trouble, registers the instance if necessary.
   */
  void found(Optional<PluginTrouble> trouble) {
    Optional<PluginTrouble> found = trouble.isPresent() ? trouble : register();
    step(found.<Vitals.Input>map(Vitals.Input.Bad::new).orElseGet(Vitals.Input.Good::new));
  }

  /** Handles the replacement of the plugin's process by another process. */
  void replaced() {
    isReplaced = true;
    damper.changed(clock.nanos());
  }

  /** Returns the timeout of the instance, once, when the time to become ready is over. */
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
                    message(told.code(), told.seen())));
  }

  /** Deregisters the instance, and reports that it has ended. */
  void end(Optional<PluginFingerprint> fingerprint) {
    step(new Vitals.Input.Stopped());
    PluginHandle registered = handle;
    handle = null;
    if (registered != null) {
      registered.close();
    }
    tell(fingerprint);
    if (registered != null) {
      events.accept(
          new PluginEvent.Deregistered(
              new RegisteredPlugin(registration, health(), fingerprint, false)));
    }
  }

  private void step(Vitals.Input input) {
    PluginHealth before = vitals.health();
    vitals = vitals.after(input, config, clock.wall());
    PluginHealth now = vitals.health();
    if (isAnother(before, now)) {
      if (history.size() == HISTORY) {
        history.removeFirst();
      }
      history.addLast(now);
      if (before.state() != State.STARTING) {
        // The change of a plugin that is starting does not count.
        damper.changed(clock.nanos());
      }
      if (handle != null) {
        handle.report(now);
      }
    }
  }

  private static boolean isAnother(PluginHealth before, PluginHealth now) {
    return before.state() != now.state() || before.reason() != now.reason();
  }

  // ---- the registry

  /** Returns the name that another instance of the plugin reported, if it is known. */
  Optional<PluginName> knownName() {
    return registry.plugins().stream()
        .filter(each -> each.registration().id().equals(registration.id()))
        .flatMap(each -> each.fingerprint().stream())
        .map(PluginFingerprint::name)
        .findFirst();
  }

  /**
   * Accepts the description of the instance. Returns the reason if the registry rejects the
   * description.
   */
  Optional<PluginTrouble> take(PluginFingerprint told) {
    PluginHandle registered = handle;
    Optional<PluginTrouble> refused =
        registered == null ? Optional.empty() : refusal(() -> registered.report(told));
    if (refused.isEmpty()) {
      taken = told;
    }
    return refused;
  }

  /**
   * Registers the instance with its description, unless it is already registered. Returns the
   * reason if the registry refuses it.
   */
  private Optional<PluginTrouble> register() {
    return handle == null ? refusal(this::registerNow) : Optional.empty();
  }

  private void registerNow() {
    PluginHandle registered = registry.register(registration);
    PluginFingerprint told = taken;
    try {
      if (told != null) {
        registered.report(told);
      }
    } catch (PluginException refused) {
      registered.close();
      throw refused;
    }
    registered.onDoubt(asksAgain);
    handle = registered;
  }

  private static Optional<PluginTrouble> refusal(Runnable attempt) {
    try {
      attempt.run();
      return Optional.empty();
    } catch (PluginException refused) {
      OperatorMessage told = refused.operatorMessage();
      // Closing the manager is not a fault of the plugin.
      Reason reason = told.code() == OperatorCode.ENGINE_CLOSED ? Reason.ERROR : Reason.REFUSED;
      return Optional.of(PluginTrouble.of(reason, told.code(), told.seen().text()));
    }
  }

  // ---- reports

  /** Reports changes, unless there were too many recently. */
  void tell(Optional<PluginFingerprint> fingerprint) {
    long now = clock.nanos();
    damper
        .announcement(now)
        .ifPresent(
            count ->
                notice(
                    OperatorCode.PLUGIN_FLAPPING,
                    "it changed "
                        + count
                        + " times within "
                        + Damper.WINDOW.toMinutes()
                        + " min, and is "
                        + PluginMessages.word(health().state())
                        + " now: "
                        + health().text()));
    if (damper.isOpen(now) || isGone()) {
      boolean isNew = fingerprint.isPresent() && tellFingerprint(fingerprint.get());
      isNew |= tellHealth();
      if (isNew) {
        damper.told(now);
      }
    }
  }

  /** Reports an event that is not a change of health. */
  void notice(OperatorCode code, String seen) {
    noticed(message(code, seen));
  }

  private void noticed(OperatorMessage message) {
    events.accept(new PluginEvent.Noticed(registration.id(), registration.instance(), message));
  }

  private OperatorMessage message(OperatorCode code, String seen) {
    Subject subject = PluginMessages.subject("watching over", registration);
    return Messages.of(code, subject, seen);
  }

  private boolean tellHealth() {
    PluginHealth before = toldHealth;
    PluginHealth now = health();
    if (!isAnother(before, now)) {
      return false;
    }
    toldHealth = now;
    Optional<OperatorMessage> message =
        vitals.told().map(told -> message(told.code(), told.seen()));
    events.accept(
        new PluginEvent.HealthChanged(
            registration.id(), registration.instance(), before, now, message));
    return true;
  }

  private boolean tellFingerprint(PluginFingerprint now) {
    PluginFingerprint before = toldFingerprint;
    boolean another = isReplaced;
    toldFingerprint = now;
    isReplaced = false;
    if (before == null) {
      fingerprinted(now, List.of(), List.of());
      return true;
    }
    List<PluginFingerprint.Change> changes = FingerprintDiff.of(before, now);
    List<OperatorMessage> messages = new ArrayList<>();
    if (another && before.version().equals(now.version())) {
      messages.add(PluginMessages.startedAnew(registration, now));
    }
    messages.addAll(PluginMessages.of(registration, changes));
    if (!changes.isEmpty()) {
      fingerprinted(now, changes, messages);
    } else {
      messages.forEach(this::noticed);
    }
    return another || !changes.isEmpty();
  }

  private void fingerprinted(
      PluginFingerprint now,
      List<PluginFingerprint.Change> changes,
      List<OperatorMessage> messages) {
    events.accept(
        new PluginEvent.Fingerprinted(
            registration.id(), registration.instance(), now, changes, messages));
  }
}

package io.csi4j.volume.internal.plugin;

import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.FingerprintChange;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginEvent;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginHealth.State;
import io.csi4j.volume.plugin.PluginRegistration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells what is new of one instance, in the light of what was told before: a change that is undone
 * before it could be told is not told. Not safe for several threads.
 */
final class Announcer {

  private final PluginRegistration registration;
  private final PluginId plugin;
  private final InstanceId instance;
  private final Subject subject;
  private final Consumer<PluginEvent> events;
  private final Damper damper = new Damper();
  private PluginHealth health;
  private @Nullable PluginFingerprint fingerprint;
  private boolean isReplaced;

  Announcer(PluginRegistration registration, Instant now, Consumer<PluginEvent> events) {
    this.registration = registration;
    plugin = registration.id();
    instance = registration.instance();
    subject = PluginMessages.subject("watching over", registration);
    this.events = events;
    health = Vitals.starting(now).health();
  }

  /** Notes that its health changed; that a plugin is starting is no trouble. */
  void changed(PluginHealth before, PluginHealth now, long nanos) {
    if (isAnother(before, now) && before.state() != State.STARTING) {
      damper.changed(nanos);
    }
  }

  /** Notes that another process has become the plugin. */
  void replaced(long nanos) {
    isReplaced = true;
    damper.changed(nanos);
  }

  /** Tells what is new, unless too much was. */
  void tell(Vitals vitals, Optional<PluginFingerprint> now, long nanos) {
    damper
        .announcement(nanos)
        .ifPresent(
            count ->
                notice(
                    OperatorCode.PLUGIN_FLAPPING,
                    "it changed "
                        + count
                        + " times within "
                        + Damper.WINDOW.toMinutes()
                        + " min, and is "
                        + words(vitals.health())));
    if (damper.isOpen(nanos) || vitals.health().state() == State.GONE) {
      boolean isNew = now.isPresent() && tellFingerprint(now.get());
      isNew |= tellHealth(vitals);
      if (isNew) {
        damper.told(nanos);
      }
    }
  }

  /** Returns the message for an operator. */
  OperatorMessage message(OperatorCode code, String seen) {
    return Messages.of(code, subject, seen);
  }

  /** Tells something that is no change of its health. */
  void notice(OperatorCode code, String seen) {
    events.accept(new PluginEvent.Noticed(plugin, instance, message(code, seen)));
  }

  private boolean tellHealth(Vitals vitals) {
    PluginHealth before = health;
    PluginHealth now = vitals.health();
    if (!isAnother(before, now)) {
      return false;
    }
    health = now;
    Optional<OperatorMessage> message =
        vitals.told().map(told -> message(told.code(), told.seen()));
    events.accept(new PluginEvent.HealthChanged(plugin, instance, before, now, message));
    return true;
  }

  private boolean tellFingerprint(PluginFingerprint now) {
    PluginFingerprint before = fingerprint;
    boolean another = isReplaced;
    fingerprint = now;
    isReplaced = false;
    if (before == null) {
      fingerprinted(now, List.of(), List.of());
      return true;
    }
    List<FingerprintChange> changes = FingerprintDiff.of(before, now);
    List<OperatorMessage> messages = new ArrayList<>();
    if (another && before.version().equals(now.version())) {
      messages.add(PluginMessages.startedAnew(registration, now));
    }
    messages.addAll(PluginMessages.of(registration, changes));
    if (!changes.isEmpty()) {
      fingerprinted(now, changes, messages);
    } else {
      messages.forEach(
          message -> events.accept(new PluginEvent.Noticed(plugin, instance, message)));
    }
    return another || !changes.isEmpty();
  }

  private void fingerprinted(
      PluginFingerprint now, List<FingerprintChange> changes, List<OperatorMessage> messages) {
    events.accept(new PluginEvent.Fingerprinted(plugin, instance, now, changes, messages));
  }

  static boolean isAnother(PluginHealth before, PluginHealth now) {
    return before.state() != now.state() || before.reason() != now.reason();
  }

  private static String words(PluginHealth health) {
    String state =
        switch (health.state()) {
          case STARTING -> "starting";
          case READY -> "ready";
          case UNHEALTHY -> "unhealthy";
          case GONE -> "gone";
        };
    return state + " now: " + health.text();
  }
}

package io.csi4j.volume.internal.plugin;

import io.csi4j.client.model.PluginName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.plugin.PluginException;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginHandle;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The knowledge that a registry has of one instance. Not safe for several threads. */
public final class Enrolment {

  private final PluginRegistry registry;
  private final PluginRegistration registration;
  private @Nullable PluginHandle handle;
  private @Nullable PluginFingerprint fingerprint;

  /** Not registered yet. */
  public Enrolment(PluginRegistry registry, PluginRegistration registration) {
    this.registry = registry;
    this.registration = registration;
  }

  /** Returns the registration, present or to come. */
  PluginRegistration registration() {
    return registration;
  }

  /** The name that another instance of the plugin gives itself, if one is known. */
  Optional<PluginName> knownName() {
    return registry.plugins().stream()
        .filter(each -> each.registration().id().equals(registration.id()))
        .flatMap(each -> each.fingerprint().stream())
        .map(PluginFingerprint::name)
        .findFirst();
  }

  /** Takes in what it says of itself; gives the reason if it is not taken at its word. */
  Optional<PluginTrouble> take(PluginFingerprint told) {
    PluginHandle registered = handle;
    Optional<PluginTrouble> refused =
        registered == null ? Optional.empty() : refusal(() -> registered.report(told));
    if (refused.isEmpty()) {
      fingerprint = told;
    }
    return refused;
  }

  /** Registers it with what it says, unless that was done; gives the reason if it cannot be. */
  Optional<PluginTrouble> register() {
    return handle == null ? refusal(this::registerNow) : Optional.empty();
  }

  private void registerNow() {
    PluginHandle registered = registry.register(registration);
    PluginFingerprint told = fingerprint;
    try {
      if (told != null) {
        registered.report(told);
      }
    } catch (PluginException refused) {
      registered.close();
      throw refused;
    }
    handle = registered;
  }

  private static Optional<PluginTrouble> refusal(Runnable attempt) {
    try {
      attempt.run();
      return Optional.empty();
    } catch (PluginException refused) {
      OperatorMessage told = refused.operatorMessage();
      // Nothing is wrong with a plugin whose manager is closed.
      Reason reason = told.code() == OperatorCode.ENGINE_CLOSED ? Reason.ERROR : Reason.REFUSED;
      return Optional.of(PluginTrouble.of(reason, told.code(), told.seen().text()));
    }
  }

  /** Tells how it is, if it is registered. */
  void report(PluginHealth health) {
    if (handle != null) {
      handle.report(health);
    }
  }

  /** Deregisters it; false if it was not registered. */
  boolean leave() {
    PluginHandle registered = handle;
    handle = null;
    if (registered != null) {
      registered.close();
    }
    return registered != null;
  }
}

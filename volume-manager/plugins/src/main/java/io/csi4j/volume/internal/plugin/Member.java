package io.csi4j.volume.internal.plugin;

import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.util.Optional;

/**
 * One entry in the list of instances.
 *
 * @param known the public description of the instance
 * @param ticket the number of its registration; 0 for an instance of an earlier run
 * @param refused whether the instance reported another name than its plugin has
 */
record Member(RegisteredPlugin known, long ticket, boolean refused) {

  /** The number of an instance that was not registered in this run. */
  static final long REMEMBERED = 0;

  InstanceId instance() {
    return registration().instance();
  }

  PluginRegistration registration() {
    return known.registration();
  }

  PluginHealth health() {
    return known.health();
  }

  Optional<PluginFingerprint> fingerprint() {
    return known.fingerprint();
  }

  boolean has(PluginRole role) {
    return registration().roles().contains(role);
  }

  /** Returns whether the instance may receive calls at all. */
  boolean mayServe() {
    return !refused && health().reason() != Reason.REFUSED;
  }

  Member with(PluginHealth health) {
    return new Member(
        new RegisteredPlugin(registration(), health, fingerprint(), known.remembered()),
        ticket,
        refused);
  }

  Member with(PluginFingerprint fingerprint) {
    return new Member(
        new RegisteredPlugin(
            registration(), health(), Optional.of(fingerprint), known.remembered()),
        ticket,
        false);
  }

  Member asRefused() {
    return new Member(known, ticket, true);
  }
}

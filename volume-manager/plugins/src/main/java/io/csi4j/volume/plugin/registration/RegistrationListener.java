package io.csi4j.volume.plugin.registration;

/**
 * Somebody who is told what happens to registrars. Events come in order, one at a time and under no
 * lock; a listener that throws harms nobody.
 */
@FunctionalInterface
public interface RegistrationListener {

  /** Told of one event. */
  void on(RegistrationEvent event);
}

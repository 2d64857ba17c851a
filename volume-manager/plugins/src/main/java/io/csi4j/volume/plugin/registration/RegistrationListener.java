package io.csi4j.volume.plugin.registration;

/**
 * A listener who is told what happens to registrars. Events come in order, one at a time and under
 * no lock; a listener that throws does no harm.
 */
@FunctionalInterface
public interface RegistrationListener {

  /** Told of one event. */
  void on(RegistrationEvent event);
}

package io.csi4j.volume.plugin.registration;

/**
 * A listener who is told what happens to registrars. Events come in order, one at a time and under
 * no lock; a listener that throws or blocks does no harm, and it may close the watch. Of more than
 * 10 000 events that wait for it the oldest are dropped, and the log says how many.
 *
 * @since 1.0
 */
@FunctionalInterface
public interface RegistrationListener {

  /** Told of one event. */
  void on(RegistrationEvent event);
}

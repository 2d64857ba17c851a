package io.csi4j.volume.plugin.registration;

import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.plugin.PluginRegistration;
import java.nio.file.Path;

/**
 * Something that happened to a socket of a registrar.
 *
 * @since 1.0
 */
public sealed interface RegistrationEvent {

  /** The socket of the registrar, or the directory if it is about all of them. */
  Path socket();

  /**
   * An announced plugin was registered, or is supervised and registered while it is ready.
   *
   * @param announcement the announcement
   * @param registration the registration
   * @param update whether the same socket had registered that plugin before
   */
  record Registered(Announcement announcement, PluginRegistration registration, boolean update)
      implements RegistrationEvent {
    @Override
    public Path socket() {
      return announcement.socket();
    }
  }

  /**
   * An announced plugin is registered no more: the socket is gone, or announces something else.
   *
   * @param announcement the announcement
   * @param registration the registration
   */
  record Deregistered(Announcement announcement, PluginRegistration registration)
      implements RegistrationEvent {
    @Override
    public Path socket() {
      return announcement.socket();
    }
  }

  /**
   * Something that an operator has to know: it was refused, or gives no answer, or was given up.
   *
   * @param socket where
   * @param message what
   */
  record Noticed(Path socket, OperatorMessage message) implements RegistrationEvent {}
}

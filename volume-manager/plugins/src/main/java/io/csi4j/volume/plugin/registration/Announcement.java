package io.csi4j.volume.plugin.registration;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PeerCredentials;
import io.csi4j.client.model.PluginName;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * A plugin that a registrar announces, fit to be registered.
 *
 * @param socket the socket of the registrar
 * @param announcer who listens there
 * @param name what the plugin is called
 * @param endpoint where it listens, as the registrar says; not looked at yet
 * @param versions the versions of CSI that it speaks; one of them is 1.x
 * @since 1.0
 */
public record Announcement(
    Path socket,
    PeerCredentials announcer,
    PluginName name,
    CsiEndpoint endpoint,
    List<String> versions) {

  /** Copies the versions. */
  public Announcement {
    Objects.requireNonNull(socket, "socket");
    Objects.requireNonNull(announcer, "announcer");
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(endpoint, "endpoint");
    versions = List.copyOf(versions);
  }
}

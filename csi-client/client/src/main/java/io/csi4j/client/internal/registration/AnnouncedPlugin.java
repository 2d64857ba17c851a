package io.csi4j.client.internal.registration;

import java.util.List;

/**
 * The announcement of a registrar as it was received: no text is escaped, cut or checked.
 *
 * @param type the kind of plugin
 * @param name the plugin's name
 * @param endpoint the path of the plugin's socket; may be empty
 * @param versions the interface versions that the plugin supports
 */
public record AnnouncedPlugin(String type, String name, String endpoint, List<String> versions) {

  /** Copies the versions. */
  public AnnouncedPlugin {
    versions = List.copyOf(versions);
  }
}

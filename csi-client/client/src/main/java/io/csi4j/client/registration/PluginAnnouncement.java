package io.csi4j.client.registration;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PluginName;
import java.util.List;
import java.util.Optional;

/**
 * The announcement of a registrar. Nothing of it is checked beyond its form: whether it can be used
 * is for the reader to decide. Texts are escaped and cut to 1 KiB, and fit to be shown.
 *
 * @since 1.0
 */
public sealed interface PluginAnnouncement permits AnnouncementValue {

  /** The type of plugins of CSI. */
  String CSI = "CSIPlugin";

  /** The most versions that are kept of one announcement. */
  int VERSIONS_LIMIT = 64;

  /** Returns the kind of plugin; {@link #CSI} for one of CSI. */
  String type();

  /** The name as it was announced. */
  String name();

  /** The name, if a plugin of CSI can have it. */
  Optional<PluginName> pluginName();

  /** The path of the plugin's socket as it was announced; may be empty. */
  String endpoint();

  /**
   * Where the plugin listens: on the announced path, or, where none was announced, on the socket of
   * the registrar itself. Nothing if what was announced is no absolute path.
   */
  Optional<CsiEndpoint> pluginEndpoint();

  /** The versions of its interface that the plugin speaks, at most {@link #VERSIONS_LIMIT}. */
  List<String> supportedVersions();
}

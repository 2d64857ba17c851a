package io.csi4j.client;

import io.csi4j.client.controller.ControllerService;
import io.csi4j.client.group.GroupControllerService;
import io.csi4j.client.identity.IdentityService;
import io.csi4j.client.metadata.SnapshotMetadataService;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.PeerCredentials;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.node.NodeService;
import java.util.Optional;

/**
 * A CSI plugin that this process is connected to.
 *
 * <p>The connection outlives restarts of the plugin: a call made after the socket is back finds its
 * way. What the plugin can do is read once for each time it is connected, and a call that it does
 * not offer is refused before it is sent. Safe for use by many threads.
 *
 * <pre>{@code
 * try (CsiPlugin plugin = CsiPlugin.connect(endpoint)) {
 *   if (plugin.controller().getCapabilities().offers(ControllerCapability.CREATE_DELETE_VOLUME)) {
 *     use.accept(plugin.controller().createVolume(request));
 *   }
 * }
 * }</pre>
 *
 * @since 1.0
 */
public interface CsiPlugin extends AutoCloseable {

  /** Connects with the default options. */
  static CsiPlugin connect(CsiEndpoint endpoint) {
    return connect(endpoint, ConnectOptions.defaults());
  }

  /**
   * Connects, and waits until the plugin says that it is ready, unless the options do without that.
   * A socket that is not there yet is waited for; what waiting cannot mend fails at once.
   *
   * @throws io.csi4j.client.model.CsiConnectException if that does not come about within the
   *     deadline of the options, saying what stood in the way
   */
  static CsiPlugin connect(CsiEndpoint endpoint, ConnectOptions options) {
    return CsiConnection.to(endpoint).connect(options);
  }

  /** Where the plugin listens. */
  CsiEndpoint endpoint();

  /** The plugin's own name; nothing if it did not give a valid one when it was connected. */
  Optional<PluginName> name();

  /**
   * Returns the version that the plugin said it has when it was connected last; nothing if it said
   * none.
   */
  Optional<String> vendorVersion();

  /** Returns the process that listened on the socket when it was connected last. */
  PeerCredentials peer();

  /**
   * Grows whenever a connection to the plugin is made, and whenever one is lost. As long as it is
   * the same, the same process answers, and what it said it offers stands.
   */
  long connectionChanges();

  /** How calls travel on this connection; never {@link ConnectOptions.Transport#AUTO}. */
  ConnectOptions.Transport transport();

  /** Returns the identity service: the plugin's name, what it offers, whether it is ready. */
  IdentityService identity();

  /** Work that needs no particular node. */
  ControllerService controller();

  /** Work on the node where a volume is used. */
  NodeService node();

  /** Snapshots of several volumes at one moment. */
  GroupControllerService groupController();

  /** Which blocks a snapshot holds. */
  @Experimental
  SnapshotMetadataService snapshotMetadata();

  /**
   * Ends the connection. Calls still running fail with {@link
   * io.csi4j.client.model.CsiCancelledException}, reason {@code CLOSED}; what the plugin is working
   * on, it may go on with. Returns within the close timeout of the options; all threads of the
   * connection end. Doing it twice is harmless.
   */
  @Override
  void close();
}

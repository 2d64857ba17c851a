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
 * <p>The connection survives restarts of the plugin: a call made after the socket is back reaches
 * the new process. The capabilities of the plugin are read once for each connection to it, and a
 * call that the plugin does not offer is refused before it is sent. Safe for use by many threads.
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
   * Connects, and waits until the plugin reports that it is ready, unless the options skip that.
   * Waits for a socket that does not exist yet; fails at once for a problem that waiting cannot
   * fix.
   *
   * @throws io.csi4j.client.model.CsiConnectException if the plugin is not connected within the
   *     deadline of the options; the exception names the reason
   */
  static CsiPlugin connect(CsiEndpoint endpoint, ConnectOptions options) {
    return CsiConnection.to(endpoint).connect(options);
  }

  /** The endpoint on which the plugin listens. */
  CsiEndpoint endpoint();

  /**
   * The name that the plugin reported; empty if it reported no valid name when it was last
   * connected.
   */
  Optional<PluginName> name();

  /**
   * Returns the version that the plugin reported when it was last connected; empty if it reported
   * none.
   */
  Optional<String> vendorVersion();

  /** Returns the process that listened on the socket when the plugin was last connected. */
  PeerCredentials peer();

  /**
   * Returns a number that grows whenever a connection to the plugin is made, and whenever one is
   * lost. As long as the number stays the same, the same process answers, and its capabilities are
   * unchanged.
   */
  long connectionChanges();

  /** The transport of this connection; never {@link ConnectOptions.Transport#AUTO}. */
  ConnectOptions.Transport transport();

  /** Returns the identity service: the plugin's name, its capabilities, and whether it is ready. */
  IdentityService identity();

  /** Returns the controller service: calls that are not bound to a node. */
  ControllerService controller();

  /** Returns the node service: calls on the node where a volume is used. */
  NodeService node();

  /** Returns the group controller service: snapshots of several volumes taken at one moment. */
  GroupControllerService groupController();

  /** Returns the snapshot metadata service: the blocks that a snapshot contains. */
  @Experimental
  SnapshotMetadataService snapshotMetadata();

  /**
   * Ends the connection. Calls in flight fail with {@link
   * io.csi4j.client.model.CsiCancelledException}, reason {@code CLOSED}; the plugin may still
   * complete work that it has begun. Returns within the close timeout of the options; all threads
   * of the connection end. Closing again has no effect.
   */
  @Override
  void close();
}

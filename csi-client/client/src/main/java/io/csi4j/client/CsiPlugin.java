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
 * <p>A {@code CsiPlugin} survives restarts of the plugin: once the socket exists again, calls reach
 * the new process. The client reads the capabilities of the plugin once for each connection, and
 * refuses a call that the plugin does not offer before sending it. Safe for use by many threads.
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
   * Connects, and waits until the plugin reports that it is ready, unless the options disable this
   * wait. Also waits for a socket that does not exist yet. Fails immediately for a problem that
   * waiting cannot fix.
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
   * The name that the plugin reported when the client last connected; empty if it was not a valid
   * name.
   */
  Optional<PluginName> name();

  /**
   * Returns the version that the plugin reported when the client last connected; empty if it
   * reported no version.
   */
  Optional<String> vendorVersion();

  /** Returns the process that listened on the socket when the client last connected. */
  PeerCredentials peer();

  /**
   * Returns a number that grows whenever a connection to the plugin is made or lost. While the
   * number stays the same, the same process answers, and its capabilities are unchanged.
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

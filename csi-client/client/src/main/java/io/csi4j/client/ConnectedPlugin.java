package io.csi4j.client;

import io.csi4j.client.controller.ControllerService;
import io.csi4j.client.group.GroupControllerService;
import io.csi4j.client.identity.IdentityService;
import io.csi4j.client.internal.CallPath;
import io.csi4j.client.internal.ControllerClient;
import io.csi4j.client.internal.GroupControllerClient;
import io.csi4j.client.internal.IdentityClient;
import io.csi4j.client.internal.Introduction;
import io.csi4j.client.internal.NodeClient;
import io.csi4j.client.internal.ServiceCalls;
import io.csi4j.client.internal.SnapshotMetadataClient;
import io.csi4j.client.internal.transport.Connection;
import io.csi4j.client.metadata.SnapshotMetadataService;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PeerCredentials;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.node.NodeService;
import java.time.Duration;
import java.util.Optional;

/** A plugin behind a connection. */
final class ConnectedPlugin implements CsiPlugin {

  private final CsiEndpoint endpoint;
  private final Connection connection;
  private final CallPath path;
  private final ServiceCalls calls;

  private ConnectedPlugin(CsiEndpoint endpoint, Connection connection, CallPath path) {
    this.endpoint = endpoint;
    this.connection = connection;
    this.path = path;
    this.calls = new ServiceCalls(path);
  }

  /** See {@link CsiPlugin#connect(CsiEndpoint, ConnectOptions)}. */
  public static CsiPlugin connect(CsiEndpoint endpoint, ConnectOptions options) {
    long began = System.nanoTime();
    Connection connection = Connection.open(endpoint, options, options.deadline());
    CallPath path = CallPath.over(endpoint, options, connection);
    ConnectedPlugin plugin = new ConnectedPlugin(endpoint, connection, path);
    try {
      Duration left = options.deadline().minusNanos(System.nanoTime() - began);
      new Introduction(path, connection, left).complete();
      return plugin;
    } catch (RuntimeException | Error failed) {
      plugin.close();
      throw failed;
    }
  }

  @Override
  public CsiEndpoint endpoint() {
    return endpoint;
  }

  @Override
  public Optional<PluginName> name() {
    return path.name();
  }

  @Override
  public PeerCredentials peer() {
    return connection.peer();
  }

  @Override
  public ConnectOptions.Transport transport() {
    return connection.transport();
  }

  // A face is made when it is asked for: the messages of a service are hundreds of classes, which a
  // host that never calls it should not have to load.

  @Override
  public IdentityService identity() {
    return new IdentityClient(calls);
  }

  @Override
  public ControllerService controller() {
    return new ControllerClient(calls);
  }

  @Override
  public NodeService node() {
    return new NodeClient(calls);
  }

  @Override
  public GroupControllerService groupController() {
    return new GroupControllerClient(calls);
  }

  @Override
  public SnapshotMetadataService snapshotMetadata() {
    return new SnapshotMetadataClient(calls);
  }

  @Override
  public void close() {
    path.close();
    connection.close();
    path.forget();
  }

  @Override
  public String toString() {
    return "CsiPlugin["
        + path.name().map(PluginName::value).orElse("unnamed")
        + " at "
        + endpoint
        + "]";
  }
}

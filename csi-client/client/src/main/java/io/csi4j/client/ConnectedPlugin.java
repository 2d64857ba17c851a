package io.csi4j.client;

import io.csi4j.client.controller.ControllerService;
import io.csi4j.client.group.GroupControllerService;
import io.csi4j.client.identity.IdentityService;
import io.csi4j.client.internal.CallPath;
import io.csi4j.client.internal.ControllerClient;
import io.csi4j.client.internal.GroupControllerClient;
import io.csi4j.client.internal.IdentityClient;
import io.csi4j.client.internal.Introduction;
import io.csi4j.client.internal.MessageClient;
import io.csi4j.client.internal.NodeClient;
import io.csi4j.client.internal.ServiceCalls;
import io.csi4j.client.internal.SnapshotMetadataClient;
import io.csi4j.client.internal.message.MessageCalls;
import io.csi4j.client.internal.transport.Connection;
import io.csi4j.client.metadata.SnapshotMetadataService;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PeerCredentials;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.node.NodeService;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** A plugin whose connection may be shared with other users of the plugin. */
final class ConnectedPlugin implements CsiPlugin, MessageCalls.Source {

  private final CsiConnection shared;
  private final Connection connection;
  private final CallPath path;
  private final ServiceCalls calls;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Ends the notification of the listeners about the connection. */
  private volatile Runnable untold = () -> {};

  private ConnectedPlugin(CsiConnection shared, Connection connection, CallPath path) {
    this.shared = shared;
    this.connection = connection;
    this.path = path;
    this.calls = new ServiceCalls(path);
  }

  /** See {@link CsiConnection#connect(ConnectOptions)}. Closes the connection if that fails. */
  static CsiPlugin over(
      CsiConnection shared, Connection connection, ConnectOptions options, Duration limit) {
    CallPath path = CallPath.over(shared.endpoint(), options, connection);
    ConnectedPlugin plugin = new ConnectedPlugin(shared, connection, path);
    try {
      new Introduction(path, connection, limit).complete();
      plugin.untold = path.tellOf(connection);
      return plugin;
    } catch (RuntimeException | Error failed) {
      plugin.close();
      throw failed;
    }
  }

  @Override
  public CsiEndpoint endpoint() {
    return shared.endpoint();
  }

  @Override
  public Optional<PluginName> name() {
    return path.name();
  }

  @Override
  public Optional<String> vendorVersion() {
    return path.vendorVersion();
  }

  @Override
  public PeerCredentials peer() {
    return connection.peer();
  }

  @Override
  public long connectionChanges() {
    return connection.generation();
  }

  @Override
  public ConnectOptions.Transport transport() {
    return connection.transport();
  }

  // Each service object is created on first use. The messages of a service need hundreds of
  // classes, and a host that never calls the service should not load them.

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
  public MessageCalls messages() {
    return new MessageClient(calls);
  }

  @Override
  public void close() {
    if (closed.getAndSet(true)) {
      return;
    }
    untold.run();
    path.close();
    if (shared.leave(connection)) {
      connection.close();
    } else {
      path.endAttempts();
      connection.settle();
    }
    path.forget();
  }

  @Override
  public String toString() {
    return "CsiPlugin["
        + path.name().map(PluginName::value).orElse("unnamed")
        + " at "
        + endpoint()
        + "]";
  }
}

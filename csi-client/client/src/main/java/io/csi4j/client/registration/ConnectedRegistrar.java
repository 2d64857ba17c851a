package io.csi4j.client.registration;

import io.csi4j.client.internal.BlockingWait;
import io.csi4j.client.internal.registration.AnnouncedPlugin;
import io.csi4j.client.internal.registration.RegistrarWire;
import io.csi4j.client.internal.registration.WireEnd;
import io.csi4j.client.internal.transport.Connection;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PeerCredentials;
import io.csi4j.client.registration.RegistrarException.Call;
import io.csi4j.client.registration.RegistrarException.Reason;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A registrar to which this process is connected. */
final class ConnectedRegistrar implements PluginRegistrar {

  private final CsiEndpoint socket;
  private final ConnectOptions options;
  private final Connection connection;
  private final RegistrarWire wire;
  private final Set<RegistrarExchange<?, ?>> open = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  private ConnectedRegistrar(CsiEndpoint socket, ConnectOptions options, Connection connection) {
    this.socket = socket;
    this.options = options;
    this.connection = connection;
    this.wire = new RegistrarWire(connection, options);
  }

  /** See {@link PluginRegistrar#connect(CsiEndpoint, ConnectOptions)}. */
  public static PluginRegistrar connect(CsiEndpoint socket, ConnectOptions options) {
    return new ConnectedRegistrar(
        socket, options, Connection.open(socket, options, options.deadline()));
  }

  @Override
  public CsiEndpoint socket() {
    return socket;
  }

  @Override
  public PeerCredentials peer() {
    return connection.peer();
  }

  @Override
  public PluginRegistrar.Announcement info() {
    RegistrarExchange<AnnouncedPlugin, PluginRegistrar.Announcement> call = infoCall();
    return BlockingWait.on(call.result(), () -> call.end(Reason.INTERRUPTED));
  }

  @Override
  public void tell(PluginRegistrar.Outcome outcome) {
    RegistrarExchange<Object, @Nullable Void> call = tellCall(outcome);
    BlockingWait.on(call.result(), () -> call.end(Reason.INTERRUPTED));
  }

  @Override
  public PluginRegistrar.Async async() {
    return new NotBlocking(this);
  }

  private RegistrarExchange<AnnouncedPlugin, PluginRegistrar.Announcement> infoCall() {
    return begin(
        Call.GET_INFO, wire::info, plugin -> RegistrationMapping.announcement(socket, plugin));
  }

  private RegistrarExchange<Object, @Nullable Void> tellCall(PluginRegistrar.Outcome outcome) {
    return this.<Object, @Nullable Void>begin(
        Call.NOTIFY_REGISTRATION_STATUS,
        end -> wire.tell(outcome.registered(), outcome.error(), end),
        answer -> null);
  }

  private <A, R extends @Nullable Object> RegistrarExchange<A, R> begin(
      Call kind, Function<WireEnd<A>, Runnable> sender, Function<A, R> reader) {
    RegistrarExchange<A, R> call =
        new RegistrarExchange<>(socket, options, connection, kind, reader);
    open.add(call);
    var unused = call.result().whenComplete((value, thrown) -> open.remove(call));
    if (closed) {
      call.end(Reason.CLOSED);
    }
    call.send(sender);
    return call;
  }

  @Override
  public void close() {
    closed = true;
    open.forEach(call -> call.end(Reason.CLOSED));
    connection.close();
  }

  @Override
  public String toString() {
    return "PluginRegistrar[" + socket + "]";
  }

  /** The non-blocking form of the calls. */
  private record NotBlocking(ConnectedRegistrar registrar) implements PluginRegistrar.Async {

    @Override
    public CompletionStage<PluginRegistrar.Announcement> info() {
      return registrar.infoCall().result();
    }

    @Override
    public CompletionStage<@Nullable Void> tell(PluginRegistrar.Outcome outcome) {
      return registrar.tellCall(outcome).result();
    }
  }
}

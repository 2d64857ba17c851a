package io.csi4j.client.registration;

import com.google.protobuf.Message;
import io.csi4j.client.internal.BlockingWait;
import io.csi4j.client.internal.proto.InfoRequest;
import io.csi4j.client.internal.proto.PluginInfo;
import io.csi4j.client.internal.proto.RegistrationGrpc;
import io.csi4j.client.internal.proto.RegistrationStatus;
import io.csi4j.client.internal.proto.RegistrationStatusResponse;
import io.csi4j.client.internal.transport.Connection;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PeerCredentials;
import io.csi4j.client.registration.RegistrarException.Call;
import io.csi4j.client.registration.RegistrarException.Reason;
import io.grpc.MethodDescriptor;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A registrar behind a connection. */
final class ConnectedRegistrar implements PluginRegistrar {

  private final CsiEndpoint socket;
  private final ConnectOptions options;
  private final Connection connection;
  private final Set<RegistrarExchange<?, ?>> open = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  private ConnectedRegistrar(CsiEndpoint socket, ConnectOptions options, Connection connection) {
    this.socket = socket;
    this.options = options;
    this.connection = connection;
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
  public PluginAnnouncement info() {
    RegistrarExchange<PluginInfo, PluginAnnouncement> call = infoCall();
    return BlockingWait.on(call.result(), () -> call.end(Reason.INTERRUPTED));
  }

  @Override
  public void tell(RegistrationOutcome outcome) {
    RegistrarExchange<RegistrationStatusResponse, @Nullable Void> call = tellCall(outcome);
    BlockingWait.on(call.result(), () -> call.end(Reason.INTERRUPTED));
  }

  @Override
  public PluginRegistrar.Async async() {
    return new NotBlocking(this);
  }

  private RegistrarExchange<PluginInfo, PluginAnnouncement> infoCall() {
    return begin(
        Call.GET_INFO,
        RegistrationGrpc.getGetInfoMethod(),
        InfoRequest.getDefaultInstance(),
        info -> RegistrationMapping.announcement(socket, info));
  }

  private RegistrarExchange<RegistrationStatusResponse, @Nullable Void> tellCall(
      RegistrationOutcome outcome) {
    return this.<RegistrationStatus, RegistrationStatusResponse, @Nullable Void>begin(
        Call.NOTIFY_REGISTRATION_STATUS,
        RegistrationGrpc.getNotifyRegistrationStatusMethod(),
        RegistrationMapping.status(outcome),
        response -> null);
  }

  private <Q extends Message, A extends Message, R extends @Nullable Object>
      RegistrarExchange<A, R> begin(
          Call kind, MethodDescriptor<Q, A> method, Q request, Function<A, R> reader) {
    RegistrarExchange<A, R> call = new RegistrarExchange<>(socket, options, connection, kind);
    open.add(call);
    var unused = call.result().whenComplete((value, thrown) -> open.remove(call));
    if (closed) {
      call.end(Reason.CLOSED);
    }
    call.send(method, request, reader);
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

  /** The same calls, not blocking. */
  private record NotBlocking(ConnectedRegistrar registrar) implements PluginRegistrar.Async {

    @Override
    public CompletionStage<PluginAnnouncement> info() {
      return registrar.infoCall().result();
    }

    @Override
    public CompletionStage<@Nullable Void> tell(RegistrationOutcome outcome) {
      return registrar.tellCall(outcome).result();
    }
  }
}

package io.csi4j.client.internal;

import io.grpc.CallCredentials;
import io.grpc.ClientStreamTracer;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Stops a request that was assigned to the connection of another plugin than the intended one.
 *
 * <p>gRPC asks for the credentials of a call after it has assigned a connection and before it
 * writes a byte, and a call that fails there is not sent. No credentials are sent.
 */
final class ConnectionGuard extends CallCredentials {

  static final ConnectionGuard INSTANCE = new ConnectionGuard();

  private static final Metadata NO_CREDENTIALS = new Metadata();
  private static final Status REPLACED =
      Status.UNAVAILABLE.withDescription("the connection was replaced before the request was sent");

  private ConnectionGuard() {}

  @Override
  public void applyRequestMetadata(RequestInfo call, Executor executor, MetadataApplier applier) {
    if (mayGo(call.getCallOptions().getStreamTracerFactories())) {
      applier.apply(NO_CREDENTIALS);
    } else {
      applier.fail(REPLACED);
    }
  }

  private static boolean mayGo(List<ClientStreamTracer.Factory> factories) {
    for (int i = 0; i < factories.size(); i++) {
      if (factories.get(i) instanceof CallAttempt.Origin origin) {
        return origin.mayGo();
      }
    }
    return true;
  }
}

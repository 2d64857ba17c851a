package io.csi4j.client.internal;

import io.grpc.CallCredentials;
import io.grpc.ClientStreamTracer;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Stops a request that gRPC assigned to a connection with another plugin than the intended plugin.
 *
 * <p>gRPC asks this class for the credentials of a call after assigning a connection and before
 * writing a byte. If the class reports a failure, the call is not sent. No credentials are ever
 * sent.
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

package io.csi4j.client.internal;

import com.google.protobuf.Message;
import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CsiOperation;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The call path as one service face sees it: with the changes of policy that the face was given.
 *
 * @param path the way of all calls
 * @param change what this face changes about the policies of the connection
 */
public record ServiceCalls(CallPath path, UnaryOperator<CallPolicy> change) {

  /** Without changes. */
  public ServiceCalls(CallPath path) {
    this(path, UnaryOperator.identity());
  }

  /** Waits for the result. */
  <T, Q extends Message, A extends Message, R extends @Nullable Object> R blocking(
      UnaryRpc<T, Q, A, R> rpc, T request) {
    return path.blocking(rpc, request, policy(rpc.operation()));
  }

  /** The result to come. */
  public <T, Q extends Message, A extends Message, R extends @Nullable Object>
      CompletionStage<R> async(UnaryRpc<T, Q, A, R> rpc, T request) {
    return path.async(rpc, request, policy(rpc.operation()));
  }

  /** The policy of {@code operation} on this face. */
  CallPolicy policy(CsiOperation operation) {
    return change.apply(path.options().policy(operation));
  }

  /** With a further change on top. */
  ServiceCalls with(UnaryOperator<CallPolicy.Builder> further) {
    return new ServiceCalls(path, policy -> change.apply(policy).with(further));
  }
}

package io.csi4j.client.internal;

import com.google.protobuf.Message;
import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CsiOperation;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The call path of one service object, with the policy changes of this object.
 *
 * @param path the path of all calls
 * @param change the changes of this service object to the policies of the connection
 */
public record ServiceCalls(CallPath path, UnaryOperator<CallPolicy> change) {

  /** Creates calls without policy changes. */
  public ServiceCalls(CallPath path) {
    this(path, UnaryOperator.identity());
  }

  /** Makes a call and waits for its result. */
  <T, Q extends Message, A extends Message, R extends @Nullable Object> R blocking(
      UnaryRpc<T, Q, A, R> rpc, T request) {
    return path.blocking(rpc, request, policy(rpc.operation()));
  }

  /** Begins a call and returns its future result. */
  public <T, Q extends Message, A extends Message, R extends @Nullable Object>
      CompletionStage<R> async(UnaryRpc<T, Q, A, R> rpc, T request) {
    return path.async(rpc, request, policy(rpc.operation()));
  }

  /** Returns the policy of {@code operation} for this service object. */
  CallPolicy policy(CsiOperation operation) {
    return change.apply(path.options().policy(operation));
  }

  /** Returns a copy of this object with a further change of the policy. */
  ServiceCalls with(UnaryOperator<CallPolicy.Builder> further) {
    return new ServiceCalls(path, policy -> change.apply(policy).with(further));
  }
}

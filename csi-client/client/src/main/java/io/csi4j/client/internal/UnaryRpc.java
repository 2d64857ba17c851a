package io.csi4j.client.internal;

import com.google.protobuf.Message;
import io.csi4j.client.internal.mapping.AnswerFindings;
import io.csi4j.client.model.CsiOperation;
import io.grpc.MethodDescriptor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A unary call of CSI, with the functions that convert its request into a message and its answer
 * into a result.
 *
 * @param operation the call
 * @param method the generated method
 * @param toProto converts the request into a message
 * @param reader checks the answer and converts it into a result
 * @param <T> the request
 * @param <Q> its message
 * @param <A> the answer's message
 * @param <R> the result
 */
record UnaryRpc<T, Q extends Message, A extends Message, R extends @Nullable Object>(
    CsiOperation operation,
    MethodDescriptor<Q, A> method,
    Function<T, Q> toProto,
    Reader<? super Q, ? super A, R> reader) {

  private static final Reader<Message, Message, @Nullable Void> NOTHING =
      new Reader<Message, Message, @Nullable Void>() {
        @Override
        public @Nullable Void read(Message request, Message answer, AnswerFindings findings) {
          return null;
        }
      };

  /** Converts an answer into a result. */
  @FunctionalInterface
  interface Reader<Q, A, R extends @Nullable Object> {
    /** Returns the result; faults of the answer are added to {@code findings}. */
    R read(Q request, A answer, AnswerFindings findings);
  }

  /** Returns a call whose answer has no content. */
  static <T, Q extends Message, A extends Message> UnaryRpc<T, Q, A, @Nullable Void> withoutResult(
      CsiOperation operation, MethodDescriptor<Q, A> method, Function<T, Q> toProto) {
    return new UnaryRpc<T, Q, A, @Nullable Void>(operation, method, toProto, NOTHING);
  }

  /** Returns whether an answer has content. */
  boolean hasResult() {
    return reader != NOTHING;
  }
}

package io.csi4j.client.internal;

import com.google.protobuf.Message;
import io.csi4j.client.internal.mapping.AnswerFindings;
import io.csi4j.client.model.CsiOperation;
import io.grpc.MethodDescriptor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One unary call of CSI, bound to its values: how a request becomes a message, and how an answer
 * becomes a result.
 *
 * @param operation which call
 * @param method its generated method
 * @param toProto makes the message from the request
 * @param reader makes the result from the answer, and checks it
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

  /** Makes a result from an answer. */
  @FunctionalInterface
  interface Reader<Q, A, R extends @Nullable Object> {
    /** The result; what is wrong with the answer goes to {@code findings}. */
    R read(Q request, A answer, AnswerFindings findings);
  }

  /** A call whose answer says nothing but that it is done. */
  static <T, Q extends Message, A extends Message> UnaryRpc<T, Q, A, @Nullable Void> withoutResult(
      CsiOperation operation, MethodDescriptor<Q, A> method, Function<T, Q> toProto) {
    return new UnaryRpc<T, Q, A, @Nullable Void>(operation, method, toProto, NOTHING);
  }

  /** Whether an answer says more than that it is done. */
  boolean hasResult() {
    return reader != NOTHING;
  }
}

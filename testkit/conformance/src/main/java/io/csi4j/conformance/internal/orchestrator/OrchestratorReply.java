package io.csi4j.conformance.internal.orchestrator;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The result of one request to an orchestrator.
 *
 * @param value the answer, if the request succeeded
 * @param failure the exception, if the request failed
 * @param <T> the type of the answer
 */
record OrchestratorReply<T>(Optional<T> value, Optional<Throwable> failure) {

  static <T> OrchestratorReply<T> done(T value) {
    return new OrchestratorReply<>(Optional.of(value), Optional.empty());
  }

  static <T> OrchestratorReply<T> failed(@Nullable Throwable failure) {
    return new OrchestratorReply<>(
        Optional.empty(),
        Optional.of(failure == null ? new IllegalStateException("no cause") : failure));
  }
}

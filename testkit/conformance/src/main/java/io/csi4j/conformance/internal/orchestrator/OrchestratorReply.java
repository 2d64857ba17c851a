package io.csi4j.conformance.internal.orchestrator;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What came of asking an orchestrator for something once.
 *
 * @param value what it answered, if it did
 * @param failure what it threw, if it did
 * @param <T> what it answers with
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

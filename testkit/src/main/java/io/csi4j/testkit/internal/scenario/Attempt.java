package io.csi4j.testkit.internal.scenario;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What came of asking an orchestrator for something once.
 *
 * @param value what it answered, if it did
 * @param failure what it threw, if it did
 * @param <T> what it answers with
 */
record Attempt<T>(Optional<T> value, Optional<Throwable> failure) {

  static <T> Attempt<T> done(T value) {
    return new Attempt<>(Optional.of(value), Optional.empty());
  }

  static <T> Attempt<T> failed(@Nullable Throwable failure) {
    return new Attempt<>(
        Optional.empty(),
        Optional.of(failure == null ? new IllegalStateException("no cause") : failure));
  }
}

package io.csi4j.benchmarks.calls;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A client that makes calls. */
interface Caller {

  /** Makes one call and waits for the answer. */
  void call(Operation operation);

  /** Begins one call; {@code then} is called at its end, with the failure if there was one. */
  void begin(Operation operation, Consumer<@Nullable Throwable> then);
}

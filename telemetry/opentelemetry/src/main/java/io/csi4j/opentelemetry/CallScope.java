package io.csi4j.opentelemetry;

import io.csi4j.volume.model.WorkContext;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;

/** Makes the span of a call current while the call is sent. */
final class CallScope {

  private CallScope() {}

  @SuppressWarnings("try") // The scope is only closed, not used otherwise.
  static WorkContext of(Span call) {
    Context context = Context.root().with(call);
    return work -> {
      try (Scope unused = context.makeCurrent()) {
        work.run();
      }
    };
  }
}

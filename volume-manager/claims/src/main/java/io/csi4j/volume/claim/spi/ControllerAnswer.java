package io.csi4j.volume.claim.spi;

import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.model.ReasonText;
import java.util.Objects;
import java.util.Optional;

/**
 * The answer of the storage system.
 *
 * @since 1.0
 */
public sealed interface ControllerAnswer {

  /**
   * The volume is attached.
   *
   * @param context the context that the node needs to use the volume
   */
  record Attached(PublishContext context) implements ControllerAnswer {

    /** Checks that the context is present. */
    public Attached {
      Objects.requireNonNull(context, "context");
    }
  }

  /** The volume is detached. */
  record Detached() implements ControllerAnswer {}

  /** The storage system was not called, because the guard refused. */
  record NotSent() implements ControllerAnswer {}

  /**
   * The controller did not confirm the call.
   *
   * @param code the status of the call
   * @param outcome whether the controller may have done the work, or may still be doing it
   * @param because the reason, as a clause for display
   * @param failure all known details, if a call was made
   */
  record Failed(StatusCode code, Outcome outcome, ReasonText because, Optional<CsiFailure> failure)
      implements ControllerAnswer {

    /** Checks that all parts are present. */
    public Failed {
      Objects.requireNonNull(code, "code");
      Objects.requireNonNull(outcome, "outcome");
      Objects.requireNonNull(because, "because");
      Objects.requireNonNull(failure, "failure");
    }

    /** Returns the answer for a failed call to a plugin. */
    public static Failed of(CsiFailure failure) {
      return new Failed(
          failure.code(), failure.outcome(), new ReasonText(failure.why()), Optional.of(failure));
    }
  }
}

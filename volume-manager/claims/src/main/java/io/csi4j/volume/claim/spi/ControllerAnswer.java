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
   * @param context the context that the node needs to use it
   */
  record Attached(PublishContext context) implements ControllerAnswer {

    /** Checks that it is there. */
    public Attached {
      Objects.requireNonNull(context, "context");
    }
  }

  /** The volume is detached. */
  record Detached() implements ControllerAnswer {}

  /** The storage system was not asked, as the guard was against it. */
  record NotSent() implements ControllerAnswer {}

  /**
   * The controller did not say that it did it.
   *
   * @param code how the call ended
   * @param outcome whether it may have done it, or may still be at it
   * @param because why, as a clause for people
   * @param failure all that is known about it, where a call was made
   */
  record Failed(StatusCode code, Outcome outcome, ReasonText because, Optional<CsiFailure> failure)
      implements ControllerAnswer {

    /** Checks that all parts are there. */
    public Failed {
      Objects.requireNonNull(code, "code");
      Objects.requireNonNull(outcome, "outcome");
      Objects.requireNonNull(because, "because");
      Objects.requireNonNull(failure, "failure");
    }

    /** A call to a plugin that failed. */
    public static Failed of(CsiFailure failure) {
      return new Failed(
          failure.code(), failure.outcome(), new ReasonText(failure.why()), Optional.of(failure));
    }
  }
}

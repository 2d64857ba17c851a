package io.csi4j.volume.claim.spi;

import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.model.ReasonText;
import java.util.Objects;
import java.util.Optional;

/**
 * The answer of a storage controller to a request to attach or detach a volume.
 *
 * @since 1.0
 */
public sealed interface ControllerAnswer {

  /**
   * The volume is attached.
   *
   * @param context the publish context that the node needs to use the volume
   */
  record Attached(PublishContext context) implements ControllerAnswer {

    /** Checks that the context is present. */
    public Attached {
      Objects.requireNonNull(context, "context");
    }
  }

  /** The volume is detached. */
  record Detached() implements ControllerAnswer {}

  /** The storage system was not called, because the guard of the request refused the call. */
  record NotSent() implements ControllerAnswer {}

  /**
   * The storage system did not confirm that it attached or detached the volume.
   *
   * @param code the status of the call
   * @param outcome whether the storage system may nevertheless have attached or detached the
   *     volume, or may still be doing so
   * @param because the reason, as a clause for display
   * @param failure all known details of the failed call, if a call was made
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

    /** Returns the answer that describes a failed call to a plugin. */
    public static Failed of(CsiFailure failure) {
      return new Failed(
          failure.code(), failure.outcome(), new ReasonText(failure.why()), Optional.of(failure));
    }
  }
}

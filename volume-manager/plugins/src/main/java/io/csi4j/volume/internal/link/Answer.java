package io.csi4j.volume.internal.link;

import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.StatusCode;
import java.util.Optional;

/** How one call to a plugin ended. */
public sealed interface Answer {

  /**
   * The plugin said OK.
   *
   * @param value what else it said, if the call has a result
   */
  record Ok(Optional<Object> value) implements Answer {}

  /**
   * The call failed: with an answer of the plugin, or without one.
   *
   * @param code the status
   * @param sent whether the plugin may have got it; false only when it certainly did not
   * @param text what it says to people: one line, without secrets
   * @param cause the exception, where there is one
   */
  record Failed(StatusCode code, boolean sent, String text, Optional<CsiException> cause)
      implements Answer {}

  /** OK, and nothing else. */
  static Answer ok() {
    return new Ok(Optional.empty());
  }
}

package io.csi4j.client.internal;

import io.csi4j.client.model.CsiCancelledException;

/** An operation in progress that the host can end. */
@FunctionalInterface
interface Endable {

  /** Ends the operation; ending it again has no effect. */
  void end(CsiCancelledException.Reason reason);
}

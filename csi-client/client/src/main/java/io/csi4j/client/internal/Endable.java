package io.csi4j.client.internal;

import io.csi4j.client.model.CsiCancelledException;

/** Something under way that the host can end. */
@FunctionalInterface
interface Endable {

  /** Ends it; ending it again does nothing. */
  void end(CsiCancelledException.Reason reason);
}

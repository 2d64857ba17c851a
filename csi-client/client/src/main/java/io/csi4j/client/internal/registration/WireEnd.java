package io.csi4j.client.internal.registration;

/**
 * The receiver of the end of one call. Exactly one of the methods is called, once, on a callback
 * thread of the connection, or on the caller's thread if the connection is already closed.
 */
public interface WireEnd<A> {

  /** The registrar answered. */
  void answered(A answer);

  /** The call failed. */
  void failed(WireFailure failure);
}

package io.csi4j.volume.internal.record;

import io.csi4j.client.model.CsiOperation;

/** The four calls that make a volume come and go. */
public enum Verb {
  /** Makes it usable on the node. */
  STAGE(CsiOperation.NODE_STAGE_VOLUME),
  /** Makes it appear for a workload. */
  PUBLISH(CsiOperation.NODE_PUBLISH_VOLUME),
  /** Takes it away from a workload. */
  UNPUBLISH(CsiOperation.NODE_UNPUBLISH_VOLUME),
  /** Takes it away from the node. */
  UNSTAGE(CsiOperation.NODE_UNSTAGE_VOLUME);

  private final CsiOperation operation;

  Verb(CsiOperation operation) {
    this.operation = operation;
  }

  /** The call of the spec. */
  public CsiOperation operation() {
    return operation;
  }

  /** Whether it takes something, rather than giving it back. */
  public boolean isForward() {
    return this == STAGE || this == PUBLISH;
  }
}

package io.csi4j.volume.internal.record;

import io.csi4j.client.model.CsiOperation;

/** The four calls to a plugin that mount and release a volume. */
public enum Verb {
  /** Prepares a volume on the node. */
  STAGE(CsiOperation.NODE_STAGE_VOLUME),
  /** Mounts a volume for a workload. */
  PUBLISH(CsiOperation.NODE_PUBLISH_VOLUME),
  /** Unmounts a volume for a workload. */
  UNPUBLISH(CsiOperation.NODE_UNPUBLISH_VOLUME),
  /** Releases a volume on the node. */
  UNSTAGE(CsiOperation.NODE_UNSTAGE_VOLUME);

  private final CsiOperation operation;

  Verb(CsiOperation operation) {
    this.operation = operation;
  }

  /** Returns the call of the spec. */
  public CsiOperation operation() {
    return operation;
  }

  /** Returns whether the call mounts a volume. The other calls release it. */
  public boolean isForward() {
    return this == STAGE || this == PUBLISH;
  }
}

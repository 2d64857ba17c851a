package io.csi4j.client.controller;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.SnapshotId;

/**
 * Asks for the current state of one snapshot.
 *
 * <p>Requests with equal values are equal. The text form of a request contains no secrets.
 *
 * @since 1.0
 */
@Experimental
public sealed interface GetSnapshotRequest {

  /** The snapshot. */
  SnapshotId snapshotId();

  /** The secrets that the plugin needs for this call. */
  Secrets secrets();

  /** Returns a builder with the required fields set. */
  static Builder builder(SnapshotId snapshotId) {
    return new Builder(snapshotId);
  }

  /** Collects the parts of a {@link GetSnapshotRequest}. */
  final class Builder {
    private final SnapshotId snapshotId;
    private Secrets secrets = Secrets.empty();

    private Builder(SnapshotId snapshotId) {
      this.snapshotId = snapshotId;
    }

    /** The secrets that the plugin needs for this call. */
    public Builder secrets(Secrets value) {
      secrets = value;
      return this;
    }

    /** Builds the request. */
    public GetSnapshotRequest build() {
      return new GetSnapshotValue(snapshotId, secrets);
    }

    private record GetSnapshotValue(SnapshotId snapshotId, Secrets secrets)
        implements GetSnapshotRequest {
      @Override
      public String toString() {
        return RecordText.of(this);
      }
    }
  }
}

package io.csi4j.client.node;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.Secrets;

/**
 * Asks for all problems of the storage behind the plugin, as seen from this node.
 *
 * <p>Requests with equal values are equal. The text form of a request contains no secrets.
 *
 * @since 1.0
 */
@Experimental
public sealed interface NodeGetStorageHealthRequest {

  /** The secrets that the plugin needs for this call. */
  Secrets secrets();

  /** Returns a builder with the required fields set. */
  static Builder builder() {
    return new Builder();
  }

  /** Collects the parts of a {@link NodeGetStorageHealthRequest}. */
  final class Builder {
    private Secrets secrets = Secrets.empty();

    private Builder() {}

    /** The secrets that the plugin needs for this call. */
    public Builder secrets(Secrets value) {
      secrets = value;
      return this;
    }

    /** Builds the request. */
    public NodeGetStorageHealthRequest build() {
      return new NodeGetStorageHealthValue(secrets);
    }

    private record NodeGetStorageHealthValue(Secrets secrets)
        implements NodeGetStorageHealthRequest {
      @Override
      public String toString() {
        return RecordText.of(this);
      }
    }
  }
}

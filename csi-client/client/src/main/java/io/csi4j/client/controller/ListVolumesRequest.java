package io.csi4j.client.controller;

import io.csi4j.client.internal.redaction.RecordText;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks for one page of the list of volumes.
 *
 * <p>Requests with equal values are equal. The text form of a request contains no secrets.
 *
 * @since 1.0
 */
public sealed interface ListVolumesRequest {

  /** Maximum number of entries of a page; zero for no limit. */
  int maxEntries();

  /** The token that the previous page returned, if set. The new page starts at this token. */
  Optional<String> startingToken();

  /** Returns a builder with the required fields set. */
  static Builder builder() {
    return new Builder();
  }

  /** Collects the parts of a {@link ListVolumesRequest}. */
  final class Builder {
    private int maxEntries;
    private @Nullable String startingToken;

    private Builder() {}

    /** Maximum number of entries of a page; zero for no limit. */
    public Builder maxEntries(int value) {
      maxEntries = value;
      return this;
    }

    /** The token that the previous page returned. The new page starts at this token. */
    public Builder startingToken(String value) {
      startingToken = value;
      return this;
    }

    /** Builds the request. */
    public ListVolumesRequest build() {
      return new ListVolumesValue(maxEntries, Optional.ofNullable(startingToken));
    }

    private record ListVolumesValue(int maxEntries, Optional<String> startingToken)
        implements ListVolumesRequest {
      @Override
      public String toString() {
        return RecordText.of(this);
      }
    }
  }
}

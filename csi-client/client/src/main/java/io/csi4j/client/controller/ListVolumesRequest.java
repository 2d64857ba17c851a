package io.csi4j.client.controller;

import io.csi4j.client.internal.redaction.RecordText;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks for one page of the volumes that the plugin knows.
 *
 * <p>Compares by value; its text form is free of secrets.
 *
 * @since 1.0
 */
public sealed interface ListVolumesRequest {

  /** How many entries a page may have; zero for no limit. */
  int maxEntries();

  /** Where to begin: the token that the page before gave, if stated. */
  Optional<String> startingToken();

  /** Begins a request with what it cannot do without. */
  static Builder builder() {
    return new Builder();
  }

  /** Collects the parts of a {@link ListVolumesRequest}. */
  final class Builder {
    private int maxEntries;
    private @Nullable String startingToken;

    private Builder() {}

    /** How many entries a page may have; zero for no limit. */
    public Builder maxEntries(int value) {
      maxEntries = value;
      return this;
    }

    /** Where to begin: the token that the page before gave. */
    public Builder startingToken(String value) {
      startingToken = value;
      return this;
    }

    /** The request. */
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

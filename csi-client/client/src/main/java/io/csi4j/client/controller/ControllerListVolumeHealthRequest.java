package io.csi4j.client.controller;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.Secrets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks for one page of the volumes with health problems.
 *
 * <p>Requests with equal values are equal. The text form of a request contains no secrets.
 *
 * @since 1.0
 */
@Experimental
public sealed interface ControllerListVolumeHealthRequest {

  /** Maximum number of entries of a page; zero for no limit. */
  int maxEntries();

  /** The token that the previous page returned, if set. The new page starts at this token. */
  Optional<String> startingToken();

  /** The secrets that the plugin needs for this call. */
  Secrets secrets();

  /** Returns a builder with the required fields set. */
  static Builder builder() {
    return new Builder();
  }

  /** Collects the parts of a {@link ControllerListVolumeHealthRequest}. */
  final class Builder {
    private int maxEntries;
    private @Nullable String startingToken;
    private Secrets secrets = Secrets.empty();

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

    /** The secrets that the plugin needs for this call. */
    public Builder secrets(Secrets value) {
      secrets = value;
      return this;
    }

    /** Builds the request. */
    public ControllerListVolumeHealthRequest build() {
      return new ControllerListVolumeHealthValue(
          maxEntries, Optional.ofNullable(startingToken), secrets);
    }

    private record ControllerListVolumeHealthValue(
        int maxEntries, Optional<String> startingToken, Secrets secrets)
        implements ControllerListVolumeHealthRequest {
      @Override
      public String toString() {
        return RecordText.of(this);
      }
    }
  }
}

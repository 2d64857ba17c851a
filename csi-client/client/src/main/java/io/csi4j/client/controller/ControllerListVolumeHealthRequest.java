package io.csi4j.client.controller;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.Secrets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks for one page of the volumes with health problems.
 *
 * <p>Compares by value; its text form is free of secrets.
 *
 * @since 1.0
 */
@Experimental
public sealed interface ControllerListVolumeHealthRequest {

  /** Maximum number of entries of a page; zero for no limit. */
  int maxEntries();

  /** Token returned with the previous page, if set; the listing starts there. */
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

    /** Token returned with the previous page; the listing starts there. */
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

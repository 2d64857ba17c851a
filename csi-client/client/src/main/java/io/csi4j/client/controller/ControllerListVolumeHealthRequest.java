package io.csi4j.client.controller;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.Secrets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks for one page of the volumes that are not well.
 *
 * <p>Compares by value; its text form is free of secrets.
 *
 * @since 1.0
 */
@Experimental
public sealed interface ControllerListVolumeHealthRequest {

  /** How many entries a page may have; zero for no limit. */
  int maxEntries();

  /** Where to begin: the token that the page before gave, if stated. */
  Optional<String> startingToken();

  /** The secrets that the plugin needs for this. */
  Secrets secrets();

  /** Begins a request with what it cannot do without. */
  static Builder builder() {
    return new Builder();
  }

  /** Collects the parts of a {@link ControllerListVolumeHealthRequest}. */
  final class Builder {
    private int maxEntries;
    private @Nullable String startingToken;
    private Secrets secrets = Secrets.empty();

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

    /** The secrets that the plugin needs for this. */
    public Builder secrets(Secrets value) {
      secrets = value;
      return this;
    }

    /** The request. */
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

package io.csi4j.volume.plugin.launch;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * How a {@link ProcessPluginLauncher} treats its process. Immutable; compares by value.
 *
 * @since 1.0
 */
public final class LaunchSettings {

  private static final LaunchSettings DEFAULTS = builder().build();

  private final Builder parts;

  private LaunchSettings(Builder parts) {
    if (parts.backoff.isNegative()
        || parts.backoff.isZero()
        || parts.backoffCap.compareTo(parts.backoff) < 0
        || parts.early.isNegative()
        || parts.stopping.isNegative()) {
      throw new IllegalArgumentException(
          "The pauses are not positive, or the longest is shorter than the first: "
              + parts.backoff
              + ", "
              + parts.backoffCap
              + ", "
              + parts.early
              + ", "
              + parts.stopping
              + ".");
    }
    if (parts.longestLine < 1 || parts.lastWords < 1) {
      throw new IllegalArgumentException("At least one byte of one line has to be kept.");
    }
    this.parts = parts.copy();
  }

  /** Returns settings that suit most plugins. */
  public static LaunchSettings defaults() {
    return DEFAULTS;
  }

  /** Begins with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Begins with these settings. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /** Returns the longest first pause before it is started again; it doubles each time. */
  public Duration backoff() {
    return parts.backoff;
  }

  /** Returns the longest pause. */
  public Duration backoffCap() {
    return parts.backoffCap;
  }

  /**
   * Returns the time after the start in which an end counts as a failure to start: with an error
   * status it is told, and the pauses grow; after a later end they begin again.
   */
  public Duration early() {
    return parts.early;
  }

  /** Returns how long it may take to end on its own before it is killed. */
  public Duration stopping() {
    return parts.stopping;
  }

  /** Returns how many bytes of a line of its output are kept. */
  public int longestLine() {
    return parts.longestLine;
  }

  /** Returns how many lines of its output are kept. */
  public int lastWords() {
    return parts.lastWords;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof LaunchSettings that && named().equals(that.named());
  }

  @Override
  public int hashCode() {
    return named().hashCode();
  }

  @Override
  public String toString() {
    return "LaunchSettings" + named();
  }

  private Map<String, Object> named() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("backoff", parts.backoff);
    all.put("backoffCap", parts.backoffCap);
    all.put("early", parts.early);
    all.put("stopping", parts.stopping);
    all.put("longestLine", parts.longestLine);
    all.put("lastWords", parts.lastWords);
    return all;
  }

  /** Collects the parts of a {@link LaunchSettings}. */
  public static final class Builder {
    private Duration backoff = Duration.ofSeconds(1);
    private Duration backoffCap = Duration.ofMinutes(1);
    private Duration early = Duration.ofSeconds(30);
    private Duration stopping = Duration.ofSeconds(10);
    private int longestLine = 4096;
    private int lastWords = 20;

    private Builder() {}

    private Builder copy() {
      Builder copy = new Builder();
      copy.backoff = backoff;
      copy.backoffCap = backoffCap;
      copy.early = early;
      copy.stopping = stopping;
      copy.longestLine = longestLine;
      copy.lastWords = lastWords;
      return copy;
    }

    /** Sets the longest first pause before it is started again. 1 s by default. */
    public Builder backoff(Duration value) {
      backoff = Objects.requireNonNull(value, "backoff");
      return this;
    }

    /** Sets the longest pause. 1 minute by default. */
    public Builder backoffCap(Duration value) {
      backoffCap = Objects.requireNonNull(value, "backoffCap");
      return this;
    }

    /**
     * Sets the time after the start in which an end counts as a failure to start. 30 s by default.
     */
    public Builder early(Duration value) {
      early = Objects.requireNonNull(value, "early");
      return this;
    }

    /** Limits how long it may take to end on its own before it is killed. 10 s by default. */
    public Builder stopping(Duration value) {
      stopping = Objects.requireNonNull(value, "stopping");
      return this;
    }

    /** Limits how many bytes of a line of its output are kept. 4096 by default. */
    public Builder longestLine(int value) {
      longestLine = value;
      return this;
    }

    /** Limits how many lines of its output are kept. 20 by default. */
    public Builder lastWords(int value) {
      lastWords = value;
      return this;
    }

    /**
     * Returns the settings.
     *
     * @throws IllegalArgumentException if a part makes no sense
     */
    public LaunchSettings build() {
      return new LaunchSettings(this);
    }
  }
}

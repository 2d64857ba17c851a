package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * All known details of a failed call; the content of a {@link CsiException}.
 *
 * @since 1.0
 */
public final class CsiFailure {

  private final Builder parts;

  private CsiFailure(Builder parts) {
    this.parts = parts.copy();
  }

  /** Returns a builder for a failure at {@code endpoint}. */
  public static Builder builder(CsiEndpoint endpoint, StatusCode code, Outcome outcome) {
    return new Builder(endpoint, code, outcome);
  }

  /** Returns a builder with the values of this failure. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /** The call that failed; empty if {@code CsiPlugin.connect} failed. */
  public Optional<CsiOperation> operation() {
    return Optional.ofNullable(parts.operation);
  }

  /** The status of the failed call. */
  public StatusCode code() {
    return parts.code;
  }

  /** Returns whether the plugin may have done the work. */
  public Outcome outcome() {
    return parts.outcome;
  }

  /** The name of the plugin, if it was known. */
  public Optional<PluginName> plugin() {
    return Optional.ofNullable(parts.plugin);
  }

  /** The endpoint of the plugin. */
  public CsiEndpoint endpoint() {
    return parts.endpoint;
  }

  /** The volume, snapshot or group of the call, escaped. */
  public Optional<String> subject() {
    return Optional.ofNullable(parts.subject);
  }

  /** The reason of the failure, as a clause. */
  public String why() {
    return parts.why;
  }

  /** Returns the next step, as a sentence. */
  public String advice() {
    return parts.advice;
  }

  /** Returns the plugin's message, escaped and cut, without secrets. */
  public Optional<String> pluginText() {
    return Optional.ofNullable(parts.pluginText);
  }

  /**
   * Whether the plugin returned this status, with or without a message; false if the client set it.
   */
  public boolean answered() {
    return parts.answered;
  }

  /** The number of attempts; zero if the call was refused before it was sent. */
  public int attempts() {
    return parts.attempts;
  }

  /** The duration of the call, with all its attempts. */
  public Duration elapsed() {
    return parts.elapsed;
  }

  /**
   * Returns the complete description in one line: the failed operation, the reason, the next step.
   */
  public String message() {
    StringBuilder out = new StringBuilder();
    if (parts.operation == null) {
      out.append("Connecting to ").append(parts.endpoint);
    } else {
      String phrase = parts.operation.phrase();
      out.append(Character.toUpperCase(phrase.charAt(0))).append(phrase, 1, phrase.length());
      if (parts.subject != null) {
        out.append(" '").append(parts.subject).append('\'');
      }
      out.append(" on plugin ");
      if (parts.plugin == null) {
        out.append("at ").append(parts.endpoint);
      } else {
        out.append('\'').append(parts.plugin).append('\'');
      }
    }
    out.append(" failed: ").append(parts.why).append(" (").append(parts.code).append(')');
    if (parts.pluginText != null) {
      out.append("; the plugin says: \"").append(parts.pluginText).append('"');
    }
    out.append(". ").append(parts.advice).append(" [");
    if (parts.operation != null) {
      out.append(parts.operation.rpcName()).append(", ");
    }
    out.append(parts.endpoint).append(", ");
    if (parts.operation != null && parts.attempts != 1) {
      out.append(parts.attempts == 0 ? "not sent" : parts.attempts + " attempts").append(", ");
    }
    return out.append(seconds(parts.elapsed))
        .append(", ")
        .append(parts.outcome)
        .append(']')
        .toString();
  }

  @Override
  public String toString() {
    return message();
  }

  private static String seconds(Duration elapsed) {
    long millis = elapsed.toMillis();
    return millis < 1000 ? millis + " ms" : String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
  }

  /** Collects the parts of a failure. */
  public static final class Builder {
    private final CsiEndpoint endpoint;
    private StatusCode code;
    private Outcome outcome;
    private @Nullable CsiOperation operation;
    private @Nullable PluginName plugin;
    private @Nullable String subject;
    private String why = "no reason is known";
    private String advice = "Look at the plugin's log.";
    private @Nullable String pluginText;
    private boolean answered;
    private int attempts;
    private Duration elapsed = Duration.ZERO;

    private Builder(CsiEndpoint endpoint, StatusCode code, Outcome outcome) {
      this.endpoint = endpoint;
      this.code = code;
      this.outcome = outcome;
    }

    private Builder copy() {
      Builder copy = new Builder(endpoint, code, outcome);
      copy.operation = operation;
      copy.plugin = plugin;
      copy.subject = subject;
      copy.why = why;
      copy.advice = advice;
      copy.pluginText = pluginText;
      copy.answered = answered;
      copy.attempts = attempts;
      copy.elapsed = elapsed;
      return copy;
    }

    /** Replaces the outcome. */
    public Builder outcome(Outcome value) {
      outcome = value;
      return this;
    }

    /** Sets the call that failed. */
    public Builder operation(CsiOperation value) {
      operation = value;
      return this;
    }

    /** Sets the name of the plugin, if it is known. */
    public Builder plugin(@Nullable PluginName value) {
      plugin = value;
      return this;
    }

    /** Sets the volume, snapshot or group of the call. */
    public Builder subject(@Nullable String value) {
      subject = value == null || value.isEmpty() ? null : SafeText.escape(value, 256);
      return this;
    }

    /** Sets the reason, as a clause without a full stop. */
    public Builder why(String value) {
      why = value;
      return this;
    }

    /** Sets the next step, as a sentence. */
    public Builder advice(String value) {
      advice = value;
      return this;
    }

    /** Sets the plugin's message. Secrets must already be removed from the message. */
    public Builder pluginText(@Nullable String value) {
      pluginText = value == null || value.isEmpty() ? null : SafeText.escape(value);
      return this;
    }

    /** Sets whether the plugin returned the status. */
    public Builder answered(boolean value) {
      answered = value;
      return this;
    }

    /** Sets the number of attempts. */
    public Builder attempts(int value) {
      attempts = value;
      return this;
    }

    /** Sets the duration. */
    public Builder elapsed(Duration value) {
      elapsed = value;
      return this;
    }

    /** Builds the description. */
    public CsiFailure build() {
      return new CsiFailure(this);
    }
  }
}

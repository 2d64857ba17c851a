package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Everything known about one failed call; the content of a {@link CsiException}.
 *
 * @since 1.0
 */
public final class CsiFailure {

  private final Builder parts;

  private CsiFailure(Builder parts) {
    this.parts = parts.copy();
  }

  /** Begins the description of a failure at {@code endpoint}. */
  public static Builder builder(CsiEndpoint endpoint, StatusCode code, Outcome outcome) {
    return new Builder(endpoint, code, outcome);
  }

  /** A description that begins as a copy of this one. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /** The call that failed; nothing if it was {@code CsiPlugin.connect} that failed. */
  public Optional<CsiOperation> operation() {
    return Optional.ofNullable(parts.operation);
  }

  /** The status it ended with. */
  public StatusCode code() {
    return parts.code;
  }

  /** Returns what the call has left behind. */
  public Outcome outcome() {
    return parts.outcome;
  }

  /** The plugin, where its name was known. */
  public Optional<PluginName> plugin() {
    return Optional.ofNullable(parts.plugin);
  }

  /** Where the plugin was to be found. */
  public CsiEndpoint endpoint() {
    return parts.endpoint;
  }

  /** The volume, snapshot or group that it was about, escaped. */
  public Optional<String> subject() {
    return Optional.ofNullable(parts.subject);
  }

  /** Why it failed, as a clause. */
  public String why() {
    return parts.why;
  }

  /** Returns the advice, as a sentence. */
  public String advice() {
    return parts.advice;
  }

  /** Returns the words of the plugin itself: escaped, cut, free of secrets. */
  public Optional<String> pluginText() {
    return Optional.ofNullable(parts.pluginText);
  }

  /** Whether the plugin gave this status, with words or without, rather than this side for it. */
  public boolean answered() {
    return parts.answered;
  }

  /** How often it was sent; zero if it was refused before. */
  public int attempts() {
    return parts.attempts;
  }

  /** How long it took, with all its attempts. */
  public Duration elapsed() {
    return parts.elapsed;
  }

  /** The whole story in one line: what failed, why, what to do next. */
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

    /** The call that failed. */
    public Builder operation(CsiOperation value) {
      operation = value;
      return this;
    }

    /** The plugin, where its name is known. */
    public Builder plugin(@Nullable PluginName value) {
      plugin = value;
      return this;
    }

    /** The volume, snapshot or group that the call was about. */
    public Builder subject(@Nullable String value) {
      subject = value == null || value.isEmpty() ? null : SafeText.escape(value, 256);
      return this;
    }

    /** Why it failed, as a clause without a full stop. */
    public Builder why(String value) {
      why = value;
      return this;
    }

    /** Sets the advice, as a sentence. */
    public Builder advice(String value) {
      advice = value;
      return this;
    }

    /** Sets the words of the plugin; they have to be free of secrets already. */
    public Builder pluginText(@Nullable String value) {
      pluginText = value == null || value.isEmpty() ? null : SafeText.escape(value);
      return this;
    }

    /** Whether the plugin gave the status. */
    public Builder answered(boolean value) {
      answered = value;
      return this;
    }

    /** How often it was sent. */
    public Builder attempts(int value) {
      attempts = value;
      return this;
    }

    /** How long it took. */
    public Builder elapsed(Duration value) {
      elapsed = value;
      return this;
    }

    /** The description. */
    public CsiFailure build() {
      return new CsiFailure(this);
    }
  }
}

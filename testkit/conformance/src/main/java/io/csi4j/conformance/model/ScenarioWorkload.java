package io.csi4j.conformance.model;

import io.csi4j.client.internal.text.SafeText;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * The name of a workload: a program on a node that uses a volume. The name is opaque, and no plugin
 * ever sees it.
 *
 * @param value any text that is not empty
 * @since 1.0
 */
public record ScenarioWorkload(String value) {

  /** Refuses the empty text. */
  public ScenarioWorkload {
    if (value.isEmpty()) {
      throw new IllegalArgumentException("A workload needs a name; this one is empty.");
    }
  }

  /** Returns the workload with this name. */
  public static ScenarioWorkload of(String value) {
    return new ScenarioWorkload(value);
  }

  /**
   * Returns an encoded name that contains only letters, digits and {@code .-*_+%}, for an
   * orchestrator that accepts no other characters in names. Different names have different
   * encodings.
   */
  public String encoded() {
    return URLEncoder.encode(value, StandardCharsets.UTF_8);
  }

  @Override
  public String toString() {
    return SafeText.escape(value);
  }
}

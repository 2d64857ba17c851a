package io.csi4j.client.controller;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.Violation;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The answer to the question whether a volume supports the given uses. The status OK alone does not
 * mean yes: the plugin's confirmation was compared with the request, field by field.
 *
 * @since 1.0
 */
public sealed interface ValidationResult {

  /** How much the plugin must confirm before a volume is accepted. */
  enum Policy {
    /** The plugin must confirm everything in the request. */
    STRICT,
    /**
     * The plugin must confirm everything in the request, or nothing at all: some plugins never
     * confirm. A volume context or a map of parameters that is left out completely counts as not
     * answered, because the spec leaves both to the plugin; leaving out a part of one, or of a
     * capability, is a mismatch.
     */
    ALL_OR_NOTHING,
    /**
     * The plugin must only not contradict the request. For old plugins that repeat only part of a
     * capability, such as the access mode without the access type; a mount flag that the plugin
     * silently ignores counts as confirmed, too.
     */
    LENIENT
  }

  /** Whether the volume may be used under this policy. */
  boolean isAcceptable(Policy policy);

  /** Returns the plugin's message, escaped; empty if there is none. */
  String message();

  /**
   * The confirmation of a plugin.
   *
   * @param volumeContext the confirmed context
   * @param capabilities the confirmed uses
   * @param parameters the confirmed parameters
   * @param mutableParameters the confirmed mutable parameters
   */
  record Confirmation(
      VolumeContext volumeContext,
      List<VolumeCapability> capabilities,
      Map<String, String> parameters,
      Map<String, String> mutableParameters) {

    /** Copies the lists. */
    public Confirmation {
      capabilities = List.copyOf(capabilities);
      parameters = Map.copyOf(parameters);
      mutableParameters = Map.copyOf(mutableParameters);
    }

    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /**
   * Everything in the request is confirmed.
   *
   * @param confirmation the plugin's confirmation
   * @param message the plugin's message
   */
  record Confirmed(Confirmation confirmation, String message) implements ValidationResult {
    @Override
    public boolean isAcceptable(Policy policy) {
      return true;
    }
  }

  /**
   * The plugin returned no confirmation, or an empty one, which means neither yes nor no.
   *
   * @param message the reason, as worded by the plugin
   */
  record Unconfirmed(String message) implements ValidationResult {
    @Override
    public boolean isAcceptable(Policy policy) {
      return policy != Policy.STRICT;
    }
  }

  /**
   * The plugin's confirmation differs from the request.
   *
   * @param confirmation the plugin's confirmation
   * @param differences the differences; at least one
   * @param contradicts whether a difference is a contradiction rather than an omission
   * @param message the plugin's message
   */
  record Mismatch(
      Confirmation confirmation, List<Violation> differences, boolean contradicts, String message)
      implements ValidationResult {

    /** The parts of a confirmation that the spec leaves to the plugin. */
    private static final Set<String> OPTIONAL_MAPS =
        Set.of("volume_context", "parameters", "mutable_parameters");

    /** Copies the list. */
    public Mismatch {
      differences = List.copyOf(differences);
    }

    @Override
    public boolean isAcceptable(Policy policy) {
      return switch (policy) {
        case STRICT -> false;
        case ALL_OR_NOTHING -> differences.stream().allMatch(Mismatch::isAbsentMap);
        case LENIENT -> !contradicts;
      };
    }

    private static boolean isAbsentMap(Violation difference) {
      return difference.rule() == Violation.Rule.REQUIRED
          && OPTIONAL_MAPS.contains(difference.field());
    }
  }
}

package io.csi4j.client.controller;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.Violation;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The result of asking the plugin whether a volume supports the given uses. The status OK alone
 * does not mean that it does, so the client compares the plugin's confirmation with the request,
 * field by field.
 *
 * @since 1.0
 */
public sealed interface ValidationResult {

  /** The extent of the confirmation that a caller requires before it accepts a volume. */
  enum Policy {
    /** The plugin must confirm everything in the request. */
    STRICT,
    /**
     * The plugin must confirm either everything in the request or nothing: some plugins never
     * confirm. The spec lets plugins leave out the volume context and the maps of parameters
     * completely, so their absence is accepted. A map or a capability that is confirmed only partly
     * is a mismatch.
     */
    ALL_OR_NOTHING,
    /**
     * The confirmation may be incomplete, but must not contradict the request. Meant for old
     * plugins that repeat only part of a capability, such as the access mode without the access
     * type. With this policy, a mount flag that the plugin silently ignores also counts as
     * confirmed.
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
   * The result of a plugin that confirmed everything in the request.
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
   * The result of a plugin that returned no confirmation, or an empty one, and so gave no answer.
   *
   * @param message the plugin's message
   */
  record Unconfirmed(String message) implements ValidationResult {
    @Override
    public boolean isAcceptable(Policy policy) {
      return policy != Policy.STRICT;
    }
  }

  /**
   * The result of a plugin whose confirmation differs from the request.
   *
   * @param confirmation the plugin's confirmation
   * @param differences the differences; at least one
   * @param contradicts whether at least one difference is a contradiction, and not only an omission
   * @param message the plugin's message
   */
  record Mismatch(
      Confirmation confirmation, List<Violation> differences, boolean contradicts, String message)
      implements ValidationResult {

    /** The parts of a confirmation that plugins may leave out according to the spec. */
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

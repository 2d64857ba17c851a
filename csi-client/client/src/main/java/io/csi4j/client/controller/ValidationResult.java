package io.csi4j.client.controller;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.Violation;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The answer to the question whether a volume can be used in certain ways. An answer of OK alone is
 * not a yes: what the plugin confirmed was compared with what was asked, field by field.
 *
 * @since 1.0
 */
public sealed interface ValidationResult {

  /** How much has to be confirmed before a volume is taken. */
  enum Policy {
    /** Everything that was asked. */
    STRICT,
    /**
     * Everything that was asked, or nothing at all: some plugins never confirm. A volume context or
     * a map of parameters that is left out as a whole counts as nothing said, for the spec leaves
     * them to the plugin; a part of one, or of a way of use, that is left out is a mismatch.
     */
    ALL_OR_NOTHING,
    /**
     * Nothing: it is enough that the plugin contradicts nothing. For old plugins that repeat only
     * part of a way of use, such as the access mode without the access type; a mount flag that the
     * plugin silently ignores is taken for confirmed too.
     */
    LENIENT
  }

  /** Whether the volume may be used under this policy. */
  boolean isAcceptable(Policy policy);

  /** Returns the words of the plugin beside it, escaped; empty if there are none. */
  String message();

  /**
   * The confirmation of a plugin.
   *
   * @param volumeContext the context it confirmed
   * @param capabilities the uses it confirmed
   * @param parameters the parameters it confirmed
   * @param mutableParameters the mutable parameters it confirmed
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
   * All that was asked is confirmed.
   *
   * @param confirmation what was confirmed
   * @param message what the plugin said beside it
   */
  record Confirmed(Confirmation confirmation, String message) implements ValidationResult {
    @Override
    public boolean isAcceptable(Policy policy) {
      return true;
    }
  }

  /**
   * The plugin confirmed nothing, or an empty confirmation, which is neither yes nor no.
   *
   * @param message why, in the plugin's words
   */
  record Unconfirmed(String message) implements ValidationResult {
    @Override
    public boolean isAcceptable(Policy policy) {
      return policy != Policy.STRICT;
    }
  }

  /**
   * The plugin confirmed something else than was asked.
   *
   * @param confirmation what was confirmed
   * @param differences where it differs; at least one
   * @param contradicts whether a difference is a contradiction rather than an omission
   * @param message what the plugin said beside it
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

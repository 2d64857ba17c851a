package io.csi4j.client.controller;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.Violation;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import java.util.List;
import java.util.Map;

/**
 * What became of a question whether a volume can be used in certain ways. An answer of OK alone is
 * not a yes: what the plugin confirmed was compared with what was asked, field by field.
 */
public sealed interface ValidationResult {

  /** How much has to be confirmed before a volume is taken. */
  enum Policy {
    /** Everything that was asked. */
    STRICT,
    /** Nothing: it is enough that the plugin contradicts nothing. Some plugins never confirm. */
    LENIENT
  }

  /** Whether the volume may be used under this policy. */
  boolean isAcceptable(Policy policy);

  /** What the plugin said beside it, escaped; empty if nothing. */
  String message();

  /**
   * What a plugin confirmed.
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
   * The plugin confirmed nothing, which is neither yes nor no.
   *
   * @param message why, in the plugin's words
   */
  record Unconfirmed(String message) implements ValidationResult {
    @Override
    public boolean isAcceptable(Policy policy) {
      return policy == Policy.LENIENT;
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

    /** Copies the list. */
    public Mismatch {
      differences = List.copyOf(differences);
    }

    @Override
    public boolean isAcceptable(Policy policy) {
      return policy == Policy.LENIENT && !contradicts;
    }
  }
}

package io.csi4j.volume.model;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;

/**
 * Gives the secrets for one call, at the moment it is made. They are handed to the plugin and kept
 * nowhere.
 */
@FunctionalInterface
public interface SecretsProvider {

  /**
   * The secrets for a call of this operation. Asked on a thread of the manager before every
   * attempt; if it throws, the attempt is not made and counts as refused.
   */
  Secrets secretsFor(CsiOperation operation);

  /** No secrets; always the same provider. */
  static SecretsProvider none() {
    return NoSecrets.PROVIDER;
  }

  /** The same secrets for every call. */
  static SecretsProvider always(Secrets secrets) {
    return operation -> secrets;
  }
}

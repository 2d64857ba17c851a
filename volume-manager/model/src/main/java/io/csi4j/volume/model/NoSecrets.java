package io.csi4j.volume.model;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;

/** A provider that returns no secrets for any call. */
final class NoSecrets implements SecretsProvider {

  static final SecretsProvider PROVIDER = new NoSecrets();

  private NoSecrets() {}

  @Override
  public Secrets secretsFor(CsiOperation operation) {
    return Secrets.empty();
  }
}

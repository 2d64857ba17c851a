package io.csi4j.volume;

import io.csi4j.client.CsiOperation;
import io.csi4j.client.Secrets;

/** The provider of no secrets. */
final class NoSecrets implements SecretsProvider {

  static final SecretsProvider PROVIDER = new NoSecrets();

  private NoSecrets() {}

  @Override
  public Secrets secretsFor(CsiOperation operation) {
    return Secrets.empty();
  }
}

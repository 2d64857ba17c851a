package io.csi4j.volume.model;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * A provider of secrets that needs no thread while it waits for them.
 *
 * @param provider returns the secrets for a call
 */
record AsyncSecrets(Function<CsiOperation, ? extends CompletionStage<Secrets>> provider)
    implements SecretsProvider {

  AsyncSecrets {
    Objects.requireNonNull(provider, "provider");
  }

  @Override
  public Secrets secretsFor(CsiOperation operation) {
    return asyncSecretsFor(operation).toCompletableFuture().join();
  }

  @Override
  public CompletionStage<Secrets> asyncSecretsFor(CsiOperation operation) {
    return provider.apply(operation);
  }
}

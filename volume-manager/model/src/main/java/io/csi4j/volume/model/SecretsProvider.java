package io.csi4j.volume.model;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Provides the secrets for a call to a plugin, just before the call is made. The secrets are passed
 * to the plugin and are not stored.
 *
 * <p>The provider is called before every attempt of a call. Providers run on separate threads, and
 * the number of these threads is limited for each plugin, so a slow provider delays only its own
 * plugin. If the provider throws, returns null, or takes longer than the settings permit (60 s by
 * default), the attempt is not made and counts as refused.
 *
 * @since 1.0
 */
@FunctionalInterface
public interface SecretsProvider {

  /**
   * Returns the secrets for a call of this operation. This method may block. Its thread is
   * interrupted when the time limit has passed.
   */
  Secrets secretsFor(CsiOperation operation);

  /**
   * Returns the secrets for a call asynchronously. This is the method that csi4j calls. By default,
   * it calls {@link #secretsFor} directly. A provider that needs no thread while it waits overrides
   * it.
   */
  default CompletionStage<Secrets> asyncSecretsFor(CsiOperation operation) {
    return CompletableFuture.completedFuture(secretsFor(operation));
  }

  /** Returns the provider that returns no secrets. Every call returns the same object. */
  static SecretsProvider none() {
    return NoSecrets.PROVIDER;
  }

  /** Returns a provider that returns these secrets for every call. */
  static SecretsProvider always(Secrets secrets) {
    return operation -> secrets;
  }

  /** Returns an asynchronous provider, which needs no thread while it waits. */
  static SecretsProvider async(
      Function<CsiOperation, ? extends CompletionStage<Secrets>> provider) {
    return new AsyncSecrets(provider);
  }
}

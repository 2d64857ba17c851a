package io.csi4j.volume.model;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Provides the secrets for a call just before it is made. They are passed to the plugin and not
 * stored.
 *
 * <p>Called before every attempt. Providers run on separate threads, with a limited number for each
 * plugin: a slow provider delays no other plugin. If it throws, returns null, or takes longer than
 * the settings permit (60 s by default), the attempt is not made and counts as refused.
 *
 * @since 1.0
 */
@FunctionalInterface
public interface SecretsProvider {

  /**
   * Returns the secrets for a call of this operation. The method may block; its thread is
   * interrupted after the time limit.
   */
  Secrets secretsFor(CsiOperation operation);

  /**
   * Returns the secrets for a call, for a provider that needs no thread while it waits; csi4j calls
   * this method. By default, it calls {@link #secretsFor} immediately.
   */
  default CompletionStage<Secrets> asyncSecretsFor(CsiOperation operation) {
    return CompletableFuture.completedFuture(secretsFor(operation));
  }

  /** Returns the provider of no secrets; always the same object. */
  static SecretsProvider none() {
    return NoSecrets.PROVIDER;
  }

  /** Returns a provider of these secrets for every call. */
  static SecretsProvider always(Secrets secrets) {
    return operation -> secrets;
  }

  /** Returns a provider that needs no thread while it waits. */
  static SecretsProvider async(
      Function<CsiOperation, ? extends CompletionStage<Secrets>> provider) {
    return new AsyncSecrets(provider);
  }
}

package io.csi4j.volume.model;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Gives the secrets for one call, when it is to be made. They are handed to the plugin and kept
 * nowhere.
 *
 * <p>Asked before every attempt. Providers have threads of their own, and so many for each plugin:
 * one that is slow holds up no other plugin. If it throws, gives null, or takes longer than the
 * settings allow (60 s by default), the attempt is not made and counts as refused.
 *
 * @since 1.0
 */
@FunctionalInterface
public interface SecretsProvider {

  /**
   * The secrets for a call of this operation. It may block; its thread is interrupted when its time
   * is over.
   */
  Secrets secretsFor(CsiOperation operation);

  /**
   * The same for a provider that needs no thread while it waits; this is what is asked. By default
   * it asks {@link #secretsFor} at once.
   */
  default CompletionStage<Secrets> asyncSecretsFor(CsiOperation operation) {
    return CompletableFuture.completedFuture(secretsFor(operation));
  }

  /** No secrets; always the same provider. */
  static SecretsProvider none() {
    return NoSecrets.PROVIDER;
  }

  /** Returns a provider of these secrets for every call. */
  static SecretsProvider always(Secrets secrets) {
    return operation -> secrets;
  }

  /** A provider that needs no thread while it waits. */
  static SecretsProvider async(
      Function<CsiOperation, ? extends CompletionStage<Secrets>> provider) {
    return new AsyncSecrets(provider);
  }
}

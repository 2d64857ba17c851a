package io.csi4j.volume.controller;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.controller.ControllerEvent.Started;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Unwrapped;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.WorkContext;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Controllers that report the calls of operations and send them in the context that listeners want.
 *
 * @param controllers the controllers
 * @param reports the reports of the calls
 */
record ReportedControllers(Controllers controllers, OperationReports reports)
    implements Controllers {

  @Override
  public <T> CompletableFuture<T> call(ControllerCall<T> call) {
    return reports
        .running()
        .map(operation -> reported(operation, call))
        .orElseGet(() -> controllers.call(call));
  }

  private <T> CompletableFuture<T> reported(Started operation, ControllerCall<T> call) {
    long since = reports.now();
    WorkContext context = reports.calling(operation, call.operation());
    AtomicReference<@Nullable CsiEndpoint> endpoint = new AtomicReference<>();
    CompletableFuture<T> answer =
        controllers.call(
            call.sentBy(
                (services, secrets) -> {
                  endpoint.set(services.endpoint());
                  return sent(context, () -> call.sending().send(services, secrets));
                }));
    CompletableFuture<T> end = new CompletableFuture<>();
    end.whenComplete(
        (value, thrown) -> {
          if (end.isCancelled()) {
            answer.cancel(true);
          }
        });
    answer.whenComplete(
        (value, thrown) -> {
          try {
            report(operation, call, thrown, since, Optional.ofNullable(endpoint.get()));
          } finally {
            if (thrown == null) {
              end.complete(value);
            } else {
              end.completeExceptionally(Unwrapped.of(thrown));
            }
          }
        });
    return end;
  }

  private void report(
      Started operation,
      ControllerCall<?> call,
      @Nullable Throwable thrown,
      long since,
      Optional<CsiEndpoint> endpoint) {
    Optional<CsiException> answered =
        Optional.ofNullable(thrown)
            .map(Unwrapped::of)
            .map(Throwable::getCause)
            .filter(CsiException.class::isInstance)
            .map(CsiException.class::cast);
    StatusCode code =
        thrown == null
            ? StatusCode.OK
            : answered.map(CsiException::code).orElse(StatusCode.UNAVAILABLE);
    boolean isSent = thrown == null || answered.filter(it -> it.attempts() > 0).isPresent();
    reports.called(operation, call.plugin(), call.operation(), code, isSent, since, endpoint);
  }

  /**
   * Sends a call in a context. An exception from sending is thrown here, not within the context.
   */
  private static <T> CompletionStage<T> sent(WorkContext context, Sending<T> sending) {
    AtomicReference<@Nullable CompletionStage<T>> stage = new AtomicReference<>();
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    context.run(
        () -> {
          try {
            stage.set(sending.send());
          } catch (RuntimeException | Error failed) {
            thrown.set(failed);
          }
        });
    if (thrown.get() instanceof RuntimeException failed) {
      throw failed;
    } else if (thrown.get() instanceof Error failed) {
      throw failed;
    }
    CompletionStage<T> begun = stage.get();
    return begun == null
        ? CompletableFuture.failedFuture(new IllegalStateException("The call was not sent."))
        : begun;
  }

  /** Sends a call. */
  @FunctionalInterface
  private interface Sending<T> {
    CompletionStage<T> send();
  }

  @Override
  public CompletableFuture<ControllerFacts> facts(PluginId plugin, Subject subject) {
    return controllers.facts(plugin, subject);
  }

  @Override
  public CompletableFuture<Boolean> attaches(PluginId plugin, Subject subject) {
    return controllers.attaches(plugin, subject);
  }

  @Override
  public CompletableFuture<Secrets> secrets(
      PluginId plugin, SecretsProvider provider, CsiOperation operation, Subject subject) {
    return controllers.secrets(plugin, provider, operation, subject);
  }

  @Override
  public CompletableFuture<CsiPlugin> connected(PluginId plugin, Subject subject) {
    return controllers.connected(plugin, subject);
  }
}

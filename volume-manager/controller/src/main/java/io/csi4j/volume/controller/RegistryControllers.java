package io.csi4j.volume.controller;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.link.SecretQuestions;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.internal.time.Unwrapped;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.plugin.PluginRegistry;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/** The controllers in a registry, each connected through its socket. */
final class RegistryControllers implements Controllers, AutoCloseable {

  private static final String ATTACHING = "attaching";
  private static final String OTHERS = "others";

  private final PluginInstances instances;
  private final PluginRegistry registry;
  private final ControllerSettings settings;
  private final Executor workers;
  private final OperationTurns<VolumeLane> turns;
  private final ControllerLinks links;
  private final SecretQuestions questions;

  /**
   * Creates the controllers of a registry; none is connected yet.
   *
   * @param threads the threads that connect, send, and report timeouts of waits
   */
  public RegistryControllers(
      PluginInstances instances, ControllerSettings settings, Scheduler threads) {
    this.instances = instances;
    registry = instances.registry();
    this.settings = settings;
    workers = threads;
    turns = new OperationTurns<>(settings.waiters(), settings.longestWait(), threads);
    links = new ControllerLinks(registry);
    questions = new SecretQuestions(threads, settings.secretsLimit());
  }

  @Override
  public <T> CompletableFuture<T> call(ControllerCall<T> call) {
    return turns.take(
        lanesOf(call),
        call.subject(),
        (leave, result) -> {
          Open<T> open = new Open<>(call, leave, result);
          handOver(open, Open::connect, open::refuse);
        });
  }

  /** Returns the lanes that a call needs exclusively, by the settings for its kind. */
  private SortedSet<VolumeLane> lanesOf(ControllerCall<?> call) {
    boolean attaches =
        call.operation() == CsiOperation.CONTROLLER_PUBLISH_VOLUME
            || call.operation() == CsiOperation.CONTROLLER_UNPUBLISH_VOLUME;
    ControllerSettings.Concurrency rule = attaches ? settings.attaching() : settings.others();
    SortedSet<VolumeLane> all = new TreeSet<>(call.lanes());
    if (rule == ControllerSettings.Concurrency.PER_VOLUME) {
      all.removeIf(lane -> lane.kind() == VolumeLane.Kind.NODE);
    } else if (rule == ControllerSettings.Concurrency.PER_PLUGIN) {
      all.add(VolumeLane.all(call.plugin(), attaches ? ATTACHING : OTHERS));
    }
    return Collections.unmodifiableSortedSet(all);
  }

  private <T> void handOver(
      Open<T> open, Consumer<Open<T>> work, Consumer<ControllerException> refusal) {
    try {
      workers.execute(() -> work.accept(open));
    } catch (RejectedExecutionException | OutOfMemoryError refused) {
      // The threads are closed, or the JVM reports that the machine has no more threads.
      refusal.accept(
          ControllerFailures.noThread(open.call.subject(), "the controllers are closed", refused));
    }
  }

  /** A call whose turn has come. */
  private final class Open<T> {

    private final ControllerCall<T> call;
    private final Runnable leave;
    private final CompletableFuture<T> result;

    Open(ControllerCall<T> call, Runnable leave, CompletableFuture<T> result) {
      this.call = call;
      this.leave = leave;
      this.result = result;
    }

    void connect() {
      links
          .way(call.plugin(), call.subject())
          .whenComplete(
              (there, thrown) -> {
                if (thrown == null) {
                  askForSecrets(there);
                } else {
                  refuse(ControllerFailures.of(call.subject(), thrown));
                }
              });
    }

    /** A worker thread handles the secrets: the provider may complete on a thread of the host. */
    private void askForSecrets(ControllerLinks.Connected there) {
      secrets(call.plugin(), call.secrets(), call.operation(), call.subject())
          .whenComplete(
              (secrets, missing) -> {
                if (missing == null) {
                  handOver(this, self -> self.begin(there, secrets), this::refuse);
                } else {
                  refuse(ControllerFailures.of(call.subject(), missing));
                }
              });
    }

    private void begin(ControllerLinks.Connected there, Secrets secrets) {
      if (there.link().begin()) {
        Runnable turn =
            () ->
                handOver(
                    this,
                    self -> self.send(there, secrets),
                    why -> {
                      there.link().leave();
                      refuse(why);
                    });
        if (there.link().enter(turn)) {
          send(there, secrets);
        }
      } else {
        refuse(
            ControllerFailures.unavailable(
                OperatorCode.PLUGIN_NOT_UP,
                call.subject(),
                "its instance was deregistered meanwhile"));
      }
    }

    private void send(ControllerLinks.Connected there, Secrets secrets) {
      CompletionStage<T> stage;
      try {
        stage = call.sending().send(services(there), secrets);
      } catch (RuntimeException | Error failed) {
        stage = CompletableFuture.failedFuture(failed);
      }
      stage.whenComplete(
          (value, failed) -> {
            links.called(there.link(), failed != null && Answer.isLost(failed));
            if (failed != null && isFull(Unwrapped.of(failed))) {
              registry.recheck(call.plugin());
            }
            there.link().leave();
            leave.run();
            if (failed == null) {
              result.complete(value);
            } else {
              result.completeExceptionally(ControllerFailures.of(call.subject(), failed));
            }
          });
    }

    /**
     * Whether the failure may mean that the node accepts fewer volumes than its plugin reported. An
     * answer that is too large for this side has the same code.
     */
    private boolean isFull(Throwable failed) {
      return call.operation() == CsiOperation.CONTROLLER_PUBLISH_VOLUME
          && failed instanceof CsiException answer
          && answer.code() == StatusCode.RESOURCE_EXHAUSTED
          && answer.failure().answered();
    }

    private ControllerCall.Services services(ControllerLinks.Connected there) {
      CsiPlugin plugin = there.plugin();
      return new ControllerCall.Services(
          plugin.controller().with(settings.policy()).async(),
          plugin.groupController().with(settings.policy()).async(),
          there.link().registration().binding().endpoint());
    }

    private void refuse(ControllerException why) {
      leave.run();
      result.completeExceptionally(why);
    }
  }

  @Override
  public CompletableFuture<ControllerFacts> facts(PluginId plugin, Subject subject) {
    return links
        .way(plugin, subject)
        .thenCompose(there -> there.link().facts(there.plugin()))
        .handle(
            (facts, thrown) -> {
              if (thrown != null) {
                throw ControllerFailures.of(subject, thrown);
              }
              return facts;
            });
  }

  @Override
  public CompletableFuture<Boolean> attaches(PluginId plugin, Subject subject) {
    return instances.mayHaveController(plugin)
        ? facts(plugin, subject).thenApply(ControllerFacts::attaches)
        : CompletableFuture.completedFuture(false);
  }

  @Override
  public CompletableFuture<CsiPlugin> connected(PluginId plugin, Subject subject) {
    return links.way(plugin, subject).thenApply(ControllerLinks.Connected::plugin);
  }

  @Override
  public CompletableFuture<Secrets> secrets(
      PluginId plugin, SecretsProvider provider, CsiOperation operation, Subject subject) {
    return questions
        .ask(plugin, provider, operation, settings.secretsLimit())
        .exceptionallyCompose(
            missing ->
                CompletableFuture.failedFuture(
                    ControllerFailures.unavailable(
                        OperatorCode.CONTROLLER_SECRETS_MISSING,
                        subject,
                        String.valueOf(Unwrapped.of(missing).getMessage()))));
  }

  /** Closes all connections; open calls end, with uncertain effects. */
  @Override
  public void close() {
    questions.close();
    links.close();
  }

  /** Number of turns that are taken. */
  int turnsTaken() {
    return turns.taken();
  }
}

package io.csi4j.volume.internal.link;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import io.csi4j.volume.internal.text.TimeText;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.internal.time.Unwrapped;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import java.io.Serial;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Calls the host's providers of secrets on separate threads. Limits the number of concurrent
 * questions for one plugin, and the duration of each question. A provider that hangs keeps its
 * place, and delays only the questions for the same plugin.
 *
 * <p>A call requests its secrets before it takes one of the plugin's places for calls. Otherwise
 * slow providers would occupy the places that releases need.
 */
public final class SecretQuestions implements AutoCloseable {

  private static final int AT_A_TIME = 8;

  private final Scheduler timers;
  private final Duration limit;
  private final OnDemandThreads threads = new OnDemandThreads("csi4j-volume-secrets");
  private final ConcurrentMap<PluginId, CallQueue> plugins = new ConcurrentHashMap<>();
  private final Set<Question> open = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * Thrown when the host's provider returned no secrets. The message is a clause from this library,
   * and contains no text of the host.
   */
  public static final class MissingSecretsException extends Exception {

    @Serial private static final long serialVersionUID = 1L;

    MissingSecretsException(String why) {
      super("the host's provider of secrets " + why);
    }
  }

  /**
   * Creates an object without open questions.
   *
   * @param timers end questions that take too long; actions on an answer may run on their threads
   * @param limit the time limit of an answer
   */
  public SecretQuestions(Scheduler timers, Duration limit) {
    this.timers = timers;
    this.limit = limit;
  }

  /**
   * Requests the secrets of a call. The future fails with {@link MissingSecretsException}; it
   * completes on any thread, and actions on it must not block.
   *
   * @param left the time that remains for the call
   */
  public CompletableFuture<Secrets> ask(
      PluginId plugin, SecretsProvider provider, CsiOperation operation, Duration left) {
    if (provider == SecretsProvider.none()) {
      return CompletableFuture.completedFuture(Secrets.empty());
    }
    CallQueue places = plugins.computeIfAbsent(plugin, none -> new CallQueue(AT_A_TIME));
    Question question = new Question(places, provider, operation);
    Duration most = left.compareTo(limit) < 0 ? left : limit;
    Scheduler.Timer timer = timers.after(most, () -> giveUp(question, most));
    open.add(question);
    question.answer.whenComplete(
        (secrets, thrown) -> {
          timer.cancel();
          open.remove(question);
        });
    if (closed) {
      question.miss("is not asked any more: this side is closed");
    } else {
      places.enter(question.turn);
    }
    return question.answer;
  }

  private static void giveUp(Question late, Duration after) {
    boolean isWaiting = late.places.forget(late.turn);
    late.miss(
        "gave none within "
            + TimeText.of(after)
            + (isWaiting
                ? ": " + AT_A_TIME + " other questions of this plugin wait for its answer"
                : ""));
    late.interrupt();
  }

  /** Ends all questions. Afterwards, no question is started. */
  @Override
  public void close() {
    closed = true;
    threads.close();
    for (Question each : open) {
      each.places.forget(each.turn);
      each.miss("is not asked any more: this side is closed");
      each.interrupt();
    }
  }

  /**
   * One question to a provider. The question returns its place when its thread has ended and its
   * answer is known.
   */
  private final class Question {

    private final CallQueue places;
    private final SecretsProvider provider;
    private final CsiOperation operation;
    private final Runnable turn = this::begin;
    private final CompletableFuture<Secrets> answer = new CompletableFuture<>();
    private final ReentrantLock asking = new ReentrantLock();
    private @Nullable Thread thread;

    Question(CallQueue places, SecretsProvider provider, CsiOperation operation) {
      this.places = places;
      this.provider = provider;
      this.operation = operation;
    }

    /** Starts the question after it has received a place. */
    private void begin() {
      try {
        threads.execute(this::run);
      } catch (RuntimeException | Error refused) {
        // The object is closed, or the JVM reports that the machine provides no more threads.
        miss("could not be asked: there is no thread for it");
        places.leave();
      }
    }

    private void run() {
      if (!answer.isDone()) {
        CompletionStage<Secrets> stage = ask();
        if (stage != null) {
          hear(stage);
        }
      }
      answer.whenComplete((secrets, thrown) -> places.leave());
    }

    private @Nullable CompletionStage<Secrets> ask() {
      on(Thread.currentThread());
      try {
        CompletionStage<Secrets> stage = provider.asyncSecretsFor(operation);
        if (stage == null) {
          miss("gave null");
        }
        return stage;
      } catch (RuntimeException | Error failed) {
        failed(failed);
        return null;
      } finally {
        on(null);
      }
    }

    private void hear(CompletionStage<Secrets> stage) {
      try {
        stage.whenComplete(
            (secrets, thrown) -> {
              if (thrown != null) {
                failed(Unwrapped.of(thrown));
              } else if (secrets == null) {
                miss("gave null");
              } else {
                answer.complete(secrets);
              }
            });
      } catch (RuntimeException | Error failed) {
        failed(failed);
      }
    }

    private void on(@Nullable Thread now) {
      asking.lock();
      try {
        thread = now;
      } finally {
        asking.unlock();
      }
    }

    /** Interrupts the provider, because its answer would come too late. */
    void interrupt() {
      asking.lock();
      try {
        if (thread != null) {
          thread.interrupt();
        }
      } finally {
        asking.unlock();
      }
    }

    /**
     * Handles an exception of the provider. The message of the exception is not used, because it
     * comes from the host and could contain a secret.
     */
    private void failed(Throwable thrown) {
      miss("failed with " + thrown.getClass().getName());
    }

    void miss(String why) {
      answer.completeExceptionally(new MissingSecretsException(why));
    }
  }
}

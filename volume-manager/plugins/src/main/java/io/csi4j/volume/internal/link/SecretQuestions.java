package io.csi4j.volume.internal.link;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import io.csi4j.volume.internal.text.TimeText;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.internal.time.Unwrapped;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Asks the host's providers of secrets, on threads that nothing else has: so many questions of one
 * plugin at a time, and each for so long. A provider that hangs keeps its place, and holds up those
 * of its own plugin only.
 */
public final class SecretQuestions implements AutoCloseable {

  private static final int AT_A_TIME = 8;

  private final Scheduler timers;
  private final Duration limit;
  private final OnDemandThreads threads = new OnDemandThreads("csi4j-volume-secrets");
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<PluginId, Places> plugins = new HashMap<>();
  private boolean closed;

  /** The questions of one plugin. */
  private static final class Places {
    private final Set<Question> waiting = new LinkedHashSet<>();
    private final Set<Question> asked = new LinkedHashSet<>();
  }

  /**
   * Nothing is asked yet.
   *
   * @param timers end questions; what hangs on an answer may run there
   * @param limit how long an answer may take
   */
  public SecretQuestions(Scheduler timers, Duration limit) {
    this.timers = timers;
    this.limit = limit;
  }

  /**
   * Asks for the secrets of a call. What comes back fails with {@link MissingSecretsException}; it
   * is completed on any thread, and what hangs on it must not block.
   *
   * @param left how long the call may still take
   */
  public CompletableFuture<Secrets> ask(
      PluginId plugin, SecretsProvider provider, CsiOperation operation, Duration left) {
    if (provider == SecretsProvider.none()) {
      return CompletableFuture.completedFuture(Secrets.empty());
    }
    Question question = new Question(plugin, provider, operation);
    Duration most = left.compareTo(limit) < 0 ? left : limit;
    Scheduler.Timer timer = timers.after(most, () -> giveUp(question, most));
    question.answer.whenComplete((secrets, thrown) -> timer.cancel());
    lock.lock();
    try {
      if (closed) {
        question.miss("is not asked any more: this side is closed");
      } else {
        plugins.computeIfAbsent(plugin, none -> new Places()).waiting.add(question);
      }
    } finally {
      lock.unlock();
    }
    begin(plugin);
    return question.answer;
  }

  /** Begins what has a place. */
  private void begin(PluginId plugin) {
    for (Question next = next(plugin); next != null; next = next(plugin)) {
      Question begun = next;
      try {
        threads.execute(begun::run);
      } catch (RejectedExecutionException | OutOfMemoryError refused) {
        // It is closed, or this is how the JVM says that the machine gives no more threads.
        begun.miss("could not be asked: there is no thread for it");
        leave(begun);
      }
    }
  }

  private @Nullable Question next(PluginId plugin) {
    lock.lock();
    try {
      Places places = plugins.get(plugin);
      if (places == null || places.asked.size() >= AT_A_TIME || places.waiting.isEmpty()) {
        return null;
      }
      Iterator<Question> first = places.waiting.iterator();
      Question next = first.next();
      first.remove();
      places.asked.add(next);
      return next;
    } finally {
      lock.unlock();
    }
  }

  /** Gives its place to the next. */
  private void leave(Question over) {
    boolean isLeft;
    lock.lock();
    try {
      Places places = plugins.get(over.plugin);
      isLeft = places != null && places.asked.remove(over);
      forgetIfIdle(over.plugin);
    } finally {
      lock.unlock();
    }
    if (isLeft) {
      begin(over.plugin);
    }
  }

  private void forgetIfIdle(PluginId plugin) {
    Places places = plugins.get(plugin);
    if (places != null && places.asked.isEmpty() && places.waiting.isEmpty()) {
      plugins.remove(plugin);
    }
  }

  private void giveUp(Question late, Duration after) {
    boolean isWaiting;
    lock.lock();
    try {
      Places places = plugins.get(late.plugin);
      isWaiting = places != null && places.waiting.remove(late);
      forgetIfIdle(late.plugin);
    } finally {
      lock.unlock();
    }
    late.miss(
        "gave none within "
            + TimeText.of(after)
            + (isWaiting ? ": it has " + AT_A_TIME + " other questions of this plugin" : ""));
    late.interrupt();
  }

  /** Gives up all questions, and begins no more. */
  @Override
  public void close() {
    Set<Question> all = new LinkedHashSet<>();
    lock.lock();
    try {
      closed = true;
      for (Places places : plugins.values()) {
        all.addAll(places.waiting);
        all.addAll(places.asked);
        places.waiting.clear();
      }
    } finally {
      lock.unlock();
    }
    threads.close();
    for (Question each : all) {
      each.miss("is not asked any more: this side is closed");
      each.interrupt();
    }
  }

  /** One question; its place is left when its thread is free and its answer known. */
  private final class Question {

    private final PluginId plugin;
    private final SecretsProvider provider;
    private final CsiOperation operation;
    private final CompletableFuture<Secrets> answer = new CompletableFuture<>();
    private final ReentrantLock asking = new ReentrantLock();
    private @Nullable Thread thread;

    Question(PluginId plugin, SecretsProvider provider, CsiOperation operation) {
      this.plugin = plugin;
      this.provider = provider;
      this.operation = operation;
    }

    void run() {
      if (!answer.isDone()) {
        CompletionStage<Secrets> stage = ask();
        if (stage != null) {
          hear(stage);
        }
      }
      answer.whenComplete((secrets, thrown) -> leave(this));
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

    /** Wakes a provider that waits for what will come too late. */
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

    /** The message is the host's, and could hold a secret. */
    private void failed(Throwable thrown) {
      miss("failed with " + thrown.getClass().getName());
    }

    void miss(String why) {
      answer.completeExceptionally(new MissingSecretsException(why));
    }
  }
}

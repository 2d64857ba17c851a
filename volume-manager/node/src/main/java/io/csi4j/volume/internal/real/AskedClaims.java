package io.csi4j.volume.internal.real;

import io.csi4j.volume.internal.port.Claims;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.node.NodeClaims;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Calls the host's confirmation of claims, which may block. Each use has one open question at a
 * time, so a question that hangs blocks one thread and no other use. The next question of a use is
 * asked after the open one has ended, because its answer must be newer than the question.
 */
final class AskedClaims implements Claims, AutoCloseable {

  private static final String THREADS = "csi4j-volume-claim";
  private static final int MOST_THREADS = 16;

  /**
   * The threads that look up volumes. A storage system may be slow, and claims must not wait for
   * it.
   */
  private static final int MOST_LOOKING_UP = 4;

  /** Maximum number of questions of one use, including the open one. */
  private static final int MOST_OF_ONE_USE = 8;

  private final NodeClaims terms;
  private final Questions<ClaimStanding> standings =
      new Questions<>(MOST_THREADS, because -> new ClaimStanding.Unknown(new ReasonText(because)));
  private final Questions<VolumeVerdict> verdicts =
      new Questions<>(
          MOST_LOOKING_UP, because -> new VolumeVerdict.Unknown(new ReasonText(because)));

  AskedClaims(NodeClaims terms) {
    this.terms = terms;
  }

  @Override
  public Optional<NodeClaims> terms() {
    return Optional.of(terms);
  }

  @Override
  public void standing(VolumeUse usage, long epoch, Consumer<ClaimStanding> then) {
    standings.ask(usage, terms.patience(), () -> terms.confirmation().standing(usage, epoch), then);
  }

  @Override
  public void verdict(VolumeUse usage, long epoch, Consumer<VolumeVerdict> then) {
    verdicts.ask(usage, terms.patience(), () -> terms.confirmation().verdict(usage, epoch), then);
  }

  /** Sends no more questions, and waits for no answers. */
  @Override
  public void close() {
    standings.threads.stop(Duration.ZERO);
    verdicts.threads.stop(Duration.ZERO);
  }

  /** Questions of one kind: one at a time for each use, several uses in parallel. */
  private static final class Questions<T> {

    private final OnDemandThreads threads;
    private final Function<String, T> unknown;

    /** The unanswered questions of each use; the first one is open. */
    private final ConcurrentMap<VolumeUse, List<Question<T>>> waiting = new ConcurrentHashMap<>();

    Questions(int most, Function<String, T> unknown) {
      this.threads = new OnDemandThreads(THREADS, most);
      this.unknown = unknown;
    }

    void ask(VolumeUse usage, Duration patience, Supplier<@Nullable T> asks, Consumer<T> then) {
      Question<T> question = new Question<>(System.nanoTime() + patience.toNanos(), asks, then);
      List<Question<T>> all =
          waiting.merge(
              usage,
              List.of(question),
              (before, one) ->
                  before.size() == MOST_OF_ONE_USE
                      ? before
                      : Stream.concat(before.stream(), one.stream()).toList());
      if (all.get(all.size() - 1) != question) {
        then.accept(unknown.apply("earlier questions have not been answered yet"));
      } else if (all.size() == 1) {
        begin(usage, question);
      }
    }

    private void begin(VolumeUse usage, Question<T> question) {
      try {
        threads.execute(() -> end(usage, question, answer(question)));
      } catch (RuntimeException | Error refused) {
        end(usage, question, unknown.apply("there is no thread to ask"));
      }
    }

    /**
     * Starts the next question of the use before the answer is delivered, as its receiver may ask
     * another one.
     */
    private void end(VolumeUse usage, Question<T> question, T answer) {
      List<Question<T>> left =
          waiting.computeIfPresent(
              usage, (same, all) -> all.size() == 1 ? null : all.subList(1, all.size()));
      try {
        if (left != null) {
          begin(usage, left.get(0));
        }
      } finally {
        question.then.accept(answer);
      }
    }

    private T answer(Question<T> question) {
      if (System.nanoTime() - question.end > 0) {
        return unknown.apply("earlier questions took too long");
      }
      try {
        T answer = question.asks.get();
        return answer == null ? unknown.apply("the answer was null") : answer;
      } catch (RuntimeException | Error failure) {
        return unknown.apply(String.valueOf(failure.getMessage()));
      }
    }
  }

  /** A question; compares by identity. */
  private static final class Question<T> {

    /** The time at which the asker stops waiting. */
    private final long end;

    private final Supplier<@Nullable T> asks;
    private final Consumer<T> then;

    /**
     * Creates a question.
     *
     * @param asks calls the host; may block
     * @param then receives the answer
     */
    Question(long end, Supplier<@Nullable T> asks, Consumer<T> then) {
      this.end = end;
      this.asks = asks;
      this.then = then;
    }
  }
}

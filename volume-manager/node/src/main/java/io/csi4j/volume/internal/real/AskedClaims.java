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
 * Calls the host's confirmation of claims, which may block. For each use, only one query runs at a
 * time, so a query that hangs blocks one thread and no other use. The next query for the use starts
 * after the running query has ended. It does not share that query's answer, because an answer must
 * be newer than its query.
 */
final class AskedClaims implements Claims, AutoCloseable {

  private static final String THREADS = "csi4j-volume-claim";
  private static final int MOST_THREADS = 16;

  /**
   * Maximum number of threads that check whether volumes exist. They are separate from the threads
   * for claims, because a slow storage system must not delay claims.
   */
  private static final int MOST_LOOKING_UP = 4;

  /** Maximum number of waiting and running queries for one use. */
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

  /** Starts no more queries, and does not wait for running queries. */
  @Override
  public void close() {
    standings.threads.stop(Duration.ZERO);
    verdicts.threads.stop(Duration.ZERO);
  }

  /**
   * Queries of one kind. For each use, one query runs at a time; queries for different uses run in
   * parallel.
   */
  private static final class Questions<T> {

    private final OnDemandThreads threads;
    private final Function<String, T> unknown;

    /** The unanswered queries for each use, of which the first is running. */
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
     * Delivers an answer. The next query for the use is started first, because the receiver of the
     * answer may submit another query.
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

  /** A query. Compares by identity. */
  private static final class Question<T> {

    /** The time at which the caller stops waiting. */
    private final long end;

    private final Supplier<@Nullable T> asks;
    private final Consumer<T> then;

    /**
     * Creates a query.
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

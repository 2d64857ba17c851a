package io.csi4j.volume.internal.real;

import io.csi4j.volume.internal.port.Claims;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.node.NodeClaims;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks those about claims whom the host has named, who may block. Each use has one question open at
 * a time: one that hangs keeps one thread, and no other use waiting.
 */
final class AskedClaims implements Claims, AutoCloseable {

  private static final String THREADS = "csi4j-volume-claim";
  private static final int MOST_THREADS = 16;

  /** Those that ask about volumes: storage systems may take long, and claims must not wait. */
  private static final int MOST_LOOKING_UP = 4;

  private final NodeClaims terms;
  private final Set<VolumeUse> open = ConcurrentHashMap.newKeySet();

  private final Set<VolumeUse> lookedUp = ConcurrentHashMap.newKeySet();
  private final OnDemandThreads threads = new OnDemandThreads(THREADS, MOST_THREADS);
  private final OnDemandThreads lookups = new OnDemandThreads(THREADS, MOST_LOOKING_UP);

  AskedClaims(NodeClaims terms) {
    this.terms = terms;
  }

  @Override
  public Optional<NodeClaims> terms() {
    return Optional.of(terms);
  }

  @Override
  public void standing(VolumeUse usage, long epoch, Consumer<ClaimStanding> then) {
    ask(
        threads,
        open,
        usage,
        () -> terms.confirmation().standing(usage, epoch),
        because -> new ClaimStanding.Unknown(new ReasonText(because)),
        then);
  }

  @Override
  public void verdict(VolumeUse usage, long epoch, Consumer<VolumeVerdict> then) {
    ask(
        lookups,
        lookedUp,
        usage,
        () -> terms.confirmation().verdict(usage, epoch),
        because -> new VolumeVerdict.Unknown(new ReasonText(because)),
        then);
  }

  private static <T> void ask(
      OnDemandThreads threads,
      Set<VolumeUse> asking,
      VolumeUse usage,
      Supplier<@Nullable T> question,
      Function<String, T> unknown,
      Consumer<T> then) {
    if (!asking.add(usage)) {
      then.accept(unknown.apply("an earlier question has not been answered yet"));
      return;
    }
    try {
      threads.execute(
          () -> {
            T answer;
            try {
              answer = answer(question, unknown);
            } finally {
              asking.remove(usage);
            }
            then.accept(answer);
          });
    } catch (RuntimeException | Error refused) {
      asking.remove(usage);
      then.accept(unknown.apply("there is no thread to ask"));
    }
  }

  private static <T> T answer(Supplier<@Nullable T> question, Function<String, T> unknown) {
    try {
      T answer = question.get();
      return answer == null ? unknown.apply("the answer was null") : answer;
    } catch (RuntimeException | Error failure) {
      return unknown.apply(String.valueOf(failure.getMessage()));
    }
  }

  /** Asks no more questions, and waits for no answers. */
  @Override
  public void close() {
    threads.stop(Duration.ZERO);
    lookups.stop(Duration.ZERO);
  }
}

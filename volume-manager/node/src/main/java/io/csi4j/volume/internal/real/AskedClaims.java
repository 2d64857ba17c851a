package io.csi4j.volume.internal.real;

import io.csi4j.volume.internal.port.Claims;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.NodeClaims;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Asks those about claims whom the host has named, who may block. Each use has one question open at
 * a time: one that hangs keeps one thread, and no other use waiting.
 */
final class AskedClaims implements Claims, AutoCloseable {

  private static final int MOST_THREADS = 16;

  private final NodeClaims terms;
  private final Set<VolumeUse> open = ConcurrentHashMap.newKeySet();
  private final OnDemandThreads threads;

  AskedClaims(NodeClaims terms) {
    this.terms = terms;
    threads = new OnDemandThreads("csi4j-volume-claim", MOST_THREADS);
  }

  @Override
  public Optional<NodeClaims> terms() {
    return Optional.of(terms);
  }

  @Override
  public void standing(VolumeUse usage, long epoch, Consumer<ClaimStanding> then) {
    if (!open.add(usage)) {
      then.accept(unknown("an earlier question has not been answered yet"));
      return;
    }
    try {
      threads.execute(
          () -> {
            ClaimStanding standing;
            try {
              standing = ask(usage, epoch);
            } finally {
              open.remove(usage);
            }
            then.accept(standing);
          });
    } catch (RuntimeException | Error refused) {
      open.remove(usage);
      then.accept(unknown("there is no thread to ask"));
    }
  }

  private ClaimStanding ask(VolumeUse usage, long epoch) {
    try {
      ClaimStanding standing = terms.confirmation().standing(usage, epoch);
      return standing == null ? unknown("the answer was null") : standing;
    } catch (RuntimeException | Error failure) {
      return unknown(String.valueOf(failure.getMessage()));
    }
  }

  private static ClaimStanding unknown(String because) {
    return new ClaimStanding.Unknown(new ReasonText(because));
  }

  /** Asks no more questions, and waits for no answers. */
  @Override
  public void close() {
    threads.stop(Duration.ZERO);
  }
}

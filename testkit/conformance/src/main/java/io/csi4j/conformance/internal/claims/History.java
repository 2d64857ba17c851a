package io.csi4j.conformance.internal.claims;

import static io.csi4j.conformance.internal.claims.Scene.token;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.spi.ClaimStore;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteResult;
import io.csi4j.volume.model.VolumeKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The writes of many callers to one key, and what they saw of it, in the order of a counter. As
 * each write has a version, one order of all that fits is easy to find: that of the versions. It is
 * left to see whether it goes against the order in which things were done.
 */
final class History {

  private record Look(long from, long to, Versioned seen) {
    long version() {
      return seen.version().value();
    }
  }

  private record Made(ClaimVersion expected, Look look) {}

  private final AtomicLong moments = new AtomicLong();
  private final Queue<Look> looks = new ConcurrentLinkedQueue<>();
  private final Queue<Made> writes = new ConcurrentLinkedQueue<>();

  Versioned read(ClaimStore store, VolumeKey volume) {
    long from = moments.getAndIncrement();
    Versioned seen = store.read(volume);
    looks.add(new Look(from, moments.getAndIncrement(), seen));
    return seen;
  }

  WriteResult write(ClaimStore store, Versioned before, Claim next) {
    long from = moments.getAndIncrement();
    WriteResult result = store.compareAndSet(before.version(), next, token());
    long to = moments.getAndIncrement();
    if (result instanceof WriteResult.Written written) {
      Look look = new Look(from, to, written.now());
      looks.add(look);
      writes.add(new Made(before.version(), look));
    } else if (result instanceof WriteResult.Conflict conflict) {
      Scene.check(
          !conflict.now().version().equals(before.version()),
          "A write that expected version "
              + before.version()
              + " was a conflict though that is what is there.");
      looks.add(new Look(from, to, conflict.now()));
    }
    return result;
  }

  List<Versioned> written() {
    return writes.stream()
        .map(made -> made.look().seen())
        .sorted(Comparator.comparing(Versioned::version))
        .toList();
  }

  /** Fails if no order of all this is possible in which each is done at one moment. */
  void check() {
    List<Made> chain = new ArrayList<>(writes);
    chain.sort(Comparator.comparingLong(made -> made.look().version()));
    ClaimVersion there = ClaimVersion.NEVER;
    for (Made made : chain) {
      Scene.check(
          made.expected().equals(there),
          "A write that expected version "
              + made.expected()
              + " was made when version "
              + there
              + " was there.");
      there = made.look().seen().version();
    }
    List<Look> inOrder = new ArrayList<>(looks);
    inOrder.sort(Comparator.comparingLong(Look::from));
    for (Look look : inOrder) {
      checkSeen(look, chain);
    }
    for (Look earlier : inOrder) {
      for (Look later : inOrder) {
        Scene.check(
            earlier.to() > later.from() || earlier.version() <= later.version(),
            "Version "
                + earlier.version()
                + " was seen, and afterwards "
                + later.version()
                + " by somebody who asked later.");
      }
    }
  }

  private static void checkSeen(Look look, List<Made> chain) {
    if (look.version() == 0) {
      return;
    }
    Made made =
        chain.stream()
            .filter(each -> each.look().version() == look.version())
            .findFirst()
            .orElseThrow(
                () ->
                    new AssertionError(
                        "Version " + look.version() + " was seen, and nobody wrote it."));
    Scene.check(
        Objects.equals(made.look().seen(), look.seen()),
        "Version " + look.version() + " was seen with something else than was written with it.");
    Scene.check(
        made.look().from() < look.to(),
        "Version " + look.version() + " was seen before it was written.");
  }
}

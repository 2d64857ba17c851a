package io.csi4j.volume.claim.sim;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimState;
import io.csi4j.volume.claim.spi.ClaimPage;
import io.csi4j.volume.claim.spi.ClaimStore;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.ClaimWatch;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteResult;
import io.csi4j.volume.claim.spi.WriteToken;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.StoreIdentity;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** The store of claims as the world has it; each process has a line of its own to it. */
final class SimStore {

  /** A version; and which write it has to be, where that is told. */
  private record Expected(ClaimVersion version, Optional<Versioned> seen) {
    boolean is(Versioned there) {
      return there.version().equals(version)
          && seen.filter(it -> !it.by().equals(there.by())).isEmpty();
    }
  }

  /**
   * A claim as a process has seen it.
   *
   * @param generation the number of restores before that
   */
  record Look(Claim claim, int generation) {}

  private record Letter(Expected expected, Claim next, WriteToken token, World.Member process) {}

  private final World world;
  private NavigableMap<VolumeKey, Versioned> claims = new TreeMap<>();
  private NavigableMap<VolumeKey, Versioned> backup = new TreeMap<>();

  /** The claims at the moment of the last restore, which took them away. */
  private NavigableMap<VolumeKey, Versioned> lost = new TreeMap<>();

  private final Deque<Letter> letters = new ArrayDeque<>();
  private int generation;

  SimStore(World world) {
    this.world = world;
  }

  /** What is really written. */
  Claim truth(VolumeKey volume) {
    return there(volume).claim();
  }

  /** The claim that decides about a call that was decided on by this look. */
  Claim truth(VolumeKey volume, Look look) {
    return look.generation() == generation ? truth(volume) : in(lost, volume).claim();
  }

  /** A look at a claim, now. */
  Look look(Claim claim) {
    return new Look(claim, generation);
  }

  List<Claim> all() {
    return claims.values().stream().map(Versioned::claim).toList();
  }

  private Versioned there(VolumeKey volume) {
    return in(claims, volume);
  }

  private static Versioned in(NavigableMap<VolumeKey, Versioned> claims, VolumeKey volume) {
    Versioned known = claims.get(volume);
    return known == null
        ? new Versioned(Claim.none(volume), ClaimVersion.NEVER, Optional.empty())
        : known;
  }

  private WriteResult write(Expected expected, Claim next, WriteToken token, World.Member process) {
    Versioned before = there(next.volume());
    if (!expected.is(before)) {
      return new WriteResult.Conflict(before);
    }
    judge(before.claim(), next, process);
    Versioned now =
        new Versioned(next, new ClaimVersion(expected.version().value() + 1), Optional.of(token));
    claims.put(next.volume(), now);
    world.look();
    return new WriteResult.Written(now);
  }

  /** Nothing is claimed that is being deleted, or, by one who can know that, is gone. */
  private void judge(Claim before, Claim next, World.Member process) {
    VolumeKey volume = next.volume();
    boolean isGrant =
        next.holders().values().stream()
            .filter(it -> before.holder(it.workload()).isEmpty())
            .filter(it -> !it.workload().equals(Claim.DELETION))
            .anyMatch(it -> it.state() == ClaimState.TAKEN);
    // What is written to a store that went back is not granted: its identity is looked at then.
    boolean isLost = world.chaos.isRestored() && world.defect != Defect.ANY_STORE_IS_TRUSTED;
    if (!isGrant || isLost) {
      return;
    }
    if (before.holder(Claim.DELETION).isPresent()) {
      throw world.violation(volume + " is claimed while it is held for its deletion: " + next);
    }
    if (process.asks && !world.storage.volumes.containsKey(volume)) {
      throw world.violation(volume + " is claimed, and is gone: " + next);
    }
  }

  /** Lets a write arrive that was long on its way. */
  void deliver() {
    Letter letter = letters.poll();
    if (letter != null) {
      WriteResult result =
          write(letter.expected(), letter.next(), letter.token(), letter.process());
      world.tell("a write of " + letter.process().name + " arrives late: " + result);
    }
  }

  /** Forgets a claim as nobody may. */
  void forget(VolumeUse usage) {
    Versioned was = there(usage.volume());
    if (was.claim().holder(usage.workload()).isEmpty()) {
      return;
    }
    TreeMap<WorkloadId, ClaimHolder> left = new TreeMap<>(was.claim().holders());
    left.remove(usage.workload());
    claims.put(
        usage.volume(),
        new Versioned(
            new Claim(
                usage.volume(),
                left.isEmpty() ? Optional.empty() : was.claim().use(),
                left,
                was.claim().epoch(),
                Optional.empty()),
            new ClaimVersion(was.version().value() + 1),
            was.by()));
  }

  void backUp() {
    backup = new TreeMap<>(claims);
  }

  /** The backup takes the place of the store: another one, as its identity says. */
  void restore() {
    lost = claims;
    claims = new TreeMap<>(backup);
    letters.clear();
    generation++;
  }

  /** After a person has seen to it that nothing is mounted nor attached. */
  void clean() {
    for (Map.Entry<VolumeKey, Versioned> entry : claims.entrySet()) {
      Claim empty = Claim.none(entry.getKey());
      Versioned was = entry.getValue();
      entry.setValue(
          new Versioned(
              new Claim(
                  empty.volume(),
                  empty.use(),
                  empty.holders(),
                  world.highestEpoch() + 1,
                  Optional.empty()),
              new ClaimVersion(was.version().value() + 1),
              was.by()));
    }
    letters.clear();
  }

  StoreIdentity identity() {
    return new StoreIdentity("sim-" + generation);
  }

  /** A process's line to it. */
  final class Line implements ClaimStore {
    private final World.Member process;

    Line(World.Member process) {
      this.process = process;
    }

    private void travel() {
      world.turns().effect();
      if (process.isCutOff() || world.happens(0.01)) {
        throw new RecordStoreException("nobody answers", new IllegalStateException("line cut"));
      }
    }

    @Override
    public Versioned read(VolumeKey volume) {
      travel();
      Versioned now = there(volume);
      process.saw(now.claim());
      return new Versioned(world.blinded(now.claim()), now.version(), now.by());
    }

    @Override
    public WriteResult compareAndSet(ClaimVersion expected, Claim next, WriteToken token) {
      return send(new Expected(expected, Optional.empty()), next, token);
    }

    private WriteResult send(Expected expected, Claim next, WriteToken token) {
      travel();
      Claim whole = world.restored(there(next.volume()).claim(), next);
      int fate = world.fate();
      if (fate > 0) {
        world.tell(process.name + " gets no answer to its write of " + whole);
      }
      WriteResult result =
          switch (fate) {
            case 1 -> unknown();
            case 2 -> {
              write(expected, whole, token, process);
              yield unknown();
            }
            case 3 -> {
              letters.add(new Letter(expected, whole, token, process));
              yield unknown();
            }
            default -> write(expected, whole, token, process);
          };
      world.turns().effect();
      return result instanceof WriteResult.Written written
          ? new WriteResult.Written(blind(written.now()))
          : result instanceof WriteResult.Conflict conflict
              ? new WriteResult.Conflict(blind(conflict.now()))
              : result;
    }

    /** In one step, as etcd does it. */
    @Override
    public WriteResult replace(Versioned seen, Claim next, WriteToken token) {
      if (world.isDefective()) {
        // What a defect hides depends on who looks, and for what: each has to look for himself.
        return new WriteResult.Conflict(there(next.volume()));
      }
      return send(new Expected(seen.version(), Optional.of(seen)), next, token);
    }

    private Versioned blind(Versioned now) {
      process.saw(now.claim());
      return new Versioned(world.blinded(now.claim()), now.version(), now.by());
    }

    private WriteResult unknown() {
      return new WriteResult.Unknown(new ReasonText("the answer was lost"));
    }

    @Override
    public ClaimPage scan(Optional<VolumeKey> after, int limit) {
      travel();
      return ClaimPage.of(
          after.map(key -> claims.tailMap(key, false)).orElse(claims).values().stream()
              .limit(limit)
              .map(this::blind)
              .toList(),
          limit);
    }

    @Override
    public ClaimWatch watch() {
      throw new UnsupportedOperationException();
    }

    @Override
    public StoreIdentity identity() {
      return SimStore.this.identity();
    }

    @Override
    public void close() {}
  }
}

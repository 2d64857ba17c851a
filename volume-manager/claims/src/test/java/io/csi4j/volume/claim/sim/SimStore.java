package io.csi4j.volume.claim.sim;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.claims.StoredClaims;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.store.MoveMark;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/** The store of claims as the world has it; each process has a line of its own to it. */
final class SimStore {

  private static final ClaimCodec CODEC = new ClaimCodec();

  /** A claim with its record. */
  private record Kept(Claim claim, Optional<StoredRecord> record) {

    static Kept of(Claim claim, long version, UUID mark) {
      return new Kept(
          claim,
          Optional.of(
              new StoredRecord(
                  CODEC.key(claim),
                  version,
                  StateValue.of(CODEC.encode(claim, mark, UnknownFields.NONE)))));
    }

    long version() {
      return record.map(StoredRecord::version).orElse(0L);
    }

    /** The same by another write. */
    Kept next(Claim next, UUID mark) {
      return of(next, version() + 1, mark);
    }

    /** The same write, of another claim. */
    Kept shown(Claim other) {
      return other.equals(claim) || record.isEmpty()
          ? this
          : of(other, version(), StoredClaims.mark(record.get().value()));
    }
  }

  /**
   * A claim as a process has seen it.
   *
   * @param generation the number of restores before that
   * @param lateWrites the number of late writes of the claim before that
   */
  record Look(Claim claim, int generation, int lateWrites) {}

  /** What an actor was shown, and what it was about then. */
  private record Shown(RecordKey key, Optional<StoredRecord> record, World.Phase phase) {}

  /** A write that is on its way, of what it is meant to write. */
  private record Letter(RecordWrite write, Claim next, World.Member process) {}

  private final World world;
  private NavigableMap<VolumeKey, Kept> claims = new TreeMap<>();
  private NavigableMap<VolumeKey, Kept> backup = new TreeMap<>();

  /** The claims at the moment of the last restore, which took them away. */
  private NavigableMap<VolumeKey, Kept> lost = new TreeMap<>();

  private final Deque<Letter> letters = new ArrayDeque<>();
  private final Map<VolumeKey, Integer> lateWrites = new HashMap<>();
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
    return new Look(claim, generation, lateWrites(claim.volume()));
  }

  /**
   * Whether a write arrived late since a look. Its process may have been killed: then it is a
   * second one beside the only process that works.
   */
  boolean isOvertakenLate(VolumeKey volume, Look look) {
    return lateWrites(volume) != look.lateWrites();
  }

  private int lateWrites(VolumeKey volume) {
    return lateWrites.getOrDefault(volume, 0);
  }

  List<Claim> all() {
    return claims.values().stream().map(Kept::claim).toList();
  }

  private Kept there(VolumeKey volume) {
    return in(claims, volume);
  }

  private static Kept in(NavigableMap<VolumeKey, Kept> claims, VolumeKey volume) {
    Kept known = claims.get(volume);
    return known == null ? new Kept(Claim.none(volume), Optional.empty()) : known;
  }

  /** What a defect hides is not compared: the version alone decides then. */
  private boolean isSeen(RecordWrite write, Kept there) {
    return write.seen().map(StoredRecord::version).orElse(0L) == there.version()
        && (world.isDefective() || write.seen().equals(there.record()));
  }

  private WriteResult write(RecordWrite write, Claim next, World.Member process) {
    Kept before = there(next.volume());
    if (!isSeen(write, before)) {
      return new WriteResult.Conflict(blind(process, before).record().stream().toList());
    }
    judge(before.claim(), next, process);
    Kept now = before.next(next, StoredClaims.mark(write.next().orElseThrow()));
    claims.put(next.volume(), now);
    world.look();
    return new WriteResult.Written(blind(process, now).record().stream().toList());
  }

  private Kept blind(World.Member process, Kept now) {
    process.saw(now.claim());
    return now.shown(world.blinded(now.claim()));
  }

  /** Nothing is claimed that is being deleted, or, by one who can know that, is gone. */
  private void judge(Claim before, Claim next, World.Member process) {
    VolumeKey volume = next.volume();
    boolean isGrant =
        next.holders().values().stream()
            .filter(it -> before.holder(it.workload()).isEmpty())
            .filter(it -> !it.workload().equals(Claim.DELETION))
            .anyMatch(it -> it.state() == ClaimHolder.State.TAKEN);
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
      WriteResult result = write(letter.write(), letter.next(), letter.process());
      if (result instanceof WriteResult.Written) {
        lateWrites.merge(letter.next().volume(), 1, Integer::sum);
      }
      world.tell("a write of " + letter.process().name + " arrives late: " + result);
    }
  }

  /** Forgets a claim as nobody may. */
  void forget(VolumeUse usage) {
    Kept was = there(usage.volume());
    if (was.claim().holder(usage.workload()).isEmpty()) {
      return;
    }
    TreeMap<WorkloadId, ClaimHolder> left = new TreeMap<>(was.claim().holders());
    left.remove(usage.workload());
    claims.put(
        usage.volume(),
        was.next(
            new Claim(
                usage.volume(),
                left.isEmpty() ? Optional.empty() : was.claim().use(),
                left,
                was.claim().epoch(),
                Optional.empty()),
            UUID.randomUUID()));
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
    for (Map.Entry<VolumeKey, Kept> entry : claims.entrySet()) {
      Claim empty = Claim.none(entry.getKey());
      entry.setValue(
          entry
              .getValue()
              .next(
                  new Claim(
                      empty.volume(),
                      empty.use(),
                      empty.holders(),
                      world.highestEpoch() + 1,
                      Optional.empty()),
                  UUID.randomUUID()));
    }
    letters.clear();
  }

  StoreIdentity identity() {
    return new StoreIdentity("sim-" + generation);
  }

  /** A process's line to it. */
  final class Line implements RecordStore {
    private final World.Member process;

    /** The last look of each actor, in a world with a defect. */
    private final Map<Turns.Actor, Shown> shown = new HashMap<>();

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
    public Optional<StoredRecord> read(RecordKey key) {
      if (key.equals(MoveMark.KEY)) {
        // Nothing is moved in this world.
        return Optional.empty();
      }
      travel();
      return shown(key, blind(process, there(key.volume().orElseThrow())).record());
    }

    private Optional<StoredRecord> shown(RecordKey key, Optional<StoredRecord> record) {
      shown.put(world.turns().now(), new Shown(key, record, world.phase()));
      return record;
    }

    /** What a defect hides depends on who looks, and for what: each has to look for himself. */
    private boolean isFromMemory(RecordWrite write) {
      Shown last = shown.remove(world.turns().now());
      return world.isDefective()
          && !new Shown(write.key(), write.seen(), world.phase()).equals(last);
    }

    /** A claim is written alone, and never removed. */
    @Override
    public WriteResult write(List<RecordWrite> writes) {
      RecordWrite write = writes.get(0);
      if (isFromMemory(write)) {
        return new WriteResult.Conflict(
            there(write.key().volume().orElseThrow()).record().stream().toList());
      }
      travel();
      Claim next = claim(write.next().orElseThrow());
      Claim whole = world.restored(there(next.volume()).claim(), next);
      int fate = world.fate();
      if (fate > 0) {
        world.tell(process.name + " gets no answer to its write of " + whole);
      }
      WriteResult result =
          switch (fate) {
            case 1 -> unknown();
            case 2 -> {
              SimStore.this.write(write, whole, process);
              yield unknown();
            }
            case 3 -> {
              letters.add(new Letter(write, whole, process));
              yield unknown();
            }
            default -> SimStore.this.write(write, whole, process);
          };
      world.turns().effect();
      if (result instanceof WriteResult.Conflict conflict) {
        shown(write.key(), conflict.now().stream().findFirst());
      }
      return result;
    }

    private static Claim claim(StateValue value) {
      try {
        return CODEC.decode(value.bytes()).value();
      } catch (MalformedRecordException e) {
        throw new IllegalArgumentException(e);
      }
    }

    private WriteResult unknown() {
      return new WriteResult.Unknown(new ReasonText("the answer was lost"));
    }

    @Override
    public Page scan(RecordKey.Space space, Optional<RecordKey> after, int limit) {
      travel();
      return Page.of(
          after
              .map(key -> claims.tailMap(key.volume().orElseThrow(), false))
              .orElse(claims)
              .values()
              .stream()
              .limit(limit)
              .flatMap(each -> blind(process, each).record().stream())
              .toList(),
          limit);
    }

    @Override
    public Watch watch(RecordKey.Space space) {
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

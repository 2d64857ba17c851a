package io.csi4j.volume.sim;

import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.engine.VolumeEngine;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.Reconciliation;
import io.csi4j.volume.node.WantedUse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The orchestrator: knows what it wants and who has it, asks for it, and after a crash starts again
 * and says once more what it wants.
 */
final class SimHost {

  /** The history cannot go on: an invariant is broken. */
  static final class Stop extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Stop() {
      super("an invariant is broken", null, false, false);
    }
  }

  /** No operation takes longer, whatever a plugin does. */
  private static final Duration LONGEST = Duration.ofHours(3);

  /** How long a host takes to find out what it wants. */
  private static final Duration TELLING = Duration.ofSeconds(20);

  private static final Duration BACKGROUND = Duration.ofHours(2);

  /** One thing that was asked for. */
  static final class Asked {
    private final String what;
    private final VolumeUse usage;
    private final Life life;
    private CompletableFuture<?> future;
    private boolean superseded;

    /** The contexts of an earlier refresh of which no end was known, if there was one. */
    private Integer doubt;

    private boolean done;
    private String end = "";

    private Asked(String what, VolumeUse usage, Life life) {
      this.what = what;
      this.usage = usage;
      this.life = life;
    }

    boolean isDone() {
      return done || life.isDead();
    }

    /** How it ended: a value, or an outcome. */
    String end() {
      return end;
    }

    CompletableFuture<?> future() {
      return future;
    }

    @Override
    public String toString() {
      return what + " " + usage;
    }
  }

  private final World world;
  private final Map<VolumeUse, Wanted> all = new TreeMap<>();
  private final Set<VolumeUse> desired = new TreeSet<>();
  private final Set<VolumeUse> holding = new TreeSet<>();

  /** Who works with a volume of which the mount was dead and is being made anew. */
  private final Set<VolumeUse> suspended = new TreeSet<>();

  /** Whose refreshes were asked for and did not fail, and with which contexts. */
  private final Map<VolumeUse, Integer> refreshed = new TreeMap<>();

  /** Those of which no end is known, with the contexts that were asked for last. */
  private final Map<VolumeUse, Integer> refreshing = new TreeMap<>();

  /** Why there was no proof, when one was asked for last. */
  private String refusal = "";

  private final List<Asked> asked = new ArrayList<>();

  /** Whether a caller has turned away from an operation that goes on. */
  private boolean hasForsaken;

  /** Whether the last call of the engine was thrown out of by a seam that tore. */
  private boolean torn;

  private Life life;
  private VolumeEngine engine;
  private CompletableFuture<?> reconciled = CompletableFuture.completedFuture(null);

  SimHost(World world) {
    this.world = world;
    for (Wanted wanted : Wanted.all(world.setup())) {
      all.put(wanted.usage(), wanted);
    }
  }

  Collection<Wanted> all() {
    return all.values();
  }

  Wanted wanted(VolumeUse usage) {
    return all.get(usage);
  }

  /** Who has been given a volume, and works with it. */
  Set<VolumeUse> holding() {
    return holding;
  }

  Set<VolumeUse> suspended() {
    suspended.retainAll(holding);
    return suspended;
  }

  /** It is told that the mounts of some are well again. */
  void repaired(Predicate<VolumeUse> told) {
    suspended.removeIf(
        usage -> {
          List<SimKernel.Mount> stack = world.kernel().at(world.target(usage));
          return told.test(usage)
              && !stack.isEmpty()
              && !stack.get(stack.size() - 1).isDead()
              && stack.get(stack.size() - 1).readOnly == wanted(usage).request().readOnly();
        });
  }

  /** The dead mount of a workload is taken away to be made anew. */
  void suspend(VolumeUse usage) {
    suspended.add(usage);
  }

  Set<VolumeUse> desired() {
    return desired;
  }

  Life life() {
    return life;
  }

  VolumeEngine engine() {
    return engine;
  }

  /** All workloads have ended, with the host or with the container that they run in. */
  void workloadsEnded() {
    holding.clear();
  }

  /** Somebody took the volume away from a workload. */
  void lost(VolumeUse usage) {
    holding.remove(usage);
  }

  // ---- starting

  /** Starts, for the first time or again, until it is up. */
  void start() {
    boolean first = life == null;
    do {
      asked.clear();
      if (!first) {
        world.meet("STARTING");
      }
      life = world.begin();
      Life mine = life;
      engine = attempt(() -> open(mine));
      if (engine == null || life.isDead()) {
        continue;
      }
      if (!first
          && !world.isQuiet()
          && world.choices().rarely("host forgets its workloads", 2, 0.3) == 1) {
        desired.clear();
        holding.clear();
        refreshing.clear();
      }
      if (!first
          && world.setup().roams()
          && world.choices().rarely("host asks before it tells", 2, 0.2) == 1) {
        for (VolumeUse usage : all.keySet()) {
          if (!desired.contains(usage)
              && world.choices().choose("asks for the end of " + usage, 2) == 1) {
            unmount(usage);
          }
        }
      }
      if (!first && !world.isQuiet()) {
        // Meanwhile nothing may be taken away.
        world.time().until(() -> mine.isDead() || broken(), TELLING);
      }
      if (life.isDead()) {
        continue;
      }
      if (!first) {
        world
            .claims()
            .ifPresent(claims -> desired.forEach(usage -> claims.mayMoveOn(usage, "meanwhile")));
      }
      tell(!first);
      if (!first) {
        for (VolumeUse usage : List.copyOf(desired)) {
          Integer asked = refreshing.get(usage);
          if (!life.isDead() && asked != null) {
            // What is in force is not known before it is asked for again.
            boolean isOther = world.choices().choose("refreshed with other contexts", 2) == 1;
            await(refresh(usage, isOther ? other(asked) : asked));
          }
          if (!life.isDead()) {
            await(mount(usage));
          }
        }
      }
    } while (life.isDead());
  }

  /** Nothing starts where the mounts cannot be seen; somebody sees to that. */
  private VolumeEngine open(Life mine) {
    try {
      return world.open(mine);
    } catch (MountException unseen) {
      if (!world.kernel().isBlind()) {
        throw unseen;
      }
      world.kernel().blind(false);
      world.end(mine);
      throw new Life.Crash();
    }
  }

  /** Starts again if it has crashed. */
  void recover() {
    if (world.findings().isBroken()) {
      throw new Stop();
    }
    if (life.isDead()) {
      start();
    }
    if (world.findings().isBroken()) {
      throw new Stop();
    }
    if (!world.setup().roams()) {
      asked.removeIf(Asked::isDone);
      world.meet("UP");
    }
  }

  /** Tells the manager all that it wants. */
  void tell(boolean waiting) {
    Life mine = life;
    mine.told = true;
    List<WantedUse> live = new ArrayList<>();
    for (VolumeUse usage : desired) {
      world.claims().ifPresent(claims -> claims.isAskedFor(usage));
      boolean names = world.setup().roams() && world.choices().rarely("only names", 2, 0.2) == 1;
      live.add(names ? new WantedUse.Named(usage) : new WantedUse.Requested(request(usage)));
      if (!names) {
        life.requested.add(usage);
      }
    }
    world.findings().note("TELL", live);
    Reconciliation work = attempt(() -> engine.reconcile(live));
    if (work != null && !mine.isDead()) {
      reconciled = work.done().toCompletableFuture();
    }
    if (work != null && waiting && !mine.isDead()) {
      CompletableFuture<?> done = reconciled;
      world.time().until(() -> done.isDone() || mine.isDead() || broken(), LONGEST);
      if (!done.isDone() && !mine.isDead() && !broken()) {
        world.findings().violated("I12", "a reconciliation has not ended after " + LONGEST);
      }
    }
  }

  private boolean broken() {
    return world.findings().isBroken();
  }

  /** Calls the engine; nothing comes back when the process ends in it. */
  private <T> T attempt(Supplier<T> call) {
    Life mine = life;
    torn = false;
    try {
      return call.get();
    } catch (Life.Crash crash) {
      return null;
    } catch (RuntimeException | Error failure) {
      torn = failure instanceof Seams.Torn;
      if (!mine.isDead() && !torn) {
        world.findings().violated("I12", "a call was thrown out of with " + World.words(failure));
      }
      return null;
    }
  }

  // ---- asking

  /** Wants a use from now on. */
  Asked mount(VolumeUse usage) {
    if (desired.add(usage)) {
      world
          .claims()
          .ifPresent(
              claims -> {
                claims.claim(usage);
                claims.mayMoveOn(usage, "before it is asked for");
              });
    }
    life.named.add(usage);
    life.requested.add(usage);
    world.claims().ifPresent(claims -> claims.isAskedFor(usage));
    return ask(
        new Asked("MOUNT", usage, life),
        () -> engine.mount(request(usage)),
        (it, volume) -> {
          suspended.remove(usage);
          world.watch().told(usage, (MountedVolume) volume);
          if (!it.superseded && desired.contains(usage)) {
            holding.add(usage);
          }
        });
  }

  /** Wants a use that it has with other contexts. */
  Asked refresh(VolumeUse usage) {
    return refresh(usage, other(refreshing.getOrDefault(usage, refreshed.getOrDefault(usage, 2))));
  }

  private static int other(int contexts) {
    return 3 - contexts;
  }

  private Asked refresh(VolumeUse usage, int contexts) {
    Asked asking = new Asked("REFRESH", usage, life);
    asking.doubt = refreshing.put(usage, contexts);
    return ask(
        asking,
        () -> engine.refresh(Wanted.refreshed(request(usage), contexts)),
        (it, volume) -> {
          refreshing.remove(usage, contexts);
          refreshed.put(usage, contexts);
          world.watch().told(usage, (MountedVolume) volume);
          world.watch().refreshed(usage, Wanted.context(contexts));
        });
  }

  /** Does not want a use any more; the workload has ended. */
  Asked unmount(VolumeUse usage) {
    desired.remove(usage);
    holding.remove(usage);
    refreshed.remove(usage);
    refreshing.remove(usage);
    life.named.add(usage);
    for (Asked other : asked) {
      if (other.usage.equals(usage)) {
        other.superseded = true;
      }
    }
    // Another key of the same value, as that of another call of a host is.
    VolumeUse same =
        VolumeUse.of(
            VolumeKey.of(usage.volume().namespace(), usage.volume().id()),
            WorkloadId.of(usage.workload().value()));
    return ask(
        new Asked("UNMOUNT", usage, life),
        () -> engine.unmount(same),
        (it, release) -> {
          world.watch().released(usage);
          prove(usage);
        });
  }

  /** What is wanted, under the claim that the host has. */
  private MountRequest request(VolumeUse usage) {
    MountRequest request =
        world
            .claims()
            .map(claims -> all.get(usage).claimed(claims.epoch(usage)))
            .orElseGet(all.get(usage)::request);
    Integer contexts = refreshed.get(usage);
    return contexts == null ? request : Wanted.refreshed(request, contexts);
  }

  /** Asks for the proof that nothing is left; tells whether it is given. */
  private boolean prove(VolumeUse usage) {
    if (world.claims().isEmpty()) {
      return true;
    }
    try {
      var receipt = engine.receipt(usage, 1, Optional.of(all.get(usage).identity()));
      if (world.kernel().isMounted(world.target(usage))) {
        world.findings().violated("I14", receipt + " was given, and it is mounted");
      }
      return true;
    } catch (VolumeException refused) {
      refusal = refused.operatorMessage().line();
      return false;
    } catch (Seams.Torn torn) {
      return true;
    }
  }

  private Asked ask(
      Asked ask, Supplier<CompletableFuture<?>> call, BiConsumer<Asked, Object> then) {
    asked.add(ask);
    world.findings().note("ASK", world.time().elapsed(), ask);
    CompletableFuture<?> future = attempt(call);
    if (ask.life.isDead() || broken()) {
      return ask;
    }
    if (torn) {
      future = CompletableFuture.failedFuture(new CancellationException("the call was torn"));
    } else if (future == null) {
      world.findings().violated("I12", ask + " gave null");
      return ask;
    }
    ask.future = future;
    future.whenComplete(
        (value, failure) -> {
          if (ask.life.isDead()) {
            return;
          }
          ask.done = true;
          if (failure != null) {
            failed(ask, failure);
          } else if (value == null) {
            world.findings().violated("I12", ask + " has ended with null");
          } else {
            ask.end = value.toString();
            world.findings().note("DONE", world.time().elapsed(), ask, value);
            then.accept(ask, value);
          }
        });
    return ask;
  }

  private void failed(Asked ask, Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    world.findings().note("FAILED", world.time().elapsed(), ask, cause.getMessage());
    if (cause instanceof CancellationException) {
      hasForsaken = true;
      ask.end = "CANCELLED";
      return;
    }
    if (!(cause instanceof VolumeException named)) {
      world.findings().violated("I12", ask + " has ended with " + World.words(cause));
      return;
    }
    ask.end = named.outcome().name();
    world.watch().failed(ask.usage, cause);
    if (ask.what.equals("REFRESH") && named.outcome() == VolumeException.Outcome.REFUSED) {
      if (ask.doubt == null) {
        refreshing.remove(ask.usage);
      } else {
        refreshing.put(ask.usage, ask.doubt);
      }
    }
    if (ask.what.equals("MOUNT") && !ask.superseded) {
      desired.remove(ask.usage);
      holding.remove(ask.usage);
    }
  }

  /** Waits until something that was asked for has ended, or the process has. */
  void await(Asked ask) {
    world.time().until(() -> ask.isDone() || broken(), LONGEST);
    if (!ask.isDone() && !broken()) {
      world.findings().violated("I12", ask + " has not ended after " + LONGEST);
    }
  }

  /** Waits until all that was asked for has ended, or the process has. */
  void awaitAll() {
    for (Asked ask : List.copyOf(asked)) {
      await(ask);
    }
    asked.removeIf(Asked::isDone);
  }

  /** Whether the host waits for the mount of a use. */
  boolean isAsking(VolumeUse usage) {
    return asked.stream()
        .anyMatch(it -> it.usage.equals(usage) && it.what.equals("MOUNT") && !it.isDone());
  }

  List<Asked> asked() {
    return asked;
  }

  // ---- the end

  /**
   * Everybody is healthy, nothing is wanted any more. In the end nothing is left; what is held for
   * a person is asked for by name again, as a person would.
   */
  void epilogue() {
    world.calm();
    recover();
    awaitForsaken();
    awaitAll();
    mended();
    for (int round = 0; round < 4; round++) {
      desired.clear();
      holding.clear();
      tell(true);
      recover();
      world.time().until(() -> (world.isClean() && allDone()) || broken(), BACKGROUND);
      recover();
      if (world.isClean()) {
        break;
      }
      if (world.setup().strict()) {
        // What it was asked for and did not answer has ended with it, for certain.
        world.plugin(Wanted.FAULTY).restart();
        plugin(world.plugin(Wanted.FAULTY));
      }
      for (VolumeUse usage : all.keySet()) {
        await(unmount(usage));
      }
      recover();
      if (world.needsStart()) {
        world.end(life);
        recover();
      }
    }
    awaitAll();
    recover();
    for (VolumeUse usage : all.keySet()) {
      if (!prove(usage)) {
        world
            .findings()
            .violated("I14", "nothing is left of " + usage + ", and there is no proof: " + refusal);
      }
    }
    world.watch().end();
  }

  /** Operations go on whose callers have turned away, also one that was asked for just now. */
  private void awaitForsaken() {
    if (hasForsaken) {
      world.time().until(this::broken, Duration.ofSeconds(1));
      world.time().until(() -> world.isIdle() || broken(), BACKGROUND);
      recover();
    }
  }

  /** What was dead is made anew in the end, where the policy says so and the request is known. */
  private void mended() {
    SimPlugin faulty = world.plugin(Wanted.FAULTY);
    if (life.isDead() || !faulty.mends()) {
      return;
    }
    plugin(faulty);
    world.time().until(() -> unmended().isEmpty() || life.isDead() || broken(), BACKGROUND);
    // What waits for people goes on when they ask.
    unmended().forEach(this::mount);
    world.time().until(() -> unmended().isEmpty() || life.isDead() || broken(), BACKGROUND);
    if (!unmended().isEmpty() && !life.isDead()) {
      world.findings().violated("B10", "a dead mount was not made anew for " + unmended());
    }
  }

  private List<VolumeUse> unmended() {
    boolean isOneTaken = faultyUses().stream().anyMatch(usage -> !life.requested.contains(usage));
    return faultyUses().stream()
        .filter(usage -> !isOneTaken)
        .filter(usage -> world.kernel().isDead(world.target(usage)) || suspended().contains(usage))
        .toList();
  }

  private List<VolumeUse> faultyUses() {
    return holding.stream()
        .filter(usage -> wanted(usage).identity().plugin().equals(Wanted.FAULTY))
        .toList();
  }

  /** Tells the manager that a plugin has changed. */
  void plugin(SimPlugin changed) {
    attempt(
        () -> {
          engine.pluginChanged(changed.id());
          return changed;
        });
  }

  /** Whether nothing is asked for that has not ended. */
  boolean isIdle() {
    return allDone() && reconciled.isDone();
  }

  private boolean allDone() {
    for (Asked ask : asked) {
      if (!ask.isDone()) {
        return false;
      }
    }
    return true;
  }

  // ---- what others do

  /** Somebody unmounts what is at a path. */
  void somebodyUnmounts(MountPath path) {
    world.findings().note("UMOUNT", path);
    world.kernel().unmount(path, mount -> true);
    world.plugin(Wanted.FAULTY).unmountedBySomebody(path);
    world.watch().takenAway(path);
    world.usageAt(path).ifPresent(this::lost);
  }
}

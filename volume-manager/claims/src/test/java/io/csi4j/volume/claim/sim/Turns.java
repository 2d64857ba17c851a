package io.csi4j.volume.claim.sim;

import io.csi4j.volume.internal.disk.FakeDisk;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Lets one actor go on at a time, and decides by a seed which: so that real code on real threads
 * plays the same history again. An actor gives up its turn at every effect.
 */
final class Turns {

  /** Ends what an actor is doing, as if its process had been killed. */
  static final class Killed extends Error {
    private static final long serialVersionUID = 1L;

    Killed() {
      super("killed", null, false, false);
    }
  }

  /** Somebody who does something when it is his turn. */
  abstract static class Actor {
    private Thread thread;
    private boolean dying;
    private int effects;
    private boolean over;
    private long asleepUntil;
    private BooleanSupplier waitsFor;

    /** One operation. */
    abstract void act();

    /** Told when what it was doing was ended by {@link Turns#kill}. */
    void killed() {}
  }

  private final Random random;
  private final double restless;
  private final List<Actor> actors = new ArrayList<>();
  private volatile Actor current;
  private volatile boolean finished;
  private Throwable broken;
  private long steps;
  private long operations;
  private final long most;

  /**
   * Turns for so many operations.
   *
   * @param restless how often an effect ends a turn
   */
  Turns(long seed, double restless, long most) {
    random = FakeDisk.chance(seed);
    this.restless = restless;
    this.most = most;
  }

  void add(Actor actor) {
    actors.add(actor);
  }

  long operations() {
    return operations;
  }

  long steps() {
    return steps;
  }

  /** Lets the actors act until enough is done, or something breaks. */
  void play() {
    for (Actor actor : actors) {
      actor.thread = new Thread(() -> live(actor), "csi4j-volume-sim-claims");
      actor.thread.setDaemon(true);
    }
    current = actors.get(0);
    actors.forEach(actor -> actor.thread.start());
    for (Actor actor : actors) {
      try {
        actor.thread.join();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    if (broken instanceof AssertionError violation) {
      throw violation;
    }
    if (broken != null) {
      throw new AssertionError("an actor fell over", broken);
    }
  }

  /** Only what has reached the store or the storage system counts as an operation. */
  private void count(Actor actor) {
    operations += actor.effects > 0 ? 1 : 0;
    actor.effects = 0;
  }

  private void live(Actor actor) {
    try {
      await(actor);
      while (!finished) {
        try {
          if (actor.dying) {
            throw new Killed();
          }
          if (operations >= most) {
            finished = true;
            break;
          }
          actor.effects = 0;
          actor.act();
          count(actor);
        } catch (Killed killed) {
          count(actor);
          actor.dying = false;
          actor.killed();
        }
        if (!finished) {
          pass(actor, choose());
        }
      }
    } catch (Stopped ended) {
      // It is all over.
    } catch (Throwable failure) {
      if (broken == null) {
        broken = failure;
      }
      finished = true;
    } finally {
      actor.over = true;
      actors.forEach(each -> LockSupport.unpark(each.thread));
    }
  }

  /** Ends an actor when all is over. */
  private static final class Stopped extends Error {
    private static final long serialVersionUID = 1L;

    Stopped() {
      super("stopped", null, false, false);
    }
  }

  /** An effect of the actor whose turn it is: others may come in between, and it may be killed. */
  void effect() {
    Actor me = current;
    steps++;
    if (finished) {
      return;
    }
    me.effects++;
    if (me.asleepUntil > steps || random.nextDouble() < restless) {
      pass(me, choose());
    }
    if (me.dying) {
      throw new Killed();
    }
  }

  /** Lets the others go on until something is so. */
  void waitUntil(BooleanSupplier condition) {
    Actor me = current;
    if (finished) {
      return;
    }
    while (!condition.getAsBoolean()) {
      me.waitsFor = condition;
      try {
        pass(me, choose());
      } finally {
        me.waitsFor = null;
      }
      if (me.dying) {
        throw new Killed();
      }
    }
  }

  /** Ends what an actor is doing, at its next turn. */
  void kill(Actor actor) {
    actor.dying = true;
    actor.asleepUntil = 0;
  }

  /** Sometimes the actor whose turn it is stands still for long. */
  boolean standStill(double probability) {
    boolean still = !finished && random.nextDouble() < probability;
    if (still) {
      pause(current, 200 + random.nextInt(1500));
    }
    effect();
    return still;
  }

  /** An actor stands still for so many turns of the others. */
  void pause(Actor actor, long turns) {
    actor.asleepUntil = steps + turns;
  }

  /** The one whose turn it is. */
  Actor now() {
    return current;
  }

  private Actor choose() {
    List<Actor> ready = new ArrayList<>(actors.size());
    for (Actor actor : actors) {
      boolean held =
          !actor.dying
              && (actor.asleepUntil > steps
                  || (actor.waitsFor != null && !actor.waitsFor.getAsBoolean()));
      if (!held && !actor.over) {
        ready.add(actor);
      }
    }
    if (ready.isEmpty()) {
      // All sleep or wait: the first that sleeps wakes up.
      actors.forEach(actor -> actor.asleepUntil = 0);
      return actors.get(actors.size() - 1);
    }
    return ready.get(random.nextInt(ready.size()));
  }

  private void pass(Actor me, Actor next) {
    steps++;
    if (next != me) {
      current = next;
      LockSupport.unpark(next.thread);
      await(me);
    }
  }

  private void await(Actor me) {
    while (current != me) {
      if (finished) {
        throw new Stopped();
      }
      LockSupport.park(this);
    }
    if (finished) {
      throw new Stopped();
    }
  }
}

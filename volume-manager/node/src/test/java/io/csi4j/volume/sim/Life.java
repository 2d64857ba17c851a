package io.csi4j.volume.sim;

import io.csi4j.volume.model.VolumeUse;
import java.util.HashSet;
import java.util.Set;

/**
 * One process of the host, from its start to its crash. What the engine of a dead one still does
 * has no effect: each of its ports throws.
 */
final class Life {

  private final int number;
  private boolean dead;

  /** The uses that were asked for, or given up, by name. */
  final Set<VolumeUse> named = new HashSet<>();

  /** Whether the host has told what it wants. */
  boolean told;

  /** The uses of which this process has been handed the request. */
  final Set<VolumeUse> requested = new HashSet<>();

  Life(int number) {
    this.number = number;
  }

  /** The end of the process, thrown to get out of what it was doing. */
  static final class Crash extends ThreadDeath {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      return "the process has crashed";
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
      return this;
    }
  }

  boolean isDead() {
    return dead;
  }

  void die() {
    dead = true;
  }

  /** Keeps the dead from doing anything. */
  void check() {
    if (dead) {
      throw new Crash();
    }
  }

  @Override
  public String toString() {
    return "life " + number;
  }
}

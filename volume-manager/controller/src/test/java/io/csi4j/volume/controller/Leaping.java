package io.csi4j.volume.controller;

import io.csi4j.testkit.model.VirtualClock;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.Scheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/** Time in which whoever waits has waited already. */
final class Leaping implements Clock, Scheduler {
  private final VirtualClock plugin = VirtualClock.create();
  private final List<Duration> pauses = new ArrayList<>();
  private final Queue<Runnable> meanwhile = new ArrayDeque<>();
  private long now;

  @Override
  public long nanos() {
    return now;
  }

  @Override
  public Instant wall() {
    return plugin.now();
  }

  @Override
  public void execute(Runnable work) {
    work.run();
  }

  @Override
  public Timer after(Duration delay, Runnable work) {
    pauses.add(delay);
    Runnable first = meanwhile.poll();
    if (first != null) {
      first.run();
    }
    now += delay.toNanos();
    plugin.advance(delay);
    work.run();
    return () -> {};
  }

  @Override
  public double random() {
    return 0.5;
  }

  /** The time of a plugin, which passes with this one. */
  VirtualClock ofPlugin() {
    return plugin;
  }

  /** Does this in the next pause, before its time passes. */
  void inNextPause(Runnable work) {
    meanwhile.add(work);
  }

  /** How long was waited each time. */
  List<Duration> pauses() {
    return List.copyOf(pauses);
  }
}

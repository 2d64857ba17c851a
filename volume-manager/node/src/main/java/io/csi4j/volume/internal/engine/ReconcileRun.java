package io.csi4j.volume.internal.engine;

import io.csi4j.volume.internal.engine.Reconciling.Planned;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.node.CleanupPlan;
import io.csi4j.volume.node.CleanupPlan.Action;
import io.csi4j.volume.node.Reconciliation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Performs a plan: so many items of each plugin at a time, plugins beside each other. */
final class ReconcileRun implements Reconciliation {

  private final CleanupPlan plan;
  private final Function<Planned, CompletableFuture<?>> work;
  private final int atATime;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Optional<PluginId>, Queue<Planned>> waiting = new HashMap<>();
  private final CompletableFuture<Summary> done = new CompletableFuture<>();
  private int remaining;
  private int mounted;
  private int released;
  private final List<Left> left = new ArrayList<>();

  ReconcileRun(List<Planned> planned, Function<Planned, CompletableFuture<?>> work, int atATime) {
    plan = new CleanupPlan(planned.stream().map(Planned::item).toList());
    this.work = work;
    this.atATime = atATime;
    remaining = planned.size();
    for (Planned part : planned) {
      waiting.computeIfAbsent(part.item().plugin(), key -> new ArrayDeque<>()).add(part);
    }
  }

  void start() {
    if (plan.items().isEmpty()) {
      done.complete(new Summary(0, 0, 0, List.of()));
      return;
    }
    for (Optional<PluginId> plugin : List.copyOf(waiting.keySet())) {
      for (int i = 0; i < atATime; i++) {
        next(plugin);
      }
    }
  }

  private void next(Optional<PluginId> plugin) {
    Planned part = poll(plugin);
    if (part != null) {
      work.apply(part).whenComplete((value, failure) -> ended(part.item(), failure));
    }
  }

  private @Nullable Planned poll(Optional<PluginId> plugin) {
    lock.lock();
    try {
      Queue<Planned> queue = waiting.get(plugin);
      return queue == null ? null : queue.poll();
    } finally {
      lock.unlock();
    }
  }

  private void ended(CleanupPlan.Item item, @Nullable Throwable failure) {
    List<Summary> end = new ArrayList<>(1);
    lock.lock();
    try {
      if (failure != null
          || item.action() == Action.WAIT_FOR_HOST
          || item.action() == Action.LEAVE) {
        left.add(left(item, failure));
      } else if (item.action() == Action.MOUNT) {
        mounted++;
      } else {
        released++;
      }
      if (--remaining == 0) {
        end.add(new Summary(mounted, released, left.size(), left));
      }
    } finally {
      lock.unlock();
    }
    end.forEach(done::complete);
    next(item.plugin());
  }

  private static Left left(CleanupPlan.Item item, @Nullable Throwable failure) {
    return failure == null
        ? new Left(item, Optional.empty(), false)
        : new Left(
            item,
            WantedMounts.known(failure).map(VolumeException::operatorMessage),
            WantedMounts.goesOn(failure));
  }

  @Override
  public CleanupPlan plan() {
    return plan;
  }

  @Override
  public int remaining() {
    lock.lock();
    try {
      return remaining;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public CompletionStage<Summary> done() {
    return done.minimalCompletionStage();
  }

  /** How far it is: {@code Reconciliation[3 items, 1 remaining, 0 not finished]}. */
  @Override
  public String toString() {
    lock.lock();
    try {
      int items = plan.items().size();
      return "Reconciliation["
          + items
          + (items == 1 ? " item, " : " items, ")
          + remaining
          + " remaining, "
          + left.size()
          + " not finished]";
    } finally {
      lock.unlock();
    }
  }
}

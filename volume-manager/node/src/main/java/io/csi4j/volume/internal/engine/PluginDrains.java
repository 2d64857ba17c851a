package io.csi4j.volume.internal.engine;

import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.plugin.PluginDrain;
import io.csi4j.volume.plugin.PluginDrain.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the drained plugins and their drains. No new use is mounted with a drained plugin, and a
 * drain ends when no volume of the plugin is left. Callbacks run on the scheduler's threads.
 *
 * <p>Drains are not recorded: a record could outlive the host's maintenance and refuse mounts for a
 * forgotten reason. After a crash, the host must start the drain again.
 */
final class PluginDrains {

  /** Maximum number of uses that a message names. */
  private static final int NAMED = 10;

  /** One drain of a plugin. */
  private final class Drain implements PluginDrain {

    private final PluginId plugin;
    private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    private Scheduler.@Nullable Timer timer;

    private Drain(PluginId plugin) {
      this.plugin = plugin;
    }

    @Override
    public PluginId plugin() {
      return plugin;
    }

    @Override
    public CompletionStage<Outcome> outcome() {
      return outcome;
    }

    @Override
    public List<VolumeUse> holders() {
      return PluginDrains.holders(index.left(plugin).values());
    }

    @Override
    public void close() {
      lock.lock();
      try {
        if (drains.remove(this)) {
          index.undrain(plugin);
        }
        cancelTimer();
      } finally {
        lock.unlock();
      }
      tell(new Outcome.Cancelled());
    }

    private void cancelTimer() {
      if (timer != null) {
        timer.cancel();
      }
    }

    private void tell(Outcome end) {
      try {
        scheduler.execute(() -> outcome.complete(end));
      } catch (RejectedExecutionException closed) {
        outcome.complete(end);
      }
    }
  }

  private final Scheduler scheduler;
  private final VolumeIndex index;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Drain> drains = new ArrayList<>();
  private boolean closed;

  /** Creates the object without drained plugins. */
  PluginDrains(Scheduler scheduler, VolumeIndex index) {
    this.scheduler = scheduler;
    this.index = index;
  }

  /** Starts draining a plugin; returns empty after this object was closed. */
  Optional<PluginDrain> begin(PluginId plugin, Duration limit) {
    Drain drain = new Drain(plugin);
    lock.lock();
    try {
      if (closed) {
        return Optional.empty();
      }
      drains.add(drain);
      index.drain(plugin);
      drain.timer = scheduler.after(limit, () -> drain.tell(over(plugin)));
    } finally {
      lock.unlock();
    }
    changed(plugin);
    return Optional.of(drain);
  }

  /** Ends the drains of a plugin if none of its volumes is left. Called when a volume is gone. */
  void changed(PluginId plugin) {
    if (!index.isDrained(plugin) || !index.left(plugin).isEmpty()) {
      return;
    }
    List<Drain> free;
    lock.lock();
    try {
      free = drains.stream().filter(drain -> drain.plugin.equals(plugin)).toList();
      free.forEach(Drain::cancelTimer);
    } finally {
      lock.unlock();
    }
    free.forEach(drain -> drain.tell(new Outcome.Free()));
  }

  private static List<VolumeUse> holders(Collection<List<VolumeUse>> volumes) {
    return volumes.stream().flatMap(List::stream).distinct().sorted().toList();
  }

  private Outcome over(PluginId plugin) {
    SortedMap<VolumeIdentity, List<VolumeUse>> volumes = index.left(plugin);
    return volumes.isEmpty()
        ? new Outcome.Free()
        : new Outcome.InUse(holders(volumes.values()), message(plugin, volumes));
  }

  private static OperatorMessage message(
      PluginId plugin, SortedMap<VolumeIdentity, List<VolumeUse>> volumes) {
    return Messages.of(
        OperatorCode.PLUGIN_IN_USE,
        Subject.of("stopping plugin '" + plugin + "'"),
        (volumes.size() == 1 ? "a volume is left: " : volumes.size() + " volumes are left: ")
            + named(
                volumes.entrySet().stream()
                    .map(volume -> phrase(volume.getKey(), volume.getValue())),
                volumes.size()));
  }

  private static String phrase(VolumeIdentity volume, List<VolumeUse> uses) {
    return "'"
        + ForeignText.of(volume.handle().value())
        + "' "
        + (uses.isEmpty()
            ? "to be cleaned up"
            : "for "
                + named(
                    uses.stream()
                        .map(
                            use ->
                                "workload '"
                                    + ForeignText.of(use.workload().value())
                                    + "' ("
                                    + ForeignText.of(use.volume().toString())
                                    + ")"),
                    uses.size()));
  }

  private static String named(Stream<String> all, int size) {
    return all.limit(NAMED).collect(Collectors.joining(", "))
        + (size > NAMED ? " and " + (size - NAMED) + " more" : "");
  }

  /** Ends all drains, and refuses new drains. */
  void close() {
    List<Drain> all;
    lock.lock();
    try {
      closed = true;
      all = List.copyOf(drains);
    } finally {
      lock.unlock();
    }
    all.forEach(Drain::close);
  }
}

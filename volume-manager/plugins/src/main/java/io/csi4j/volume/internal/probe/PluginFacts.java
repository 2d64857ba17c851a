package io.csi4j.volume.internal.probe;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.link.PluginAnswer;
import io.csi4j.volume.internal.link.PluginLink;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks a plugin whether it is ready, and for its capabilities. Concurrent callers share one
 * question. For callers of {@link #known}, an answer remains valid while its connection exists.
 */
public final class PluginFacts {

  private static final System.Logger LOGGER = System.getLogger("io.csi4j.volume");

  private final PluginLink link;
  private final PluginProcesses.Current process;
  private final boolean requireReady;
  private final Executor aside;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Consumer<PluginAnswer>> asking = new ArrayList<>();

  /**
   * The name of the last process that was ready; empty if there was none, or if its name is not
   * known.
   */
  private volatile String well = "";

  /** The last valid name that the plugin reported. */
  private volatile Optional<PluginName> name = Optional.empty();

  /** The last answer; null if it is no longer trusted. */
  private volatile @Nullable Said said;

  /**
   * An answer on one connection.
   *
   * @param connection the number of connection changes at the time of the answer
   */
  private record Said(PluginAnswer.Up answer, long connection) {}

  /**
   * Creates an object without an answer.
   *
   * @param requireReady whether a plugin that is not ready counts as not available
   * @param aside runs work that may block
   */
  public PluginFacts(
      PluginLink link, PluginProcesses.Current process, boolean requireReady, Executor aside) {
    this.link = link;
    this.process = process;
    this.requireReady = requireReady;
    this.aside = aside;
  }

  /**
   * Passes on the answer for the current connection. Asks the plugin first if there is no answer
   * yet.
   */
  public void known(Consumer<PluginAnswer> then) {
    Said before = said;
    if (before == null) {
      ask(then);
      return;
    }
    link.use(
        way -> {
          if (way instanceof PluginLink.Way.Open there
              && there.plugin().connectionChanges() == before.connection()) {
            then.accept(before.answer());
          } else {
            ask(then);
          }
        });
  }

  /** Returns the name that the plugin reported when it was last available. */
  public Optional<PluginName> name() {
    return name;
  }

  /** Invalidates the last answer, so that the next caller asks the plugin again. */
  public void doubt() {
    said = null;
  }

  /** Asks the plugin. */
  public void ask(Consumer<PluginAnswer> then) {
    boolean isFirst;
    lock.lock();
    try {
      isFirst = asking.isEmpty();
      asking.add(then);
    } finally {
      lock.unlock();
    }
    if (isFirst) {
      link.use(this::ask);
    }
  }

  private void ask(PluginLink.Way way) {
    if (way instanceof PluginLink.Way.Open there) {
      ask(there.plugin(), true);
    } else if (way instanceof PluginLink.Way.Shut shut) {
      tell(new PluginAnswer.Down(shut.text(), shut.cause()));
    }
  }

  /**
   * Asks the plugin. Tries once more if the call was lost, because the first call after a restart
   * may have used the connection to the ended process.
   */
  private void ask(CsiPlugin plugin, boolean maybeAgain) {
    answer(plugin)
        .whenComplete(
            (told, thrown) -> {
              if (thrown == null) {
                tell(told);
              } else {
                // Identifying the process may block, and this thread may be the I/O thread.
                aside.execute(() -> failed(plugin, maybeAgain, thrown));
              }
            });
  }

  private void failed(CsiPlugin plugin, boolean maybeAgain, Throwable thrown) {
    process.look(plugin);
    if (maybeAgain && Answer.isLost(thrown)) {
      ask(plugin, false);
    } else {
      tell(PluginAnswer.Down.of(thrown));
    }
  }

  private CompletionStage<PluginAnswer> answer(CsiPlugin plugin) {
    try {
      return readiness(plugin)
          .thenCompose(
              down ->
                  down.isPresent()
                      ? CompletableFuture.<PluginAnswer>completedFuture(down.get())
                      : abilities(plugin));
    } catch (RuntimeException | Error failed) {
      return CompletableFuture.failedFuture(failed);
    }
  }

  /**
   * Returns empty if the plugin is ready. Probes the plugin only if its last known readiness may be
   * outdated.
   */
  private CompletionStage<Optional<PluginAnswer>> readiness(CsiPlugin plugin) {
    String before = well;
    boolean isSame = !before.isEmpty() && before.equals(process.look(plugin));
    if (isSame || !requireReady) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    return plugin
        .identity()
        .with(policy -> policy.attempts(1))
        .async()
        .probe()
        .thenApply(readiness -> readiness.isReady() ? Optional.empty() : Optional.of(notReady()));
  }

  private static PluginAnswer notReady() {
    return new PluginAnswer.Down("the plugin answers, but reports that it is not ready yet");
  }

  private CompletionStage<PluginAnswer> abilities(CsiPlugin plugin) {
    long connection = plugin.connectionChanges();
    return plugin
        .node()
        .with(policy -> policy.attempts(1))
        .async()
        .getCapabilities()
        .thenApply(
            offered -> {
              PluginAnswer.Up up = up(offered, process.answered(plugin));
              name = plugin.name();
              boolean isSame = plugin.connectionChanges() == connection;
              said = isSame && !up.instance().isEmpty() ? new Said(up, connection) : null;
              return up;
            });
  }

  private static PluginAnswer.Up up(CapabilitySet<NodeCapability> offered, String instance) {
    return new PluginAnswer.Up(
        offered.offers(NodeCapability.STAGE_UNSTAGE_VOLUME),
        instance,
        offered.offers(NodeCapability.EXPAND_VOLUME),
        offered.offers(NodeCapability.GET_VOLUME_STATS),
        offered.offers(NodeCapability.SINGLE_NODE_MULTI_WRITER),
        offered.offers(NodeCapability.VOLUME_MOUNT_GROUP),
        new PluginAnswer.HealthOffer(
            offered.offers(NodeCapability.GET_VOLUME_HEALTH),
            offered.offers(NodeCapability.VOLUME_CONDITION)
                && offered.offers(NodeCapability.GET_VOLUME_STATS),
            offered.offers(NodeCapability.GET_STORAGE_HEALTH)));
  }

  private void tell(PluginAnswer answer) {
    well = answer instanceof PluginAnswer.Up up ? up.instance() : "";
    List<Consumer<PluginAnswer>> told;
    lock.lock();
    try {
      told = List.copyOf(asking);
      asking.clear();
    } finally {
      lock.unlock();
    }
    for (Consumer<PluginAnswer> each : told) {
      try {
        each.accept(answer);
      } catch (RuntimeException | Error failed) {
        LOGGER.log(Level.ERROR, "An answer of a plugin could not be handled. Report this.", failed);
      }
    }
  }
}

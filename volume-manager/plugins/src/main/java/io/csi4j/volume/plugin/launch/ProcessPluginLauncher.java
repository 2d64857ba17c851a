package io.csi4j.volume.plugin.launch;

import io.csi4j.volume.internal.time.ListenerHub;
import io.csi4j.volume.internal.time.NamedThreads;
import io.csi4j.volume.internal.time.SystemClock;
import io.csi4j.volume.internal.time.SystemScheduler;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A plugin that runs as a plain process of this host, without a container: started, and started
 * again with growing pauses whenever it has ended, until this is closed.
 *
 * <p>Whether it is ready is not known here; a {@link
 * io.csi4j.volume.plugin.supervision.PluginSupervisor} finds that out. A plugin that outlived a
 * crash of its host still has its socket: it is left alone and can be used, and {@link
 * LaunchEvent.NotStarted} says so until it has gone.
 *
 * @since 1.0
 */
public final class ProcessPluginLauncher implements AutoCloseable {

  private static final System.Logger LOGGER = System.getLogger("io.csi4j.volume");

  private static final List<String> INHERITED =
      List.of("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR");

  /** How long the kernel may take to end what was killed. */
  private static final Duration KILLING = Duration.ofSeconds(5);

  /** How long a listener may take for what it has not been told yet. */
  private static final Duration TELLING = Duration.ofSeconds(1);

  private final SystemScheduler scheduler;
  private final ListenerHub hub;
  private final ProcessKeeper keeper;
  private final Duration closing;

  private ProcessPluginLauncher(
      SystemScheduler scheduler, ListenerHub hub, ProcessKeeper keeper, Duration closing) {
    this.scheduler = scheduler;
    this.hub = hub;
    this.keeper = keeper;
    this.closing = closing;
  }

  /**
   * Begins with a plugin whose output is not wanted.
   *
   * @param plan what its start needs
   * @param command the program and its arguments
   * @throws IllegalArgumentException if there is no command, or the plan is for a container
   */
  public static Builder builder(PluginLaunchPlan plan, List<String> command) {
    return new Builder(plan, command);
  }

  /** The number of the process that runs now; nothing between two runs. */
  public OptionalLong process() {
    return keeper.process();
  }

  /** The last lines that it wrote, escaped; of the last run, if none goes on. */
  public List<String> lastWords() {
    return keeper.lastWords();
  }

  /** Ends the process, as {@link #stop} does, and starts it again at once. */
  public void restart() {
    keeper.restart();
  }

  /**
   * Asks the process to end, kills it if it does not in time, and starts it no more. Of processes
   * that it has started itself none is touched. What it has mounted stays.
   *
   * @return ends with the process
   */
  public CompletionStage<Void> stop() {
    return keeper.stop();
  }

  /**
   * Stops it and waits for that, then ends its threads once its listener is told. An interrupt does
   * not shorten the waiting, as the process would outlive it; it is set again at the end.
   */
  @Override
  public void close() {
    Future<Void> stopped = keeper.stop();
    long end = System.nanoTime() + closing.toNanos();
    boolean wasInterrupted = Thread.interrupted();
    boolean isWaiting = true;
    try {
      while (isWaiting) {
        try {
          stopped.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
          isWaiting = false;
        } catch (InterruptedException e) {
          wasInterrupted = true;
        }
      }
    } catch (TimeoutException e) {
      LOGGER.log(
          Level.WARNING,
          "The process {0} of a plugin was killed and has not ended within {1}. It waits in the"
              + " kernel, most likely for a volume that hangs.",
          process().orElse(0),
          closing);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } finally {
      scheduler.close();
      hub.close(TELLING);
      if (wasInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Collects what a plugin is started with. */
  public static final class Builder {

    private final PluginLaunchPlan plan;
    private final List<String> command;
    private @Nullable Path directory;
    private LaunchSettings settings = LaunchSettings.defaults();
    private Consumer<String> output = line -> {};
    private Consumer<LaunchEvent> listener = event -> {};

    private Builder(PluginLaunchPlan plan, List<String> command) {
      this.plan = Objects.requireNonNull(plan, "plan");
      this.command = List.copyOf(command);
      if (command.isEmpty()) {
        throw new IllegalArgumentException(
            "No command was given for plugin '" + plan.config().id() + "'. Name its program.");
      }
      if (plan.isContained()) {
        throw new IllegalArgumentException(
            "The plugin '"
                + plan.config().id()
                + "' sees its directories in a container, and a plain process has none. Start it by"
                + " what starts containers, or plan it without.");
      }
    }

    /** Where it works, if not where this process does. */
    public Builder directory(Path value) {
      directory = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets pauses and bounds. */
    public Builder settings(LaunchSettings value) {
      settings = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Takes what it writes, to either of its outputs: a line at a time, escaped, and cut where it
     * is too long. Called on a thread of the plugin; who takes too long keeps the plugin waiting.
     */
    public Builder output(Consumer<String> sink) {
      output = Objects.requireNonNull(sink, "sink");
      return this;
    }

    /**
     * Tells this listener of its starts and ends, one at a time and in order. A listener that
     * throws or blocks does no harm, and it may close the launcher.
     */
    public Builder listener(Consumer<LaunchEvent> value) {
      listener = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Starts it; returns at once. Of this process's own variables it gets those for programs,
     * language, time zone and temporary files, where the plan has no other; the rest may be secret.
     */
    public ProcessPluginLauncher start() {
      Map<String, String> environment = new TreeMap<>(plan.environment());
      for (String name : INHERITED) {
        String value = System.getenv(name);
        if (value != null) {
          environment.putIfAbsent(name, value);
        }
      }
      SystemScheduler scheduler =
          new SystemScheduler(1, "csi4j-volume-launcher", Duration.ofSeconds(1));
      ListenerHub hub = new ListenerHub("a plugin's process", "csi4j-volume-launcher-events");
      ProcessKeeper keeper =
          new ProcessKeeper(
              new ProcessKeeper.Parts(
                  plan.config().id().value(),
                  new SystemClock(),
                  scheduler,
                  new HostProcesses(
                      new NamedThreads("csi4j-volume-launcher-output"), settings.longestLine()),
                  new HostProcessTable.Order(command, environment, Optional.ofNullable(directory)),
                  plan::prepare,
                  settings,
                  output,
                  hub.listen(listener)::tell));
      keeper.start();
      return new ProcessPluginLauncher(scheduler, hub, keeper, settings.stopping().plus(KILLING));
    }
  }
}

package io.csi4j.volume.plugin.launch;

import io.csi4j.volume.internal.time.ListenerHub;
import io.csi4j.volume.internal.time.NamedThreads;
import io.csi4j.volume.internal.time.SystemClock;
import io.csi4j.volume.internal.time.SystemScheduler;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.plugin.InstanceId;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
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
 * Runs a plugin as a plain process of this host, without a container. Starts the process, and
 * restarts it with growing pauses whenever it has ended, until the launcher is closed.
 *
 * <p>The launcher does not know whether the plugin is ready; a {@link
 * io.csi4j.volume.plugin.supervision.PluginSupervisor} determines that. A plugin that outlived a
 * crash of its host still has its socket: it is left alone and can be used, and {@link
 * Event.NotStarted} reports it until it has ended.
 *
 * @since 1.0
 */
public final class ProcessPluginLauncher implements AutoCloseable {

  private static final System.Logger LOGGER = System.getLogger("io.csi4j.volume");

  private static final List<String> INHERITED =
      List.of("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR");

  /** Time limit for the kernel to end a killed process. */
  private static final Duration KILLING = Duration.ofSeconds(5);

  /** Time limit for a listener to receive its waiting events. */
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
   * Returns a builder for a plugin whose output is ignored.
   *
   * @param plan the plan of the start
   * @param command the program and its arguments
   * @throws IllegalArgumentException if there is no command, or the plan is for a container
   */
  public static Builder builder(PluginLaunchPlan plan, List<String> command) {
    return new Builder(plan, command);
  }

  /** Returns the number of the running process; empty between two runs. */
  public OptionalLong process() {
    return keeper.process();
  }

  /**
   * Returns the last lines that the process wrote, escaped; those of the last run, if none is
   * running.
   */
  public List<String> lastWords() {
    return keeper.lastWords();
  }

  /** Ends the process, as {@link #stop} does, and restarts it at once. */
  public void restart() {
    keeper.restart();
  }

  /**
   * Asks the process to end, kills it if it does not in time, and does not restart it. Its child
   * processes are not affected, and its mounts stay.
   *
   * @return completes when the process has ended
   */
  public CompletionStage<Void> stop() {
    return keeper.stop();
  }

  /**
   * Stops the process and waits for its end, then ends the threads after the listener has received
   * its events. An interrupt does not shorten the wait, as the process would outlive it; the
   * interrupt status is set again at the end.
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

  /** Collects the parts of a {@link ProcessPluginLauncher}. */
  public static final class Builder {

    private final PluginLaunchPlan plan;
    private final List<String> command;
    private @Nullable Path directory;
    private Settings settings = Settings.defaults();
    private Consumer<String> output = line -> {};
    private Consumer<Event> listener = event -> {};

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
                + "' sees its directories in a container, but a plain process has none. Start it "
                + "with a container runtime, or plan it without a container.");
      }
    }

    /** Sets the working directory. By default, the value of this process. */
    public Builder directory(Path value) {
      directory = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets pauses and limits. */
    public Builder settings(Settings value) {
      settings = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Sets a receiver for the lines of both outputs of the process, escaped, and cut if they are
     * too long. Called on a thread of the plugin; a slow receiver delays the plugin.
     */
    public Builder output(Consumer<String> sink) {
      output = Objects.requireNonNull(sink, "sink");
      return this;
    }

    /**
     * Sets a listener for starts and ends of the process. Events arrive one at a time and in order.
     * A listener that throws or blocks does no harm, and it may close the launcher.
     */
    public Builder listener(Consumer<Event> value) {
      listener = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Starts the process; returns at once. Of this process's own variables, the plugin gets those
     * for programs, language, time zone and temporary files, unless the plan sets them; the others
     * may be secret.
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

  /**
   * An event of the process of a plugin.
   *
   * @since 1.0
   */
  public sealed interface Event {

    /**
     * The plugin was started.
     *
     * @param instance the name of this run of the plugin
     * @param process the number of the process
     */
    record Started(InstanceId instance, long process) implements Event {}

    /**
     * The process has ended.
     *
     * @param instance the name of the run that has ended
     * @param status the exit status; 128 and more is the number of the signal that ended it
     * @param lived the duration of the run
     * @param lastWords the last lines that it wrote, escaped
     * @param pause the time until it is restarted; empty if it was stopped
     * @param message the message for an operator, if it ended with an error soon after its start
     */
    record Ended(
        InstanceId instance,
        int status,
        Duration lived,
        List<String> lastWords,
        Optional<Duration> pause,
        Optional<OperatorMessage> message)
        implements Event {

      /** Copies the list. */
      public Ended {
        lastWords = List.copyOf(lastWords);
      }
    }

    /**
     * The plugin could not be started.
     *
     * @param message the reason
     * @param pause the time until the next attempt
     */
    record NotStarted(OperatorMessage message, Duration pause) implements Event {}
  }

  /**
   * Settings for the process of a {@link ProcessPluginLauncher}. Immutable; compares by value.
   *
   * @since 1.0
   */
  public static final class Settings {

    private static final Settings DEFAULTS = builder().build();

    private final Builder parts;

    private Settings(Builder parts) {
      if (parts.backoff.isNegative()
          || parts.backoff.isZero()
          || parts.backoffCap.compareTo(parts.backoff) < 0
          || parts.early.isNegative()
          || parts.stopping.isNegative()) {
        throw new IllegalArgumentException(
            "The pauses are not positive, or the longest is shorter than the first: "
                + parts.backoff
                + ", "
                + parts.backoffCap
                + ", "
                + parts.early
                + ", "
                + parts.stopping
                + ".");
      }
      if (parts.longestLine < 1 || parts.lastWords < 1) {
        throw new IllegalArgumentException("At least one byte of one line has to be kept.");
      }
      this.parts = parts.copy();
    }

    /** Returns settings that suit most plugins. */
    public static Settings defaults() {
      return DEFAULTS;
    }

    /** Returns a builder with the defaults. */
    public static Builder builder() {
      return new Builder();
    }

    /** Returns a builder with these settings. */
    public Builder toBuilder() {
      return parts.copy();
    }

    /** Returns the maximum of the first pause before a restart; it doubles each time. */
    public Duration backoff() {
      return parts.backoff;
    }

    /** Returns the maximum pause. */
    public Duration backoffCap() {
      return parts.backoffCap;
    }

    /**
     * Returns the time after the start in which an end counts as a failure to start: an error
     * status is reported, and the pauses grow; after a later end the pauses start again at the
     * first.
     */
    public Duration early() {
      return parts.early;
    }

    /** Returns how long the process may take to end before it is killed. */
    public Duration stopping() {
      return parts.stopping;
    }

    /** Returns the number of bytes of a line of output that are kept. */
    public int longestLine() {
      return parts.longestLine;
    }

    /** Returns the number of lines of output that are kept. */
    public int lastWords() {
      return parts.lastWords;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Settings that && named().equals(that.named());
    }

    @Override
    public int hashCode() {
      return named().hashCode();
    }

    @Override
    public String toString() {
      return "Settings" + named();
    }

    private Map<String, Object> named() {
      Map<String, Object> all = new LinkedHashMap<>();
      all.put("backoff", parts.backoff);
      all.put("backoffCap", parts.backoffCap);
      all.put("early", parts.early);
      all.put("stopping", parts.stopping);
      all.put("longestLine", parts.longestLine);
      all.put("lastWords", parts.lastWords);
      return all;
    }

    /** Collects the parts of a {@link Settings}. */
    public static final class Builder {
      private Duration backoff = Duration.ofSeconds(1);
      private Duration backoffCap = Duration.ofMinutes(1);
      private Duration early = Duration.ofSeconds(30);
      private Duration stopping = Duration.ofSeconds(10);
      private int longestLine = 4096;
      private int lastWords = 20;

      private Builder() {}

      private Builder copy() {
        Builder copy = new Builder();
        copy.backoff = backoff;
        copy.backoffCap = backoffCap;
        copy.early = early;
        copy.stopping = stopping;
        copy.longestLine = longestLine;
        copy.lastWords = lastWords;
        return copy;
      }

      /** Sets the maximum of the first pause before a restart. 1 s by default. */
      public Builder backoff(Duration value) {
        backoff = Objects.requireNonNull(value, "backoff");
        return this;
      }

      /** Sets the maximum pause. 1 minute by default. */
      public Builder backoffCap(Duration value) {
        backoffCap = Objects.requireNonNull(value, "backoffCap");
        return this;
      }

      /**
       * Sets the time after the start in which an end counts as a failure to start. 30 s by
       * default.
       */
      public Builder early(Duration value) {
        early = Objects.requireNonNull(value, "early");
        return this;
      }

      /** Limits how long the process may take to end before it is killed. 10 s by default. */
      public Builder stopping(Duration value) {
        stopping = Objects.requireNonNull(value, "stopping");
        return this;
      }

      /** Limits the number of bytes of a line of output that are kept. 4096 by default. */
      public Builder longestLine(int value) {
        longestLine = value;
        return this;
      }

      /** Limits the number of lines of output that are kept. 20 by default. */
      public Builder lastWords(int value) {
        lastWords = value;
        return this;
      }

      /**
       * Returns the settings.
       *
       * @throws IllegalArgumentException if a value is out of range
       */
      public Settings build() {
        return new Settings(this);
      }
    }
  }
}

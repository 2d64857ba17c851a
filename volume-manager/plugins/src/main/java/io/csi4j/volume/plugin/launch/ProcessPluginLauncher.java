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
 * Runs a plugin as a plain process on this host, without a container. Starts the process, and
 * restarts it whenever it ends, after growing pauses, until the launcher is closed.
 *
 * <p>The launcher does not check whether the plugin is ready; a {@link
 * io.csi4j.volume.plugin.supervision.PluginSupervisor} does. A plugin that is still running after a
 * crash of its host still has its socket. The launcher does not stop or replace it, and the host
 * can use it. {@link Event.NotStarted} reports this plugin until it ends.
 *
 * @since 1.0
 */
public final class ProcessPluginLauncher implements AutoCloseable {

  private static final System.Logger LOGGER = System.getLogger("io.csi4j.volume");

  private static final List<String> INHERITED =
      List.of("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR");

  /** Time limit for the end of a killed process. */
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
   * Returns a builder with the default settings, which ignore the output of the plugin.
   *
   * @param plan the launch plan of the plugin
   * @param command the program and its arguments
   * @throws IllegalArgumentException if there is no command, or the plan is for a container
   */
  public static Builder builder(PluginLaunchPlan plan, List<String> command) {
    return new Builder(plan, command);
  }

  /** Returns the id of the running process; empty between two runs. */
  public OptionalLong process() {
    return keeper.process();
  }

  /**
   * Returns the last output lines of the process, escaped. If no process is running, these are the
   * lines of the last run.
   */
  public List<String> lastWords() {
    return keeper.lastWords();
  }

  /** Ends the process like {@link #stop}, and restarts it immediately. */
  public void restart() {
    keeper.restart();
  }

  /**
   * Ends the process by SIGTERM, or kills it if it does not end in time, and does not restart it.
   * The child processes of the plugin are not affected, and its mounts stay.
   *
   * @return a stage that completes when the process has ended
   */
  public CompletionStage<Void> stop() {
    return keeper.stop();
  }

  /**
   * Stops the process and waits for its end. Then ends the threads, after the listener has received
   * its events. An interrupt does not shorten the wait, because otherwise the process might
   * continue to run. The interrupt status is set again at the end.
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

    /** Sets the working directory. By default, this is the working directory of this process. */
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
     * Sets a receiver for the lines of the standard output and the standard error of the process.
     * The lines are escaped, and cut if they are too long. The receiver is called on a separate
     * thread for the plugin; a slow receiver delays the plugin.
     */
    public Builder output(Consumer<String> sink) {
      output = Objects.requireNonNull(sink, "sink");
      return this;
    }

    /**
     * Sets a listener for starts and ends of the process. Events arrive one at a time and in order.
     * A listener that blocks or throws an exception does not affect the plugin. The listener may
     * close the launcher.
     */
    public Builder listener(Consumer<Event> value) {
      listener = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Starts the process, and returns immediately. The plugin inherits only a few environment
     * variables of this process: the variables for the program path, the language, the time zone
     * and temporary files, unless the plan sets them. Other variables may be secret.
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
     * @param process the process id
     */
    record Started(InstanceId instance, long process) implements Event {}

    /**
     * The process has ended.
     *
     * @param instance the name of the run that has ended
     * @param status the exit status; a status of 128 or more stands for a signal
     * @param lived the duration of the run
     * @param lastWords the last lines that the process wrote, escaped
     * @param pause the time until the process is restarted; empty if it was stopped
     * @param message the message for an operator, if the process ended with an error soon after its
     *     start
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
   * Settings for the process of a {@link ProcessPluginLauncher}. Immutable; settings with equal
   * values are equal.
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

    /**
     * Returns the maximum of the first pause before a restart. The maximum doubles with each
     * failure.
     */
    public Duration backoff() {
      return parts.backoff;
    }

    /** Returns the maximum pause. */
    public Duration backoffCap() {
      return parts.backoffCap;
    }

    /**
     * Returns the time after the start in which an end counts as a failure to start. After such a
     * failure, an error status is reported and the pauses grow. After a later end, the pauses begin
     * again with the first pause.
     */
    public Duration early() {
      return parts.early;
    }

    /** Returns the time that the process has to end before it is killed. */
    public Duration stopping() {
      return parts.stopping;
    }

    /** Returns the maximum number of bytes that are kept of an output line. */
    public int longestLine() {
      return parts.longestLine;
    }

    /** Returns the maximum number of output lines that are kept. */
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

      /** Sets the time that the process has to end before it is killed. 10 s by default. */
      public Builder stopping(Duration value) {
        stopping = Objects.requireNonNull(value, "stopping");
        return this;
      }

      /** Sets the maximum number of bytes that are kept of an output line. 4096 by default. */
      public Builder longestLine(int value) {
        longestLine = value;
        return this;
      }

      /** Sets the maximum number of output lines that are kept. 20 by default. */
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

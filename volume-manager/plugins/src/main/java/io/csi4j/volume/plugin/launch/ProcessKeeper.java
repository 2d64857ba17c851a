package io.csi4j.volume.plugin.launch;

import io.csi4j.client.internal.time.Backoff;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one process running until it is stopped: starts the process, and restarts it after a pause
 * whenever it ends.
 *
 * <p>All changes are made on the scheduler, which must run one task after the other. Other threads
 * only read.
 */
final class ProcessKeeper {

  private static final System.Logger LOGGER = System.getLogger("io.csi4j.volume");

  /** The smallest exit status that stands for a signal. */
  private static final int SIGNAL = 128;

  private final Parts parts;
  private final CompletableFuture<Void> stopped = new CompletableFuture<>();
  private volatile @Nullable Run current;
  private volatile LastWords words;
  private Scheduler.@Nullable Timer timer;
  private int failures;
  private boolean isStopping;
  private boolean isRestarting;
  private volatile boolean isSinkBroken;

  /**
   * The parts of a keeper.
   *
   * @param plugin the name of the plugin, for messages
   * @param clock the clock
   * @param scheduler runs one task after the other
   * @param processes starts processes
   * @param order the command
   * @param prepare runs before each start, and throws {@link PluginException} if the plugin must
   *     not be started
   * @param settings pauses and limits
   * @param output receives each line of the output
   * @param listener receives events; must neither block nor throw an exception
   */
  public record Parts(
      String plugin,
      Clock clock,
      Scheduler scheduler,
      HostProcessTable processes,
      HostProcessTable.Order order,
      Runnable prepare,
      ProcessPluginLauncher.Settings settings,
      Consumer<String> output,
      Consumer<ProcessPluginLauncher.Event> listener) {}

  /**
   * One run of the process.
   *
   * @param instance its name
   * @param process the process
   * @param begun the time of its start
   */
  private record Run(InstanceId instance, HostProcessTable.Running process, long begun) {}

  /** The last lines of a process. */
  static final class LastWords {

    /** Maximum number of characters of the lines in a message. */
    private static final int IN_A_MESSAGE = 600;

    private final int most;
    private final Deque<String> lines = new ArrayDeque<>();
    private final ReentrantLock lock = new ReentrantLock();

    /**
     * Creates an object without lines.
     *
     * @param most the maximum number of lines that are kept
     */
    LastWords(int most) {
      this.most = most;
    }

    void add(String line) {
      lock.lock();
      try {
        if (lines.size() == most) {
          lines.removeFirst();
        }
        lines.addLast(line);
      } finally {
        lock.unlock();
      }
    }

    /** Returns the lines, the last one last. */
    List<String> lines() {
      lock.lock();
      try {
        return List.copyOf(lines);
      } finally {
        lock.unlock();
      }
    }

    /** Returns as many of the last lines as fit into a message, but at least the last line. */
    String text() {
      List<String> said = lines().stream().filter(line -> !line.isBlank()).toList();
      List<String> fit = new ArrayList<>();
      int length = 0;
      for (int i = said.size() - 1; i >= 0; i--) {
        length += said.get(i).length();
        if (length > IN_A_MESSAGE && !fit.isEmpty()) {
          break;
        }
        fit.add(0, said.get(i));
      }
      return String.join(" / ", fit);
    }
  }

  /** Creates a keeper that has not started a process. */
  public ProcessKeeper(Parts parts) {
    this.parts = parts;
    words = new LastWords(parts.settings().lastWords());
  }

  /** Starts the process. Called once. */
  public void start() {
    later(this::launch);
  }

  /** Ends the process, if it is running, and restarts it immediately. */
  public void restart() {
    later(
        () -> {
          if (isStopping) {
            return;
          }
          failures = 0;
          if (current == null) {
            launch();
          } else if (!isRestarting) {
            isRestarting = true;
            end();
          }
        });
  }

  /** Ends the process and does not restart it. The result completes when the process has ended. */
  public CompletableFuture<Void> stop() {
    later(
        () -> {
          if (isStopping) {
            return;
          }
          isStopping = true;
          if (current == null) {
            cancelTimer();
            stopped.complete(null);
          } else if (!isRestarting) {
            end();
          }
        });
    return stopped.copy();
  }

  /** Returns the id of the running process. */
  public OptionalLong process() {
    Run run = current;
    return run == null ? OptionalLong.empty() : OptionalLong.of(run.process().pid());
  }

  /**
   * Returns the last output lines of the current run; if no process is running, of the last run.
   */
  public List<String> lastWords() {
    return words.lines();
  }

  // ---- on the scheduler

  private void launch() {
    cancelTimer();
    if (isStopping || current != null) {
      return;
    }
    LastWords said = new LastWords(parts.settings().lastWords());
    words = said;
    try {
      parts.prepare().run();
      begin(said);
    } catch (PluginException refused) {
      notStarted(refused.operatorMessage());
    } catch (IOException failed) {
      notStarted(exited("it could not be started: " + failed.getMessage()));
    } catch (RuntimeException | Error failed) {
      // The JDK's message quotes an environment variable that it rejects, and the variable may
      // contain a secret.
      notStarted(exited("it could not be started: " + failed.getClass().getName()));
    }
  }

  private void begin(LastWords said) throws IOException {
    CompletableFuture<Run> begun = new CompletableFuture<>();
    HostProcessTable.Running process =
        parts
            .processes()
            .start(
                parts.order(),
                line -> {
                  said.add(line);
                  hand(line);
                },
                status -> begun.thenAccept(run -> later(() -> ended(run, said, status))));
    InstanceId instance =
        InstanceId.of("process " + process.pid() + " of " + parts.clock().wall().toEpochMilli());
    Run run = new Run(instance, process, parts.clock().nanos());
    current = run;
    begun.complete(run);
    parts.listener().accept(new ProcessPluginLauncher.Event.Started(instance, process.pid()));
  }

  private void ended(Run run, LastWords said, int status) {
    cancelTimer();
    current = null;
    Duration lived = Duration.ofNanos(parts.clock().nanos() - run.begun());
    boolean isEarly = lived.compareTo(parts.settings().early()) < 0;
    boolean isMeant = isStopping || isRestarting;
    boolean isTold = isEarly && !isMeant && status > 0 && status < SIGNAL;
    Duration pause = isRestarting ? Duration.ZERO : pause(isEarly);
    isRestarting = false;
    parts
        .listener()
        .accept(
            new ProcessPluginLauncher.Event.Ended(
                run.instance(),
                status,
                lived,
                said.lines(),
                isStopping ? Optional.empty() : Optional.of(pause),
                isTold ? Optional.of(exited(text(status, lived, said))) : Optional.empty()));
    again(pause);
  }

  private void notStarted(OperatorMessage message) {
    Duration pause = pause(true);
    parts.listener().accept(new ProcessPluginLauncher.Event.NotStarted(message, pause));
    again(pause);
  }

  private void again(Duration pause) {
    if (isStopping) {
      stopped.complete(null);
    } else {
      timer = parts.scheduler().after(pause, this::launch);
    }
  }

  /**
   * Returns a random pause, up to a limit that doubles with each consecutive failure (full jitter).
   */
  private Duration pause(boolean isFailure) {
    failures = isFailure ? failures + 1 : 1;
    return Backoff.fullJitter(parts.settings().backoff(), parts.settings().backoffCap())
        .pause(failures, parts.scheduler().random());
  }

  /** Sends SIGTERM to the process, and kills it if it does not end in time. */
  private void end() {
    Run run = current;
    if (run != null) {
      run.process().terminate();
      timer = parts.scheduler().after(parts.settings().stopping(), run.process()::kill);
    }
  }

  private void cancelTimer() {
    Scheduler.Timer set = timer;
    timer = null;
    if (set != null) {
      set.cancel();
    }
  }

  // ---- events

  private OperatorMessage exited(String seen) {
    return Messages.of(
        OperatorCode.PLUGIN_EXITED,
        Subject.of("starting the process of plugin '" + parts.plugin() + "'"),
        seen);
  }

  private static String text(int status, Duration lived, LastWords said) {
    String last = said.text();
    return "it ended with status "
        + status
        + " after "
        + lived.toMillis()
        + " ms"
        + (last.isEmpty() ? ", and it wrote nothing" : ", and it wrote last: " + last);
  }

  private void later(Runnable work) {
    try {
      parts.scheduler().execute(work);
    } catch (RejectedExecutionException closed) {
      // The wait for the end of the process was abandoned before.
      stopped.complete(null);
    }
  }

  private void hand(String line) {
    try {
      parts.output().accept(line);
    } catch (Throwable failed) {
      // An Error is caught, too, because the thread must continue and report the end of the
      // process.
      if (!isSinkBroken) {
        isSinkBroken = true;
        LOGGER.log(
            Level.WARNING,
            "The receiver of a plugin's output failed; further failures are not logged.",
            failed);
      }
    }
  }
}

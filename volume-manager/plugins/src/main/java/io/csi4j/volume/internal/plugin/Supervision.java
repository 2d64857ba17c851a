package io.csi4j.volume.internal.plugin;

import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.Mailbox;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginEvent;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.SupervisedPlugin;
import io.csi4j.volume.plugin.SupervisedPlugin.StartTimeout;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Supervises one instance: checks its socket, probes it at intervals, registers it when it is
 * ready, and reports changes. All work is done in turns, which run one after the other. Between
 * turns, the supervision uses no thread.
 */
public final class Supervision implements SupervisedPlugin {

  private static final System.Logger LOGGER = System.getLogger("io.csi4j.volume");

  /** The time between two checks of the socket. A check does not call the plugin. */
  static final Duration LOOK = Duration.ofSeconds(1);

  private static final Duration CLOSING = Duration.ofSeconds(5);

  private final PluginConfig config;
  private final InstanceId instance;
  private final Ground ground;
  private final Prober prober;
  private final Mailbox turns;
  private final Standing standing;
  private final Inquiry inquiry;
  private final Consumer<Supervision> gone;

  /** The time of the next round; used in turns only. */
  private long due;

  /** Used in turns only. */
  private Scheduler.@Nullable Timer timer;

  /**
   * The parts that all supervisions share.
   *
   * @param registry the registry for instances
   * @param clock the clock
   * @param scheduler runs the turns
   * @param events receives events in a turn; must not block
   * @param timeouts receives, in a turn, instances that were not ready in time; must not block
   */
  public record Ground(
      PluginRegistry registry,
      Clock clock,
      Scheduler scheduler,
      Consumer<PluginEvent> events,
      Consumer<StartTimeout> timeouts) {}

  /**
   * Creates a supervision that has not started.
   *
   * @param gone runs when the supervision has ended
   */
  public Supervision(
      PluginConfig config,
      InstanceId instance,
      Ground ground,
      Prober prober,
      Consumer<Supervision> gone) {
    this.config = config;
    this.instance = instance;
    this.ground = ground;
    this.prober = prober;
    this.gone = gone;
    turns =
        new Mailbox(
            ground.scheduler(),
            failure ->
                LOGGER.log(
                    Level.ERROR, "The supervision of a plugin failed. Report this.", failure));
    standing =
        new Standing(
            config,
            config.registration(instance),
            ground.registry(),
            ground.clock(),
            ground.events(),
            this::refresh);
    inquiry = new Inquiry(config, ground.clock(), prober, standing, this::turn, this::found);
  }

  @Override
  public PluginConfig config() {
    return config;
  }

  @Override
  public InstanceId instance() {
    return instance;
  }

  @Override
  public PluginHealth health() {
    return standing.health();
  }

  @Override
  public Optional<PluginFingerprint> fingerprint() {
    return inquiry.fingerprint();
  }

  /** Starts the supervision. */
  public void start() {
    turn(() -> due = ground.clock().nanos());
  }

  @Override
  public void refresh() {
    turn(
        () -> {
          inquiry.doubt();
          due = ground.clock().nanos();
        });
  }

  @Override
  public void restarted() {
    turn(
        () -> {
          inquiry.doubt();
          due = ground.clock().nanos();
          standing.restarted();
        });
  }

  /** Ends the supervision. The result completes when the instance is deregistered. */
  public CompletableFuture<Void> stop() {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    turns.put(
        () -> {
          try {
            end();
          } finally {
            ended.complete(null);
          }
        });
    return ended;
  }

  @Override
  public void close() {
    try {
      var unused = stop().get(CLOSING.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOGGER.log(
          Level.WARNING,
          "The supervision of plugin {0} did not end within {1}. It ends later.",
          config.id(),
          CLOSING);
    }
  }

  // ---- turns

  private void turn(Runnable work) {
    turns.put(
        () -> {
          if (!standing.isGone()) {
            boolean isDone = false;
            try {
              work.run();
              look();
              isDone = true;
            } finally {
              if (!isDone) {
                inquiry.abandon();
                due = ground.clock().nanos() + interval().toNanos();
              }
              alarm();
            }
          }
        });
  }

  /** Does the work that is due, and reports changes. */
  private void look() {
    standing.timeout(this).ifPresent(ground.timeouts());
    long now = ground.clock().nanos();
    OptionalLong deadline = inquiry.deadline();
    if (deadline.isEmpty()) {
      if (now - due >= 0 || inquiry.isAnotherSocket()) {
        inquiry.begin();
      }
    } else if (now - deadline.getAsLong() >= 0) {
      inquiry.overdue();
    }
    standing.tell(fingerprint());
  }

  private void found(Optional<PluginTrouble> trouble) {
    standing.found(trouble);
    due = ground.clock().nanos() + interval().toNanos();
  }

  private Duration interval() {
    return standing.isSettled() ? config.probeInterval() : config.startInterval();
  }

  private void alarm() {
    Scheduler.Timer old = timer;
    if (old != null) {
      old.cancel();
    }
    timer = standing.isGone() ? null : ground.scheduler().after(pause(), () -> turn(() -> {}));
  }

  /** Returns the time until the next check of the socket, or until earlier due work. */
  private Duration pause() {
    long left = inquiry.deadline().orElse(due) - ground.clock().nanos();
    return Duration.ofNanos(Math.max(0, Math.min(left, LOOK.toNanos())));
  }

  /** Deregisters the instance with its last state, without calling the plugin. */
  private void end() {
    if (!standing.isGone()) {
      inquiry.abandon();
      prober.close();
      gone.accept(this);
      standing.end(fingerprint());
      alarm();
    }
  }
}

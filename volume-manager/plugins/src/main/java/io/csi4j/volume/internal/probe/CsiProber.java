package io.csi4j.volume.internal.probe;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.identity.Readiness;
import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiListener;
import io.csi4j.volume.internal.link.PluginConnections;
import io.csi4j.volume.internal.link.PluginFailures;
import io.csi4j.volume.internal.link.PluginLink;
import io.csi4j.volume.internal.plugin.PluginTrouble;
import io.csi4j.volume.internal.plugin.Prober;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.Unwrapped;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * Asks a plugin behind a socket, over the connection that node calls and calls to its controller
 * use as well; one question at a time. Has a thread only while it connects.
 */
public final class CsiProber implements Prober {

  private static final int MOST_NONSENSE = 64;

  private final PluginConfig config;
  private final PluginProcesses processes;
  private final Clock clock;
  private final PluginLink link;
  private final Queue<String> nonsense = new ConcurrentLinkedQueue<>();

  /** One who asks this plugin; nothing is begun. */
  public CsiProber(
      PluginConfig config, PluginProcesses processes, Clock clock, PluginConnections connections) {
    this.config = config;
    this.processes = processes;
    this.clock = clock;
    link = connections.link(config.endpoint(), options());
  }

  /** Whether it is ready is asked apart; connecting leaves half of the time for that. */
  private ConnectOptions options() {
    return config.connectOptions().toBuilder()
        .requireReady(false)
        .deadline(config.probeLimit().dividedBy(2).plusNanos(1))
        .policies(this::once)
        .listener(
            new CsiListener() {
              @Override
              public void onWarning(Warning event) {
                if (nonsense.size() < MOST_NONSENSE) {
                  nonsense.add(event.operation().rpcName() + ": " + event.violation());
                }
              }
            })
        .build();
  }

  private CallPolicy once(CallPolicy policy) {
    Duration limit = config.probeLimit();
    return policy.withAttempts(1).withAttemptDeadline(limit).withBudget(limit);
  }

  @Override
  public String socket() {
    return processes.socket(config.endpoint().path());
  }

  @Override
  public void probe(Consumer<Pulse> then) {
    if (!link.isConnected() && socket().isEmpty()) {
      then.accept(
          bad(
              PluginTrouble.of(
                  Reason.NO_SOCKET, OperatorCode.PLUGIN_NOT_UP, "there is no socket")));
      return;
    }
    link.use(
        way -> {
          if (way instanceof PluginLink.Way.Open there) {
            probe(there.plugin(), true, then);
          } else if (way instanceof PluginLink.Way.Shut shut) {
            then.accept(
                bad(
                    shut.cause()
                        .map(cause -> PluginTrouble.of(cause, config.probeLimit()))
                        .orElseGet(
                            () ->
                                PluginTrouble.of(
                                    Reason.ERROR, OperatorCode.PLUGIN_NOT_UP, shut.text()))));
          }
        });
  }

  /** Once more if it came to nothing on the way: the first question may meet the old connection. */
  private void probe(CsiPlugin plugin, boolean maybeAgain, Consumer<Pulse> then) {
    CompletionStage<Readiness> asked;
    try {
      asked = plugin.identity().with(this::once).async().probe();
    } catch (RuntimeException | Error failed) {
      asked = CompletableFuture.failedFuture(failed);
    }
    asked.whenComplete(
        (readiness, thrown) -> {
          if (thrown != null && maybeAgain && PluginFailures.isLost(thrown)) {
            probe(plugin, false, then);
          } else if (thrown != null) {
            then.accept(bad(PluginTrouble.of(Unwrapped.of(thrown), config.probeLimit())));
          } else {
            Optional<PluginTrouble> unready = PluginTrouble.of(readiness);
            then.accept(new Pulse(unready, unready.isEmpty() ? processes.word(plugin) : ""));
          }
        });
  }

  private static Pulse bad(PluginTrouble trouble) {
    return new Pulse(Optional.of(trouble), "");
  }

  @Override
  public void portray(Consumer<Portrait> then) {
    link.use(
        way -> {
          if (way instanceof PluginLink.Way.Open there) {
            CsiPlugin plugin = there.plugin();
            Portrayal portrayal = new Portrayal(plugin, config, this::once);
            portrayal
                .ask()
                .whenComplete(
                    (none, thrown) ->
                        then.accept(
                            portrayal.portrait(clock.wall(), drained(), processes.word(plugin))));
          } else {
            then.accept(
                new Portrait(
                    Optional.empty(),
                    Optional.empty(),
                    Optional.of(
                        PluginTrouble.of(
                            Reason.ERROR, OperatorCode.PLUGIN_NOT_UP, "the connection was ended")),
                    List.of(),
                    ""));
          }
        });
  }

  private List<String> drained() {
    List<String> all = new ArrayList<>();
    for (String each = nonsense.poll(); each != null; each = nonsense.poll()) {
      all.add(each);
    }
    return all;
  }

  @Override
  public void close() {
    var unused = link.closeAside("it is not watched any more");
  }
}

package io.csi4j.volume.plugin.registration;

import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.registration.PluginRegistrar;
import io.csi4j.client.registration.RegistrarException;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.plugin.registration.Conversations.Failure.Kind;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Communicates with registrars over their sockets. Runs a limited number of conversations at a
 * time, each on a separate thread.
 */
final class RegistrarConversations implements Conversations {

  private static final int AT_A_TIME = 16;

  private final ConnectOptions options;
  private final Duration closing;
  private final OnDemandThreads threads = new OnDemandThreads("csi4j-volume-registrar", AT_A_TIME);

  /**
   * Creates an object without conversations.
   *
   * @param closing the time limit for closing
   */
  RegistrarConversations(ConnectOptions options, Duration closing) {
    this.options = options;
    this.closing = closing;
  }

  @Override
  public void begin(
      CsiEndpoint socket,
      Function<Heard, CompletableFuture<PluginRegistrar.Outcome>> judge,
      Consumer<End> then) {
    try {
      threads.execute(() -> then.accept(talk(socket, judge)));
    } catch (RejectedExecutionException closed) {
      then.accept(failed(Kind.CLOSED, "the watch is closed"));
    } catch (OutOfMemoryError refused) {
      // The JVM throws this error if the machine cannot start more threads.
      then.accept(failed(Kind.SILENT, "no thread could be started to call it; raise the limit"));
    }
  }

  private End talk(
      CsiEndpoint socket, Function<Heard, CompletableFuture<PluginRegistrar.Outcome>> judge) {
    try (PluginRegistrar registrar = PluginRegistrar.connect(socket, options)) {
      Heard heard = Heard.of(registrar.info(), registrar.peer());
      return tell(registrar, judge.apply(heard).get());
    } catch (CsiConnectException e) {
      return failed(kind(e.reason()), e.failure().why());
    } catch (RegistrarException e) {
      return new End.Failed(failure(e));
    } catch (InterruptedException e) {
      return failed(Kind.CLOSED, "the watch is closed");
    } catch (ExecutionException e) {
      return failed(Kind.UNFIT, "checking its announcement failed with " + e.getCause());
    } catch (RuntimeException | Error e) {
      return failed(Kind.UNFIT, "asking it failed with " + e.getClass().getName());
    }
  }

  private static End tell(PluginRegistrar registrar, PluginRegistrar.Outcome outcome) {
    try {
      registrar.tell(outcome);
      return new End.Told(outcome);
    } catch (RegistrarException e) {
      return new End.NotTold(outcome, failure(e));
    }
  }

  private static Failure failure(RegistrarException e) {
    Kind kind =
        switch (e.reason()) {
          case NO_ANSWER, LOST, FAILED -> Kind.SILENT;
          case NOT_A_REGISTRAR, UNUSABLE_ANSWER -> Kind.UNFIT;
          case INTERRUPTED, CANCELLED, CLOSED -> Kind.CLOSED;
        };
    String words =
        e.failure().pluginText().map(text -> " (" + e.code() + ": " + text + ")").orElse("");
    return new Failure(kind, e.failure().why() + words);
  }

  private static Kind kind(CsiConnectException.Reason reason) {
    return switch (reason) {
      case NO_SUCH_SOCKET -> Kind.GONE;
      case NOBODY_LISTENING -> Kind.LEFT_BEHIND;
      case PERMISSION_DENIED -> Kind.DENIED;
      case NO_ANSWER, NOT_READY, UNHEALTHY, FLOODS -> Kind.SILENT;
      case INTERRUPTED -> Kind.CLOSED;
      case NOT_A_SOCKET,
          PATH_TOO_LONG,
          NOT_GRPC,
          SYMLINK,
          UNSAFE_DIRECTORY,
          WRONG_PEER,
          WRONG_PLUGIN,
          NO_TRANSPORT ->
          Kind.UNFIT;
    };
  }

  private static End failed(Kind kind, String why) {
    return new End.Failed(new Failure(kind, why));
  }

  @Override
  public void close() {
    threads.stop(closing);
  }
}

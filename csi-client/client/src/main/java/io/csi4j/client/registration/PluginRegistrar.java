package io.csi4j.client.registration;

import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PeerCredentials;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A registrar that this process is connected to: it announces one plugin, and wants to be told what
 * has become of that.
 *
 * <p>Nothing is repeated: a call that fails, fails. Each call has as much time as the deadline of
 * the options says. Safe for use by many threads.
 *
 * @since 1.0
 */
public interface PluginRegistrar extends AutoCloseable {

  /** Connects with the default options. */
  static PluginRegistrar connect(CsiEndpoint socket) {
    return connect(socket, ConnectOptions.defaults());
  }

  /**
   * Connects to the socket of a registrar. One that is not there yet is waited for; what waiting
   * cannot mend fails at once. Of the options those count that are about the socket, the deadline
   * and the sizes; those about the plugin and its calls do not.
   *
   * @throws io.csi4j.client.model.CsiConnectException if that does not come about within the
   *     deadline of the options, saying what stood in the way
   */
  static PluginRegistrar connect(CsiEndpoint socket, ConnectOptions options) {
    return ConnectedRegistrar.connect(socket, options);
  }

  /** The socket of the registrar. */
  CsiEndpoint socket();

  /** Returns the process that listened on the socket when it was connected last. */
  PeerCredentials peer();

  /**
   * Returns its announcement.
   *
   * @throws RegistrarException if it does not say
   */
  PluginAnnouncement info();

  /**
   * Tells it what has become of its announcement. Registrars of Kubernetes end when they hear that
   * their plugin is not registered, and are started again.
   *
   * @throws RegistrarException if it does not take that
   */
  void tell(RegistrationOutcome outcome);

  /** Returns the registrar that does not block. */
  Async async();

  /**
   * Ends the connection. Calls still running fail with reason {@code CLOSED}. Returns within the
   * close timeout of the options; all threads of the connection end. Doing it twice is harmless.
   */
  @Override
  void close();

  /**
   * A registrar that this process is connected to. Without blocking.
   *
   * <p>A stage fails with the {@link RegistrarException} that the blocking call would throw.
   * Cancelling it, as {@code stage.toCompletableFuture().cancel(true)}, cancels the call. Actions
   * that hang on a stage run on the callback threads of the connection, never on its I/O thread.
   */
  interface Async {

    /** Returns its announcement. */
    CompletionStage<PluginAnnouncement> info();

    /** Tells it what has become of its announcement. */
    CompletionStage<@Nullable Void> tell(RegistrationOutcome outcome);
  }
}

package io.csi4j.client.registration;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PeerCredentials;
import io.csi4j.client.model.PluginName;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a registrar: a process that announces one plugin, and expects a notification of
 * the registration status.
 *
 * <p>No call is repeated automatically. Each call may take as long as the deadline of the options.
 * Safe for use by many threads.
 *
 * @since 1.0
 */
public interface PluginRegistrar extends AutoCloseable {

  /** Connects with the default options. */
  static PluginRegistrar connect(CsiEndpoint socket) {
    return connect(socket, ConnectOptions.defaults());
  }

  /**
   * Connects to the socket of a registrar. Waits for a socket that does not exist yet. Fails
   * immediately for a problem that waiting cannot fix. Only the options for the socket, the
   * deadline and the sizes apply; the options for the plugin and its calls have no effect.
   *
   * @throws io.csi4j.client.model.CsiConnectException if the registrar is not connected within the
   *     deadline of the options; the exception names the reason
   */
  static PluginRegistrar connect(CsiEndpoint socket, ConnectOptions options) {
    return ConnectedRegistrar.connect(socket, options);
  }

  /** The socket of the registrar. */
  CsiEndpoint socket();

  /** Returns the process that listened on the socket when the client last connected. */
  PeerCredentials peer();

  /**
   * Returns the announcement of the registrar.
   *
   * @throws RegistrarException if the call fails
   */
  Announcement info();

  /**
   * Notifies the registrar of the registration status. A Kubernetes registrar exits when its plugin
   * is not registered; kubelet then restarts it.
   *
   * @throws RegistrarException if the call fails
   */
  void tell(Outcome outcome);

  /** Returns the non-blocking form of this registrar. */
  Async async();

  /**
   * Ends the connection. Calls still running fail with reason {@code CLOSED}. Returns within the
   * close timeout of the options; all threads of the connection end. Closing again has no effect.
   */
  @Override
  void close();

  /**
   * A registrar without blocking.
   *
   * <p>A stage fails with the {@link RegistrarException} that the blocking call would throw. To
   * cancel the call, cancel the stage: {@code stage.toCompletableFuture().cancel(true)}. Dependent
   * actions of a stage run on the callback threads of the connection, never on its I/O thread.
   */
  interface Async {

    /** Returns the announcement of the registrar. */
    CompletionStage<Announcement> info();

    /** Notifies the registrar of the registration status. */
    CompletionStage<@Nullable Void> tell(Outcome outcome);
  }

  /**
   * The announcement of a registrar. The client checks only the form of the announcement; the
   * caller decides whether to accept it. Texts are escaped and cut to 1 KiB, so that they are safe
   * to show.
   *
   * @since 1.0
   */
  sealed interface Announcement permits AnnouncementValue {

    /** The type of CSI plugins. */
    String CSI = "CSIPlugin";

    /** Maximum number of versions that are kept from one announcement. */
    int VERSIONS_LIMIT = 64;

    /** Returns the type of plugin; {@link #CSI} for a CSI plugin. */
    String type();

    /** The announced name. */
    String name();

    /** The name, if it is a valid name of a CSI plugin. */
    Optional<PluginName> pluginName();

    /** The announced path of the plugin's socket; may be empty. */
    String endpoint();

    /**
     * The endpoint of the plugin: the announced path, or the socket of the registrar if no path is
     * announced. Empty if the announced path is not absolute.
     */
    Optional<CsiEndpoint> pluginEndpoint();

    /** The interface versions that the plugin supports, at most {@link #VERSIONS_LIMIT}. */
    List<String> supportedVersions();
  }

  /**
   * The registration status of an announced plugin.
   *
   * @param registered whether the plugin is registered now
   * @param error the reason in one line if the plugin is not registered; empty otherwise.
   *     Unprintable characters are escaped, and text beyond 1 KiB is cut.
   * @since 1.0
   */
  record Outcome(boolean registered, String error) {

    /**
     * Converts the error into one line. Refuses an error if the plugin is registered, and an empty
     * error if it is not.
     */
    public Outcome {
      error = SafeText.escape(error);
      if (registered != error.isEmpty()) {
        throw new IllegalArgumentException(
            registered
                ? "A registered plugin has no error. Leave the error empty."
                : "A plugin that is not registered needs a reason. Set the error.");
      }
    }

    /** Returns the outcome of a registered plugin. */
    public static Outcome accepted() {
      return new Outcome(true, "");
    }

    /** Returns the outcome of a plugin that is not registered, with the reason. */
    public static Outcome refused(String why) {
      return new Outcome(false, why);
    }
  }
}

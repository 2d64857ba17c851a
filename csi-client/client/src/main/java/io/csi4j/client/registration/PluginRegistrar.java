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
  Announcement info();

  /**
   * Tells it what has become of its announcement. Registrars of Kubernetes end when they hear that
   * their plugin is not registered, and are started again.
   *
   * @throws RegistrarException if it does not take that
   */
  void tell(Outcome outcome);

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
    CompletionStage<Announcement> info();

    /** Tells it what has become of its announcement. */
    CompletionStage<@Nullable Void> tell(Outcome outcome);
  }

  /**
   * The announcement of a registrar. Nothing of it is checked beyond its form: whether it can be
   * used is for the reader to decide. Texts are escaped and cut to 1 KiB, and fit to be shown.
   *
   * @since 1.0
   */
  sealed interface Announcement permits AnnouncementValue {

    /** The type of plugins of CSI. */
    String CSI = "CSIPlugin";

    /** The most versions that are kept of one announcement. */
    int VERSIONS_LIMIT = 64;

    /** Returns the kind of plugin; {@link #CSI} for one of CSI. */
    String type();

    /** The name as it was announced. */
    String name();

    /** The name, if a plugin of CSI can have it. */
    Optional<PluginName> pluginName();

    /** The path of the plugin's socket as it was announced; may be empty. */
    String endpoint();

    /**
     * Where the plugin listens: on the announced path, or, where none was announced, on the socket
     * of the registrar itself. Nothing if what was announced is no absolute path.
     */
    Optional<CsiEndpoint> pluginEndpoint();

    /** The versions of its interface that the plugin speaks, at most {@link #VERSIONS_LIMIT}. */
    List<String> supportedVersions();
  }

  /**
   * The outcome of an announcement.
   *
   * @param registered whether the plugin is registered now
   * @param error if not, why, in one line; empty otherwise. What cannot be printed is escaped, and
   *     what is beyond 1 KiB is cut.
   * @since 1.0
   */
  record Outcome(boolean registered, String error) {

    /**
     * Makes the error fit for one line, and refuses one without a reason, or a reason without one.
     */
    public Outcome {
      error = SafeText.escape(error);
      if (registered != error.isEmpty()) {
        throw new IllegalArgumentException(
            registered
                ? "A plugin that is registered has no error. Leave the error empty."
                : "A plugin that is not registered needs a reason. Say why.");
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

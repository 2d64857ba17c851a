package io.csi4j.volume.plugin.registration;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PeerCredentials;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.registration.PluginRegistrar;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Communicates with registrars. Every conversation has a time limit, and so has the time that it
 * waits for other conversations.
 */
interface Conversations extends AutoCloseable {

  /**
   * Asks a registrar for its announcement, and notifies the registrar of the result.
   *
   * @param socket its socket
   * @param judge determines the result; not called if the registrar does not answer
   * @param then receives the end of the conversation
   */
  void begin(
      CsiEndpoint socket,
      Function<Heard, CompletableFuture<PluginRegistrar.Outcome>> judge,
      Consumer<End> then);

  /** Ends all conversations. Afterwards, no conversation can begin. */
  @Override
  void close();

  /**
   * The announcement of a registrar. Texts are printable.
   *
   * @param type the type of the plugin
   * @param name its name
   * @param pluginName its name, if it is valid for a CSI plugin
   * @param endpoint its socket
   * @param pluginEndpoint the endpoint of the plugin, if the announced socket is an absolute path
   * @param versions the versions of CSI that the plugin supports
   * @param announcer the process that listens on the registrar's socket
   */
  record Heard(
      String type,
      String name,
      Optional<PluginName> pluginName,
      String endpoint,
      Optional<CsiEndpoint> pluginEndpoint,
      List<String> versions,
      PeerCredentials announcer) {

    static Heard of(PluginRegistrar.Announcement said, PeerCredentials announcer) {
      return new Heard(
          said.type(),
          said.name(),
          said.pluginName(),
          said.endpoint(),
          said.pluginEndpoint(),
          said.supportedVersions(),
          announcer);
    }
  }

  /** The possible ends of a conversation. */
  sealed interface End {

    /**
     * The registrar was notified of the result.
     *
     * @param outcome the result
     */
    record Told(PluginRegistrar.Outcome outcome) implements End {}

    /**
     * The registrar could not be notified of the result.
     *
     * @param outcome the result
     * @param failure the reason
     */
    record NotTold(PluginRegistrar.Outcome outcome, Failure failure) implements End {}

    /**
     * The registrar did not answer.
     *
     * @param failure the reason
     */
    record Failed(Failure failure) implements End {}
  }

  /**
   * The failure of a conversation.
   *
   * @param kind the kind of failure
   * @param why the reason for people, as a clause
   */
  record Failure(Kind kind, String why) {

    /** The kinds of failures. */
    enum Kind {
      /** The registrar does not answer, or fails. */
      SILENT,
      /** The socket exists, but has no listener. */
      LEFT_BEHIND,
      /** The socket no longer exists. */
      GONE,
      /** This process may not use the socket. */
      DENIED,
      /** The socket does not belong to a registrar, or the registrar must not be contacted. */
      UNFIT,
      /** The watch was closed. */
      CLOSED
    }
  }
}

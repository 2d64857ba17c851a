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

/** Talks to registrars. Every conversation has an end, and none waits for another for ever. */
interface Conversations extends AutoCloseable {

  /**
   * Asks a registrar what it announces, and tells it what comes of that.
   *
   * @param socket its socket
   * @param judge decides what comes of it; not asked if the registrar says nothing
   * @param then told of the end
   */
  void begin(
      CsiEndpoint socket,
      Function<Heard, CompletableFuture<PluginRegistrar.Outcome>> judge,
      Consumer<End> then);

  /** Ends all of them, and takes no more. */
  @Override
  void close();

  /**
   * The words of a registrar. Texts are fit to be shown.
   *
   * @param type what kind of plugin it announces
   * @param name under which name
   * @param pluginName the same, if a plugin of CSI can have it
   * @param endpoint listening where
   * @param pluginEndpoint the same, if it is an absolute path
   * @param versions speaking which versions of CSI
   * @param announcer who says so
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

  /** How a conversation ended. */
  sealed interface End {

    /**
     * The registrar knows what has become of its announcement.
     *
     * @param outcome what
     */
    record Told(PluginRegistrar.Outcome outcome) implements End {}

    /**
     * The registrar was to know, and did not take it.
     *
     * @param outcome what
     * @param failure why it did not
     */
    record NotTold(PluginRegistrar.Outcome outcome, Failure failure) implements End {}

    /**
     * The registrar said nothing.
     *
     * @param failure why
     */
    record Failed(Failure failure) implements End {}
  }

  /**
   * Why a registrar does not hear, or is not heard.
   *
   * @param kind what it comes to
   * @param why for people, as a clause
   */
  record Failure(Kind kind, String why) {

    /** The possible ends of a conversation. */
    enum Kind {
      /** The registrar gives no answer, or fails. */
      SILENT,
      /** The socket is there, without a listener. */
      LEFT_BEHIND,
      /** There is no socket any more. */
      GONE,
      /** This process may not use the socket. */
      DENIED,
      /** The socket is of no registrar, or of one that must not be talked to. */
      UNFIT,
      /** The watch was closed. */
      CLOSED
    }
  }
}

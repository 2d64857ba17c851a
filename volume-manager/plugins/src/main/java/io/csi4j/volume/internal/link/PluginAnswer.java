package io.csi4j.volume.internal.link;

import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.volume.internal.time.Unwrapped;
import io.csi4j.volume.model.OperatorCode;
import java.util.Optional;

/** The current knowledge about a plugin: either it is available, or it is not. */
public sealed interface PluginAnswer {

  /**
   * The plugin is available.
   *
   * @param stages whether volumes are staged before they are published
   * @param instance the name of the plugin's process; empty if it is not known
   * @param offersExpand whether the plugin handles volumes that have grown
   * @param offersStats whether the plugin reports the usage of volumes
   * @param knowsWriters whether the plugin supports the access modes that count the writers on one
   *     node
   * @param takesGroup whether the plugin mounts filesystems for a group
   * @param health the faults that the plugin can report
   */
  record Up(
      boolean stages,
      String instance,
      boolean offersExpand,
      boolean offersStats,
      boolean knowsWriters,
      boolean takesGroup,
      HealthOffer health)
      implements PluginAnswer {

    /** Creates the answer for a plugin that accepts no group and reports no faults. */
    public Up(
        boolean stages,
        String instance,
        boolean offersExpand,
        boolean offersStats,
        boolean knowsWriters) {
      this(stages, instance, offersExpand, offersStats, knowsWriters, false, HealthOffer.NONE);
    }
  }

  /**
   * The faults that a plugin can report on a node.
   *
   * @param volumes whether the plugin has a call for the faults of a volume (CSI 1.13)
   * @param conditions whether the plugin reports faults of a volume together with its usage (CSI
   *     1.3 to 1.12)
   * @param storage whether the plugin reports the faults of its storage (CSI 1.13)
   */
  record HealthOffer(boolean volumes, boolean conditions, boolean storage) {

    /** The plugin reports no faults. */
    public static final HealthOffer NONE = new HealthOffer(false, false, false);
  }

  /**
   * The plugin is not available, does not report its capabilities, or must not be called.
   *
   * @param text the reason, as one line for people
   * @param cause the exception, if there is one
   * @param stated the code for an operator, if the plugin itself was not called
   */
  record Down(String text, Optional<CsiException> cause, Optional<OperatorCode> stated)
      implements PluginAnswer {

    /** Creates an answer for a plugin that is not available, without an exception. */
    public Down(String text) {
      this(text, Optional.empty());
    }

    /**
     * Creates an answer for a plugin that is not available. If there is an exception, it determines
     * the code for an operator.
     */
    public Down(String text, Optional<CsiException> cause) {
      this(text, cause, Optional.empty());
    }

    /** Creates an answer for a plugin that was not called, for a known reason. */
    public Down(String text, OperatorCode stated) {
      this(text, Optional.empty(), Optional.of(stated));
    }

    /** Returns the answer for a plugin whose capabilities could not be read. */
    public static Down of(Throwable thrown) {
      Throwable cause = Unwrapped.of(thrown);
      return cause instanceof CsiException failed
          ? new Down(String.valueOf(failed.getMessage()), Optional.of(failed))
          : new Down("asking the plugin for its capabilities failed: " + cause);
    }

    /** Returns the code for an operator. */
    public OperatorCode code() {
      return stated.orElseGet(this::codeOfCause);
    }

    private OperatorCode codeOfCause() {
      CsiException failed = cause.orElse(null);
      if (failed instanceof CsiConnectException unconnected) {
        return code(unconnected.reason());
      }
      CsiOperation asked = failed == null ? null : failed.operation().orElse(null);
      if (asked == null || failed == null || failed.failure().pluginText().isEmpty()) {
        return OperatorCode.PLUGIN_NOT_UP;
      }
      return asked == CsiOperation.PROBE
          ? OperatorCode.PLUGIN_NOT_READY
          : OperatorCode.CAPABILITIES_UNKNOWN;
    }

    private static OperatorCode code(CsiConnectException.Reason reason) {
      return switch (reason) {
        case NOBODY_LISTENING -> OperatorCode.PLUGIN_SOCKET_STALE;
        case PERMISSION_DENIED, UNSAFE_DIRECTORY, SYMLINK, WRONG_PEER ->
            OperatorCode.PLUGIN_SOCKET_DENIED;
        case NOT_READY, UNHEALTHY -> OperatorCode.PLUGIN_NOT_READY;
        case PATH_TOO_LONG -> OperatorCode.PLUGIN_SOCKET_TOO_LONG;
        case WRONG_PLUGIN -> OperatorCode.PLUGIN_NAME_CHANGED;
        case NO_SUCH_SOCKET, NOT_A_SOCKET, NOT_GRPC, NO_ANSWER, INTERRUPTED, FLOODS, NO_TRANSPORT ->
            OperatorCode.PLUGIN_NOT_UP;
      };
    }
  }
}

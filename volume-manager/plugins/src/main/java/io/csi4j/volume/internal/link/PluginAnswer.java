package io.csi4j.volume.internal.link;

import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.volume.internal.time.Unwrapped;
import io.csi4j.volume.model.OperatorCode;
import java.util.Optional;

/** The present knowledge of a plugin. */
public sealed interface PluginAnswer {

  /**
   * The plugin is there.
   *
   * @param stages whether volumes are staged before they are published
   * @param instance the process that it is now, as a word; empty when it is not known
   * @param offersExpand whether it wants to know of volumes that have grown
   * @param offersStats whether it tells how full volumes are
   * @param knowsWriters whether it knows the access modes that count the writers on one node
   * @param takesGroup whether it mounts filesystems for a group
   * @param health the faults that it can tell
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

    /** A plugin that takes no group and tells no faults. */
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
   * The faults that a plugin can tell on a node.
   *
   * @param volumes whether it has a call for the faults of a volume (CSI 1.13)
   * @param conditions whether it tells them with how full a volume is (CSI 1.3 to 1.12)
   * @param storage whether it tells the faults of its storage (CSI 1.13)
   */
  record HealthOffer(boolean volumes, boolean conditions, boolean storage) {

    /** No faults at all. */
    public static final HealthOffer NONE = new HealthOffer(false, false, false);
  }

  /**
   * The plugin is not there, does not say what it can do, or gets nothing to do.
   *
   * @param text why: one line for people
   * @param cause the exception, where there is one
   * @param stated what an operator is told, where it was not the plugin that was asked
   */
  record Down(String text, Optional<CsiException> cause, Optional<OperatorCode> stated)
      implements PluginAnswer {

    /** The plugin is not there, and no exception says why. */
    public Down(String text) {
      this(text, Optional.empty());
    }

    /**
     * The plugin is not there; the exception, if there is one, decides what an operator is told.
     */
    public Down(String text, Optional<CsiException> cause) {
      this(text, cause, Optional.empty());
    }

    /** The plugin was not asked, for a reason that is known. */
    public Down(String text, OperatorCode stated) {
      this(text, Optional.empty(), Optional.of(stated));
    }

    /** The question what a plugin can do has failed. */
    public static Down of(Throwable thrown) {
      Throwable cause = Unwrapped.of(thrown);
      return cause instanceof CsiException failed
          ? new Down(String.valueOf(failed.getMessage()), Optional.of(failed))
          : new Down("asking the plugin what it can do failed: " + cause);
    }

    /** Returns the code that an operator is told. */
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

package io.csi4j.volume.internal.port;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.link.PluginAnswer;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.WorkContext;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The engine's interface to the node service of one plugin. The methods do not block, and calls are
 * not repeated automatically.
 */
public interface NodePlugin {

  /** Returns the policy for the plugin. */
  MountPolicy policy();

  /**
   * Queries the capabilities of the plugin, and connects to it if necessary.
   *
   * @param then receives the answer exactly once, on any thread
   */
  void facts(Consumer<PluginAnswer> then);

  /**
   * Returns the capabilities of the plugin. The plugin is called only if it has not reported its
   * capabilities on the present connection.
   *
   * @param then receives the answer exactly once, on any thread
   */
  void knownFacts(Consumer<PluginAnswer> then);

  /**
   * Returns the name of the plugin's process that was seen last; empty if no process is known.
   * Never blocks.
   */
  String instance();

  /**
   * Returns why the engine must not call the plugin now; empty if calls are allowed. The reason is
   * that the plugin is not registered, or that it is known to be unhealthy. Never blocks.
   */
  default Optional<PluginAnswer.Down> barred() {
    return Optional.empty();
  }

  /**
   * Returns the plugin's own name, as last received, if it differs from the registered name. Empty
   * if the host has required a name for the connection. Never blocks.
   */
  default Optional<String> otherName() {
    return Optional.empty();
  }

  /**
   * Returns whether a former process of the plugin may still be working on calls, although another
   * process has replaced it. Never blocks.
   *
   * @param instance the name of the former process
   */
  default boolean mayStillRun(String instance) {
    return false;
  }

  /** Returns the provider of the secrets for queries about the storage. */
  default SecretsProvider storageSecrets() {
    return SecretsProvider.none();
  }

  /**
   * Makes a call. The call ends at the latest at the policy's deadline for an attempt.
   *
   * @param then receives the answer exactly once, on any thread
   */
  void call(NodeCall call, Consumer<Answer> then);

  /**
   * Makes a call and sends it within a context.
   *
   * @param context the context, which runs the sending on any thread
   * @param then receives the answer exactly once, on any thread
   */
  default void call(NodeCall call, WorkContext context, Consumer<Answer> then) {
    call(call, then);
  }

  /** Returns the socket of the plugin; empty if it is not registered. */
  default Optional<CsiEndpoint> endpoint() {
    return Optional.empty();
  }

  /**
   * Returns whether the plugin may have received an unanswered call. If not, the call still waits
   * for secrets, for a connection or in the queue. Never blocks.
   *
   * @param call the same object with which the call was made
   */
  default boolean isSent(NodeCall call) {
    return true;
  }

  /**
   * A placeholder for a plugin that is not registered. It refuses every call.
   *
   * @param known the registered plugins
   */
  record Absent(Set<PluginId> known) implements NodePlugin {

    /**
     * A placeholder for the endpoint, which a failure of the client must name although the plugin
     * has no socket.
     */
    private static final CsiEndpoint NOWHERE = CsiEndpoint.of(Path.of("/"));

    @Override
    public MountPolicy policy() {
      return MountPolicy.defaults();
    }

    @Override
    public Optional<PluginAnswer.Down> barred() {
      return Optional.of(new PluginAnswer.Down(text(), OperatorCode.PLUGIN_NOT_REGISTERED));
    }

    @Override
    public void facts(Consumer<PluginAnswer> then) {
      then.accept(new PluginAnswer.Down(text(), OperatorCode.PLUGIN_NOT_REGISTERED));
    }

    @Override
    public void knownFacts(Consumer<PluginAnswer> then) {
      facts(then);
    }

    @Override
    public String instance() {
      return "";
    }

    @Override
    public void call(NodeCall call, Consumer<Answer> then) {
      then.accept(
          Answer.failed(
              CsiFailure.builder(NOWHERE, StatusCode.UNAVAILABLE, Outcome.SETTLED)
                  .operation(call.operation())
                  .why(text())
                  .build()));
    }

    private String text() {
      return known.isEmpty()
          ? "no plugin is registered with the role NODE"
          : "no plugin of this name is registered with the role NODE; these are: "
              + known.stream()
                  .map(id -> "'" + ForeignText.of(id.value()) + "'")
                  .collect(Collectors.joining(", "));
    }
  }
}

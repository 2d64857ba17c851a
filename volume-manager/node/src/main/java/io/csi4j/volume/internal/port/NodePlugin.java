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

/** The node service of one plugin. Calls do not block, and are not repeated. */
public interface NodePlugin {

  /** Returns the policy for the plugin. */
  MountPolicy policy();

  /**
   * Asks for the capabilities of the plugin, and connects to it if necessary.
   *
   * @param then receives the answer exactly once, on any thread
   */
  void facts(Consumer<PluginAnswer> then);

  /**
   * Returns the capabilities of the plugin, and calls the plugin only if it has not reported them
   * on the present connection.
   *
   * @param then receives the answer exactly once, on any thread
   */
  void knownFacts(Consumer<PluginAnswer> then);

  /**
   * Returns the name of the plugin's present process; empty if that is not known. Never blocks:
   * returns the last seen process.
   */
  String instance();

  /**
   * Returns why the plugin gets no calls now, if it gets none: it is not registered, or known to be
   * unhealthy. Never blocks.
   */
  default Optional<PluginAnswer.Down> barred() {
    return Optional.empty();
  }

  /**
   * Returns the name that the plugin gives itself, if it differs from the registered one and the
   * host did not require that name. Never blocks: returns the last received name.
   */
  default Optional<String> otherName() {
    return Optional.empty();
  }

  /**
   * Returns whether a former process of the plugin may still work on calls that it received,
   * although it drains and another process has replaced it. Never waits.
   *
   * @param instance the name of that process
   */
  default boolean mayStillRun(String instance) {
    return false;
  }

  /** Returns the provider of the secrets for questions about the storage. */
  default SecretsProvider storageSecrets() {
    return SecretsProvider.none();
  }

  /**
   * Makes a call. Ends at the latest at the policy's deadline for an attempt.
   *
   * @param then receives the answer exactly once, on any thread
   */
  void call(NodeCall call, Consumer<Answer> then);

  /**
   * Makes a call, and sends it in a context.
   *
   * @param context the context; the call is sent in it on any thread
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
   * Returns whether the plugin may have received a call that has no answer yet. If not, the call
   * waits for a connection or for its turn. Never blocks.
   *
   * @param call the call, the same object as it was made with
   */
  default boolean isSent(NodeCall call) {
    return true;
  }

  /**
   * A plugin that is not registered and gets no call.
   *
   * @param known the registered plugins
   */
  record Absent(Set<PluginId> known) implements NodePlugin {

    /** A placeholder, because the plugin has no socket and a failure of the client names one. */
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

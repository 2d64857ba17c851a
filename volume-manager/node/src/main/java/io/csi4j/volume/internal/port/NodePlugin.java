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

  /** How it is treated. */
  MountPolicy policy();

  /**
   * Finds out what the plugin can do, connecting to it if need be.
   *
   * @param then told exactly once, on any thread
   */
  void facts(Consumer<PluginAnswer> then);

  /**
   * The same, without asking a plugin that has said it on the connection that there is.
   *
   * @param then told exactly once, on any thread
   */
  void knownFacts(Consumer<PluginAnswer> then);

  /**
   * The process that is the plugin now, as a word; empty when it is not known. Never blocks: tells
   * what was last seen.
   */
  String instance();

  /**
   * Why it gets no calls now, if it gets none: it is not registered, or known to be unhealthy.
   * Never blocks.
   */
  default Optional<PluginAnswer.Down> barred() {
    return Optional.empty();
  }

  /**
   * The name that the plugin gives itself, where that is not the one it is registered under, and
   * the host did not demand it. Never blocks: tells what was last heard.
   */
  default Optional<String> otherName() {
    return Optional.empty();
  }

  /**
   * Whether a process that was the plugin may still work on calls that it was sent, although
   * another one is the plugin now: it drains beside it. Never waits.
   *
   * @param instance its word
   */
  default boolean mayStillRun(String instance) {
    return false;
  }

  /** The secrets for questions about its storage. */
  default SecretsProvider storageSecrets() {
    return SecretsProvider.none();
  }

  /**
   * Makes a call. Ends at the policy's deadline for an attempt at the latest.
   *
   * @param then told exactly once, on any thread
   */
  void call(NodeCall call, Consumer<Answer> then);

  /**
   * Makes a call, and sends it in a context.
   *
   * @param context the context; the call is sent in it on any thread
   * @param then told exactly once, on any thread
   */
  default void call(NodeCall call, WorkContext context, Consumer<Answer> then) {
    call(call, then);
  }

  /** The socket of the plugin; nothing if it is not registered. */
  default Optional<CsiEndpoint> endpoint() {
    return Optional.empty();
  }

  /**
   * Whether the plugin may have received a call that was made and has no answer yet. Otherwise the
   * call waits for a connection or for its turn. Never blocks.
   *
   * @param call the call, the same object as it was made with
   */
  default boolean isSent(NodeCall call) {
    return true;
  }

  /**
   * A plugin that is not registered: it gets no call.
   *
   * @param known those that are
   */
  record Absent(Set<PluginId> known) implements NodePlugin {

    /** It has no socket; a failure of the client names one. */
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
          : "no plugin of this name is registered with the role NODE; with it are registered: "
              + known.stream()
                  .map(id -> "'" + ForeignText.of(id.value()) + "'")
                  .collect(Collectors.joining(", "));
    }
  }
}

package io.csi4j.conformance.internal.plugin;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.conformance.model.PluginUnderTest;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tracks whether the plugin listens, has crashed, or hangs, based on its answers. Not thread-safe.
 */
final class PluginPresence {

  private final PluginUnderTest plugin;
  private final @Nullable StartedPlugin started;
  private final Map<CsiOperation, String> hung = new EnumMap<>(CsiOperation.class);
  private final Map<CsiOperation, String> unserved = new EnumMap<>(CsiOperation.class);
  private final Set<CsiEndpoint> answered = new HashSet<>();
  private String about = "";
  private @Nullable CsiEndpoint silent;
  private String death = "";

  PluginPresence(PluginUnderTest plugin, @Nullable StartedPlugin started) {
    this.plugin = plugin;
    this.started = started;
  }

  /**
   * Begins a case. A crashed plugin is started again, if the suite knows its command.
   *
   * @return whether the plugin is now another process
   */
  boolean begin(String caseName) {
    about = caseName;
    if (silent == null) {
      return false;
    }
    // A proxy may continue to listen for a moment after its plugin has crashed.
    if (!RawPlugin.listens(silent) || (started != null && !started.listens())) {
      if (started == null) {
        throw CaseEndedException.notRun(
            death + ". Start it again, or give its command so that the suite does");
      }
      started.restart();
    }
    silent = null;
    hung.clear();
    answered.clear();
    return true;
  }

  /** Returns whether a plugin that does not answer now may answer later. */
  boolean mayAnswer(RawPlugin socket) {
    return RawPlugin.listens(socket.endpoint()) || (started != null && started.isAlive());
  }

  /** Ends the case before it makes a call that hung in an earlier case. */
  void checkMayAsk(CsiOperation operation) {
    String before = hung.get(operation);
    if (before != null) {
      throw CaseEndedException.notRun(
          "%s was not answered in time in the case %s, and is not called again"
              .formatted(operation.rpcName(), before));
    }
  }

  /** Records that the current case failed because a call is not implemented. */
  void failedUnserved(CsiOperation operation) {
    unserved.putIfAbsent(operation, about);
  }

  /**
   * Ends the case without a verdict if a call is not implemented and an earlier case has already
   * failed for that reason.
   */
  void checkServed(Reply reply) {
    String failed = unserved.get(reply.operation());
    if (reply.code() == StatusCode.UNIMPLEMENTED && failed != null) {
      throw CaseEndedException.notRun(
          reply.rpcName()
              + " is not implemented; for that reason the case "
              + failed
              + " has "
              + "failed");
    }
  }

  /** Ends the case if a call got no answer. */
  void heard(Reply reply, RawPlugin socket) {
    if (isLate(reply)) {
      hung.put(reply.operation(), about);
      throw CaseEndedException.notRun(
          "%s was not answered within %s s. Check the plugin's log, or allow more time"
              .formatted(reply.rpcName(), plugin.deadline().toMillis() / 1000.0));
    }
    if (!reply.lost()) {
      boolean unused = answered.add(socket.endpoint());
      return;
    }
    if (!answered.contains(socket.endpoint())) {
      death = "nothing answers on " + socket.endpoint();
      silent = socket.endpoint();
      throw CaseEndedException.notRun(
          "%s: %s. Check that the plugin runs and listens on the socket%s"
              .formatted(death, SafeText.escape(reply.text(), 256), lastWords()));
    }
    throw lost(reply.operation(), socket.endpoint());
  }

  private CaseEndedException lost(CsiOperation operation, CsiEndpoint endpoint) {
    String expected = operation.rpcName() + " ends with a status";
    boolean died = started == null ? RawPlugin.isGone(endpoint) : started.hasEnded();
    if (!died) {
      return CaseEndedException.failedInAnyStep(
          expected, "the connection ended in this call; something still listens on " + endpoint);
    }
    silent = endpoint;
    death = "the plugin died in the case " + about + ", in " + operation.rpcName();
    return CaseEndedException.failedInAnyStep(
        expected,
        "the plugin died in this call: nothing listens on " + endpoint + " any more" + lastWords());
  }

  private String lastWords() {
    return started == null ? "" : started.lastWords();
  }

  private boolean isLate(Reply reply) {
    return reply.code() == StatusCode.DEADLINE_EXCEEDED
        && reply.took().toNanos() > plugin.deadline().toNanos() / 10 * 9;
  }

  /** Returns whether a call that undoes an effect got no answer. Records the reason. */
  boolean isSilent(Reply reply, RawPlugin socket) {
    try {
      heard(reply, socket);
      return false;
    } catch (CaseEndedException e) {
      return true;
    }
  }
}
